package testbed

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
	"minigem/llm"
	"minigem/llm/script"
	"minigem/tools/builtin"
)

var updateDocs = flag.Bool("update-docs", false, "rewrite the generated parts of docs/CASES.md and docs/FAKE_MODEL.md")

func TestWords(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line string
		want []string
		err  string
	}{
		{"", nil, ""},
		{"a  b\tc", []string{"a", "b", "c"}, ""},
		{`~'a b' "c\n\"d\\" 'e\n'`, []string{"~a b", "c\n\"d\\", `e\n`}, ""},
		{`reason~'no'pe ''`, []string{"reason~nope", ""}, ""},
		{`a\d+ "\q"`, []string{`a\d+`, `\q`}, ""},
		{"a # comment", []string{"a"}, ""},
		{"a#b", []string{"a#b"}, ""},
		{"it's", nil, "unclosed '"},
		{`"open`, nil, `unclosed "`},
	}
	for _, tt := range tests {
		got, err := words(tt.line)
		if tt.err != "" {
			assert.EqualError(t, err, tt.err, tt.line)
			continue
		}
		require.NoError(t, err, tt.line)
		assert.Equal(t, tt.want, got, tt.line)
	}
}

func TestParseModel(t *testing.T) {
	t.Parallel()
	usage := &llm.Usage{Prompt: 100, Candidates: 10, Total: 110}
	at := func(line int, m script.Method, chunks ...llm.Chunk) Round {
		return Round{Entry: script.Entry{Method: m, Chunks: chunks, File: "f", Line: line}}
	}
	calling := func(r Round, chunk, line int) Round { r.Lines = map[int]int{chunk: line}; return r }
	part := func(p llm.Part) llm.Chunk { return llm.Chunk{Parts: []llm.Part{p}} }
	last := func(c llm.Chunk, finish string, u *llm.Usage) llm.Chunk {
		c.FinishReason, c.Usage = finish, u
		return c
	}
	repeated := at(20, script.Stream, last(part(llm.Text{Text: "x"}), "STOP", usage))
	repeated.Repeat = true
	failing := at(25, script.Stream)
	failing.Err = &llm.Error{Kind: llm.ErrOverloaded, Status: 503, Message: "try later"}

	got, err := ParseModel("f", 10, `# a comment
thought **Plan** I look
text "one\n"
call read_file {"file_path": "a"}
finish MAX_TOKENS
---
text Cut
finish none
usage 7 3

text x
repeat

generate
text a
text b

error 503 try later

{"method": "countTokens", "response": {"totalTokens": 7}}
block SAFETY`)
	require.NoError(t, err)
	assert.Equal(t, []Round{
		calling(at(11, script.Stream, part(llm.Thought{Text: "**Plan** I look"}), part(llm.Text{Text: "one\n"}),
			last(part(llm.ToolCall{Name: "read_file", Args: map[string]any{"file_path": "a"}}), "MAX_TOKENS", usage)), 2, 13),
		at(16, script.Stream, last(part(llm.Text{Text: "Cut"}), "", &llm.Usage{Prompt: 7, Candidates: 3, Total: 10})),
		repeated,
		at(23, script.Whole, llm.Chunk{Parts: []llm.Part{llm.Text{Text: "a"}, llm.Text{Text: "b"}}, FinishReason: "STOP", Usage: usage}),
		func() Round { failing.Line = 27; return failing }(),
		{Entry: script.Entry{Method: script.Count, Tokens: 7, File: "f", Line: 29}},
		at(30, script.Stream, llm.Chunk{BlockReason: "SAFETY"}),
	}, got)
}

func TestParseModelFaults(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"tekst hi", `f:1: "tekst" is not a line of a model's answer (did you mean "text"?)`},
		{"say hi", `f:1: "say" is not a line of a model's answer: expected one of block, call, `},
		{"text a\n\ntext \"b", `f:3: "b is not quoted text: expected`},
		{"call", "f:1: call needs a tool and its arguments"},
		{"call x [1]", "f:1: the arguments of x are not one JSON object on one line: [1]"},
		{"call x {} {}", "f:1: the arguments of x are not one JSON object on one line: {} {}"},
		{"call x {a: 1}", "(invalid character 'a'"},
		{"usage", "f:1: usage needs a number of tokens"},
		{"usage -1", `f:1: usage needs a number of tokens, not "-1"`},
		{"usage 1 2 3", "f:1: usage has one or two numbers"},
		{"error", "f:1: error needs an HTTP status from 400 to 599"},
		{"error 200 fine", `f:1: error needs an HTTP status from 400 to 599, not "200"`},
		{"finish", "f:1: finish needs a reason"},
		{"block", "f:1: block needs a reason"},
		{"generate now", "f:1: generate must be alone"},
		{"repeat 3", "f:1: repeat must be alone"},
		{"generate\n\n", "f:2: the answer has no text"},
		{"text a\n{}", "f:2: an answer that is a line of a fake-responses file must be a paragraph of its own"},
		{"\n{\"method\": 1}", "f:2: "},
		{"text a\nerror 500", "f:2: an answer that is an error can have no other chunks"},
	}
	for _, tt := range tests {
		_, err := ParseModel("f", 1, tt.in)
		assert.ErrorContains(t, err, tt.want, tt.in)
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in    string
		allow []int
		deny  []int
		text  string
	}{
		{"2", []int{2}, []int{0, 1, 3}, "twice"},
		{"0", []int{0}, []int{1}, "never"},
		{"1..", []int{1, 9}, []int{0}, "at least once"},
		{"0..3", []int{0, 3}, []int{4}, "0 to 3 times"},
	}
	for _, tt := range tests {
		got, err := parseTimes(tt.in)
		require.NoError(t, err, tt.in)
		assert.Equal(t, tt.text, got.String())
		for _, n := range tt.allow {
			assert.True(t, got.allow(n), "%s allows %d", tt.in, n)
		}
		for _, n := range tt.deny {
			assert.False(t, got.allow(n), "%s allows %d", tt.in, n)
		}
	}
	for _, in := range []string{"", "x", "..3", "1..x", "3x", "-1", "3..1"} {
		_, err := parseTimes(in)
		assert.Error(t, err, in)
	}
}

func TestIsHook(t *testing.T) {
	t.Parallel()
	tests := []struct {
		hook hooks.Hook
		yes  []string
		no   []string
	}{
		{hooks.Hook{Name: "guard", Command: "true"}, []string{"guard", "*", "true"}, []string{"", "guar", "tru"}},
		{hooks.Hook{Name: "no-secrets", Command: "./hooks/guard.sh"}, []string{"no-secrets", "guard", "guard.sh", "./hooks/guard.sh"}, []string{"no", "secrets"}},
		{hooks.Hook{Command: `sh "$GEMINI_PROJECT_DIR/hooks/guard.sh" --strict`},
			[]string{"guard", "guard.sh", "sh", "--strict", `sh "$GEMINI_PROJECT_DIR/hooks/guard.sh" --strict`}, []string{"guard.s", "hooks", "uard.sh"}},
	}
	for _, tt := range tests {
		for _, name := range tt.yes {
			assert.True(t, IsHook(tt.hook, name), name)
		}
		for _, name := range tt.no {
			assert.False(t, IsHook(tt.hook, name), name)
		}
	}
}

func TestParseShard(t *testing.T) {
	t.Parallel()
	got, err := ParseShard("2/3")
	require.NoError(t, err)
	assert.Equal(t, Shard{2, 3}, got)
	for _, in := range []string{"", "1", "0/2", "3/2", "a/b", "-1/2", "1/0"} {
		_, err := ParseShard(in)
		assert.Error(t, err, in)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"b.txtar", "a/c.txtar", ".hidden/d.txtar", ".gemini/hooks/tests/g.txtar", "node_modules/e.txtar", "f.txt"} {
		require.NoError(t, WriteInto(filepath.Join(dir, name), nil, 0o644))
	}
	got, err := (&Suite{Paths: []string{dir}}).Find()
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(dir, ".gemini", "hooks", "tests", "g.txtar"), filepath.Join(dir, "a", "c.txtar"), filepath.Join(dir, "b.txtar")}, got)
	got, err = (&Suite{Paths: []string{filepath.Join(dir, ".hidden"), filepath.Join(dir, "f.txt")}}).Find()
	require.NoError(t, err, "what is named is taken as it is")
	assert.Len(t, got, 2)
	_, err = (&Suite{Paths: []string{dir}, Match: regexp.MustCompile("nothing")}).Find()
	assert.EqualError(t, err, `none of 3 cases matches "nothing"`)
}

func TestCoverageRoundsDown(t *testing.T) {
	t.Parallel()
	h := func(name string) hooks.Hook { return hooks.Hook{Event: protocol.BeforeTool, Name: name} }
	deny := hooks.Run{Hook: h("a"), Decision: hooks.Deny}
	pass := hooks.Run{Hook: h("a")}
	crash := hooks.Run{Hook: h("b"), Failed: "exit status 1", Exit: hooks.Exit{Code: 1}}
	c, err := Parse("x.txtar", []byte("prompt hi\nwatches b\n-- settings.json --\n{}\n"))
	require.NoError(t, err)
	result := func(c *Case, runs ...hooks.Run) Result {
		return Result{Case: c, Record: &Record{
			Config:  config.Loaded{Config: hooks.Config{Hooks: []hooks.Hook{h("a"), h("b"), h("c")}}},
			Reports: []hooks.Report{{Event: protocol.BeforeTool, Runs: runs}},
		}}
	}
	cover := Cover([]Result{result(&Case{}, deny), result(&Case{}, pass, crash), {Case: &Case{}}})
	assert.Equal(t, 55, cover.Percent(), "5 of 9")
	assert.Equal(t, []HookCoverage{
		{Event: protocol.BeforeTool, ID: "a", Ran: 2, Passed: 1, Did: []string{"deny"}},
		{Event: protocol.BeforeTool, ID: "b", Ran: 1, Passed: 1, Failed: []string{"exit 1"}},
		{Event: protocol.BeforeTool, ID: "c"},
	}, cover.Hooks)
	assert.Equal(t, 62, Cover([]Result{result(c, deny), result(&Case{}, pass, crash)}).Percent(), "5 of 8: b only watches")
	assert.Equal(t, 100, Cover(nil).Percent())
}

// TestUseLeavesLinksOut: use does not copy links from a folder.
func TestUseLeavesLinksOut(t *testing.T) {
	t.Parallel()
	from := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(from, "a.sh"), []byte("x"), 0o755))
	if err := os.Symlink(filepath.Join(from, "a.sh"), filepath.Join(from, "link")); err != nil {
		t.Skip("links cannot be made here")
	}
	p, err := newPlace(t.TempDir(), "case/with*odd name")
	require.NoError(t, err)
	require.NoError(t, p.use(from, "hooks", nil))
	assert.FileExists(t, filepath.Join(p.workspace, "hooks", "a.sh"))
	assert.NoFileExists(t, filepath.Join(p.workspace, "hooks", "link"))
	assert.Error(t, p.use(from, "../elsewhere", nil))
}

// toolTable lists the arguments of the built-in tools, one tool a line.
func toolTable() string {
	var b strings.Builder
	for _, spec := range builtin.Specs() {
		b.WriteString(usage(spec) + "\n")
	}
	return "```text\n" + b.String() + "```\n"
}

// usage returns a tool with the names of its arguments on one line. Optional ones are in
// brackets.
func usage(spec llm.ToolSpec) string {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	_ = json.Unmarshal(spec.Parameters, &schema) // it is our own schema
	words := append([]string{spec.Name}, schema.Required...)
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if !slices.Contains(schema.Required, name) {
			words = append(words, "["+name+"]")
		}
	}
	return strings.Join(words, " ")
}

// TestDocs compares the generated parts of the pages with Verbs, ModelSyntax and the tools.
func TestDocs(t *testing.T) {
	t.Parallel()
	for _, part := range []struct{ page, name, want string }{
		{"CASES.md", "commands", verbTable()},
		{"FAKE_MODEL.md", "model", "```text\n" + ModelSyntax + "\n```\n"},
		{"FAKE_MODEL.md", "tools", toolTable()},
	} {
		file := "../../docs/" + part.page
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		begin, end := fmt.Sprintf("<!-- %s -->\n", part.name), fmt.Sprintf("<!-- end of %s -->", part.name)
		head, rest, ok := strings.Cut(string(data), begin)
		require.True(t, ok, begin)
		got, tail, ok := strings.Cut(rest, end)
		require.True(t, ok, end)
		if *updateDocs {
			got = part.want
			require.NoError(t, os.WriteFile(file, []byte(head+begin+got+end+tail), 0o644))
		}
		assert.Equal(t, part.want, got, "go test ./e2e/testbed -run TestDocs -update-docs makes it right")
	}
}

func verbTable() string {
	var b strings.Builder
	titles := map[string]string{
		"setup": "Setup, before the first prompt or before `resume`", "action": "Actions", "assertion": "Assertions, each of them with a `!` before it too",
	}
	kind := ""
	for _, v := range Verbs() {
		if v.Kind != kind {
			kind = v.Kind
			fmt.Fprintf(&b, "\n**%s**\n\n| command | what it does |\n|---|---|\n", titles[kind])
		}
		usage := strings.ReplaceAll(v.Usage, "|", `\|`)
		fmt.Fprintf(&b, "| `%s` | %s |\n", usage, strings.ReplaceAll(v.Text, "|", `\|`))
	}
	return b.String()
}
