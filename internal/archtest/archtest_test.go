// Package archtest enforces the import rules of docs/ARCHITECTURE.md, each with its
// reason. It has only tests.
package archtest

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "minigem"

// A ban says what packages must not reach, directly or through other packages of this
// module, and why. A trailing "/..." includes everything below.
type ban struct {
	packages []string // the banned packages; "*" means every package
	except   []string // exceptions
	reach    []string // what they must not reach
	leaves   []string // they may still reach these, which import nothing of ours
	why      string
}

var bans = []ban{
	{
		packages: []string{"agent"},
		reach:    []string{"os/exec", "google.golang.org/genai", "github.com/chzyer/readline", "minigem/tools/...", "minigem/internal/..."},
		leaves:   []string{"minigem/internal/text"}, // everyone needs words
		why:      "the agent knows calls and results, not tools, processes or screens",
	},
	{
		packages: []string{"hooks"},
		reach:    []string{"minigem/hooks/config/...", "minigem/hooks/condition/...", "minigem/hooks/jsonc/...", "minigem/tools/...", "os/exec", "google.golang.org/genai", "minigem/agent/...", "minigem/internal/..."},
		leaves:   []string{"minigem/internal/text"},
		why:      "hooks decide; hooks/command runs, hooks/config reads files; hooks speak llm",
	},
	{
		packages: []string{"llm", "hooks/protocol", "notify"},
		reach:    []string{"minigem/..."},
		leaves:   []string{"minigem/internal/text"}, // everyone needs words; what these export does not mention it
		why:      "leaves: what many import imports nothing of ours",
	},
	{
		packages: []string{"internal/text", "internal/confine"},
		reach:    []string{"minigem/..."},
		why:      "it lies under everything, the public packages too, because it imports nothing of ours",
	},
	{
		packages: []string{"tools", "tools/builtin"},
		reach:    []string{"minigem/hooks/...", "minigem/tools/policy", "minigem/agent/..."},
		why:      "a tool cannot know who is asking",
	},
	{
		packages: []string{"*"},
		except: []string{"cmd/minigem", "internal/settings", "internal/app", "internal/wiring", "internal/acp", "internal/chat", "internal/commands", "internal/listing", "internal/saved", "internal/headless", "internal/cases", "internal/demo", "internal/trials", "internal/manage", "internal/models", "internal/inspection",
			"e2e/hooktest"}, // it runs whole sessions
		reach: []string{"minigem/internal/settings"},
		why:   "settings are values when they arrive",
	},
	{
		packages: []string{"*"},
		except:   []string{"cmd/...", "e2e/..."},
		reach:    []string{"minigem/cmd/..."},
		why:      "cmd wires the rest together, so nothing can stand on it",
	},
}

// single lists foreign packages that only one package may import directly. "/..." means
// the same as in a ban.
var single = []struct{ foreign, by, why string }{
	{"google.golang.org/genai", "llm/gemini", "one vendor, one package"},
	{"os/exec", "internal/proc", "one place knows process groups, timeouts and bounded streams"},
	{"github.com/chzyer/readline", "internal/terminal", "one package knows the line editor"},
	{"github.com/tailscale/hujson", "hooks/jsonc", "one reader of settings files, one idea of a line"},
	{"github.com/coder/acp-go-sdk", "internal/acp", "one protocol of editors, one package"},
	{"github.com/modelcontextprotocol/...", "internal/mcp/...", "to the others a tool of an MCP server is a tool like any other"},
}

func TestBans(t *testing.T) {
	imports := load(t)
	for _, b := range bans {
		for pkg := range imports {
			if !matchesAny(pkg, b.packages) || matchesAny(pkg, b.except) {
				continue
			}
			for _, target := range b.reach {
				if path := reaches(imports, pkg, target, seen(b.leaves)); path != nil {
					t.Errorf("%s reaches %s (%s)\n\twhy not: %s", pkg, target, strings.Join(path, " -> "), b.why)
				}
			}
		}
	}
}

func TestSingleImporters(t *testing.T) {
	for pkg, is := range load(t) {
		for _, s := range single {
			for _, i := range is {
				if matches(i, s.foreign) && !matches(pkg, s.by) {
					t.Errorf("%s imports %s, which only %s may\n\twhy: %s", pkg, i, s.by, s.why)
				}
			}
		}
	}
}

// TestNoWayToProcesses checks that the two packages that must not start programs do not
// reach os/exec through foreign code either.
func TestNoWayToProcesses(t *testing.T) {
	t.Parallel()
	list := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./agent", "./hooks")
	list.Dir = root(t)
	var complaint strings.Builder
	list.Stderr = &complaint
	lines, err := list.Output()
	require.NoError(t, err, complaint.String())
	var importers []string
	for line := range strings.Lines(string(lines)) {
		if fields := strings.Fields(line); slices.Contains(fields[1:], "os/exec") {
			importers = append(importers, fields[0])
		}
	}
	require.Contains(t, string(lines), "minigem/hooks/protocol ", "the list has the packages of the module")
	assert.Empty(t, importers, "these import os/exec, and agent or hooks reach them")
}

// TestTopLevel checks that the repository has only the listed top-level folders.
func TestTopLevel(t *testing.T) {
	allowed := []string{"cmd", "agent", "tools", "llm", "hooks", "session", "transcript", "compress", "notify", "e2e", "internal", "docs", "examples"}
	entries, err := os.ReadDir(root(t))
	require.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(allowed, e.Name()) {
			t.Errorf("top-level folder %s: the ten are the user's; put it into one of them or into internal", e.Name())
		}
	}
}

// TestPackageComments checks that each package has exactly one package comment.
func TestPackageComments(t *testing.T) {
	dirs := map[string]int{}
	walk(t, func(dir, file string) {
		dirs[dir] += 0
		f := parsed(t, file)
		if f.Doc != nil {
			dirs[dir]++
		}
	})
	for dir, n := range dirs {
		if n != 1 {
			t.Errorf("%s has %d package comments, want 1", dir, n)
		}
	}
}

// load maps each package of the module, by its path below the root, to the imports of
// its non-test files.
func load(t *testing.T) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	walk(t, func(dir, file string) {
		f := parsed(t, file)
		if _, ok := imports[dir]; !ok {
			imports[dir] = nil
		}
		for _, i := range f.Imports {
			imports[dir] = append(imports[dir], strings.Trim(i.Path.Value, `"`))
		}
	})
	require.NotEmpty(t, imports)
	return imports
}

// seen is the set of packages that reaches does not look into.
func seen(paths []string) map[string]bool {
	m := map[string]bool{}
	for _, p := range paths {
		m[strings.TrimPrefix(p, module+"/")] = true
	}
	return m
}

// reaches returns a chain of imports from pkg to target, or nil if there is none.
func reaches(imports map[string][]string, pkg, target string, seen map[string]bool) []string {
	if seen[pkg] {
		return nil
	}
	seen[pkg] = true
	for _, i := range imports[pkg] {
		own, ok := strings.CutPrefix(i, module+"/")
		if matches(i, target) && !seen[own] {
			return []string{pkg, i}
		}
		if ok {
			if path := reaches(imports, own, target, seen); path != nil {
				return append([]string{pkg}, path...)
			}
		}
	}
	return nil
}

func matchesAny(pkg string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return p == "*" || matches(pkg, p) })
}

func matches(pkg, pattern string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == prefix || strings.HasPrefix(pkg, prefix+"/")
	}
	return pkg == pattern
}
