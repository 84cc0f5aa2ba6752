package notify

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSequences(t *testing.T) {
	t.Parallel()
	full := Alert{Title: "minigem", Subtitle: "needs you", Body: "run: a;b"}
	for _, c := range []struct {
		name     string
		terminal Terminal
		alert    Alert
		want     string
	}{
		{"bell", Terminal{Method: Bell}, full, "\a"},
		{"bell in tmux", Terminal{Method: Bell, Through: Tmux}, full, "\a"},
		{"osc9", Terminal{Method: OSC9}, full, "\x1b]9;minigem | needs you | run: a;b\a"},
		{"osc9 without subtitle", Terminal{Method: OSC9}, Alert{Title: "t", Body: "b"}, "\x1b]9;t | b\a"},
		{"osc9 is not a progress bar", Terminal{Method: OSC9}, Alert{Title: "4;1;50"}, "\x1b]9; 4;1;50\a"},
		{"osc777", Terminal{Method: OSC777}, full, "\x1b]777;notify;minigem;needs you | run: a:b\a"},
		{"osc777 title", Terminal{Method: OSC777}, Alert{Title: "a;b", Body: "c"}, "\x1b]777;notify;a:b;c\a"},
		{"unresolved", Terminal{Method: Auto}, Alert{Title: "t"}, "\x1b]777;notify;t;\a"},
		{"tmux", Terminal{Method: OSC9, Through: Tmux}, Alert{Title: "t"}, "\x1bPtmux;\x1b\x1b]9;t\a\x1b\\"},
		{"screen", Terminal{Method: OSC777, Through: Screen}, Alert{Title: "t"}, "\x1bP\x1b]777;notify;t;\a\x1b\\"},
		// Nothing breaks out
		{"bell inside", Terminal{Method: OSC9}, Alert{Title: "a\ab"}, "\x1b]9;ab\a"},
		{"sequence inside", Terminal{Method: OSC9}, Alert{Title: "a\x1b]0;x\ab\x1b[31mc"}, "\x1b]9;abc\a"},
		{"open sequence inside", Terminal{Method: OSC9}, Alert{Title: "a\x1b"}, "\x1b]9;a\a"},
		{"lines", Terminal{Method: OSC9}, Alert{Title: " a\r\n\tb\u2028c "}, "\x1b]9;a b c\a"},
		{"C1", Terminal{Method: OSC9}, Alert{Title: "a\u009cb"}, "\x1b]9;ab\a"},
		{"direction", Terminal{Method: OSC9}, Alert{Title: "a\u202eb\u2066c"}, "\x1b]9;abc\a"},
		{"not UTF-8", Terminal{Method: OSC9}, Alert{Title: "a\xffb"}, "\x1b]9;ab\a"},
	} {
		var out bytes.Buffer
		c.terminal.Out = &out
		c.terminal.Alert(context.Background(), c.alert)
		assert.Equal(t, c.want, out.String(), c.name)
	}
}

func TestWidths(t *testing.T) {
	t.Parallel()
	for _, r := range []string{"x", "語", "é", "👩‍👩‍👧"} {
		long := strings.Repeat(r, 300)
		term := Terminal{Method: OSC9}
		text := strings.TrimSuffix(strings.TrimPrefix(term.sequence(Alert{Title: long, Subtitle: long, Body: long}), "\x1b]9;"), "\a")
		parts := strings.Split(text, " | ")
		require.Len(t, parts, 3)
		for i, width := range []int{48, 64, 180} {
			got := ansi.StringWidth(parts[i])
			assert.True(t, got == width || got == width-1, "%s: %d columns, not %d", r, got, width)
			assert.True(t, strings.HasSuffix(parts[i], "…"))
		}
	}
	assert.Equal(t, strings.Repeat("x", 48), clean(strings.Repeat("x", 48), 48), "what fits is not cut")
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env     string
		method  Method
		through Multiplexer
	}{
		{"", OSC777, NoMultiplexer},
		{"TERM_PROGRAM=iTerm.app", OSC9, NoMultiplexer},
		{"LC_TERMINAL=iTerm2 TMUX=/x", OSC9, Tmux},
		{"TERM_PROGRAM=Apple_Terminal", Bell, NoMultiplexer},
		{"TERM_PROGRAM=vscode", Bell, NoMultiplexer},
		{"WT_SESSION=1", Bell, NoMultiplexer},
		{"TERM=alacritty", Bell, NoMultiplexer},
		{"ALACRITTY_WINDOW_ID=1 STY=2", Bell, Screen},
		{"TERM=xterm-ghostty", OSC777, NoMultiplexer},
		{"TERM=screen STY=1.tty", OSC777, Screen},
		{"TERM=tmux-256color TMUX=/x STY=1", OSC777, Tmux},
	} {
		env := map[string]string{}
		for _, kv := range strings.Fields(c.env) {
			k, v, _ := strings.Cut(kv, "=")
			env[k] = v
		}
		lookup := func(k string) (string, bool) { v, ok := env[k]; return v, ok }
		method, through := Detect(lookup)
		assert.Equal(t, []any{c.method, c.through}, []any{method, through}, c.env)
		assert.Equal(t, &Terminal{Method: c.method, Through: c.through}, NewTerminal(nil, Auto, lookup))
		assert.Equal(t, &Terminal{Method: Bell, Through: c.through}, NewTerminal(nil, Bell, lookup), "what is asked for is taken")
	}
}

func TestParseMethod(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Method{"": Auto, "auto": Auto, "osc9": OSC9, "osc777": OSC777, "bell": Bell} {
		got, err := ParseMethod(in)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := ParseMethod("pager")
	assert.EqualError(t, err, `unknown notification method "pager": use auto, osc9, osc777 or bell`)
}

// recorder records titles.
type recorder struct{ got []string }

func (r *recorder) Alert(_ context.Context, a Alert) { r.got = append(r.got, titleOf(a)) }

func titleOf(a Alert) string {
	if a.Title == "" {
		return a.Key
	}
	return a.Title
}

func TestNotifierHoldsBack(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	terminal, hooks := &recorder{}, &recorder{}
	d := &Notifier{Terminal: terminal, Hooks: hooks, Now: func() time.Time { return now }}
	ctx := context.Background()
	attention := func(key, title string) { d.Alert(ctx, Alert{Kind: Attention, Key: key, Title: title}) }
	step := func(why string, want ...string) {
		t.Helper()
		assert.Equal(t, want, terminal.got, why)
		terminal.got = nil
	}
	attention("a", "1")
	attention("a", "2")
	attention("b", "3")
	attention("", "4")
	attention("", "5")
	step("once for each key", "1", "3", "4", "5")
	now = now.Add(repeatAfter - 1)
	attention("a", "6")
	step("not yet again")
	now = now.Add(1)
	attention("a", "7")
	step("again after 20 s", "7")

	d.Focus(ctx, true)
	attention("c", "8")
	attention("d", "9")
	attention("c", "10")
	attention("a", "11")
	d.Alert(ctx, Alert{Kind: SessionComplete, Title: "done"})
	step("the user is looking")
	d.Settle("d")
	d.Settle("never there")
	d.Focus(ctx, false)
	step("what still waits, the latest of each key, not what was told lately", "10")
	d.Focus(ctx, false)
	step("once")
	d.Alert(ctx, Alert{Kind: SessionComplete, Key: "k", Title: "done"})
	d.Alert(ctx, Alert{Kind: SessionComplete, Key: "k", Title: "done"})
	step("the end is not held back", "done", "done")
	assert.Equal(t, []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "done", "done", "done"}, hooks.got, "hooks hear everything")
}

func TestNilNotifierIsQuiet(t *testing.T) {
	t.Parallel()
	var d *Notifier
	assert.NotPanics(t, func() {
		d.Alert(context.Background(), Alert{})
		d.Notify(context.Background(), "ToolPermission", "m", nil)
		d.Focus(context.Background(), false)
		d.Settle("x")
	})
	empty := &Notifier{}
	assert.NotPanics(t, func() {
		empty.Alert(context.Background(), Alert{})
		empty.Focus(context.Background(), false)
	})
}

type fakeHooks struct{ got []any }

func (f *fakeHooks) Notification(_ context.Context, kind, message string, details any) string {
	f.got = append(f.got, []any{kind, message, details})
	return "to " + message
}

func TestPermissionPromptReachesHooksAndTerminal(t *testing.T) {
	t.Parallel()
	hooks, terminal := &fakeHooks{}, &recorder{}
	var shown []string
	d := &Notifier{Title: "minigem", Terminal: terminal, Hooks: HookSink{Hooks: hooks, Show: func(m string) { shown = append(shown, m) }}}
	d.Notify(context.Background(), "ToolPermission", "Tool Shell requires execution", map[string]any{"type": "exec"})
	assert.Equal(t, []any{[]any{"ToolPermission", "Tool Shell requires execution", map[string]any{"type": "exec"}}}, hooks.got)
	assert.Equal(t, []string{"to Tool Shell requires execution"}, shown)
	assert.Equal(t, []string{"minigem"}, terminal.got)

	d.Alert(context.Background(), Alert{Kind: SessionComplete, Title: "done"})
	assert.Len(t, hooks.got, 1, "hooks know permission prompts only")
	HookSink{}.Alert(context.Background(), Alert{HookType: "ToolPermission"})
	HookSink{Hooks: hooks}.Alert(context.Background(), Alert{HookType: "ToolPermission"})
	assert.Len(t, hooks.got, 2)
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("gone") }

func TestBrokenTerminalIsHarmless(t *testing.T) {
	t.Parallel()
	term := Terminal{Out: brokenWriter{}, Method: OSC9}
	assert.NotPanics(t, func() { term.Alert(context.Background(), Alert{Title: "t"}) })
}
