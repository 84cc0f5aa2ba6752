package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/transcript"
)

func TestProjects(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), ".gemini")
	cases := []struct{ root, slug string }{
		{"/work/My Project!", "my-project"},
		{"/other/my.project", "my-project-1"},
		{"/third/my_project/", "my-project-2"},
		{"/work/My Project!", "my-project"},
		{"/third/my_project", "my-project-2"},
		{"/", "project"},
		{"/work/日本", "project-1"},
	}
	for _, c := range cases {
		p, err := OpenProject(home, c.root)
		require.NoError(t, err)
		assert.Equal(t, Project{
			Root: filepath.Clean(c.root), Slug: c.slug,
			Temp: filepath.Join(home, "tmp", c.slug), History: filepath.Join(home, "history", c.slug),
		}, p)
		for _, dir := range []string{p.Temp, p.History} {
			marker, err := os.ReadFile(filepath.Join(dir, ".project_root"))
			require.NoError(t, err)
			assert.Equal(t, p.Root, string(marker))
		}
	}
	assert.Equal(t, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb", Project{Root: "a"}.Hash())
}

func TestProjectRegistryOfOthers(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write := func(path, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	registry := filepath.Join(home, "projects.json")
	write(registry, `{"version":7,"projects":{"/work/a":"chosen"}}`)
	write(filepath.Join(home, "tmp", "b", ".project_root"), "/elsewhere/b")
	a, err := OpenProject(home, "/work/a")
	require.NoError(t, err)
	assert.Equal(t, "chosen", a.Slug, "an entry that is there counts")
	b, err := OpenProject(home, "/work/b")
	require.NoError(t, err)
	assert.Equal(t, "b-1", b.Slug, "a marker without an entry counts too")
	data, err := os.ReadFile(registry)
	require.NoError(t, err)
	assert.JSONEq(t, `{"version":7,"projects":{"/work/a":"chosen","/work/b":"b-1"}}`, string(data))

	for _, broken := range []string{`{"projects":`, "null", `{"projects":null}`, `{"projects":5}`, "[]", `""`, "5", "\x00\x00"} {
		require.NoError(t, os.RemoveAll(registry+".unreadable"))
		write(registry, broken)
		_, found := FindProject(home, "/work/c")
		assert.False(t, found)
		_, err = OpenProject(home, "/work/c")
		require.ErrorContains(t, err, "it is set aside as "+registry+".unreadable", "%q", broken)
		data, err = os.ReadFile(registry + ".unreadable")
		require.NoError(t, err)
		assert.Equal(t, broken, string(data), "nothing is lost")
		_, err = OpenProject(home, "/work/c")
		require.NoError(t, err, "it is told once")
	}
}

// A marker is not synced to the disk. If a power failure leaves it empty, it is written
// again, and takes no slug from another project.
func TestProjectMarkerLostItsContent(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p, err := OpenProject(home, "/work/a")
	require.NoError(t, err)
	marker := filepath.Join(p.Temp, markerName)
	require.NoError(t, os.Truncate(marker, 0))
	again, err := OpenProject(home, "/work/a")
	require.NoError(t, err)
	assert.Equal(t, p, again)
	data, err := os.ReadFile(marker)
	require.NoError(t, err)
	assert.Equal(t, "/work/a", string(data))
}

func TestProjectsAtOnce(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	slugs := make([]string, 12)
	var wg sync.WaitGroup
	for i := range slugs {
		wg.Go(func() {
			p, err := OpenProject(home, fmt.Sprintf("/work/%d/same", i%6))
			assert.NoError(t, err)
			slugs[i] = p.Slug
		})
	}
	wg.Wait()
	distinct := map[string]bool{}
	for i, s := range slugs {
		distinct[s] = true
		assert.Equal(t, slugs[i%6], s)
	}
	assert.Len(t, distinct, 6)
}

// The file as Gemini CLI writes it, including its faults.
func TestRebuild(t *testing.T) {
	t.Parallel()
	const (
		head  = `{"sessionId":"s","startTime":"2026-01-02T03:04:05.000Z"}`
		u     = `{"id":"u","type":"user","content":[{"text":"go"}]}`
		g     = `{"id":"g","type":"gemini","content":"I will.","toolCalls":[{"id":"n__1","name":"n","args":{"a":"1"},"result":[{"functionResponse":{"id":"n__1","name":"n","response":{"output":"x"}}}],"status":"success"}]}`
		r     = `{"id":"r","type":"user","content":[{"functionResponse":{"id":"n__1","name":"n","response":{"output":"x"}}}]}`
		d     = `{"id":"d","type":"gemini","content":"Done."}`
		early = `{"id":"g","type":"gemini","content":"I will."}`
	)
	whole := []llm.Message{llm.UserText("go"), modelCalls("I will.", call("1")), results(result("1", "x"))}
	done := append(whole[:3:3], llm.ModelText("Done."))
	cases := []struct {
		name  string
		lines []string
		want  []llm.Message
	}{
		{"one call", []string{u, early, g, r, d}, done},
		{"the result in the model's record alone", []string{u, g, d}, done},
		{"a snapshot of a resumed session: results twice", []string{`{"$set":{"messages":[` + u + `,{"id":"g","type":"gemini","content":[{"text":"I will."},{"functionCall":{"id":"n__1","name":"n","args":{"a":"1"}}}]},` + strings.Replace(r, `"r"`, `"g_response"`, 1) + `,` + r + `]}}`, d}, done},
		{"calls in content and in the record", []string{u, strings.Replace(g, `"I will."`, `[{"text":"I will."},{"functionCall":{"id":"n__1","name":"n","args":{"a":"1"}}}]`, 1), r, d}, done},
		{"thoughts in content", []string{u, strings.Replace(d, `"Done."`, `[{"text":"hm","thought":true},{"text":"Done."}]`, 1)}, []llm.Message{llm.UserText("go"), llm.ModelText("Done.")}},
		{"messages of the program", []string{u, `{"id":"i","type":"info","content":"x"}`, `{"id":"e","type":"error","content":"x"}`, d}, []llm.Message{llm.UserText("go"), llm.ModelText("Done.")}},
		{"commands", []string{`{"id":"c","type":"user","content":"/help"}`, `{"id":"q","type":"user","content":"?"}`, u, d}, []llm.Message{llm.UserText("go"), llm.ModelText("Done.")}},
		{"the preamble, whatever its id", []string{`{"id":"p","type":"user","content":[{"text":"<session_context>x"}]}`, u, d}, []llm.Message{llm.UserText("go"), llm.ModelText("Done.")}},
		{"an empty answer", []string{u, `{"id":"x","type":"gemini","content":""}`, d}, []llm.Message{llm.UserText("go"), llm.ModelText("Done.")}},
		{"a result without a call", []string{u, d, r}, []llm.Message{llm.UserText("go"), llm.ModelText("Done.")}},
		{"steered while a tool ran", []string{u, g, `{"id":"s","type":"user","content":[{"text":"stop it"}]}`, r, d}, append(whole[:3:3], llm.UserText("stop it"), llm.ModelText("Done."))},
		{"a call without an answer", []string{u, strings.Replace(g, `"result":[{"functionResponse":{"id":"n__1","name":"n","response":{"output":"x"}}}],`, "", 1), d},
			[]llm.Message{llm.UserText("go"), modelCalls("I will.", call("1")), results(llm.ToolResult{ID: "n__1", Name: "n", Response: map[string]any{"error": NoResult}}), llm.ModelText("Done.")}},
	}
	for _, c := range cases {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		require.NoError(t, os.WriteFile(path, []byte(head+"\n"+strings.Join(c.lines, "\n")+"\n"), 0o600))
		f, err := transcript.Read(path)
		require.NoError(t, err)
		var got []llm.Message
		for _, e := range rebuild(f) {
			got = append(got, e.message)
		}
		assert.Equal(t, c.want, got, c.name)
	}
}

// A recording of Gemini CLI, with added faults, can be resumed. The file keeps its
// lines.
func TestResumeOfARecording(t *testing.T) {
	t.Parallel()
	o := options(t)
	recording, err := os.ReadFile("../transcript/testdata/one-call.jsonl")
	require.NoError(t, err)
	torn := string(recording) + "{broken}\n" + `{"id":"torn","timesta`
	path := filepath.Join(o.Project.Chats(), "session-2026-11-21T00-41-2fa9f8ea.jsonl")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(torn), 0o600))
	var warnings []string
	o.Warn = func(err error) { warnings = append(warnings, err.Error()) }
	s, err := Resume(o, "2fa9f8ea-15b4-44e1-b36b-d884fba53c49")
	require.NoError(t, err)
	assert.Equal(t, path, s.Path())
	id := "read_file__read_file_1795221702462_0"
	assert.Equal(t, []llm.Message{
		llm.UserText(o.Preamble()),
		llm.UserText("read it"),
		{Role: llm.RoleModel, Parts: []llm.Part{llm.ToolCall{ID: id, Name: "read_file", Args: map[string]any{"file_path": "notes.txt"}}}},
		{Role: llm.RoleUser, Parts: []llm.Part{llm.ToolResult{ID: id, Name: "read_file", Response: map[string]any{"output": "hello world\nsecond line\n\n\n<hook_context>scanned: &lt;clean&gt;</hook_context>"}}}},
		llm.ModelText("ok"),
	}, s.Messages())
	s.Append(llm.UserText("go on"))
	s.End(t.Context(), "exit")
	assert.Equal(t, []string{path + ":12: broken record, skipped", path + ":13: the last record was cut short, skipped"}, warnings)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(data), torn+"\n"), "what was there stays")
}

func TestOlderFormAndImport(t *testing.T) {
	t.Parallel()
	o := options(t)
	old := `{"sessionId":"0ld","projectHash":"h","startTime":"2025-01-02T03:04:05.000Z","lastUpdated":"2025-01-02T03:04:05.000Z","messages":[
		{"id":"a","timestamp":"2025-01-02T03:04:05.000Z","type":"user","content":"hello"},
		{"id":"b","timestamp":"2025-01-02T03:04:05.000Z","type":"gemini","content":"hi"}]}`
	path := filepath.Join(o.Project.Chats(), "session-2025-01-02T03-04-0ld.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(old), 0o600))
	want := []llm.Message{llm.UserText(o.Preamble()), llm.UserText("hello"), llm.ModelText("hi")}

	s, err := Resume(o, "0ld")
	require.NoError(t, err)
	assert.Equal(t, "0ld", s.ID())
	assert.Equal(t, want, s.Messages())
	assert.Equal(t, fmt.Sprintf("session-%d-0ld.jsonl", start.UnixMilli()), filepath.Base(s.Path()))
	s.End(t.Context(), "exit")

	imported, err := Import(o, path)
	require.NoError(t, err)
	assert.NotEqual(t, "0ld", imported.ID())
	assert.Equal(t, want, imported.Messages())
	assert.Equal(t, SourceResume, imported.Source())
	imported.End(t.Context(), "exit")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, old, string(data))
}

// speak makes a session with one prompt.
func speak(t *testing.T, o Options, at time.Time, text string) *Session {
	t.Helper()
	o.Now = func() time.Time { return at }
	s := begin(t, o)
	s.Append(llm.UserText(text))
	s.Append(llm.ModelText("answer"))
	s.End(t.Context(), "exit")
	return s
}

func TestListFindDelete(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.NewID = nil
	second := speak(t, o, start.Add(time.Hour), strings.Repeat("long ", 40))
	first := speak(t, o, start, "<hook_context>x</hook_context>\n\nfirst\n prompt")
	third := speak(t, o, start.Add(2*time.Hour), "third")
	s, err := Resume(o, third.ID())
	require.NoError(t, err)
	s.Summarize("a title")
	s.End(t.Context(), "exit")
	shortened, err := Resume(o, second.ID())
	require.NoError(t, err)
	shortened.Replace(append([]llm.Message{llm.UserText("<state_snapshot>all of it</state_snapshot>")}, shortened.Messages()...))
	shortened.End(t.Context(), "exit")
	broken := filepath.Join(o.Project.Chats(), "session-broken.jsonl")
	require.NoError(t, os.WriteFile(broken, []byte("garbage"), 0o600))

	infos, err := List(o.Project)
	assert.ErrorIs(t, err, transcript.ErrNotSession)
	var got []string
	for _, i := range infos {
		got = append(got, fmt.Sprintf("%d. %s (%d) %s %s", i.Index, i.Title, i.Messages, i.Started.Format("15:04"), i.ID))
	}
	assert.Equal(t, []string{
		"1. first prompt (2) 03:04 " + first.ID(),
		"2. " + strings.Repeat("long ", 19) + "lo... (3) 04:04 " + second.ID(),
		"3. a title (2) 05:04 " + third.ID(),
	}, got)

	for which, want := range map[string]string{"": third.ID(), "latest": third.ID(), "1": first.ID(), second.ID(): second.ID()} {
		info, err := Find(o.Project, which)
		require.NoError(t, err)
		assert.Equal(t, want, info.ID, which)
	}

	outputs := ToolOutputs(o.Project, first.ID())
	require.NoError(t, os.MkdirAll(outputs, 0o700))
	_, err = Delete(o.Project, "1", first.ID())
	assert.ErrorIs(t, err, ErrCurrent)
	info, err := Delete(o.Project, "1", "")
	require.NoError(t, err)
	assert.Equal(t, first.ID(), info.ID)
	assert.NoFileExists(t, info.Path)
	assert.NoDirExists(t, outputs)
	open, err := Resume(o, second.ID())
	require.NoError(t, err)
	_, err = Delete(o.Project, second.ID(), "")
	assert.ErrorIs(t, err, transcript.ErrInUse)
	open.End(t.Context(), "exit")
}

// Resuming 50 MB, made of rounds with one call and 8 KB of output.
func BenchmarkResume50MB(b *testing.B) {
	o := options(b)
	o.NewID = nil
	s := begin(b, o)
	output := strings.Repeat("a line of \"source code\" as a tool finds it\n", 180)
	s.Append(llm.UserText("go"))
	for i := range 3000 {
		c, r := call(fmt.Sprint(i)), result(fmt.Sprint(i), output)
		round(s, modelCalls("I will read it.", c))
		s.Emit(finished(c, r))
		s.Append(results(r))
	}
	stat, err := os.Stat(s.Path())
	require.NoError(b, err)
	b.SetBytes(stat.Size())
	s.End(b.Context(), "exit")
	for b.Loop() {
		s, err := Resume(o, "latest")
		require.NoError(b, err)
		require.Len(b, s.Messages(), 6002)
		s.End(b.Context(), "exit")
	}
}

// A registry with one project is not synced to the disk. If a power failure empties or
// removes it, the project keeps its folder.
func TestRegistryLostItsContent(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p, err := OpenProject(home, "/work/a")
	require.NoError(t, err)
	registry := filepath.Join(home, registryName)
	for _, lose := range []func(){
		func() { require.NoError(t, os.Truncate(registry, 0)) },
		func() { require.NoError(t, os.Remove(registry)) },
	} {
		lose()
		again, err := OpenProject(home, "/work/a")
		require.NoError(t, err)
		assert.Equal(t, p, again)
		other, err := OpenProject(home, "/elsewhere/a")
		require.NoError(t, err)
		assert.NotEqual(t, p.Slug, other.Slug)
		found, ok := FindProject(home, "/work/a")
		assert.True(t, ok)
		assert.Equal(t, p, found)
	}
}
