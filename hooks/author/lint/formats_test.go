package lint_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/author/lint"
)

func TestFormats(t *testing.T) {
	t.Parallel()
	w := load(t, t.TempDir(), entry("PreToolUse", "", `"command": "true"`), hooks.LayerProject)
	found := lint.Run(w.input)
	format := func(name string) string {
		var b strings.Builder
		require.NoError(t, lint.Write(&b, name, found, lint.Scope{Base: w.dir, Files: 1, Hooks: 2}, nil))
		return b.String()
	}
	assert.Equal(t, w.settings+`:1: error HK002: there is no event "PreToolUse", its hooks never run; did you mean "BeforeTool"? (--fix)

1 error, 0 warnings, 0 notes; --fix can do 1 of them; checked 2 hooks in 1 file
minigem hooks lint --explain CODE explains a finding
`, format("text"))
	var j struct{ Findings []lint.Finding }
	require.NoError(t, json.Unmarshal([]byte(format("json")), &j))
	assert.Equal(t, "HK002", j.Findings[0].Code)
	var s struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID, Level string
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(format("sarif")), &s))
	assert.Equal(t, "2.1.0", s.Version)
	assert.Len(t, s.Runs[0].Tool.Driver.Rules, len(lint.Rules))
	r := s.Runs[0].Results[0]
	assert.Equal(t, "HK002 error settings.json 1", strings.Join([]string{r.RuleID, r.Level, r.Locations[0].PhysicalLocation.ArtifactLocation.URI, "1"}, " "))
	assert.Equal(t, 1, r.Locations[0].PhysicalLocation.Region.StartLine)
	require.Error(t, lint.Write(&strings.Builder{}, "xml", found, lint.Scope{}, nil))
	var b strings.Builder
	require.NoError(t, lint.Write(&b, "sarif", nil, lint.Scope{}, nil))
	assert.Contains(t, b.String(), `"results": []`)
}

// Interpreters treat a missing file differently than shells do.
func TestMissingFiles(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"./no.sh":       "there is no file ./no.sh; exit 127: Gemini CLI 0.61 blocks, with the shell's error as the reason; minigem warns and goes on, unless onError is block",
		"sh no.sh":      "there is no file no.sh; exit 127: Gemini CLI 0.61 blocks, with the shell's error as the reason; minigem warns and goes on, unless onError is block",
		"/x/python3 no": "there is no file no; python3 exits with 2 then, which blocks whatever the hook is asked about",
		"/x/node no.js": "there is no file no.js; node exits with 1 then, which blocks nothing",
	} {
		found := lint.Run(load(t, t.TempDir(), entry("BeforeTool", "", `"command": "`+command+`"`), hooks.LayerProject).input)
		assert.True(t, slices.ContainsFunc(found, func(f lint.Finding) bool { return f.Code == "HK030" && f.Message == want }), "%s: %v", command, found)
	}
}

// TestSARIF checks what SARIF 2.1.0 requires and what GitHub's code scanning reads in
// addition.
func TestSARIF(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a b%c")
	require.NoError(t, os.Mkdir(dir, 0o700))
	w := load(t, dir, entry("PreToolUse", "", `"command": "true"`), hooks.LayerProject)
	elsewhere := lint.Finding{Code: "HK031", Severity: lint.Error, File: "/else where/#x", Message: "m"}
	var b strings.Builder
	require.NoError(t, lint.Write(&b, "sarif", append(lint.Run(w.input), elsewhere), lint.Scope{Base: filepath.Dir(dir)}, nil))
	var log any
	require.NoError(t, json.Unmarshal([]byte(b.String()), &log))
	const text, number, list = "string", "float64", "[]interface {}"
	for _, r := range []struct{ at, kind, matches string }{
		{"version", text, `^2\.1\.0$`},
		{"$schema", text, `sarif-2\.1\.0`},
		{"runs", list, ""},
		{"runs.*.tool.driver.name", text, `.`},
		{"runs.*.tool.driver.rules", list, ""},
		{"runs.*.tool.driver.rules.*.id", text, `^HK\d{3}$`},
		{"runs.*.tool.driver.rules.*.name", text, `^[a-z0-9-]+$`},
		{"runs.*.tool.driver.rules.*.shortDescription.text", text, `.`},
		{"runs.*.tool.driver.rules.*.fullDescription.text", text, `.`},
		{"runs.*.tool.driver.rules.*.help.text", text, `.`},
		{"runs.*.tool.driver.rules.*.defaultConfiguration.level", text, `^(none|note|warning|error)$`},
		{"runs.*.results", list, ""},
		{"runs.*.results.*.ruleId", text, `^HK\d{3}$`},
		{"runs.*.results.*.level", text, `^(none|note|warning|error)$`},
		{"runs.*.results.*.message.text", text, `.`},
		{"runs.*.results.*.locations", list, ""},
		{"runs.*.results.*.locations.*.physicalLocation.artifactLocation.uri", text, `^(a%20b%25c/settings\.json|file:///else%20where/%23x)$`},
		{"runs.0.results.0.locations.*.physicalLocation.region.startLine", number, `^[1-9]`},
	} {
		found := at(log, strings.Split(r.at, "."))
		assert.NotEmpty(t, found, r.at)
		for _, v := range found {
			assert.Equal(t, r.kind, fmt.Sprintf("%T", v), r.at)
			if r.matches != "" {
				assert.Regexp(t, r.matches, fmt.Sprint(v), r.at)
			}
		}
	}
}

// at returns the values at a path, in which * means each element. A missing value is
// nil.
func at(v any, path []string) []any {
	if len(path) == 0 {
		return []any{v}
	}
	switch c := v.(type) {
	case map[string]any:
		return at(c[path[0]], path[1:])
	case []any:
		var all []any
		for i, e := range c {
			if path[0] == "*" || path[0] == fmt.Sprint(i) {
				all = append(all, at(e, path[1:])...)
			}
		}
		return all
	}
	return []any{nil}
}
