package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/app"
	"minigem/internal/listing"
	"minigem/internal/output"
	"minigem/internal/waittest"
	"minigem/internal/wiring"
	"minigem/session"
)

// savedSession writes a session file into the project's folder, as Gemini CLI leaves
// it.
func (w hookWorld) savedSession(id, start string, lines ...string) string {
	w.t.Helper()
	p, err := session.OpenProject(filepath.Join(w.home, ".gemini"), w.project)
	require.NoError(w.t, err)
	meta := `{"sessionId":"` + id + `","projectHash":"` + p.Hash() + `","startTime":"` + start + `","lastUpdated":"` + start + `","kind":"main"}`
	path := filepath.Join(p.Chats(), "session-"+start[:13]+"-"+start[14:16]+"-"+id[:min(8, len(id))]+".jsonl")
	require.NoError(w.t, os.MkdirAll(p.Chats(), 0o700))
	require.NoError(w.t, os.WriteFile(path, []byte(strings.Join(append([]string{meta}, lines...), "\n")+"\n"), 0o600))
	return path
}

// runAt runs a command line at a given time.
func (w hookWorld) runAt(now, args string) said {
	w.t.Helper()
	at, err := time.Parse(time.RFC3339, now)
	require.NoError(w.t, err)
	sys, out, errOut := w.sys()
	sys.Now = func() time.Time { return at }
	code := run(words(args), sys)
	tidy := strings.NewReplacer(w.project, "PROJECT", w.home, "HOME")
	return said{tidy.Replace(out.String()), tidy.Replace(errOut.String()), code}
}

const (
	asked    = `{"id":"u1","timestamp":"2026-01-01T10:00:01.000Z","type":"user","content":[{"text":"Fix the\ttests\u001b[2J\n\nplease"}]}`
	answered = `{"id":"g1","timestamp":"2026-01-01T10:00:02.000Z","type":"gemini","content":"Done.","model":"gemini-2.5-pro","toolCalls":[{"id":"c","name":"read_file","args":{"file_path":"a"},"result":[],"status":"success","timestamp":"2026-01-01T10:00:02.000Z","description":"","displayName":"","renderOutputAsMarkdown":false}]}`
	resulted = `{"id":"u2","timestamp":"2026-01-01T10:00:03.000Z","type":"user","content":[{"functionResponse":{"id":"c","name":"read_file","response":{"output":"x"}}}]}`
)

func twoSessions(t *testing.T) hookWorld {
	w := newHookWorld(t, nil)
	w.savedSession("11111111-aaaa", "2026-01-01T10:00:00.000Z", asked, answered, resulted)
	w.savedSession("22222222-bbbb", "2026-01-02T10:00:00.000Z", strings.Replace(asked, `Fix the\ttests\u001b[2J\n\nplease`, "Why?", 1))
	w.savedSession("33333333-cccc", "2026-01-03T10:00:00.000Z") // it has no messages
	return w
}

func TestListSessions(t *testing.T) {
	t.Parallel()
	const list = `
Sessions of PROJECT (2):
  1. Fix the tests<U+001B>[2J please (1 day ago) [11111111-aaaa]
  2. Why? (3 hours ago) [22222222-bbbb]
`
	w := twoSessions(t)
	assert.Equal(t, said{list, "", 0}, w.runAt("2026-01-02T13:05:00Z", "sessions list"))
	assert.Equal(t, said{list, "", 0}, w.runAt("2026-01-02T13:05:00Z", "--list-sessions"), "no prompt, no key, no model is needed")

	var got struct {
		Folder   string
		Sessions []listing.ListedSession
	}
	out := w.runAt("2026-01-02T13:05:00Z", "sessions list --json")
	require.NoError(t, json.Unmarshal([]byte(out.out), &got))
	assert.Equal(t, "PROJECT", got.Folder)
	require.Len(t, got.Sessions, 2)
	at := time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)
	assert.Equal(t, listing.ListedSession{
		Index: 1, ID: "11111111-aaaa", Title: "Fix the tests\x1b[2J please", Started: at, Updated: at, Messages: 3,
		File: "HOME/.gemini/tmp/project/chats/session-2026-01-01T10-00-11111111.jsonl",
	}, got.Sessions[0])
}

func TestListSessionsNone(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, nil)
	assert.Equal(t, said{"No session is saved for PROJECT yet.\n", "", 0}, w.run("--list-sessions"))
	assert.Equal(t, said{"{\n  \"folder\": \"PROJECT\",\n  \"sessions\": []\n}\n", "", 0}, w.run("sessions list --json"))
}

// An unreadable file is reported, and the others are listed.
func TestListSessionsBroken(t *testing.T) {
	t.Parallel()
	w := twoSessions(t)
	path := w.savedSession("44444444-dddd", "2026-01-04T10:00:00.000Z")
	require.NoError(t, os.WriteFile(path, []byte("garbage\n"), 0o600))
	got := w.runAt("2026-01-05T10:00:00Z", "sessions list")
	assert.Equal(t, 0, got.code)
	assert.Contains(t, got.out, "(2):")
	assert.Regexp(t, `^\[WARNING\] .*session-2026-01-04T10-00-44444444\.jsonl`, got.err)
}

func TestShowSession(t *testing.T) {
	t.Parallel()
	w := twoSessions(t)
	local := func(s string) string {
		at, err := time.Parse(time.RFC3339, s)
		require.NoError(t, err)
		return at.Local().Format(time.DateTime)
	}
	assert.Equal(t, said{`Fix the tests<U+001B>[2J please
11111111-aaaa, 1 day ago
~/.gemini/tmp/project/chats/session-2026-01-01T10-00-11111111.jsonl

user  ` + local("2026-01-01T10:00:01Z") + `
  Fix the    tests<U+001B>[2J

  please

gemini  ` + local("2026-01-01T10:00:02Z") + `
  Done.
  * read_file {"file_path":"a"}: success
`, "", 0}, w.runAt("2026-01-02T13:05:00Z", "sessions show 1"))

	var got listing.ShownSession
	require.NoError(t, json.Unmarshal([]byte(w.run("sessions show 11111111-aaaa --json").out), &got))
	require.Len(t, got.Messages, 2)
	assert.Equal(t, []listing.ShownCall{{Name: "read_file", Args: map[string]any{"file_path": "a"}, Status: "success"}}, got.Messages[1].Calls)
	assert.Equal(t, "gemini-2.5-pro", got.Messages[1].Model)
}

func TestDeleteSessions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args string
		want said
		left int // sessions in the list afterwards
	}{
		// our command is strict, and deletes all or nothing
		{"sessions delete 2", said{"Deleted session: Why? [22222222-bbbb]\n", "", 0}, 1},
		{"sessions delete 1 2", said{"Deleted session: Fix the tests<U+001B>[2J please [11111111-aaaa]\nDeleted session: Why? [22222222-bbbb]\n", "", 0}, 0},
		{"sessions delete 1 9", said{"", "minigem: deleting session: session index 9 is out of range: there are sessions 1 to 2\n", 42}, 2},
		{"sessions delete nope", said{"", "minigem: deleting session: no session has the id \"nope\": use --list-sessions to see them, then --resume with an index, an id or \"latest\"\n", 42}, 2},
		// the flag has Gemini CLI's exit code
		{"--delete-session 2", said{"Deleted session: Why? [22222222-bbbb]\n", "", 0}, 1},
		{"--delete-session 22222222-bbbb", said{"Deleted session: Why? [22222222-bbbb]\n", "", 0}, 1},
		{"--delete-session 9", said{"", "minigem: deleting session: session index 9 is out of range: there are sessions 1 to 2\n", 0}, 2},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			w := twoSessions(t)
			assert.Equal(t, c.want, w.run(c.args))
			p, err := session.OpenProject(filepath.Join(w.home, ".gemini"), w.project)
			require.NoError(t, err)
			left, err := session.List(p)
			require.NoError(t, err)
			assert.Len(t, left, c.left)
		})
	}
}

// A session that another process has open is not deleted.
func TestDeleteOpenSession(t *testing.T) {
	t.Parallel()
	w := twoSessions(t)
	p, err := session.OpenProject(filepath.Join(w.home, ".gemini"), w.project)
	require.NoError(t, err)
	s, err := session.Resume(session.Options{Project: p}, "1")
	require.NoError(t, err)
	defer s.End(t.Context(), "exit")
	assert.Equal(t, said{"", "minigem: deleting session 11111111-aaaa: the session is open in another process\n", 42}, w.run("sessions delete 1"))
	assert.FileExists(t, s.Path())
}

func TestAgo(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Hour: "just now", 59 * time.Second: "just now", time.Minute: "1 minute ago", 2 * time.Hour: "2 hours ago",
		47 * time.Hour: "1 day ago", 45 * 24 * time.Hour: "1 month ago", 800 * 24 * time.Hour: "2 years ago",
	} {
		assert.Equal(t, want, output.Ago(d), d.String())
	}
}

func TestListExtensions(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		"~/.gemini/extensions/one/gemini-extension.json": `{"name": "one", "version": "1.0.0"}`,
		"~/.gemini/extensions/two/gemini-extension.json": `{"name": "two", "version": "1.0.0"}`,
		"~/.gemini/extensions/bad/gemini-extension.json": `{`,
		"~/.gemini/settings.json":                        `{"extensions": {"disabled": ["two"]}}`,
	})
	got := w.run("--list-extensions")
	assert.Equal(t, 0, got.code)
	assert.Equal(t, "one 1.0.0  enabled  ~/.gemini/extensions/one\ntwo 1.0.0  disabled in the settings  ~/.gemini/extensions/two\n", got.out)
	assert.Contains(t, got.err, "~/.gemini/extensions/bad")
	assert.Equal(t, "one 1.0.0  not named by --extensions  ~/.gemini/extensions/one\ntwo 1.0.0  disabled in the settings  ~/.gemini/extensions/two\n", w.run("--list-extensions -e none").out)
	refused := newHookWorld(t, map[string]string{
		"~/.gemini/extensions/one/gemini-extension.json": `{"name": "one", "version": "1.0.0"}`,
		"~/.gemini/settings.json":                        `{"security": {"allowedExtensions": ["^https://host/"]}}`,
	}).run("--list-extensions")
	assert.Contains(t, refused.out, "one 1.0.0  security.allowedExtensions does not name its source ")
	assert.Equal(t, said{"No extensions are installed; they would be in ~/.gemini/extensions\n", "", 0}, newHookWorld(t, nil).run("-l"))
}

// TestListExtensionsInUse checks that the list says for each part whether it is in use.
func TestListExtensionsInUse(t *testing.T) {
	t.Parallel()
	const head = "---\nname: %s\ndescription: x\n---\nx\n"
	in := func(name string) string { return "~/.gemini/extensions/one/" + name }
	w := newHookWorld(t, map[string]string{
		in("gemini-extension.json"): `{"name": "one", "version": "1.0.0", "mcpServers": {"kept": {"command": "false"}, "out": {"command": "false"}}}`,
		in("hooks/hooks.json"): `{"hooks": {"BeforeTool": [{"hooks": [
			{"type": "command", "name": "out", "command": "first"}, {"type": "command", "name": "kept", "command": "second"}]}]}}`,
		in("skills/kept/SKILL.md"): fmt.Sprintf(head, "kept"), in("skills/out/SKILL.md"): fmt.Sprintf(head, "out"), in("skills/mine/SKILL.md"): fmt.Sprintf(head, "mine"),
		in("agents/kept.md"): fmt.Sprintf(head, "kept"), in("agents/out.md"): fmt.Sprintf(head, "out"), in("agents/mine.md"): fmt.Sprintf(head, "mine"),
		"~/.gemini/skills/mine/SKILL.md": fmt.Sprintf(head, "mine"), "~/.gemini/agents/mine.md": fmt.Sprintf(head, "mine"),
		"~/.gemini/settings.json": `{"hooksConfig": {"disabled": ["out"]}, "mcp": {"excluded": ["out"]}, "skills": {"disabled": ["out"]},
			"agents": {"overrides": {"out": {"enabled": false}}}}`,
	})
	assert.Equal(t, `one 1.0.0  enabled  ~/.gemini/extensions/one
  hook            BeforeTool: first  [not used: disabled in ~/.gemini/settings.json:1]
  hook            BeforeTool: second
  MCP server      kept: false
  MCP server      out: false  [not used: mcp.excluded of the settings names it]
  skill           kept: x
  skill           mine: x  [not used: another one has the same name]
  skill           out: x  [not used: disabled in the settings]
  agent           kept: x
  agent           mine: x  [not used: another one has the same name]
  agent           out: x  [not used: agents.overrides in the settings turns it off]
`, w.run("--list-extensions").out)
}

// A run deletes old sessions in the background. It keeps its own session and young
// ones, and a wrong setting deletes nothing.
func TestRetentionAtStart(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T, settings string) (w hookWorld, warned []string, old, young string) {
		w = newHookWorld(t, map[string]string{"~/.gemini/settings.json": settings})
		old = w.savedSession("11111111-aaaa", "2025-01-01T10:00:00.000Z", asked)
		require.NoError(t, os.Chtimes(old, time.Unix(0, 0), time.Unix(0, 0)))
		young = w.savedSession("22222222-bbbb", time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), asked)
		sys, _, _ := w.sys("GEMINI_API_KEY=test-key")
		f := &app.Options{Model: "gemini-2.5-flash"}
		c, err := app.Configure(sys, f)
		require.NoError(t, err)
		r, err := wiring.Open(t.Context(), sys, f, c, wiring.Frontend{Warn: func(s string) { warned = append(warned, s) }})
		require.NoError(t, err)
		t.Cleanup(func() { r.Session.End(t.Context(), "exit"); r.Close() })
		return w, warned, old, young
	}
	t.Run("old ones are deleted", func(t *testing.T) {
		t.Parallel()
		_, warned, old, young := start(t, `{}`)
		waittest.Until(t, func() bool { return !app.Exists(old) })
		assert.FileExists(t, young)
		assert.Empty(t, warned)
	})
	t.Run("a wrong period", func(t *testing.T) {
		t.Parallel()
		_, warned, old, _ := start(t, `{"general": {"sessionRetention": {"maxAge": "forever"}}}`)
		assert.Equal(t, []string{`reading general.sessionRetention: maxAge: "forever" is not a period: write a number and h, d, w or m, such as "30d"; no session is deleted`}, warned)
		assert.FileExists(t, old)
	})
}
