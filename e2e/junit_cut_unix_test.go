//go:build unix

package e2e

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReportsOfCutRuns: the JUnit report of an interrupted run is neither passing nor
// empty, nor left over from an earlier run. It names each case, and those that did not
// finish are errors.
func TestReportsOfCutRuns(t *testing.T) {
	t.Parallel()
	quick := "prompt x\nfired BeforeAgent guard\n-- settings.json --\n" +
		`{"hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "name": "guard", "command": "true"}]}]}}` +
		"\n-- model --\ntext Done.\n"
	slow := "prompt x\nfired BeforeAgent guard\n-- settings.json --\n" +
		`{"hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "name": "guard", ` +
		`"command": "touch $BEGAN; sleep 3600"}]}]}}` + "\n-- model --\ntext Done.\n"
	type report struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Cases    []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct {
				Message string `xml:"message,attr"`
			} `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testcase"`
	}
	for name, signal := range map[string]syscall.Signal{"interrupted": syscall.SIGINT, "terminated": syscall.SIGTERM,
		"killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{"cases/a.txtar": quick, "cases/c.txtar": quick})
			results := filepath.Join(h.dir, "results.xml")
			began := filepath.Join(h.dir, "began")
			args := []string{"hooks", "test", "-j", "1", "--junit", results, "cases"}
			o := h.run(t, run{Args: args})
			require.Zero(t, o.Code, o.Stdout+o.Stderr)
			h.write(t, "cases/b.txtar", "allow write "+h.dir+"\nenv BEGAN="+began+"\ntimeout 1h\n"+slow)
			cmd, stdout, _ := h.command(t, run{Args: args})
			require.NoError(t, cmd.Start())
			waitFor(t, began)
			require.NoError(t, cmd.Process.Signal(signal))
			_ = cmd.Wait() // its exit code is checked below
			assert.NotZero(t, cmd.ProcessState.ExitCode(), stdout.String())
			data, err := os.ReadFile(results)
			require.NoError(t, err)
			var got report
			require.NoError(t, xml.Unmarshal(data, &got), "%s", data)
			require.Len(t, got.Cases, 3, "%s", data)
			assert.Equal(t, 3, got.Tests)
			assert.Positive(t, got.Errors, "%s", data)
			for i, c := range got.Cases {
				assert.Nil(t, c.Skipped, "a case that did not run is not skipped: %s", data)
				if i > 0 {
					assert.True(t, c.Failure != nil || c.Error != nil, "%s", data)
				}
			}
			require.NotNil(t, got.Cases[2].Error, "%s", data)
			assert.Contains(t, got.Cases[2].Error.Message, "cut off")
		})
	}
}
