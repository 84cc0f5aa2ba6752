package testbed_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
	"minigem/internal/cases"
)

// TestVacuous: a negative assertion proves nothing if its subject never came up, and that
// is counted. An assertion that names a reason is proof.
func TestVacuous(t *testing.T) {
	t.Parallel()
	const rest = "\n-- settings.json --\n" +
		`{"hooks": {"BeforeTool": [{"matcher": "replace", "hooks": [{"type": "command", "name": "guard", "command": "exit 2"}]}]}}` +
		"\n-- model --\n"
	const write = "call write_file {\"file_path\": \"a\", \"content\": \"x\"}\n\ntext Done.\n"
	tests := []struct{ name, script, model, want string }{
		{"a tool never called", "! tool-ran replace", write, "the model never called replace"},
		{"the same by count", "tool-ran replace times=0", write, "the model never called replace"},
		{"no call at all", "! tool-ran *", "text Done.\n", "the model called no tool"},
		{"a result", "! tool-result replace", write, "the model never called replace"},
		{"a question", "! asked replace", write, "the model never called replace"},
		{"an event that never came", "! fired BeforeTool guard", "text Done.\n", "BeforeTool never happened"},
		{"the same, without a reason", "not-fired BeforeTool guard", "text Done.\n", "BeforeTool never happened"},
		{"a matcher that does not match", "! fired BeforeTool guard", write, ""},
		{"with its reason", "not-fired BeforeTool guard because~never", "text Done.\n", ""},
		{"a tool that was refused", "! tool-ran write_file\ntool-result write_file text~outside\nnot-fired BeforeTool guard because~never", "call write_file {\"file_path\": \"/etc/a\", \"content\": \"x\"}\n\ntext Done.\n", ""},
		{"a tool that was refused, by what is not said", "! tool-ran write_file\ntool-result write_file status=error\nnot-fired BeforeTool guard because~never", "call write_file {\"file_path\": \"/etc/a\", \"content\": \"x\"}\n\ntext Done.\n", ""},
		{"a file that a tool could make", "! exists b\nnot-fired BeforeTool guard because~matcher", write, ""},
		{"not negative", "exit 0\nnot-fired BeforeTool guard because~never", "text Done.\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := testbed.Parse("case.txtar", []byte("prompt Go\n"+tt.script+"\n"+rest+tt.model))
			require.NoError(t, err)
			r := testbed.Run(t.Context(), c, testbed.Options{Driver: cases.Open})
			require.NoError(t, r.Broken)
			require.Empty(t, r.Failures)
			assert.Equal(t, tt.want, r.Checks[0].Vacuous)

			var out strings.Builder
			f := testbed.NewFormat("text", &out, true, "")
			f.Result(r)
			f.Summary(testbed.Summary{Results: []testbed.Result{r}})
			assert.Equal(t, tt.want != "", strings.Contains(out.String(), "vacuous: case.txtar:2: "+strings.SplitN(tt.script, "\n", 2)[0]+": "+tt.want), out.String())
			assert.Equal(t, tt.want != "", strings.Contains(out.String(), "\n1 vacuous check "), out.String())
		})
	}
}

// TestFiredSaysWhatWasRefusedBefore: if a hook did not run because the call was refused
// earlier, the failure says so and why.
func TestFiredSaysWhatWasRefusedBefore(t *testing.T) {
	t.Parallel()
	const settings = `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "guard", "command": "./hooks/no-secrets.sh"}]}]}}`
	tests := []struct{ name, script, call, want string }{
		{"protected", "fired BeforeTool guard", `write_file {"file_path": ".env", "content": "x"}`,
			`BeforeTool never happened; the call of write_file (case.txtar:6) was refused before BeforeTool: Path not in workspace: ".env" is protected (.env)`},
		{"after it", "fired AfterTool guard", `replace {"file_path": "a"}`, "; the call of replace (case.txtar:6) was refused before BeforeTool: "},
		{"another event", "fired AfterAgent guard", `replace {"file_path": "a"}`, "guard is configured for BeforeTool, not for AfterAgent"},
		{"it failed", "! tool-ran edit", `replace {"file_path": "a", "instruction": "x", "old_string": "y", "new_string": "z"}`, "it ran once (and failed)"},
		{"it failed once of two", "! tool-ran *", `replace {"file_path": "a", "instruction": "x", "old_string": "", "new_string": "z"}` + "\ncall " +
			`replace {"file_path": "a", "instruction": "x", "old_string": "y", "new_string": "z"}`, "it ran twice"},
		{"it ran", "fired BeforeTool guard exit=7", `read_file {"file_path": "a"}`, "it ran once, never with exit=7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := testbed.Parse("case.txtar", []byte("prompt Go\n"+tt.script+"\n-- settings.json --\n"+settings+"\n-- model --\ncall "+tt.call+"\n\ntext Done.\n"))
			require.NoError(t, err)
			r := testbed.Run(t.Context(), c, testbed.Options{Driver: cases.Open})
			require.NoError(t, r.Broken)
			at := slices.IndexFunc(r.Failures, func(f testbed.Failure) bool { return f.Where == "case.txtar:2" })
			require.GreaterOrEqual(t, at, 0, r.Failures)
			assert.Contains(t, r.Failures[at].Actual, tt.want)
			assert.Equal(t, strings.Contains(tt.want, "refused"), strings.Contains(r.Failures[at].Actual, "refused before"))
		})
	}
}
