package terminal

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/llm"
	"minigem/tools"
)

var updateScenes = flag.Bool("update-scenes", false, "write the golden screens anew")

// scene is a View in a window of its own, for tests.
type scene struct {
	*View
	out  strings.Builder
	test *testing.T // only for scenes that wait; otherwise nil
}

func newScene(s style, width int) *scene {
	c := &scene{}
	t := &Terminal{style: s, keys: newKeyboard(nil, false), dialogue: make(chan struct{}, 1), columns: func() (int, int) { return width, 24 }}
	t.screen = &screen{out: &c.out, size: t.Size, dumb: s.dumb}
	c.View = NewView(t, true)
	return c
}

// written returns what was written, with styles as numbers in brackets.
func (c *scene) written() string {
	return ourStyles().ReplaceAllString(c.out.String(), "⟨$1⟩")
}

// call shows a call that succeeded.
func (c *scene) call(name, what string, display any, data map[string]any) {
	c.Emit(event.ToolFinished{Record: event.ToolRecord{DisplayName: name, Description: what, Status: event.ToolSuccess, Display: display, Data: data}})
}

var theAnswer = "# The plan\n\nThe first line, with `code` in it\nis followed by a second one\nand a **third**.\n\n" +
	"Steps:\n1. one item that is long enough to be broken where the window is narrow\n2. two\n   - nested\n   - [x] done\n3. three\n\n" +
	"| File | What it does | Why it matters |\n|---|---|---|\n" +
	"| internal/terminal/screen.go | It is the **one writer** of the terminal: text, and below it a frame that is erased before anything else is written | Nothing that was printed is drawn again |\n" +
	"| internal/terminal/view.go | Shows a session | 漢字 |\n\n" +
	"```go\nfunc main() {\n\tfmt.Println(\"hello\")\n}\n```\n\n" +
	"```python\ndef f(x):  # double it\n    \"\"\"One text\n    over two lines.\"\"\"\n    return 2 * x\n```\n\n```bash\nfor f in *.go; do gofmt -l \"$f\"; done\n```\n\n" +
	"```json\n{\"name\": \"x\", \"count\": 3, \"on\": true}\n```\n\n- in a list:\n\n  ```js\n  const a = 'b' // c\n  ```\n\n```\nof no language\n```\n\n```diff\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-old\n+new\n same\n```\n\n> quoted\n> twice\n"

var scenes = map[string]func(*scene){
	"answer": func(c *scene) {
		c.term.ShowPrompt("Explain it\nin two lines")
		for _, piece := range strings.SplitAfter(theAnswer, " ") {
			c.Emit(event.TextDelta{Text: piece})
		}
		c.Emit(event.RoundFinished{})
		c.term.ShowPrompt("Thanks")
	},
	"results": func(c *scene) {
		c.term.ShowPrompt("Mend it")
		c.call("ReadFile", "a.go", "the file\n", nil)
		c.call("Shell", "echo $(date)", "Blocked: command substitution detected in shell command.", map[string]any{"isError": true})
		c.call("Shell", "kill -9 $$", "one\n", map[string]any{"exitCode": -1, "isError": true, "signal": 9})
		c.call("Shell", "true", "", map[string]any{"exitCode": 0})
		c.Emit(event.ToolOutput{CallID: "9", Text: "one\ntwo\n"})
		c.Emit(event.ToolFinished{Record: event.ToolRecord{Call: llm.ToolCall{ID: "9"}, DisplayName: "Shell", Description: "sleep 1000", Status: event.ToolCancelled}})
		c.Emit(event.ToolFinished{Record: event.ToolRecord{Call: llm.ToolCall{Args: map[string]any{"file_path": "b.go"}}, DisplayName: "Edit", Status: event.ToolError, ErrorMessage: "There is no such text"}})
		c.Emit(event.TextDelta{Text: "It failed."})
		c.Emit(event.RoundFinished{})
	},
	"edit": func(c *scene) {
		c.term.status = Status{Mode: "auto_edit"}
		c.term.ShowPrompt("Mend it")
		var diff strings.Builder
		diff.WriteString("Index: a.go\n===\n--- a.go\n+++ a.go\n@@ -1,30 +1,30 @@\n")
		for i := range 15 {
			fmt.Fprintf(&diff, "-\told line %d\n+\tnew line %d, which is longer than a narrow window has room for in a line of its own\n", i, i)
		}
		c.call("Edit", "a.go: old => new", tools.FileDiff{FileDiff: diff.String(), DiffStat: tools.DiffStat{ModelAddedLines: 15, ModelRemovedLines: 15}}, nil)
		c.Emit(event.TextDelta{Text: "Mended."})
		c.Emit(event.RoundFinished{})
	},
	"failing": func(c *scene) {
		c.term.ShowPrompt("Run the tests")
		var output strings.Builder
		for i := range 15 {
			fmt.Fprintf(&output, "--- FAIL: Test%d, which has a name that goes on and on for as long as it takes to be cut\n", i)
		}
		c.call("Shell", "go test ./...", output.String(), map[string]any{"exitCode": 1, "isError": true})
		c.Emit(event.TextDelta{Text: "It failed."})
		c.Emit(event.RoundFinished{})
	},
	"table": func(c *scene) {
		c.term.PrintTable(Table{
			Columns: []Column{{Head: "Event", Group: true}, {Head: "Name", Wraps: true}, {Head: "Matcher", Wraps: true}, {Head: "Where", Below: true},
				{Head: "State"}, {Head: "Runs", Right: true}, {Head: "p95", Right: true}, {Head: "Last"}},
			Rows: []TableRow{
				{Cells: []string{"SessionStart", "branch", "*", ".gemini/settings.json:2", "enabled", "12", "7 ms", "pass"}, Under: []string{"Tells the model the branch"}},
				{Cells: []string{"BeforeTool", "guard-secrets", "run_shell_command|write_file|replace", ".gemini/settings.json:4", "enabled", "3", "1204 ms", c.term.Red("deny")}},
				{Cells: []string{"BeforeTool", "check_everything.py", "read_file", "~/.gemini/settings.json:14", c.term.Warning("disabled"), "0", "", ""}, Under: []string{
					"disabled in .gemini/settings.json:9", "cat >/dev/null; python3 .gemini/hooks/very/long/path/that/goes/on/check_everything.py --strict --verbose || true"}},
			},
		})
	},
}

// TestScenes checks what the chat looks like in four widths, and in the colours for
// dark and light backgrounds.
func TestScenes(t *testing.T) {
	t.Parallel()
	environment := func(env map[string]string) style {
		s, _ := styleFor(func(name string) string { return env[name] }, "")
		return s
	}
	looks := []struct {
		name  string
		width int
		env   map[string]string
	}{
		{"40", 40, map[string]string{"NO_COLOR": "1"}},
		{"80", 80, map[string]string{"NO_COLOR": "1"}},
		{"120", 120, map[string]string{"NO_COLOR": "1"}},
		{"200", 200, map[string]string{"NO_COLOR": "1"}},
		{"dark", 80, map[string]string{"TERM": "xterm-256color", "COLORFGBG": "15;0"}},
		{"light", 80, map[string]string{"TERM": "xterm-256color", "COLORFGBG": "0;15"}},
		{"40-dark", 40, map[string]string{"TERM": "xterm-256color", "COLORFGBG": "15;0"}},
		{"120-dark", 120, map[string]string{"TERM": "xterm-256color", "COLORFGBG": "15;0"}},
		{"200-dark", 200, map[string]string{"TERM": "xterm-256color", "COLORFGBG": "15;0"}},
		{"40-light", 40, map[string]string{"TERM": "xterm-256color", "COLORFGBG": "0;15"}},
		{"120-light", 120, map[string]string{"TERM": "xterm-256color", "COLORFGBG": "0;15"}},
		{"200-light", 200, map[string]string{"TERM": "xterm-256color", "COLORFGBG": "0;15"}},
		{"light-16", 80, map[string]string{"TERM": "xterm", "COLORFGBG": "0;default;15"}},
		{"dumb", 80, map[string]string{"TERM": "dumb"}},
	}
	for name, play := range scenes {
		for _, look := range looks {
			c := newScene(environment(look.env), look.width)
			c.test = t
			play(c)
			path := filepath.Join("testdata", "scenes", fmt.Sprintf("%s-%s.txt", name, look.name))
			if *updateScenes {
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, []byte(c.written()), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, string(want), c.written(), path)
		}
	}
}

// TestEveryScreenIsThere checks that there are golden files of seven subjects, four
// widths and two backgrounds.
func TestEveryScreenIsThere(t *testing.T) {
	t.Parallel()
	n := 0
	for _, name := range []string{"answer", "edit", "failing", "question", "hooks", "status", "resume"} {
		for _, width := range []string{"40-", "", "120-", "200-"} { // 80 columns have no number
			for _, background := range []string{"light", "dark"} {
				text, err := os.ReadFile(filepath.Join("testdata", "scenes", name+"-"+width+background+".txt"))
				require.NoError(t, err)
				assert.Contains(t, string(text), "⟨", name)
				n++
			}
		}
	}
	assert.Equal(t, 56, n)
}

// TestBackground checks what decides the background colour, and how terminals' answers
// are read.
func TestBackground(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		theme, variable string
		light, known    bool
	}{
		{"", "", false, false}, {"", "15;0", false, true}, {"", "0;15", true, true}, {"", "0;default;7", true, true},
		{"", "nonsense", false, false}, {"dark", "0;15", false, true}, {"light", "15;0", true, true},
	} {
		s, known := styleFor(func(name string) string { return map[string]string{"COLORFGBG": c.variable}[name] }, c.theme)
		assert.Equal(t, []bool{c.light, c.known}, []bool{s.light.Load(), known}, "%+v", c)
	}
	for theme, want := range map[string]string{"": "", "auto": "", "light": "light", "GitHub Light": "light", "Xcode": "light", "Dracula": "dark"} {
		assert.Equal(t, want, Background(theme), theme)
	}
}

// TestBackgroundAsked checks that the terminal's answer is not typed into the prompt,
// however many pieces it arrives in and whatever is typed around it.
func TestBackgroundAsked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, input, typed, want string }{
		{"white", "a\x1b]11;rgb:ffff/ffff/ffff\x1b\\b", "ab", "[true]"},
		{"black, in fewer digits, with a bell", "a\x1b]11;rgb:00/00/00\ab", "ab", "[false]"},
		{"no colour", "\x1b]11;unknown\ab", "b", "[]"},
		{"another key", "\x1b]b", "b", "[]"},
	} {
		for _, whole := range []bool{true, false} {
			k := newKeyboard(nil, false)
			k.mode = prompting
			got := []bool{}
			k.expectBackground(func(light bool) { got = append(got, light) })
			pieces := []string{c.input}
			if !whole {
				pieces = strings.Split(c.input, "")
			}
			for _, p := range pieces {
				k.receive([]byte(p))
			}
			assert.Equal(t, c.want, fmt.Sprint(got), "%s, %v", c.name, whole)
			assert.Equal(t, c.typed, string(k.queue), "%s, %v", c.name, whole)
		}
	}
}

// TestUnfold checks that ^O shows the last result in full, whatever the mode, including
// lines that were cut.
func TestUnfold(t *testing.T) {
	t.Parallel()
	for _, m := range []mode{working, prompting, asking} {
		c := newScene(style{plain: true}, 40)
		c.keys.mode = m
		c.keys.receive([]byte(keyUnfold))
		assert.Empty(t, c.written(), "there is none")
		c.call("Shell", "seq 20", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"+strings.Repeat("x", 50), map[string]any{"exitCode": 0})
		assert.Equal(t, "✓ Shell  seq 20\n  … 2 lines more (^O shows all)\n  3\n  4\n  5\n  6\n  7\n  8\n  9\n  "+strings.Repeat("x", 36)+"…\n", c.written())
		c.out.Reset()
		c.keys.receive([]byte(keyUnfold))
		assert.Equal(t, "\n✓ Shell  seq 20\n  1\n  2\n  3\n  4\n  5\n  6\n  7\n  8\n  9\n  "+strings.Repeat("x", 50)+"\n", c.written())
		assert.Empty(t, c.keys.queue)
	}
}

// TestLiveOutput checks that the end of a running command's output is shown above the
// status line, and that no more of it is kept than can be shown.
func TestLiveOutput(t *testing.T) {
	t.Parallel()
	c := newScene(style{plain: true}, 20)
	assert.Empty(t, c.live.rows(20, 10))
	for i := range 10_000 {
		c.Emit(event.ToolOutput{CallID: "1", Text: fmt.Sprintf("line %d\x1b[2J\n", i)})
	}
	assert.Equal(t, []string{"  line 9995", "  line 9996", "  line 9997", "  line 9998", "  line 9999"}, c.live.rows(20, 10))
	assert.Equal(t, []string{"  line 9999"}, c.live.rows(20, 1))
	assert.LessOrEqual(t, len(c.live.printed["1"]), liveBytes)
	c.Emit(event.ToolFinished{Record: event.ToolRecord{Call: llm.ToolCall{ID: "1"}, Status: event.ToolSuccess}})
	assert.Empty(t, c.live.rows(20, 10))
	assert.Empty(t, c.live.printed)
}

// TestStatus checks the line under the prompt at various widths, and that its text is
// cleaned.
func TestStatus(t *testing.T) {
	t.Parallel()
	s := Status{Mode: "auto_edit", Trouble: "1 hook failed", Rest: []string{"gemini-2.5-flash", "~/project\x1b[2J (main)", "", "98% context left"}}
	for _, c := range []struct {
		width int
		want  string
	}{
		{80, "auto_edit  1 hook failed  gemini-2.5-flash  ~/project (main)  98% context left"},
		{60, "auto_edit  1 hook failed  gemini-2.5-flash  ~/project (main)"},
		{59, "auto_edit  1 hook failed  gemini-2.5-flash"},
		{30, "auto_edit  1 hook failed"},
		{20, "auto_edit"},
		{5, "auto…"},
	} {
		c2 := newScene(style{plain: true}, c.width+1)
		c2.term.status = s
		assert.Equal(t, c.want, c2.term.statusRow(c.width))
	}
	c := newScene(style{}, 80)
	assert.Empty(t, c.term.statusRow(79))
	marks := map[string]string{"": "36", "default": "36", "auto_edit": "32", "plan": "33", "yolo": "31"}
	for mode, colour := range marks {
		c.term.status = Status{Mode: mode}
		assert.Equal(t, "\x1b[1m\x1b["+colour+"m> \x1b[39m\x1b[22m", c.term.mark(), mode)
	}
	c = newScene(style{plain: true, dumb: true}, 80)
	c.term.status = s
	assert.Empty(t, c.term.statusRow(79), "it would be typed again and again")
}

// TestCycle checks that Shift+Tab reaches neither the prompt nor a question, and
// changes the mode only at the prompt.
func TestCycle(t *testing.T) {
	t.Parallel()
	for m, want := range map[mode]int{working: 0, prompting: 1, asking: 0} {
		k, n := newKeyboard(nil, false), 0
		k.mode, k.cycle = m, func() { n++ }
		k.receive([]byte(keyShiftTab))
		assert.Equal(t, want, n)
		assert.Empty(t, string(k.queue)+string(k.answers))
	}
}
