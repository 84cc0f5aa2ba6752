//go:build unix

package e2e

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestManyCasesWithFewDescriptors: however many cases --jobs asks for at a time, a low
// limit on open files fails none of them, even if each has many hooks.
func TestManyCasesWithFewDescriptors(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	for _, c := range []struct{ limit, cases, hooks int }{{1024, 130, 12}, {512, 20, 40}} {
		t.Run(fmt.Sprintf("%d descriptors, %d hooks", c.limit, c.hooks), func(t *testing.T) {
			var hooks []string
			var script strings.Builder
			for i := range c.hooks {
				hooks = append(hooks, fmt.Sprintf(`{"type": "command", "name": "h%d", "command": "sleep 0.1; echo seen >&2"}`, i))
				fmt.Fprintf(&script, "fired BeforeTool h%d stderr~seen\n", i)
			}
			text := "prompt Push\n" + script.String() + "-- settings.json --\n" + `{"hooks": {"BeforeTool": [{"hooks": [` +
				strings.Join(hooks, ", ") + "]}]}}\n-- model --\nshell true\n\ntext Done.\n"
			files := map[string]string{}
			for i := range c.cases {
				files[fmt.Sprintf("cases/%03d.txtar", i)] = text
			}
			h := newHome(t, files)
			cmd, out, stderr := h.command(t, run{Args: []string{"hooks", "test", "--strict", "-j", "128", "cases"}})
			cmd.Path = bash
			cmd.Args = append([]string{bash, "-c", fmt.Sprintf(`ulimit -n %d; exec "$0" "$@"`, c.limit), binary}, cmd.Args[1:]...)
			require.NoError(t, cmd.Run(), out.String()+stderr.String())
			assert.Contains(t, out.String(), fmt.Sprintf("%d passed", c.cases))
		})
	}
}
