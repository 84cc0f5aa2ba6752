package agents

import (
	"os"
	"path/filepath"
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

// TestADeathIsNeverGreen: if an agent dies or ends early, at whatever point, its case is
// "cannot", with the reason, and the run does not exit 0.
func TestADeathIsNeverGreen(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"starting", "answered", "hooked", "ran"} {
		for _, how := range []string{"killed", "0", "1", "137"} {
			for name, text := range deathCases {
				t.Run(step+" "+how+"/"+name, func(t *testing.T) {
					t.Parallel()
					path := filepath.Join(t.TempDir(), "case.txtar")
					require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
					i, self := fake(t, step+" "+how, "90")
					o := testbed.Options{Driver: i.Driver(self, t.TempDir(), nil), Elsewhere: true, Timeout: i.Adapter.Limit()}
					m := Tester{Log: t.Output()}.run(t.Context(), readAll(t, []string{path}), []Column{{Name: "fake", Other: true, Options: o}})
					for _, row := range m.Cells {
						assert.NotEqual(t, Pass, row["fake"].State)
						assert.NotEmpty(t, row["fake"].Why+row["fake"].explain())
						if row["fake"].State == Cannot {
							assert.Regexp(t, "fake (died in the middle of the case: |ended \\(exit )", row["fake"].Why)
						}
					}
					assert.Equal(t, testbed.ExitFailed, m.ExitCode())
				})
			}
		}
	}
}
