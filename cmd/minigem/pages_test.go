package main

import (
	"encoding/json"
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
	"go.yaml.in/yaml/v3"
	"mvdan.cc/sh/v3/syntax"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/jsonc"
	"minigem/hooks/protocol"
	"minigem/hooks/schema"
	"minigem/internal/settings"
	"minigem/internal/slash"
	"minigem/tools/policy"
)

// TestPages parses each block of the documentation with the loader of its kind, and
// checks each command line of minigem and its flags.
func TestPages(t *testing.T) {
	t.Parallel()
	root := everyCommand()
	known := everyFlag(root)
	blocks, lines := 0, 0
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	for _, name := range append(pages, "../../README.md", "../../CONTRIBUTING.md", "../../examples/README.md") {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, s := range snippets(string(data)) {
			at := fmt.Sprintf("%s:%d", filepath.Base(name), s.line)
			if fault := faultOfBlock(t, s); fault != "" {
				t.Errorf("%s: this %s: %s", at, s.lang, fault)
			}
			for _, line := range linesOfMinigem(s) {
				if fault := faultOfCommand(root, line); fault != "" {
					t.Errorf("%s: %s: %s", at, line, fault)
				}
				lines++
			}
			if s.lang != inline {
				blocks++
			} else if flag := strings.TrimRight(aFlag.FindString(s.text), "="); flag != "" && !known[flag] {
				t.Errorf("%s: `%s`: no command of minigem has %s, and foreignFlags does not list it", at, s.text, flag)
			}
		}
	}
	assert.Greater(t, blocks, 60)
	assert.Greater(t, lines, 200)
}

// TestPagesWouldFail checks that TestPages finds each kind of fault.
func TestPagesWouldFail(t *testing.T) {
	t.Parallel()
	root := everyCommand()
	for _, c := range []struct{ lang, text, want string }{
		{"json", `{"hooks": {}`, "expected"},
		{"json", `{"modle": {"name": "x"}}`, `did you mean "model"`},
		{"json", `{"tools": {"sandbx": true}}`, "tools.sandbx"},
		{"json", `{"tools": {"sandboxAllowedPaths": 1}}`, "tools.sandboxAllowedPaths"},
		{"json", `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "comand": "x"}]}]}}`, "comand"},
		{"json", `{"hooks": {"BeforeTol": []}}`, "BeforeTol"},
		{"json", `{"decisoin": "deny"}`, "decisoin"},
		{"toml", "[[rule]]\ntoolNames = \"glob\"\ndecision = \"deny\"\npriority = 1", "toolName is missing"},
		{"toml", "descriptoin = \"x\"", "prompt"},
		{"yaml", "a: [", "yaml"},
		{"yaml", "name: x\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: comand", "comand"},
		{"sh", "if true", "if"},
	} {
		assert.Contains(t, faultOfBlock(t, snippet{lang: c.lang, text: c.text}), c.want, c.text)
	}
	for line, want := range map[string]string{
		"minigem hooks tset":                        `"tset"`,
		"minigem hooks fire BeforeTool --tol x":     "--tol",
		"minigem -z":                                "-z",
		"git diff | minigem --aproval-mode yolo":    "--aproval-mode",
		"minigem trust && minigem extensions lisst": `"lisst"`,
		"hooks tset":                                `"tset"`,
	} {
		var faults []string
		for _, l := range linesOfMinigem(snippet{lang: inline, text: line}) {
			faults = append(faults, faultOfCommand(root, l))
		}
		assert.Contains(t, strings.Join(faults, " "), want, line)
	}
}

// TestHookSettingsPageHasEveryField checks the tables of docs/HOOK_SETTINGS.md
// against the schema of settings.
func TestHookSettingsPageHasEveryField(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/HOOK_SETTINGS.md")
	require.NoError(t, err)
	s, err := settings.Schema()
	require.NoError(t, err)
	group := schema.Configuration().Properties["BeforeTool"].Items
	fields := slices.Collect(maps.Keys(group.Properties))
	fields = slices.AppendSeq(fields, maps.Keys(s.Properties["hooksConfig"].Properties))
	for _, kind := range group.Properties["hooks"].Items.AnyOf {
		fields = slices.AppendSeq(fields, maps.Keys(kind.Properties))
	}
	assert.Greater(t, len(fields), 50)
	for _, field := range fields {
		assert.True(t, strings.Contains(string(page), "\n| `"+field+"` | "), "the page has no row for %s", field)
	}
}

const inline = "code in a line"

// A snippet is a block of code, or code in backticks.
type snippet struct {
	lang string // the fence's language, "indented", or "inline"
	text string
	line int
}

var backticks = regexp.MustCompile("`([^`]+)`")

func snippets(page string) []snippet {
	var all []snippet
	open := false
	paragraph, from := "", 0
	flush := func() {
		for _, m := range backticks.FindAllStringSubmatch(paragraph, -1) {
			all = append(all, snippet{inline, strings.Join(strings.Fields(m[1]), " "), from})
		}
		paragraph = ""
	}
	for i, line := range strings.Split(page, "\n") {
		switch fence, isFence := strings.CutPrefix(line, "```"); {
		case isFence:
			flush()
			if open = !open; open {
				all = append(all, snippet{fence, "", i + 1})
			}
		case open:
			all[len(all)-1].text += line + "\n"
		case strings.HasPrefix(line, "    ") && paragraph == "":
			all = append(all, snippet{"indented", strings.TrimSpace(line), i + 1})
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "|"):
			flush()
			paragraph, from = line, i+1
			flush()
		default:
			if paragraph == "" {
				from = i + 1
			}
			paragraph += line + "\n"
		}
	}
	flush()
	return all
}

// faultOfBlock returns why the reader of such a file refuses it, or "".
func faultOfBlock(t *testing.T, s snippet) string {
	switch s.lang {
	case "json":
		return faultOfJSON(t, s.text)
	case "jsonc": // several values, one below the other
		for line := range strings.Lines(s.text) {
			if _, err := jsonc.Parse("block", []byte(line)); err != nil {
				return err.Error()
			}
		}
	case "toml":
		return faultOfTOML(t, s.text)
	case "yaml":
		return faultOfYAML(s.text)
	case "sh":
		_, err := syntax.NewParser().Parse(strings.NewReader(s.text), "block")
		if err != nil && strings.HasSuffix(s.text, ";;\n") { // a branch of a case
			_, err = syntax.NewParser().Parse(strings.NewReader("case x in\n"+s.text+"esac\n"), "block")
		}
		if err != nil {
			return err.Error()
		}
	}
	return ""
}

// elsewhereRead lists JSON objects with other readers, by one of their keys.
var elsewhereRead = map[string]string{
	"agent_servers": "Zed's settings",
	"errorMessage":  "one answer for all agents, which examples/portable tries",
	"method":        "fake responses, which e2e plays",
}

// faultOfJSON checks a block as settings, unless it is a hook's answer.
func faultOfJSON(t *testing.T, text string) string {
	if strings.HasPrefix(text, `{"method"`) { // one value per line
		text, _, _ = strings.Cut(text, "\n")
	}
	doc, err := jsonc.Parse("block", []byte(text))
	if err != nil {
		return err.Error()
	}
	ofOthers := slices.ContainsFunc(doc.Root().Members(), func(m jsonc.Member) bool { return elsewhereRead[m.Name] != "" })
	if ofOthers || isAnswer(t, []byte(text)) {
		return ""
	}
	dir := t.TempDir()
	file := filepath.Join(dir, ".gemini", "settings.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	loaded, err := settings.Load(settings.Options{Home: dir, Dir: filepath.Join(dir, "project")})
	if err != nil {
		return err.Error()
	}
	var faults []string
	for _, w := range loaded.Warnings {
		faults = append(faults, w.String())
	}
	for _, u := range loaded.Unknown {
		faults = append(faults, u.String())
	}
	for _, g := range loaded.WithoutEffect() {
		faults = append(faults, g.Key+" has no effect")
	}
	section, err := config.LoadSettings(hooks.LayerUser, file, []byte(text))
	if err != nil {
		return err.Error()
	}
	return joinFaults(faults, section.Problems)
}

func joinFaults(faults []string, problems []config.Problem) string {
	for _, p := range problems {
		faults = append(faults, p.Text)
	}
	return strings.Join(faults, "; ")
}

// isAnswer reports whether text may be the output of a hook.
func isAnswer(t *testing.T, text []byte) bool {
	var v any
	if json.Unmarshal(text, &v) != nil {
		return false
	}
	return slices.ContainsFunc(protocol.Events, func(ev protocol.Event) bool {
		s, err := schema.Output(ev)
		require.NoError(t, err)
		resolved, err := s.Resolve(nil)
		require.NoError(t, err)
		return resolved.Validate(v) == nil
	})
}

// faultOfTOML checks a block as a policy if it has rules, else as a command.
func faultOfTOML(t *testing.T, text string) string {
	var faults []string
	if strings.Contains(text, "[[") {
		_, problems := policy.Parse("block", []byte(text), policy.TierUser)
		for _, p := range problems {
			faults = append(faults, p.Text)
		}
		return strings.Join(faults, "; ")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "block.toml"), []byte(text), 0o644))
	_, problems := slash.LoadCustom(dir)
	for _, p := range problems {
		faults = append(faults, p.Error())
	}
	return strings.Join(faults, "; ")
}

// faultOfYAML checks the hooks in a block, if there are any, as front matter.
func faultOfYAML(text string) string {
	var doc any
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return err.Error()
	}
	head, _ := doc.(map[string]any)
	if head["hooks"] == nil {
		return ""
	}
	data, err := json.Marshal(head["hooks"])
	if err != nil {
		return err.Error()
	}
	section := config.LoadHead(config.Head{Hooks: data, Source: hooks.Source{Layer: hooks.LayerUser, Line: 1}})
	return joinFaults(nil, section.Problems)
}
