package headless

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent"
	"minigem/internal/app"
	"minigem/internal/exit"
)

// TestEveryCodeInEachFormat checks that programs can read each exit code, with its type
// and message, in the format that they requested (cli/utils/errors.ts).
func TestEveryCodeInEachFormat(t *testing.T) {
	t.Parallel()
	for code, kind := range map[int]string{
		exit.Failed: "unknown", exit.Auth: "Error", exit.Input: "FatalInputError", exit.Config: "FatalConfigError",
		exit.TurnLimit: "FatalTurnLimitedError", exit.Tool: "FatalToolExecutionError", exit.Untrusted: "FatalUntrustedWorkspaceError",
		exit.Interrupted: "FatalCancellationError", exit.Terminated: "unknown",
	} {
		for _, format := range []string{"json", "stream-json"} {
			for how, end := range map[string]func(Output, error) error{
				"refused": Output.Refuse,
				"ended":   func(o Output, err error) error { return o.End(agent.Result{}, err) },
			} {
				var out, errOut bytes.Buffer
				o := New(&app.System{Stdout: &out, Stderr: &errOut, Now: time.Now}, &app.Options{OutputFormat: format}, nil)
				err := end(o, exit.With(code, errors.New("the cause")))
				var e *exit.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, exit.Error{Code: code}, *e, "it is reported already")

				written := errOut.Bytes()
				if format == "stream-json" {
					written = out.Bytes()
				} else {
					assert.Empty(t, out.String())
				}
				var d struct {
					Type, Status string
					SessionID    string `json:"session_id"`
					Error        struct {
						Type, Message string
						Code          int
					}
				}
				require.NoError(t, json.Unmarshal(written, &d), "%s", written)
				assert.Equal(t, []any{kind, "the cause", code}, []any{d.Error.Type, d.Error.Message, d.Error.Code}, "%s %s", format, how)
				if format == "stream-json" {
					assert.Equal(t, []string{"result", "error"}, []string{d.Type, d.Status})
				} else if how == "refused" {
					assert.NotEmpty(t, d.SessionID)
				}
			}
		}
	}
}
