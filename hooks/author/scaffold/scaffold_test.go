package scaffold_test

import (
	"cmp"
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/author/scaffold"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
)

// events has, for each event, changes to its sample payload on which the hook answers,
// and others on which it is silent. "" changes nothing.
var events = map[protocol.Event]struct{ speaks, silent []string }{
	protocol.SessionStart:        {[]string{"source=startup"}, []string{"source=resume"}},
	protocol.BeforeAgent:         {[]string{"prompt=deploy it"}, []string{"prompt=test it", `prompt=""`}},
	protocol.PreCompress:         {[]string{"trigger=manual"}, []string{"trigger=auto"}},
	protocol.BeforeModel:         {[]string{"llm_request.messages.0.content=my password"}, []string{"llm_request.messages.0.content=hello"}},
	protocol.BeforeToolSelection: {[]string{"llm_request.messages.0.content=Explain it"}, []string{"llm_request.messages.0.content=Do it"}},
	protocol.AfterModel:          {[]string{"llm_response.candidates.0.content.parts.0=the password is"}, []string{"llm_response.candidates.0.content.parts.0=hello"}},
	protocol.BeforeTool:          {[]string{"tool_input.file_path=a/b.lock"}, []string{"tool_input.file_path=main.go"}},
	protocol.Notification:        {[]string{""}, nil},
	protocol.AfterTool:           {[]string{"tool_name=write_file"}, []string{"tool_name=replace"}},
	protocol.AfterAgent:          {[]string{"prompt_response=TODO"}, []string{"prompt_response=done", "prompt_response=TODO;stop_hook_active=true"}},
	protocol.SessionEnd:          {[]string{"reason=exit"}, []string{"reason=clear"}},
}

// interpreters run a program. With the arguments in check they only parse it. Go
// programs are checked by running them.
var interpreters = map[string]struct {
	name  string
	check []string
}{
	"sh": {"bash", []string{"-n"}},
	"py": {"python3", []string{"-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())"}},
	"js": {"node", []string{"--check"}},
	"go": {"go", nil},
}

// Each program in each language parses, is configured as the loader and the shell
// require, and does exactly what its comment says.
func TestPrograms(t *testing.T) {
	t.Parallel()
	for _, ev := range protocol.Events {
		for _, lang := range scaffold.Languages {
			t.Run(string(ev)+" "+lang, func(t *testing.T) {
				t.Parallel()
				with := interpreters[lang]
				if _, err := exec.LookPath(with.name); err != nil {
					t.Skip(with.name + " is not there")
				}
				dir := filepath.Join(t.TempDir(), "my project")
				h := write(t, dir, ev, lang)
				if len(with.check) > 0 {
					program := filepath.Join(dir, filepath.FromSlash(h.Program.Path))
					out, err := exec.Command(with.name, append(with.check, program)...).CombinedOutput()
					require.NoError(t, err, "%s\n%s", out, h.Program.Data)
				}
				said := events[ev]
				for _, set := range append(said.speaks, h.Try) {
					assert.Regexp(t, `"first: |"mode":"NONE"`, fire(t, dir, h, payload(t, ev, set)), set)
				}
				for _, set := range said.silent {
					assert.Empty(t, fire(t, dir, h, payload(t, ev, set)), set)
				}
			})
		}
	}
}

// write makes the hook "first" in dir, which need not exist, and returns it.
func write(t *testing.T, dir string, ev protocol.Event, lang string) scaffold.Hook {
	t.Helper()
	h, err := scaffold.Make(scaffold.Options{Name: "first", Event: ev, Language: lang})
	require.NoError(t, err)
	require.NoError(t, scaffold.Write(h, dir, hooks.Config{}))
	return h
}

func payload(t *testing.T, ev protocol.Event, set string) []byte {
	t.Helper()
	data, err := inspect.Sample(ev, "")
	require.NoError(t, err)
	for one := range strings.SplitSeq(set, ";") {
		if one != "" {
			data, err = inspect.Set(data, one)
			require.NoError(t, err)
		}
	}
	data, err = inspect.Payload(t.Context(), hooks.Origin{Cwd: "/w"}, data)
	require.NoError(t, err)
	return data
}

// fire runs the command of the hook's entry as an agent does, and returns its
// answer, which must be JSON or nothing.
func fire(t *testing.T, dir string, h scaffold.Hook, stdin []byte) string {
	t.Helper()
	command := configured(t, dir).Command
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir = t.TempDir() // it runs from anywhere
	cmd.Env = append(os.Environ(), "GEMINI_PROJECT_DIR="+dir)
	cmd.Stdin = strings.NewReader(string(stdin))
	out, err := cmd.Output()
	require.NoError(t, err, "%s\n%s", command, h.Program.Data)
	assert.True(t, len(out) == 0 || json.Valid(out), string(out))
	return string(out)
}

// configured returns the only hook in the project's settings.
func configured(t *testing.T, dir string) hooks.Hook {
	t.Helper()
	file := filepath.Join(dir, ".gemini", "settings.json")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	s, err := config.LoadSettings(hooks.LayerProject, file, data)
	require.NoError(t, err)
	assert.Empty(t, s.Problems)
	assert.Empty(t, s.Notes)
	require.Len(t, s.Hooks, 1)
	return s.Hooks[0]
}

// The entry names the event, quotes the path so that it may contain spaces, and gives a
// program that must be built more time.
func TestEntries(t *testing.T) {
	t.Parallel()
	for lang, want := range map[string]struct {
		command string
		ms      int64
	}{
		"sh": {`"${GEMINI_PROJECT_DIR}/.gemini/hooks/first.sh"`, 10_000},
		"py": {`python3 "${GEMINI_PROJECT_DIR}/.gemini/hooks/first.py"`, 10_000},
		"js": {`node "${GEMINI_PROJECT_DIR}/.gemini/hooks/first.js"`, 10_000},
		"go": {`go run "${GEMINI_PROJECT_DIR}/.gemini/hooks/first.go"`, 60_000},
	} {
		for _, ev := range protocol.Events {
			dir := t.TempDir()
			write(t, dir, ev, lang)
			h := configured(t, dir)
			assert.Equal(t, ev, h.Event)
			assert.Equal(t, "first", h.Name)
			assert.Equal(t, want.command, h.Command)
			assert.Equal(t, want.ms, h.Timeout.Milliseconds())
		}
	}
}

// Cases parse, are skipped if the language is missing, and run the program.
// cmd/minigem's tests run them.
func TestCases(t *testing.T) {
	t.Parallel()
	for _, ev := range protocol.Events {
		for lang, needs := range map[string]string{"sh": "", "py": "needs python3\n", "js": "needs node\n", "go": "needs go\n"} {
			dir := t.TempDir()
			h := write(t, dir, ev, lang)
			_, err := testbed.ReadFile(filepath.Join(dir, filepath.FromSlash(h.Case.Path)))
			require.NoError(t, err, string(h.Case.Data))
			assert.Equal(t, needs != "", strings.Contains(string(h.Case.Data), "\nneeds "))
			assert.Contains(t, string(h.Case.Data), "\n"+needs)
			assert.Contains(t, string(h.Case.Data), "use ../first."+lang+" .gemini/hooks/first."+lang+"\n")
		}
	}
}

func TestGoIsFormatted(t *testing.T) {
	t.Parallel()
	for _, ev := range protocol.Events {
		h, err := scaffold.Make(scaffold.Options{Name: "first", Event: ev, Language: "go"})
		require.NoError(t, err)
		want, err := format.Source(h.Program.Data)
		require.NoError(t, err, string(h.Program.Data))
		assert.Equal(t, string(want), string(h.Program.Data))
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		event    protocol.Event
		language string
		want     string
	}{
		{"", protocol.BeforeTool, "sh", `"" is not a name for a hook: it may contain letters, digits, - and _`},
		{"../x", protocol.BeforeTool, "sh", `"../x" is not a name for a hook`},
		{"-x", protocol.BeforeTool, "sh", `"-x" is not a name for a hook`},
		{"a b", protocol.BeforeTool, "sh", `"a b" is not a name for a hook`},
		{"x\n", protocol.BeforeTool, "sh", `is not a name for a hook`},
		{strings.Repeat("x", 65), protocol.BeforeTool, "sh", `is not a name for a hook`},
		{"x", protocol.BeforeTool, "rb", `there is no language "rb"; they are sh, py, js, go`},
		{"x", "PreToolUse", "sh", `there is no event "PreToolUse": minigem hooks schema lists them`},
	} {
		_, err := scaffold.Make(scaffold.Options{Name: c.name, Event: c.event, Language: c.language})
		assert.ErrorContains(t, err, c.want, c.name)
	}
}

// An impossible combination is an error that names what can be made instead.
func TestKindsRefuse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o    scaffold.Options
		want string
	}{
		{scaffold.Options{Kind: "agent"}, `there is no kind of hook "agent"; they are command, http, prompt, mcp_tool`},
		{scaffold.Options{Kind: "http", Language: "sh"}, `a hook of the type http is not made in "sh" here; they are py, js`},
		{scaffold.Options{Kind: "mcp_tool", Language: "rb"}, `there is no language "rb"; they are py, js`},
		{scaffold.Options{Kind: "prompt", Language: "py"}, `--lang is for programs, and a hook of the type prompt has none`},
		{scaffold.Options{Kind: "prompt", Event: protocol.SessionEnd}, `a hook of the type prompt can do nothing but refuse, and SessionEnd cannot be refused`},
		{scaffold.Options{Kind: "http", Async: true}, `--async makes a command, not a hook of the type http`},
		{scaffold.Options{Async: true, Event: protocol.SessionEnd}, `--async takes the events BeforeAgent, BeforeTool, AfterTool, PostToolUseFailure, AfterAgent`},
		{scaffold.Options{Async: true, Tool: "read_file"}, `and no --tool`},
	} {
		c.o.Name, c.o.Event = "x", cmp.Or(c.o.Event, protocol.BeforeTool)
		_, err := scaffold.Make(c.o)
		assert.ErrorContains(t, err, c.want)
	}
	asked, err := scaffold.Make(scaffold.Options{Name: "x", Kind: "prompt", Event: protocol.BeforeTool})
	require.NoError(t, err)
	assert.Contains(t, asked.Made(), "Every other case that reaches BeforeTool needs its own answer")
	async, err := scaffold.Make(scaffold.Options{Name: "x", Event: protocol.AfterTool, Async: true})
	require.NoError(t, err)
	assert.ErrorContains(t, async.Narrow("", "block"), "--on-error block has no effect with --async")
}

// An existing MCP server stays, and nothing is written.
func TestAnExistingServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	settings := filepath.Join(dir, ".gemini", "settings.json")
	const mine = `{"mcpServers": {"first": {"command": "mine"}}}`
	put(t, settings, mine)
	h, err := scaffold.Make(scaffold.Options{Name: "first", Event: protocol.BeforeTool, Kind: "mcp_tool"})
	require.NoError(t, err)
	require.ErrorContains(t, scaffold.Write(h, dir, hooks.Config{}), `there is an MCP server "first" already: choose another name`)
	assert.Equal(t, map[string]string{".gemini/settings.json": mine}, tree(t, dir))
}

// Comments and order stay, and the group is added after the existing ones.
func TestSettingsStay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	settings := filepath.Join(dir, ".gemini", "settings.json")
	put(t, settings, `{
  // ours
  "hooks": {
    "BeforeTool": [
      {"hooks": [{"type": "command", "command": "true"}]} // always
    ]
  },
  "theme": "dark" /* late */
}
`)
	h, err := scaffold.Make(scaffold.Options{Name: "guard", Event: protocol.BeforeTool, Language: "sh"})
	require.NoError(t, err)
	require.NoError(t, scaffold.Write(h, dir, hooks.Config{}))
	got := get(t, settings)
	for _, kept := range []string{"  // ours\n", `{"type": "command", "command": "true"}]}`, "// always\n", "\"theme\": \"dark\" /* late */\n}\n"} {
		assert.Contains(t, got, kept)
	}
	s, err := config.LoadSettings(hooks.LayerProject, settings, []byte(got))
	require.NoError(t, err)
	require.Len(t, s.Hooks, 2)
	assert.Equal(t, "true", s.Hooks[0].Command)
	assert.Equal(t, "guard", s.Hooks[1].Name)
	assert.Equal(t, "^(write_file|replace)$", s.Hooks[1].Matcher)
}

// If something is in the way, nothing changes.
func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	const mine = "mine"
	for name, c := range map[string]struct {
		files map[string]string // files that exist already
		hooks []hooks.Hook
		want  string
	}{
		"the name is taken":         {nil, []hooks.Hook{{Name: "first", Source: hooks.Source{File: "/s.json", Line: 7}}}, `there is a hook "first" already, at /s.json:7: choose another name`},
		"the program is there":      {map[string]string{".gemini/hooks/first.sh": mine}, nil, ".gemini/hooks/first.sh already exists: choose another name, or move it away"},
		"the case is there":         {map[string]string{".gemini/hooks/tests/first.txtar": mine}, nil, ".gemini/hooks/tests/first.txtar already exists"},
		"the folder is a file":      {map[string]string{".gemini/hooks": mine}, nil, ".gemini/hooks"},
		"the tests' is a file":      {map[string]string{".gemini/hooks/tests": mine}, nil, ".gemini/hooks/tests"},
		"the settings' is a file":   {map[string]string{".gemini": mine}, nil, ".gemini"},
		"the settings are not JSON": {map[string]string{".gemini/settings.json": `{"hooks": `}, nil, "adding the hook to the settings: "},
		"hooks are no object":       {map[string]string{".gemini/settings.json": `{"hooks": []}`}, nil, "adding the hook to the settings: "},
		"an event holds no array":   {map[string]string{".gemini/settings.json": `{"hooks": {"BeforeTool": 1}}`}, nil, "adding the hook to the settings: "},
		"the settings are a folder": {map[string]string{".gemini/settings.json/x": mine}, nil, "adding the hook to the settings: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range c.files {
				put(t, filepath.Join(dir, filepath.FromSlash(file)), text)
			}
			h, err := scaffold.Make(scaffold.Options{Name: "first", Event: protocol.BeforeTool, Language: "sh"})
			require.NoError(t, err)
			require.ErrorContains(t, scaffold.Write(h, dir, hooks.Config{Hooks: c.hooks}), c.want)
			assert.Equal(t, c.files, tree(t, dir))
		})
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func get(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// tree returns the texts of the files in dir without locks, or nil if there are none.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	var all map[string]string
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || strings.HasSuffix(path, ".lock") {
			return err
		}
		if all == nil {
			all = map[string]string{}
		}
		rel, err := filepath.Rel(dir, path)
		all[filepath.ToSlash(rel)] = get(t, path)
		return err
	}))
	return all
}
