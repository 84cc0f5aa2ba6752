package trials

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
	"minigem/hooks/author/mutate"
	"minigem/internal/app"
	"minigem/internal/cases"
)

// hooked is a project with a hook in which every class of faults can be planted.
var hooked = map[string]string{
	".gemini/settings.json": `{"hooks": {"BeforeTool": [{"matcher": "read_file|glob", "hooks": [
  {"type": "command", "name": "guard", "command": "sh .gemini/guard.sh", "onError": "block"}]}]}}`,
	".gemini/guard.sh": `case $(cat) in
*crash*) exit 3 ;;
*key.pem*) echo "not yours" >&2; exit 2 ;;
*log*) echo '{"decision": "deny", "reason": "logs are large"}' ;;
*notes*) echo '{"hookSpecificOutput": {"tool_input": {"file_path": "plain.txt"}}}' ;;
esac
`,
}

const calls = `
-- key.pem --
hunter2
-- plain.txt --
plain
-- model --
call read_file {"file_path": "key.pem"}
call read_file {"file_path": "log"}
call read_file {"file_path": "notes"}
call read_file {"file_path": "crash"}
call glob {"pattern": "*.log"}
call list_directory {"dir_path": "."}

text Done.
`

const weak = "use ../.gemini\nprompt Look\nfired BeforeTool guard times=1..\n" + calls

const strong = `use ../.gemini
prompt Look
fired BeforeTool guard subject=read_file decision=deny reason~'not yours' exit=2 times=1
fired BeforeTool guard subject=read_file decision=deny reason~large times=1
fired BeforeTool guard subject=glob decision=deny reason~large times=1
fired BeforeTool guard failed~. decision=deny times=1
fired BeforeTool guard times=5
tool-ran read_file arg.file_path=plain.txt times=1
tool-ran list_directory
` + calls

// suiteOf writes files and returns a suite of their cases.
func suiteOf(t *testing.T, files map[string]string) (*testbed.Suite, []string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	s := &testbed.Suite{Paths: []string{dir}, Run: testbed.Options{Driver: cases.Open, Timeout: time.Hour}}
	found, err := s.Find()
	require.NoError(t, err)
	return s, found
}

func with(more map[string]string) map[string]string {
	all := map[string]string{}
	for _, files := range []map[string]string{hooked, more} {
		for name, text := range files {
			all[name] = text
		}
	}
	return all
}

// A suite that only checks whether the hook ran notices next to nothing, except a hook
// that blocks because it timed out. One that asserts the outcome notices everything.
func TestMutate(t *testing.T) {
	t.Parallel()
	survivors := func(tests map[string]string) (testbed.Mutation, []string) {
		s, files := suiteOf(t, with(tests))
		steps := 0
		m, err := s.Mutate(t.Context(), files, func(n, of int) { steps = n })
		require.NoError(t, err)
		assert.Len(t, m.Mutants, steps, "progress was told of all")
		var classes []string
		for _, x := range m.Mutants {
			if !x.Noticed && !slices.Contains(classes, x.Class) {
				classes = append(classes, x.Class)
			}
		}
		dir := s.Paths[0]
		for name, text := range hooked {
			data, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			assert.Equal(t, text, string(data), "the user's own file is as it was")
		}
		return m, classes
	}
	m, classes := survivors(map[string]string{"tests/weak.txtar": weak})
	assert.Equal(t, []string{mutate.Matcher, mutate.Script, mutate.OnError, mutate.Exit, mutate.Decision, mutate.Reason, mutate.Answer}, classes, m.String())
	assert.Less(t, m.Percent(), 20)
	assert.Contains(t, m.String(), ".gemini/guard.sh:3  exit 2 -> exit 1  (1 case)\n")

	m, classes = survivors(map[string]string{"tests/weak.txtar": weak, "tests/strong.txtar": strong})
	assert.Empty(t, classes, m.String())
	assert.Equal(t, 100, m.Percent(), "what both cases have is one mutant, and one of them notices it")
	assert.Len(t, m.Mutants[0].Cases, 2)
}

// TestMutantsOfPortableHooks checks that a mutant of a line in the section hooks is cited
// by that line, and not by settings that the user never wrote.
func TestMutantsOfPortableHooks(t *testing.T) {
	t.Parallel()
	s, files := suiteOf(t, map[string]string{"a.txtar": "prompt Look\nfired before-tool guard.sh\nfired stop guard.sh\n-- hooks --\n" +
		"stop guard.sh\n\n# for commands\nbefore-tool shell guard.sh timeout=5s\n" +
		"-- guard.sh --\ncat >/dev/null\n-- model --\nshell echo hi\n\ntext Done.\n"})
	m, err := s.Mutate(t.Context(), files, func(int, int) {})
	require.NoError(t, err)
	assert.Contains(t, m.String(), `a.txtar:8  ./guard.sh: matcher "^(?:run_shell_command)$" removed`)
	assert.NotContains(t, m.String(), "settings.json")
}

func TestWhatCannotBeMutated(t *testing.T) {
	t.Parallel()
	run := func(files map[string]string) (string, string, error) {
		var out bytes.Buffer
		s, found := suiteOf(t, files)
		err := Mutate(t.Context(), &app.System{Stdout: &out}, s, found, 90, "text", nil)
		return out.String(), s.Paths[0], err
	}
	_, dir, err := run(with(map[string]string{"tests/red.txtar": "use ../.gemini\nprompt Look\nfired BeforeTool guard times=9\n" + calls}))
	require.EqualError(t, err, dir+"/tests/red already fails, so it cannot notice anything: minigem hooks test says why; fix it first")
	_, _, err = run(map[string]string{"none.txtar": "prompt Look\n-- settings.json --\n{}\n-- model --\ntext Hi.\n"})
	require.ErrorContains(t, err, "there is nothing to break")
	tests := map[string]string{"tests/weak.txtar": weak}
	out, dir, err := run(with(tests))
	require.ErrorContains(t, err, "less than the 90% of --min")
	again, other, _ := run(with(tests))
	assert.Equal(t, strings.ReplaceAll(out, dir, ""), strings.ReplaceAll(again, other, ""), "the order is always the same")
}
