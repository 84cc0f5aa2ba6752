package agents

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
	"minigem/hooks"
	"minigem/hooks/protocol"
)

// TestMatrix: each format shows which cells passed, failed or cannot be judged, and why.
func TestMatrix(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := map[string]string{
		"passes":   "prompt x\n! exists f.txt\n-- hooks --\nbefore-tool shell 'cat >/dev/null; echo no >&2; exit 2'\n-- model --\nshell touch f.txt\n\ntext Done.\n",
		"fails":    "prompt x\n! exists f.txt\n-- hooks --\nbefore-tool shell 'cat >/dev/null; exit 1'\n-- model --\nshell touch f.txt\n\ntext Done.\n",
		"cannot":   "prompt x\nnot-fired before-model a\n-- hooks --\nbefore-model a\n-- model --\ntext Done.\n",
		"two":      "prompt x\nprompt y\nexit 0\n-- hooks --\nstop a\n-- model --\ntext Done.\n\ntext Done.\n",
		"partly":   "prompt x\nfired stop true\nstdout ~Done\n-- hooks --\nstop 'cat >/dev/null; true'\n-- model --\ntext Done.\n",
		"no hooks": "prompt x\nexit 0\n-- .claude/settings.json --\n{}\n-- model --\ntext Done.\n",
	}
	var paths []string
	for _, name := range []string{"passes", "fails", "cannot", "two", "partly", "no hooks"} {
		path := filepath.Join(dir, name+".txtar")
		require.NoError(t, os.WriteFile(path, []byte(files[name]), 0o600))
		paths = append(paths, path)
	}
	i, self := fake(t, "well", "90")
	columns := []Column{
		{Name: "fake", Version: "1.2.3", Other: true, Options: testbed.Options{Driver: i.Driver(self, t.TempDir(), nil), Elsewhere: true, Timeout: i.Adapter.Limit()}},
		{Name: "gone", Cannot: "not found", Other: true},
	}
	m := Tester{Log: io.Discard}.run(t.Context(), readAll(t, paths), columns)
	at := func(name string) *Cell { return m.Cells[filepath.Join(dir, name)]["fake"] }
	for name, want := range map[string]State{"passes": Pass, "fails": Fail, "cannot": Cannot, "two": Cannot, "partly": Pass, "no hooks": Cannot} {
		assert.Equal(t, want, at(name).State, "%s: %s %v", name, at(name).Why, at(name).Result.Failures)
	}
	assert.Equal(t, testbed.ExitFailed, m.ExitCode())
	text := m.Text(0)
	for _, want := range []string{
		"fails on fake:\n", "! exists f.txt\n    f.txt exists\n    seen: BeforeTool Bash: ", " exited with 1\n", "gone: cannot: not found\n",
		"cannot on fake: cannot: fake has no event BeforeModel\n", "two on fake: cannot: the case has 2 prompts", "pass* ",
		"stdout ~Done: what fake prints is in its own format", "2 passed, 1 failed, 9 undecided, ",
	} {
		assert.Contains(t, text, want)
	}
	var out strings.Builder
	require.NoError(t, m.Write(&out, "json"))
	var cells []map[string]any
	require.NoError(t, json.Unmarshal([]byte(out.String()), &cells))
	require.Len(t, cells, 12)
	assert.Equal(t, "fail", cells[2]["state"])
	out.Reset()
	require.NoError(t, m.Write(&out, "github"))
	assert.Contains(t, out.String(), "| case | fake 1.2.3 | gone - |\n|---|---|---|\n")
	assert.Contains(t, out.String(), "❌")
	assert.ErrorContains(t, m.Write(&out, "tap"), "use one of text, json, github")
	out.Reset()
	require.NoError(t, m.WritePage(&out))
	for _, want := range []string{
		`content="default-src 'none'; style-src 'sha256-`, `<th scope="col">fake<small>1.2.3</small></th>`, `<button type="button" aria-expanded="false">fails</button>`,
		`<article id="c1-0" class="fail" data-find="`, `<a href="#c1-0">fail</a>`, `<tr class="assertion" hidden><th scope="row">! exists f.txt</th><td data-agent="fake" class="fail" title="f.txt exists">does not hold</td>`,
		`seen: <code>BeforeTool Bash: `,
	} {
		assert.Contains(t, out.String(), want)
	}
}

// TestKnown: a difference that a case declares for Gemini CLI does not fail it on any
// agent.
func TestKnown(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "known.txtar")
	require.NoError(t, os.WriteFile(path, []byte("differs it does as it likes\nprompt x\n! exists f.txt\n-- hooks --\nbefore-tool shell 'cat >/dev/null'\n-- model --\nshell touch f.txt\n\ntext Done.\n"), 0o600))
	i, self := fake(t, "well", "90")
	o := testbed.Options{Driver: i.Driver(self, t.TempDir(), nil), Elsewhere: true, Timeout: i.Adapter.Limit()}
	m := Tester{Log: io.Discard}.run(t.Context(), readAll(t, []string{path}), []Column{{Name: "gemini", Other: true, Options: o}})
	assert.Equal(t, testbed.ExitPassed, m.ExitCode())
	assert.Contains(t, m.Text(0), "on gemini: known: it does as it likes\n\n0 passed, 0 failed, 1 known, ")
	m = Tester{Log: io.Discard}.run(t.Context(), readAll(t, []string{path}), []Column{{Name: "fake", Other: true, Options: o}})
	assert.Equal(t, testbed.ExitFailed, m.ExitCode(), "it is about Gemini CLI alone")
}

// TestNativeFilesRunAsTheyAre: a case may include the agent's own configuration.
func TestNativeFilesRunAsTheyAre(t *testing.T) {
	t.Parallel()
	c, err := testbed.Parse("native.txtar", []byte(`prompt Make f.txt
fired PreToolUse guard decision=deny exit=2
! exists f.txt
-- .fake/hooks.json --
{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "sh guard.sh"}]}]}}
-- .claude/settings.json --
{}
-- guard.sh --
cat >/dev/null
echo no >&2
exit 2
-- model --
shell touch f.txt

text Done.
`))
	require.NoError(t, err)
	i, self := fake(t, "well", "90")
	var cell Cell
	cell.judge(testbed.Run(t.Context(), c, testbed.Options{Driver: i.Driver(self, t.TempDir(), nil), Elsewhere: true, Timeout: i.Adapter.Limit()}))
	assert.Equal(t, Pass, cell.State, "%s %v", cell.Why, cell.Result.Failures)
}

// TestBecause: a failed cell is explained from the tables, and by the fields that the hook
// reads but that its payload lacks.
func TestBecause(t *testing.T) {
	t.Parallel()
	for hook, why := range map[string]string{
		`'cat >/dev/null; echo {\"decision\":\"deny\"}'`:      `why: decision "deny" is not a value (approve, block) there`,
		`'cat >/dev/null; exit 0; jq -r .tool_input.cmd'`:     "why: its command reads .tool_input.cmd, which its input did not have; it had\n           .tool_input.command",
		`'cat >/dev/null; exit 0; jq -r .tool_input.command'`: "",
	} {
		cell := Cell{Case: "naive", Agent: "claude"}
		c, err := testbed.Parse("naive.txtar", []byte("prompt x\n! exists f.txt\n-- hooks --\nbefore-tool shell "+hook+"\n-- model --\nshell touch f.txt\n\ntext Done.\n"))
		require.NoError(t, err)
		i, self := fake(t, "well", "90")
		cell.judge(testbed.Run(t.Context(), c, testbed.Options{Driver: i.Driver(self, t.TempDir(), nil), Elsewhere: true, Timeout: i.Adapter.Limit()}))
		require.Equal(t, Fail, cell.State, cell.Why)
		if why == "" {
			assert.NotContains(t, cell.explain(""), "why: ")
			continue
		}
		assert.Contains(t, cell.explain(""), why)
	}
}

// TestHooksThatCannotStart: if a shell cannot run the program of a hook, a failed cell
// says that, not how to refuse there.
func TestHooksThatCannotStart(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{126: "is not executable: chmod +x", 127: "was not found: name its path", 2: ""} {
		run := hooks.Run{Hook: hooks.Hook{Command: "./guard.sh"}, Exit: hooks.Exit{Code: code}}
		cell := &Cell{Case: "a", Agent: "claude", State: Fail}
		cell.Result.Record = &testbed.Record{Reports: []hooks.Report{{Event: "BeforeTool", Runs: []hooks.Run{run}}}}
		m := &Matrix{Columns: []Column{{Name: "claude", Other: true}}, Cases: []string{"a"}, Cells: map[string]map[string]*Cell{"a": {"claude": cell}}}
		if want == "" {
			assert.NotContains(t, strings.Join(cell.seen(), "\n"), "the hook's program")
			continue
		}
		assert.Contains(t, strings.Join(cell.seen(), "\n"), "\n      why: the hook's program "+want)
		assert.NotContains(t, strings.Join(cell.seen(), "\n"), "exit 2")
		assert.Empty(t, m.advice())
	}
}

// TestProject: an npm project has the measured versions and is not overwritten.
func TestProject(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "agents")
	chosen, err := Choose([]string{"claude", "qwen"})
	require.NoError(t, err)
	path, err := WriteProject(dir, chosen)
	require.NoError(t, err)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.JSONEq(t, `{"name": "agents-under-test", "private": true, "dependencies":
		{"@anthropic-ai/claude-code": "2.1.330", "@qwen-code/qwen-code": "0.24.4", "node": "22.23.3"}}`, string(data))
	_, err = WriteProject(dir, chosen)
	assert.ErrorContains(t, err, "already exists")
	_, err = Choose([]string{"clawd"})
	assert.ErrorContains(t, err, `there is no agent "clawd"`)
}

// TestFind: an agent is found in the given place, its version is queried, and a version
// newer than the measured ones is marked.
func TestFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bin := filepath.Join(dir, "x", "node_modules", ".bin")
	require.NoError(t, os.MkdirAll(bin, 0o755))
	program := func(name, text string) string {
		path := filepath.Join(bin, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
		return path
	}
	codex := program("codex", "#!/bin/sh\necho codex-cli 9.9.9.\n")
	program("claude", "#!/bin/sh\necho broken >&2\nexit 3\n")
	s := Search{From: []string{dir}, Path: os.Getenv("PATH")}
	found := s.Find(t.Context(), adapter(t, "codex"))
	assert.Equal(t, codex, found.Path)
	assert.Equal(t, "9.9.9", found.Version)
	assert.False(t, found.Measured())
	assert.Contains(t, Lines([]Line{NewLine(found)}), "9.9.9 (not measured)")
	assert.Equal(t, "it does not report its version: exit 3: broken", s.Find(t.Context(), adapter(t, "claude")).Problem)
	assert.Equal(t, "not found: npm install @moonshot-ai/kimi-code@2.1.0", Search{}.Find(t.Context(), adapter(t, "kimi")).Problem)
	bins, err := ParseBins([]string{"codex=" + codex})
	require.NoError(t, err)
	assert.Equal(t, codex, Search{Bins: bins, Path: os.Getenv("PATH")}.Find(t.Context(), adapter(t, "codex")).Path)
	_, err = ParseBins([]string{"codex"})
	assert.ErrorContains(t, err, "is not NAME=PATH")
}

func readAll(t *testing.T, files []string) []*testbed.Case {
	t.Helper()
	cases, err := readCases(files)
	require.NoError(t, err)
	return cases
}

// TestRunBegins: an invalid case, a missing agent and an interrupt are reported before
// anything is started.
func TestRunBegins(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	const whole = "prompt x\n! exists f.txt\n-- hooks --\nstop a\n-- model --\ntext Done.\n"
	good, bad := write("good.txtar", whole), write("bad.txtar", strings.Replace(whole, "! exists", "! exist", 1))
	var log strings.Builder
	tester := Tester{Log: &log, Cache: t.TempDir()}
	for _, tt := range []struct {
		name  string
		order Order
		want  []string
	}{
		{"no such agent", Order{Files: []string{good}, On: []string{"clawd"}}, []string{`there is no agent "clawd"`}},
		{"a broken case, once", Order{Files: []string{good, bad}, On: []string{"claude", "codex"}}, []string{`bad.txtar:2: unknown command "exist"`}},
		{"not here", Order{Files: []string{good}, On: []string{"claude", "kimi"}}, []string{"none of these agents is here:\n  claude: not found: npm install @anthropic-ai/claude-code@", "\n  kimi: not found", "minigem agents install"}},
		{"none at all", Order{Files: []string{good}, On: []string{"all"}}, []string{"none of these agents is here:", "minigem agents install"}},
	} {
		_, err := tester.Run(t.Context(), tt.order)
		for _, want := range tt.want {
			assert.ErrorContains(t, err, want, tt.name)
		}
		assert.Equal(t, 1, strings.Count(err.Error(), tt.want[0]), tt.name)
	}
	assert.Empty(t, log.String(), "nothing was tested")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := tester.Run(ctx, Order{Files: []string{good}, On: []string{"claude"}})
	assert.ErrorContains(t, err, "no case was run")
	m := tester.run(ctx, readAll(t, []string{good}), []Column{{Name: "fake"}})
	assert.Contains(t, m.Text(0), "not run\n")
	assert.Contains(t, m.Text(0), "0 passed, 0 failed, 1 not run, ")
}

// TestColumnThatCannotFails: a requested agent that proves nothing is reported.
func TestColumnThatCannotFails(t *testing.T) {
	t.Parallel()
	m := &Matrix{Columns: []Column{{Name: "minigem"}, {Name: "fake", Cannot: "it hangs", Other: true}}}
	assert.Equal(t, testbed.ExitFailed, m.ExitCode())
}

// TestNewerVersionsAreMarked: each format of the matrix marks versions that were not
// measured.
func TestNewerVersionsAreMarked(t *testing.T) {
	t.Parallel()
	m := &Matrix{Columns: []Column{{Name: "minigem", Version: "1"}, {Name: "fake", Version: "9.9.9", New: true}}, Cases: []string{"a"}, Cells: map[string]map[string]*Cell{"a": {"minigem": {State: Pass}, "fake": {State: Pass}}}}
	for _, format := range []string{"text", "github"} {
		var b strings.Builder
		require.NoError(t, m.Write(&b, format))
		assert.Equal(t, 1, strings.Count(b.String(), "(not measured)"), b.String())
		assert.Contains(t, b.String(), "9.9.9 (not measured)", format)
	}
	m.Cells["a"]["minigem"].Agent, m.Cells["a"]["fake"].Agent = "minigem", "fake"
	list := m.list()
	require.Len(t, list, 2)
	assert.Equal(t, []bool{false, true}, []bool{list[0].New, list[1].New})
	var page strings.Builder
	require.NoError(t, m.WritePage(&page))
	assert.Contains(t, page.String(), `<small class="new">9.9.9 (not measured)</small>`)
}

// TestNarrow: a table that is wider than the terminal is split.
func TestNarrow(t *testing.T) {
	t.Parallel()
	m := &Matrix{Cases: []string{"a/b/one", "a/b/two", "a/c"}, Cells: map[string]map[string]*Cell{}}
	for _, agent := range []string{"minigem", "claude", "codex", "gemini"} {
		m.Columns = append(m.Columns, Column{Name: agent, Version: "1.2.3"})
		for _, name := range m.Cases {
			if m.Cells[name] == nil {
				m.Cells[name] = map[string]*Cell{}
			}
			m.Cells[name][agent] = &Cell{Case: name, Agent: agent, State: Pass}
		}
	}
	assert.Equal(t, "a/     minigem    claude\n       1.2.3      1.2.3\nb/one  pass 0.0s  pass 0.0s\nb/two  pass 0.0s  pass 0.0s\nc      pass 0.0s  pass 0.0s\n\n"+
		"a/     codex      gemini\n       1.2.3      1.2.3\nb/one  pass 0.0s  pass 0.0s\nb/two  pass 0.0s  pass 0.0s\nc      pass 0.0s  pass 0.0s\n\n", strings.Split(m.Text(30), "12 passed")[0])
	assert.LessOrEqual(t, widest(m.Text(10)[:40]), 40, "one column at least")
	assert.Equal(t, 1, strings.Count(m.Text(0), "b/one"))
}

// TestAdvice: the advice names the simplest answer that refuses on all agents of a matrix.
func TestAdvice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		event  protocol.Event
		agents []string
		want   string
	}{
		{"BeforeTool", []string{"claude", "codex"}, "exit 2 with the reason on stderr"},
		{"BeforeTool", []string{"claude", "cline"}, `exit 2 with the reason on stderr, and on stdout {"decision": "deny", "cancel": true}`},
		{"BeforeTool", []string{"claude (played)", "cline (played)"}, `exit 2 with the reason on stderr, and on stdout {"decision": "deny", "cancel": true}`},
		{"BeforeAgent", []string{"claude", "copilot"}, `{"decision": "block"`},
		{"SessionStart", []string{"claude", "codex"}, "no single answer is known"},
	} {
		assert.Contains(t, of(tt.agents...).holds(tt.event), tt.want, tt.event)
	}
}
