package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
)

// deathCases pass on an agent that finishes, and would also pass on one that dies before
// the tool runs.
var deathCases = map[string]string{
	"denies":  "prompt x\nfired before-tool guard decision=deny\n! exists f.txt\n-- hooks --\nbefore-tool shell 'cat >/dev/null; echo no >&2; exit 2' name=guard\n-- model --\nshell touch f.txt\n\ntext Done.\n",
	"not ran": "prompt x\n! exists f.txt\n! tool-ran shell\n-- hooks --\nbefore-tool shell 'cat >/dev/null; echo no >&2; exit 2'\n-- model --\nshell touch f.txt\n\ntext Done.\n",
	"watches": "prompt x\n! exists f.txt\nnot-fired stop other\n-- hooks --\nbefore-tool shell 'cat >/dev/null; echo no >&2; exit 2'\nstop 'cat >/dev/null' name=other\n-- model --\nshell touch f.txt\n\ntext Done.\n",
}

// TestADeathIsNeverGreen: if an agent dies, ends early or stalls, at whatever step, its case
// is "cannot", with the reason, or fails, and the run does not exit 0.
func TestADeathIsNeverGreen(t *testing.T) {
	t.Parallel()
	var rows []string
	for _, step := range []string{"starting", "answered", "hooked", "ran"} {
		for _, how := range []string{"killed", "stalls", "0", "1", "137"} {
			limit, says, reason := "90", "fake (died in the middle of the case: |ended \\(exit )", "it died, or ended early"
			if how == "stalls" {
				limit, says, reason = "3", "fake did not end: ", "it did not end"
			}
			rows = append(rows, fmt.Sprintf("| %s | %s | 1 | %s |\n", step, how, reason))
			for name, text := range deathCases {
				t.Run(step+" "+how+"/"+name, func(t *testing.T) {
					t.Parallel()
					path := filepath.Join(t.TempDir(), "case.txtar")
					require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
					i, self := fake(t, step+" "+how, limit)
					o := testbed.Options{Driver: i.Driver(self, t.TempDir(), nil), Elsewhere: true, Timeout: i.Adapter.Limit()}
					m := Tester{Log: t.Output()}.run(t.Context(), readAll(t, []string{path}), []Column{{Name: "fake", Other: true, Options: o}})
					for _, row := range m.Cells {
						assert.NotEqual(t, Pass, row["fake"].State)
						assert.NotEmpty(t, row["fake"].Why+row["fake"].explain(""))
						if row["fake"].State == Cannot {
							assert.Regexp(t, says, row["fake"].Why)
						}
					}
					assert.Equal(t, testbed.ExitFailed, m.ExitCode())
				})
			}
		}
	}
	page, err := os.ReadFile("../../docs/DEATHS.md")
	require.NoError(t, err)
	assert.Contains(t, string(page), "|---|---|---|---|\n"+strings.Join(rows, ""), "docs/DEATHS.md: An agent under test")
}
