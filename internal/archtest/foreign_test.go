package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// opening lists the functions with which production code reads a file that someone else
// may have put there.
var opening = []string{"boundedfile.Read", "boundedfile.ReadJSON", "boundedfile.ReadNamed", "boundedfile.Open",
	"boundedfile.OpenIn"}

// A tried names functions of a folder that read foreign files, and the row of
// e2e/foreign_files_test.go that puts odd things in such a file's place. If there is no
// row, it says why.
type tried struct{ row, folder, functions, why string }

var readers = []tried{
	{row: "project/.gemini/settings.json", folder: "internal/settings", functions: "Loaded.read"},
	{row: "project/.gemini/settings.json", folder: "internal/inspection", functions: "files readSection"},
	{row: "project/.gemini/settings.json", folder: "internal/trust", functions: "settingsItems"},
	{row: "home/.gemini/mcp-server-enablement.json", folder: "internal/mcp/servers", functions: "Switches.Off"},
	{row: "home/.gemini/mcp-oauth-tokens.json", folder: "internal/mcp/oauth", functions: "Store.read"},
	{row: "home/.gemini/trustedFolders.json", folder: "internal/trust", functions: "Load"},
	{row: "home/.gemini/sandboxed_folders.json", folder: "internal/trust", functions: "Appeared"},
	{row: "home/.gemini/trusted_hooks.json", folder: "hooks/config", functions: "TrustStore.load"},
	{row: "home/.gemini/extensions/x/gemini-extension.json", folder: "hooks/config", functions: "LoadExtension"},
	{row: "home/.gemini/extensions/x/hooks/hooks.json", folder: "hooks/config", functions: "readJSON"},
	{row: "home/.gemini/extensions/x/gemini-extension.json", folder: "internal/extensions", functions: "readJSON"},
	{row: "home/.gemini/gemini-credentials.json", folder: "internal/vault", functions: "Vault.read"},
	{row: "project/hook.sh", folder: "hooks/config", functions: "hashFile isCode withLoaded"},
	{row: "project/hook.sh", folder: "hooks/author/program", functions: "Read"},
	{row: "project/.env", folder: "hooks/dotenv", functions: "Read"},
	{row: "project/.geminiignore", folder: "tools/workspace", functions: "ignoreFault newIgnorer"},
	{row: "project/.git/info/exclude", folder: "tools/workspace", functions: "outerRules"},
	{row: "project/sub/.gitignore", folder: "tools/workspace", functions: "Workspace.Ignorer walker.tree"},
	{row: "project/.git", folder: "tools/workspace", functions: "FirstLine"},
	{row: "home/.gemini/policies/p.toml", folder: "tools/policy", functions: "LoadPaths"},
	{row: "project/GEMINI.md", folder: "internal/contextfile", functions: "loader.read"},
	{row: "project/.gemini/system.md", folder: "internal/prompt", functions: "System.Text"},
	{row: "project/.gemini/commands/x.toml", folder: "internal/slash", functions: "readCustom"},
	{row: "home/.gemini/skills/x/SKILL.md", folder: "internal/skills", functions: "Read"},
	{row: "home/.gemini/agents/x.md", folder: "internal/subagents", functions: "Read"},
	{row: "home/.gemini/acknowledgments/agents.json", folder: "internal/subagents", functions: "Agreements.Has"},
	{row: "home/.gemini/projects.json", folder: "session", functions: "registry.read"},
	{row: "home/.gemini/tmp/project/.project_root", folder: "session", functions: "Project.otherProjects registry.owned"},
	{row: "home/.gemini/installation_id", folder: "internal/telemetry", functions: "Installation"},
	{row: "home/.gemini/.minigem-1.writing", folder: "internal/atomicfile", functions: "sweep"},
	{row: "sessionFile", folder: "transcript", functions: "ReadMeta openSession loader.replacedLists"},
	{row: "sessionFile", folder: "internal/listing", functions: "readPastRuns"},
	{row: "checkpointFile", folder: "internal/undo", functions: "Store.Checkpoint"},
	{row: "project/cases/x.txtar", folder: "e2e/testbed", functions: "ReadFile"},
	{row: "project/cases/data", folder: "e2e/testbed", functions: "copyInto"},
	{row: "project/cases/answer.txt", folder: "e2e/testbed", functions: "Record.read"},
	{row: "project/script.txt", folder: "e2e/testbed", functions: "ReadModel"},
	{row: "project/answers.jsonl", folder: "llm/script", functions: "ParseFile"},
	{row: "project/payload.json", folder: "internal/trials", functions: "Input"},
	{row: "project/past.jsonl", folder: "hooks/author/replay", functions: "Read"},
	{row: "project/.claude/settings.json", folder: "hooks/claude", functions: "projectFiles"},
	{row: "project/.claude/settings.json", folder: "internal/listing", functions: "mentionsHooks"},
	{row: "project/plugin/hooks/hooks.json", folder: "hooks/claude", functions: "read"},
	{row: "project/.codex/hooks.json", folder: "hooks/author/export", functions: "Place.Read"},

	{why: "only when an extension is installed, updated, validated or compared, and FuzzManifest, FuzzRecords",
		folder: "internal/extensions", functions: "Manager.put copyTree printOf records.key records.read NotForGeminiCLI"},
	{why: "project/.gemini/settings.json again, which was read before", folder: "cmd/minigem",
		functions: "fromClaudeCode"},
	{why: "a case of the user's own, to add to", folder: "hooks/author/attack", functions: "AddTo"},
	{why: "the session that minigem itself writes", folder: "transcript", functions: "ClaudeCopy.Make"},
	{why: "settings, which were read before they are changed", folder: "hooks/jsonc", functions: "Update"},
	{why: "the chat alone reads it, when a conversation is resumed by its tag: the same reader as a checkpoint's",
		folder: "internal/undo", functions: "Store.Tagged"},
	{why: "the chat alone reads it; TestHistoryThatCannotBeRead", folder: "internal/terminal",
		functions: "history.open"},
	{why: "what an editor of the user's has just written", folder: "internal/terminal", functions: "Terminal.Editor"},
	{why: "shown in a question of the chat; reading and writing are the workspace's", folder: "tools/builtin",
		functions: "saveMemoryCall.Intent"},
	{why: "only in a question about git, for a few files of .git", folder: "tools/workspace",
		functions: "HoldsCredentials"},
	{why: "files that tools of this run have touched", folder: "e2e/record", functions: "files.read"},
	{why: "what the case itself wrote", folder: "e2e/testbed", functions: "Record.Transcript place.snapshot source usedBy"},
	{why: "what the case itself wrote", folder: "internal/cases", functions: "touch"},
	{why: "what the demonstration itself wrote", folder: "internal/demo", functions: "demo.run"},
	{why: "the configuration of agents, written by the run for cases on them", folder: "e2e/agents",
		functions: "Installed.SelfTest patch readDoc readPlugin readTOML wrapProgram wrapper.place writePlugin"},
	{why: "what minigem itself wrote", folder: "e2e/agents/shim", functions: "readJSON readRun"},
	{why: "files of a case, which was read with the same bounds", folder: "e2e/agents/played",
		functions: "calls.look finder.file"},
}

// TestForeignFilesAreTried checks that each function that reads foreign files has a row
// in the test that replaces them with pipes, devices and huge files, or a reason to
// have none.
func TestForeignFilesAreTried(t *testing.T) {
	t.Parallel()
	var found, listed []string
	walk(t, func(dir, file string) {
		if dir == "internal/boundedfile" {
			return
		}
		f := parsed(t, file)
		for _, decl := range f.Decls {
			ast.Inspect(decl, func(n ast.Node) bool {
				if slices.Contains(opening, selectorOf(n)) {
					found = append(found, dir+" "+nameOf(decl))
				}
				return true
			})
		}
	})
	rows := foreignRows(t)
	for _, r := range readers {
		assert.True(t, (r.row == "") != (r.why == ""), "%s %s: a row or a reason", r.folder, r.functions)
		if r.row != "" {
			assert.Contains(t, rows, r.row)
		}
		for name := range strings.FieldsSeq(r.functions) {
			listed = append(listed, r.folder+" "+name)
		}
	}
	assertListed(t, listed, found)
}

// foreignRows returns the paths of the rows, which are texts or names of constants.
func foreignRows(t *testing.T) (paths []string) {
	text, err := os.ReadFile("../../e2e/foreign_files_test.go")
	require.NoError(t, err)
	f, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	require.NoError(t, err)
	ast.Inspect(f, func(n ast.Node) bool {
		kv, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		if key, ok := kv.Key.(*ast.Ident); !ok || key.Name != "path" {
			return true
		}
		switch v := kv.Value.(type) {
		case *ast.BasicLit:
			path, err := strconv.Unquote(v.Value)
			require.NoError(t, err)
			paths = append(paths, path)
		case *ast.Ident:
			paths = append(paths, v.Name)
		}
		return true
	})
	return paths
}

// assertListed compares a table of functions with those that were found, and shows only
// the differences.
func assertListed(t *testing.T, listed, found []string) {
	t.Helper()
	slices.Sort(found)
	slices.Sort(listed)
	assert.Equal(t, slices.Compact(slices.Clone(listed)), listed, "each once")
	without := func(these, those []string) []string {
		return slices.DeleteFunc(slices.Compact(slices.Clone(these)), func(s string) bool {
			return slices.Contains(those, s)
		})
	}
	assert.Empty(t, without(found, listed), "not in the table")
	assert.Empty(t, without(listed, found), "in the table, but not in the code")
}
