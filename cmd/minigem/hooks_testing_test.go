package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
	"minigem/hooks/protocol"
	"minigem/internal/app"
	"minigem/internal/cases"
	"minigem/internal/waittest"
)

var updateMessages = flag.Bool("update-messages", false, "rewrite the golden messages of the testbed's cases")

const testbedData = "../../e2e/testbed/testdata"

// runCases runs the case files that match pattern, one subtest each.
func runCases(t *testing.T, pattern string, o testbed.Options) {
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			c, err := testbed.ReadFile(file)
			require.NoError(t, err)
			for _, each := range c.Each() {
				res := testbed.Run(t.Context(), each, o)
				if res.Skipped != "" {
					t.Skip(res.Skipped)
				}
				require.NoError(t, res.Broken)
				for _, f := range res.Failures {
					t.Error(f.String())
				}
			}
		})
	}
}

func TestCases(t *testing.T) {
	runCases(t, testbedData+"/cases/*.txtar", testbed.Options{Driver: cases.Open, Chat: cases.OpenChat, Timeout: time.Hour})
}

// TestExamples runs the cases of examples, including those with programs in Go.
func TestExamples(t *testing.T) {
	bin := t.TempDir()
	out, err := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "../../examples/toolfilter", "../../examples/forcepush").CombinedOutput()
	require.NoError(t, err, string(out))
	runCases(t, "../../examples/*/tests/*.txtar", testbed.Options{Driver: cases.Open, Chat: cases.OpenChat, Timeout: time.Hour, Lookup: func(name string) (string, bool) {
		value, ok := os.LookupEnv(name)
		if name == "PATH" {
			value = bin + string(filepath.ListSeparator) + value
		}
		return value, ok
	}})
}

// varying lists the parts of messages that differ from run to run.
var varying = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`\d+ ?ms\b`), "N ms"},
	{regexp.MustCompile(`[⠁-⣿] waiting for the hook (\S+) \(\d+ s`), "⠋ waiting for the hook $1 (N s"},
	{regexp.MustCompile(`\b\d+\.\d+ ?s\b`), "N ms"}, // a busy machine may need seconds instead of milliseconds
	{regexp.MustCompile(`minigem \d\S+`), "minigem VERSION"},
	{regexp.MustCompile(`(?m)"llm_request":.*$`), `"llm_request":...`},
	{regexp.MustCompile(`(?m)^( +)\{"(sessionId|id|\$set|minigem)".*$`), `$1{"$2":...`},
}

// messages returns what people read about a case file's result.
func messages(t *testing.T, file string) (string, testbed.Result) {
	t.Helper()
	var b bytes.Buffer
	s := testbed.Suite{Run: testbed.Options{Driver: cases.Open, Chat: cases.OpenChat, Timeout: time.Hour}}
	s.Report = testbed.NewFormat("text", &b, false, "").Result
	sum := s.RunFiles(t.Context(), []string{file})
	text := strings.ReplaceAll(b.String(), filepath.ToSlash(filepath.Dir(file))+"/", "")
	for _, v := range varying {
		text = v.what.ReplaceAllString(text, v.by)
	}
	return text, sum.Results[0]
}

var timeoutLine = regexp.MustCompile(`(?m)^timeout (\S+)$`)

// withMoreTime repeats a case that exceeded its timeout with ever longer timeouts,
// until it gets as far as want. got is the first result.
func withMoreTime(t *testing.T, file, want, got string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	line := timeoutLine.FindSubmatch(data)
	if line == nil {
		return got
	}
	limit, err := time.ParseDuration(string(line[1]))
	if err != nil { // it is what the case is about
		return got
	}
	for i := time.Duration(2); i <= 32 && got != want; i *= 2 {
		more := filepath.Join(t.TempDir(), filepath.Base(file))
		require.NoError(t, os.WriteFile(more, timeoutLine.ReplaceAll(data, []byte("timeout "+(i*limit).String())), 0o600))
		got, _ = messages(t, more)
		got = strings.ReplaceAll(got, "after "+(i*limit/3).String(), "after "+(limit/3).String())
		got = strings.ReplaceAll(got, "longer than "+(i*limit).String(), "longer than "+limit.String())
	}
	return got
}

// TestMessages compares the messages about failing and broken case files with the
// golden files next to them.
func TestMessages(t *testing.T) {
	for _, dir := range []string{"failing", "broken"} {
		files, err := filepath.Glob(filepath.Join(testbedData, dir, "*.txtar"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			t.Run(dir+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				t.Parallel()
				got, res := messages(t, file)
				require.False(t, res.Passed())
				if want, err := os.ReadFile(strings.TrimSuffix(file, ".txtar") + ".golden"); err == nil && !*updateMessages && got != string(want) {
					got = withMoreTime(t, file, string(want), got)
				}
				assert.Equal(t, dir == "broken", res.Broken != nil)
				golden := strings.TrimSuffix(file, ".txtar") + ".golden"
				if *updateMessages {
					require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
				}
				want, err := os.ReadFile(golden)
				require.NoError(t, err)
				assert.Equal(t, string(want), got)
			})
		}
	}
}

// TestEveryAssertionHasBoth checks that each assertion is in a passing case and in one
// that shows its message, and that each event is in a passing case.
func TestEveryAssertionHasBoth(t *testing.T) {
	t.Parallel()
	read := func(dir string) string {
		files, err := filepath.Glob(filepath.Join(testbedData, dir, "*.txtar"))
		require.NoError(t, err)
		var b strings.Builder
		for _, f := range files {
			data, err := os.ReadFile(f)
			require.NoError(t, err)
			b.Write(data)
		}
		return b.String()
	}
	cases, failing := read("cases"), read("failing")
	for _, v := range testbed.Verbs() {
		name, _, _ := strings.Cut(v.Usage, " ")
		use := regexp.MustCompile(`(?m)^(! )?` + name + `\b`)
		assert.Regexp(t, use, cases, "no case uses it")
		if v.Kind == "assertion" {
			assert.Regexp(t, use, failing, "no case shows how it fails")
		}
	}
	for _, e := range protocol.Events {
		assert.Regexp(t, `(?m)^fired `+string(e)+` `, cases, "no case has a hook there")
	}
}

func hooksTest(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	sys := &app.System{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Env: os.Environ(), Dir: t.TempDir(), Now: time.Now}
	code = run(append([]string{"hooks", "test"}, args...), sys)
	return code, out.String(), errs.String()
}

func TestHooksTestExitCodes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args []string
		code int
		want string // on stdout or stderr
	}{
		{[]string{testbedData + "/cases/use.txtar"}, 0, "1 passed"},
		{[]string{testbedData + "/failing/exit.txtar", testbedData + "/cases/use.txtar"}, 1, "1 passed, 1 failed"},
		{[]string{testbedData + "/broken/twice.txtar", testbedData + "/failing/exit.txtar"}, 42, "0 passed, 1 failed, 1 broken"},
		{[]string{testbedData + "/cases", "--run", "/use$|/use.txtar"}, 0, "1 passed"},
		{[]string{testbedData + "/cases", "--run", "nothing like it"}, 42, `matches "nothing like it"`},
		{[]string{testbedData + "/cases", "--run", "("}, 42, "reading --run"},
		{[]string{testbedData + "/none"}, 42, "name *.txtar files, or folders with such files (stat "},
		{[]string{t.TempDir()}, 42, "there is no case in"},
		{[]string{testbedData + "/cases", "--shard", "5/4"}, 42, "expected one such as 1/4"},
		{[]string{testbedData + "/cases", "--format", "xml"}, 42, "use one of text, tap, junit, github, json"},
		{[]string{testbedData + "/cases/use.txtar", "--min", "101"}, 42, "a percentage from 0 to 100"},
		{[]string{testbedData + "/cases/use.txtar", "--min", "90"}, 1, "the coverage is 66%, less than the 90% of --min"},
		{[]string{testbedData + "/cases/use.txtar", "--coverage", "--min", "66"}, 0, "coverage 66%"},
		{[]string{testbedData + "/cases/use.txtar", "--count", "0"}, 42, "--count is 0"},
		{[]string{testbedData + "/cases/use.txtar", "--shuffle=x"}, 42, "--shuffle"},
		{[]string{testbedData + "/cases/use.txtar", "--mutate"}, 0, "mutants noticed, "},
		{[]string{testbedData + "/cases/use.txtar", "--mutate", "--min", "100", "--format", "json"}, 0, `"noticed": true`},
		{[]string{testbedData + "/failing/exit.txtar", "--mutate"}, 42, "/failing/exit already fails"},
		{[]string{testbedData + "/cases/use.txtar", "--mutate", "--coverage"}, 42, "--coverage is not available with --mutate"},
		{[]string{testbedData + "/cases/use.txtar", "--mutate", "--format", "tap"}, 42, "with --mutate, use one of text, json"},
		{[]string{testbedData + "/cases/use.txtar", "--mutate", "--as", "claude"}, 42, "--mutate is not available with --on and --as"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.args), func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := hooksTest(t, tt.args...)
			assert.Equal(t, tt.code, code, stderr)
			assert.Contains(t, stdout+stderr, tt.want)
		})
	}
}

func TestHooksTestShards(t *testing.T) {
	t.Parallel()
	all, err := (&testbed.Suite{Paths: []string{testbedData + "/cases"}}).Find()
	require.NoError(t, err)
	var got []string
	for i := 1; i <= 3; i++ {
		part, err := (&testbed.Suite{Paths: []string{testbedData + "/cases"}, Shard: testbed.Shard{I: i, N: 3}}).Find()
		require.NoError(t, err)
		assert.InDelta(t, len(all)/3, len(part), 1)
		got = append(got, part...)
	}
	assert.ElementsMatch(t, all, got)
}

func TestHooksTestFormats(t *testing.T) {
	t.Parallel()
	files := []string{testbedData + "/failing/exit.txtar", testbedData + "/cases/use.txtar", testbedData + "/cases/needs.txtar", testbedData + "/broken/twice.txtar"}
	_, tap, _ := hooksTest(t, append(files, "--format", "tap")...)
	assert.Regexp(t, `^TAP version 13\nnot ok 1 - .*/exit\n(# .*\n)+ok 2 - .*/use\nok 3 - .*/needs # SKIP there is no .*\nnot ok 4 - .*/twice\n(# .*\n)+1\.\.4\n$`, tap)

	file := filepath.Join(t.TempDir(), "results.xml")
	code, github, _ := hooksTest(t, append(files, "--format", "github", "--junit", file)...)
	assert.Equal(t, 42, code)
	assert.Regexp(t, `(?m)^::error file=.*/exit\.txtar,line=2,title=exit::exit 0: it is 1: try later$`, github)
	assert.Regexp(t, `(?m)^::error file=.*/twice\.txtar,line=5,title=the case file is broken::a second section "settings\.json": expected each name once$`, github)

	workspace, err := filepath.Abs("../..")
	require.NoError(t, err)
	var annotations bytes.Buffer
	sys := &app.System{Stdin: strings.NewReader(""), Stdout: &annotations, Stderr: io.Discard, Env: append(os.Environ(), "GITHUB_WORKSPACE="+workspace), Dir: t.TempDir(), Now: time.Now}
	assert.Equal(t, 1, run([]string{"hooks", "test", files[0], "--format", "github"}, sys))
	assert.Contains(t, annotations.String(), "::error file=e2e/testbed/testdata/failing/exit.txtar,line=2,")

	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var suite struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
		Cases    []struct {
			Name    string `xml:"name,attr"`
			Failure *struct {
				Message string `xml:"message,attr"`
			} `xml:"failure"`
		} `xml:"testcase"`
	}
	require.NoError(t, xml.Unmarshal(data, &suite))
	assert.Equal(t, []int{4, 1, 1, 1}, []int{suite.Tests, suite.Failures, suite.Errors, suite.Skipped})
	require.Len(t, suite.Cases, 4)
	assert.Equal(t, "exit", suite.Cases[0].Name)
	assert.Equal(t, "exit 0: it is 1: try later", suite.Cases[0].Failure.Message)
}

func TestHooksTestUpdatesAndKeeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txtar")
	const script = "prompt hello\ncmp stdout want/stdout\nmodel-diff 1 want/diff\n\n-- settings.json --\n{}\n-- want/stdout --\nold\n-- model --\ntext Hi.\n"
	require.NoError(t, os.WriteFile(file, []byte(script), 0o644))
	keep := filepath.Join(dir, "kept")
	code, stdout, _ := hooksTest(t, file, "--update", "--keep", keep)
	assert.Zero(t, code)
	assert.Contains(t, stdout, "updated "+file)
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, strings.Replace(script, "old", "Hi.", 1)+"-- want/diff --\n", string(got))
	kept, err := filepath.Glob(filepath.Join(keep, "*", "project", ".gemini", "settings.json"))
	require.NoError(t, err)
	assert.Len(t, kept, 1)

	code, stdout, _ = hooksTest(t, file)
	assert.Zero(t, code, stdout)
}

// TestHooksTestWatches checks that a changed case is run again by itself, and that a
// changed hook makes all cases run again.
func TestHooksTestWatches(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) { // in one step, so that no reader sees half a file
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path+".new", []byte(text), 0o644))
		require.NoError(t, os.Rename(path+".new", path))
	}
	const files = "\n-- settings.json --\n{}\n-- model --\ntext Hi.\n"
	write("a.txtar", "prompt hello\n"+files)
	write("b.txtar", "use hook.sh\nprompt hello\n"+files)
	write("hook.sh", "true\n")
	ctx, cancel := context.WithCancel(waittest.Lifetime(t))
	defer cancel()
	rounds := make(chan []string)
	s := testbed.Suite{Paths: []string{dir}, Run: testbed.Options{Driver: cases.Open, Chat: cases.OpenChat}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Watch(ctx, func(sum testbed.Summary, err error) {
			var names []string
			for _, r := range sum.Results {
				names = append(names, fmt.Sprint(filepath.Base(r.Case.Path), r.Passed()))
			}
			select {
			case rounds <- names:
			case <-ctx.Done():
			}
		})
	}()
	next := func() []string {
		select {
		case names := <-rounds:
			return names
		case <-ctx.Done():
			return nil
		}
	}
	assert.Equal(t, []string{"a.txtartrue", "b.txtartrue"}, next())
	write("a.txtar", "prompt hello\nexit 1\n"+files)
	assert.Equal(t, []string{"a.txtarfalse"}, next())
	write("hook.sh", "false\n")
	assert.Equal(t, []string{"a.txtarfalse", "b.txtartrue"}, next())
	cancel()
	<-done
}

// TestCasesLeaveNothingBehind checks that cases leave no folders behind, and nothing in
// the user's home.
func TestCasesLeaveNothingBehind(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	home := t.TempDir()
	t.Setenv("HOME", home)
	code, stdout, _ := hooksTest(t, testbedData+"/cases/before_model_diff.txtar", testbedData+"/failing/files.txtar", testbedData+"/broken")
	assert.Equal(t, 42, code, stdout)
	for _, dir := range []string{os.Getenv("TMPDIR"), home} {
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Empty(t, left)
	}
}

// BenchmarkCases runs cases with one hook each, as many at a time as there are
// processors. "go test -bench Cases -benchtime 200x" is the suite of 200.
func BenchmarkCases(b *testing.B) {
	const script = "prompt Look\nfired BeforeTool guard\ntool-ran list_directory\n\n-- settings.json --\n" +
		`{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "guard", "command": "sh guard.sh"}]}]}}` +
		"\n-- guard.sh --\ncase $(cat) in *'rm '*) exit 2 ;; esac\n-- model --\ncall list_directory {\"dir_path\": \".\"}\n\ntext Done.\n"
	dir := b.TempDir()
	var files []string
	for i := range b.N {
		file := filepath.Join(dir, fmt.Sprintf("%d.txtar", i))
		require.NoError(b, os.WriteFile(file, []byte(script), 0o644))
		files = append(files, file)
	}
	s := testbed.Suite{Run: testbed.Options{Driver: cases.Open, Chat: cases.OpenChat}}
	b.ResetTimer()
	sum := s.RunFiles(b.Context(), files)
	b.StopTimer()
	passed, _, _, _ := sum.Counts()
	require.Equal(b, b.N, passed)
}
