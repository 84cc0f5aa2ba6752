package cases

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/costtest"
	"minigem/e2e/testbed"
	"minigem/internal/thorough"
)

// TestCasesCostTheSame checks that a round, a turn and an assertion allocate as much in
// a long case as in a short one.
func TestCasesCostTheSame(t *testing.T) { // not parallel: it counts what the process allocates
	for name, c := range map[string]struct{ begin, each, model, answer, end string }{
		"rounds":     {begin: "prompt go\ntool-ran read_file\n", answer: "read f%d\n\n", end: "text done\n"},
		"turns":      {each: "prompt question %d\n", answer: "text answer %d\n\n"},
		"assertions": {begin: "prompt go\n", each: "tool-ran read_file arg.file_path~f%d$ times=1\n", answer: "read f%d\n", end: "\ntext done\n"},
		"events":     {begin: "prompt go\n", each: "event AfterTool subject=read_file\n", answer: "read f%d\n", end: "\ntext done\n"},
		"results":    {begin: "prompt go\n", each: "tool-result read_file status=error text~f%d\\b\n", answer: "read f%d\n", end: "\ntext done\n"},
		"requests":   {begin: "prompt go\n", each: "model-saw 1 text~go\n", answer: "read f%d\n", end: "\ntext done\n"},
	} {
		t.Run(name, func(t *testing.T) {
			costtest.Linear(t, func(n int) {
				var b strings.Builder
				all := func(line string) {
					for i := range n {
						if strings.Contains(line, "%") {
							fmt.Fprintf(&b, line, i)
						} else {
							b.WriteString(line)
						}
					}
				}
				b.WriteString(c.begin)
				all(c.each)
				b.WriteString("-- settings.json --\n")
				b.WriteString(`{"hooks": {"PreCompress": [{"hooks": [{"type": "command", "command": "true"}]}]}}`)
				b.WriteString("\n-- model --\n")
				all(c.answer)
				b.WriteString(c.end)
				tc, err := testbed.Parse("long.txtar", []byte(b.String()))
				require.NoError(t, err)
				res := testbed.Run(t.Context(), tc, testbed.Options{Driver: Open, Timeout: time.Hour})
				require.NoError(t, res.Broken)
				assert.Empty(t, res.Failures)
			}, []int{10, 100, 1_000, 10_000}[:thorough.Times(3, 4)]...)
		})
	}
}
