package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"minigem/internal/exit"
)

// Repeating a case finds a hook that refuses every fourth time.
func TestHooksTestCount(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "flaky.txtar")
	count := filepath.ToSlash(filepath.Join(t.TempDir(), "count"))
	require.NoError(t, os.WriteFile(file, []byte(`allow write `+filepath.ToSlash(filepath.Dir(count))+`
prompt Look
fired BeforeTool moody

-- settings.json --
{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "moody", "command": "sh moody.sh"}]}]}}
-- moody.sh --
grep -qF '"pattern":"*"' || exit 0
echo x >> '`+count+`'
[ $(($(wc -l < '`+count+`') % 4)) != 0 ] || exit 2
-- model --
call glob {"pattern": "*"}

text Done.
`), 0o600))
	code, out, errs := hooksTest(t, file, "--count", "12", "--jobs", "1")
	assert.Equal(t, 0, code, errs)
	assert.Regexp(t, `(?m)^12 +- +3 of 12 +\d+ ms +\d+ ms +\S*/flaky\n.*\n12 +\d+ ms +\d+ ms +BeforeTool moody\n1 `+
		`passed, `, out)

	code, out, _ = hooksTest(t, file, testbedData+"/failing/rows.txtar", "--count", "4", "--jobs", "1", "--json")
	assert.Equal(t, 1, code)
	var run struct {
		Passed, Failed int
		Cases          []struct {
			Row, Outcome string
			Failures     []struct{ Where string }
		}
		Hooks   []struct{ Runs int }
		Repeats []struct{ Runs, Failed, Differ int }
	}
	require.NoError(t, json.Unmarshal([]byte(out), &run))
	assert.Equal(t, []int{2, 1, 3, 2}, []int{run.Passed, run.Failed, len(run.Cases), len(run.Hooks)})
	assert.Equal(t, "echo open failed", run.Cases[1].Row+" "+run.Cases[1].Outcome)
	assert.Contains(t, run.Cases[1].Failures[0].Where, "rows.txtar:2")
	assert.Equal(t, []int{4, 0, 1}, []int{run.Repeats[0].Runs, run.Repeats[0].Failed, run.Repeats[0].Differ})
	assert.Equal(t, []int{4, 4, 0}, []int{run.Repeats[1].Runs, run.Repeats[1].Failed, run.Repeats[1].Differ})
}

// --shuffle prints its order's seed, and the seed repeats the order.
func TestHooksTestShuffle(t *testing.T) {
	t.Parallel()
	names := regexp.MustCompile(`(?m)^ok +\S+/(\w+)`)
	order := func(args ...string) (list []string, out string) {
		_, out, _ = hooksTest(t, append(args, testbedData+"/cases", "--run", "/(use|rows|needs|model_)", "-v")...)
		for _, m := range names.FindAllStringSubmatch(out, -1) {
			list = append(list, m[1])
		}
		return list, out
	}
	plain, _ := order()
	shuffled, out := order("--shuffle=3")
	assert.NotEqual(t, plain, shuffled)
	assert.ElementsMatch(t, plain, shuffled)
	assert.Contains(t, out, "in the order of --shuffle=3\n")
	again, _ := order("--shuffle=3")
	assert.Equal(t, shuffled, again)
	_, out = order("--shuffle")
	assert.Regexp(t, `in the order of --shuffle=[1-9]\d*\n`, out)
}

// --html makes one page of a run: cases with their failures, hooks with their times, what
// a guard held against, and with --mutate the mutants. The printed results stay the same.
func TestHooksTestPage(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "run.html")
	code, stdout, stderr := hooksTest(t, "--html", page, testbedData+"/cases/holds.txtar", testbedData+
		"/failing/asked.txtar")
	assert.Equal(t, 1, code, stderr)
	assert.Contains(t, stdout, "1 passed, 1 failed")
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	run := gjson.Get(regexp.MustCompile(`(?s)id="data">(.*?)</script>`).FindStringSubmatch(string(data))[1], "run")
	assert.Equal(t, "2", run.Get("cases.#").Raw)
	assert.Equal(t, `["passed","failed"]`, run.Get("cases.#.outcome").Raw)
	assert.Contains(t, run.Get("cases.0.checks.#.says").Raw, "it held ")
	assert.Contains(t, run.Get("cases.1.failures.0.where").Str, "asked.txtar:")
	assert.Greater(t, run.Get("cases.1.events.#").Int(), int64(5))
	assert.NotEmpty(t, run.Get("coverage.0.hook").Str)
	assert.False(t, run.Get("mutants").Exists())

	code, stdout, stderr = hooksTest(t, "--mutate", "--html", page, testbedData+"/cases/before_tool_deny.txtar")
	assert.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "mutants noticed")
	data, err = os.ReadFile(page)
	require.NoError(t, err)
	assert.Contains(t, string(data), `"mutants":[{"class":`)
	code, _, _ = hooksTest(t, "--html", filepath.Join(page, "no"), testbedData+"/cases/before_tool_deny.txtar")
	assert.Equal(t, exit.Input, code)
}
