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
)

var updateScenes = flag.Bool("update-scenes", false, "write the golden screens anew")

// scene is what a View shows of events, on a window of its own.
type scene struct {
	*View
	out strings.Builder
}

func newScene(s style, width int) *scene {
	c := &scene{}
	t := &Terminal{style: s, keys: newKeyboard(nil, false), columns: func() (int, int) { return width, 24 }}
	t.screen = &screen{out: &c.out, size: t.size, dumb: s.dumb}
	c.View = NewView(t, true)
	return c
}

// written is what was written, its styles as numbers in brackets.
func (c *scene) written() string {
	return ourStyles().ReplaceAllString(c.out.String(), "⟨$1⟩")
}

var theAnswer = "# The plan\n\nThe first line, with `code` in it\nis followed by a second one\nand a **third**.\n\n" +
	"Steps:\n1. one item that is long enough to be broken where the window is narrow\n2. two\n   - nested\n   - [x] done\n3. three\n\n" +
	"| File | What it does | Why it matters |\n|---|---|---|\n" +
	"| internal/terminal/screen.go | It is the **one writer** of the terminal: text, and below it a frame that is erased before anything else is written | Nothing that was printed is drawn again |\n" +
	"| internal/terminal/view.go | Shows a session | 漢字 |\n\n" +
	"```go\nfunc main() {\n\tfmt.Println(\"hello\")\n}\n```\n\n```diff\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-old\n+new\n same\n```\n\n> quoted\n> twice\n"

var scenes = map[string]func(*scene){
	"answer": func(c *scene) {
		c.ShowPrompt("Explain it\nin two lines")
		for _, piece := range strings.SplitAfter(theAnswer, " ") {
			c.Emit(event.TextDelta{Text: piece})
		}
		c.Emit(event.RoundFinished{})
		c.ShowPrompt("Thanks")
	},
}

// TestScenes: what the chat looks like, in windows of four widths, and in colours
// for a dark and a light background.
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
		{"light-16", 80, map[string]string{"TERM": "xterm", "COLORFGBG": "0;default;15"}},
		{"dumb", 80, map[string]string{"TERM": "dumb"}},
	}
	for name, play := range scenes {
		for _, look := range looks {
			c := newScene(environment(look.env), look.width)
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

// TestBackground: who says what colours are for, and what is made of answers of
// terminals.
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

// TestBackgroundAsked: the answer of the terminal is not typed into the prompt,
// in however many pieces it comes and whatever is typed around it.
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
