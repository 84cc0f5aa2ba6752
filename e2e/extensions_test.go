package e2e

import (
	"encoding/json"
	"io/fs"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"minigem/e2e/fakemodel"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A gitServer serves repositories on this machine as a web server does.
type gitServer struct {
	t    *testing.T
	root string
	url  string
}

func startGitServer(t *testing.T) gitServer {
	t.Helper()
	path, err := exec.Command("git", "--exec-path").Output()
	require.NoError(t, err)
	backend := filepath.Join(strings.TrimSpace(string(path)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("git http-backend is not installed")
	}
	root := t.TempDir()
	server := httptest.NewServer(&cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "HOME=" + root}})
	t.Cleanup(server.Close)
	return gitServer{t, root, server.URL}
}

// commit replaces the files of the named repository and returns its address.
func (g gitServer) commit(name string, files map[string]string) string {
	g.t.Helper()
	dir := filepath.Join(g.root, name)
	if _, err := os.Stat(dir); err != nil {
		require.NoError(g.t, os.MkdirAll(dir, 0o755))
		g.git(dir, "init", "-q")
	}
	for file, content := range files {
		at := filepath.Join(dir, filepath.FromSlash(file))
		require.NoError(g.t, os.MkdirAll(filepath.Dir(at), 0o755))
		require.NoError(g.t, os.WriteFile(at, []byte(content), 0o755))
	}
	g.git(dir, "add", "-A")
	g.git(dir, "commit", "-qm", "next")
	return g.url + "/" + name + "/.git"
}

func (g gitServer) git(dir string, args ...string) {
	g.t.Helper()
	cmd := exec.CommandContext(g.t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + g.root, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com"}
	out, err := cmd.CombinedOutput()
	require.NoError(g.t, err, string(out))
}

// Three extensions modelled on popular ones: a guard, tools of a service with a key, and
// instructions.
var guardExtension = map[string]string{
	"gemini-extension.json": `{"name": "guard", "version": "1.0.0", "excludeTools": ["web_fetch"]}`,
	"hooks/hooks.json": `{"hooks": {"BeforeTool": [{"matcher": "write_file", "hooks": [
		{"name": "guard", "type": "command", "command": "bash \"${extensionPath}/hooks/guard.sh\""}]}]}}`,
	"hooks/guard.sh":     "#!/bin/sh\necho 'no secrets in files, says version 1' >&2\nexit 2\n",
	"policies/deny.toml": "[[rule]]\ntoolName = \"read_file\"\ndecision = \"allow\"\npriority = 900\n\n[[rule]]\ntoolName = \"list_directory\"\ndecision = \"deny\"\npriority = 100\n",
	"README.md":          "A guard.\n",
}

var serviceExtension = map[string]string{
	"gemini-extension.json": `{"name": "service", "version": "1.0.0", "contextFileName": "SERVICE.md",
		"mcpServers": {"service": {"command": "${SERVICE_PROGRAM}", "args": ["${extensionPath}/data"], "env": {"` + growingServerMode + `": "yes"}, "trust": true}},
		"settings": [{"name": "Program", "description": "what is started", "envVar": "SERVICE_PROGRAM"},
			{"name": "Key", "description": "from the account page", "envVar": "SERVICE_KEY", "sensitive": true}]}`,
	"SERVICE.md":                "Ask the service first.\n",
	"data":                      "1\n",
	"commands/service/ask.toml": "description = \"Asks\"\nprompt = \"Ask the service about {{args}}\"\n",
	"hooks/hooks.json": `{"hooks": {"SessionStart": [{"hooks": [{"type": "command",
		"command": "printf '%s' \"$SERVICE_KEY\" | wc -c > \"$GEMINI_PROJECT_DIR/key-length\""}]}]}}`,
}

func skillFile(name, says string) string {
	return "---\nname: " + name + "\ndescription: " + says + "\n---\n\n" + says + " Its files are in ${extensionPath}.\n"
}

var waysExtension = map[string]string{
	"gemini-extension.json":    `{"name": "ways", "version": "1.0.0"}`,
	"skills/review/SKILL.md":   skillFile("review", "Reviews a change."),
	"skills/release/SKILL.md":  skillFile("release", "Makes a release."),
	"skills/release/notes.txt": "how\n",
	"agents/scout.md":          "---\nname: scout\ndescription: Looks around.\ntools:\n  - read_file\n---\nLook.\n",
}

var moreSkills = map[string]string{
	"skills/tea/SKILL.md":    skillFile("tea", "Makes tea."),
	"skills/coffee/SKILL.md": skillFile("coffee", "Makes coffee."),
	"skills/water/SKILL.md":  skillFile("water", "Fetches water."),
}

var fileStorage = []string{"GEMINI_FORCE_FILE_STORAGE=true"}

// minigem runs a command that must succeed.
func (h home) minigem(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	o := h.run(t, run{Args: args, Stdin: stdin, Env: fileStorage})
	require.Equal(t, 0, o.Code, "%q: %s%s", args, o.Stdout, o.Stderr)
	return o.Stdout
}

// filesIn returns the files below dir, except git's.
func filesIn(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && e.Name() == ".git" {
			return fs.SkipDir
		}
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	require.NoError(t, err)
	return out
}

// asked runs a prompt that the model answers with calls, and returns the requests.
func (h home) asked(t *testing.T, answers ...string) (outcome, []fakemodel.Request) {
	t.Helper()
	return h.askedFor(t, "go", answers...)
}

func (h home) askedFor(t *testing.T, prompt string, answers ...string) (outcome, []fakemodel.Request) {
	t.Helper()
	entries, err := parseAnswers("answers", strings.Join(answers, "\n\n"))
	require.NoError(t, err)
	server := startFakeAPI(t, entries)
	o := h.run(t, run{Args: []string{"-m", "gemini-2.5-flash", "-y", "-p", prompt}, Env: append(server.env(), fileStorage...)})
	require.Equal(t, 0, o.Code, o.Stderr)
	return o, server.Log()
}

// TestExtensionsOfAGitServer: three extensions and five skills are installed from a
// server, used, updated, disabled and removed, and leave nothing behind.
func TestExtensionsOfAGitServer(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	require.NoError(t, err)
	g := startGitServer(t)
	guard, service, ways := g.commit("guard", guardExtension), g.commit("service", serviceExtension), g.commit("ways", waysExtension)
	more := g.commit("more", moreSkills)
	h := newHome(t, nil)
	h.write(t, "../.gemini/trustedFolders.json", `{"`+h.dir+`": "TRUST_FOLDER"}`)

	// Without the user's agreement nothing is installed.
	o := h.run(t, run{Args: []string{"extensions", "install", guard}, Env: fileStorage})
	assert.Equal(t, 1, o.Code)
	assert.Contains(t, o.Stderr, "nobody agreed")
	assert.Empty(t, slices.DeleteFunc(filesIn(t, h.dir+"/.gemini"), func(f string) bool { return f == "trustedFolders.json" }))

	// The question names everything that runs or is read.
	out := h.minigem(t, "y\n", "extensions", "install", guard)
	for _, want := range []string{`bash "${extensionPath}/hooks/guard.sh"`, "policies/deny.toml", "web_fetch", "Install it? [y/N]"} {
		assert.Contains(t, out, want)
	}
	assert.NotContains(t, out, "README")
	out = h.minigem(t, "y\n"+program+"\nkey-1234567\n", "extensions", "install", service)
	for _, want := range []string{"MCP server      service: ${SERVICE_PROGRAM} ${extensionPath}/data", "/service:ask: Asks", "SERVICE.md", "SERVICE_KEY (a secret)"} {
		assert.Contains(t, out, want)
	}
	out = h.minigem(t, "", "extensions", "install", ways, "--consent")
	assert.Contains(t, out, "scout: Looks around.")
	h.minigem(t, "", "skills", "install", more, "--path", "skills", "--consent")

	h.checkInUse(t, "version 1")
	for _, file := range filesIn(t, h.dir+"/.gemini") {
		assert.NotContains(t, h.read(t, "../.gemini/"+file), "key-1234567", "%s has the secret in clear", file)
	}

	// A new version that runs something else asks again, and is not installed without
	// agreement.
	g.commit("guard", map[string]string{"hooks/guard.sh": "#!/bin/sh\necho 'no secrets in files, says version 2' >&2\nexit 2\n"})
	o = h.run(t, run{Args: []string{"extensions", "update", "guard"}, Env: fileStorage})
	assert.Equal(t, 1, o.Code)
	assert.Contains(t, o.Stdout, "changed: hooks/guard.sh")
	h.checkInUse(t, "version 1")
	h.minigem(t, "y\n", "extensions", "update", "guard")
	h.checkInUse(t, "version 2")
	g.commit("ways", map[string]string{"gemini-extension.json": `{"name": "ways", "version": "1.1.0"}`})
	out = h.minigem(t, "", "extensions", "update", "--all") // nothing that runs or is read has changed
	assert.Contains(t, out, `Extension "ways" successfully updated: 1.0.0 -> 1.1.0.`)
	assert.Contains(t, out, `Extension "guard": it is up to date.`)

	h.checkDisabled(t)
	h.minigem(t, "", "extensions", "uninstall", "--all")
	for _, name := range []string{"tea", "coffee", "water"} {
		h.minigem(t, "", "skills", "uninstall", name)
	}
	for _, file := range filesIn(t, h.dir+"/.gemini") {
		for _, name := range []string{"guard", "service", "ways", "tea", "coffee", "water"} {
			assert.NotContains(t, file, name)
			if !strings.HasPrefix(file, "tmp/") { // what sessions said
				assert.NotContains(t, h.read(t, "../.gemini/"+file), name, file)
			}
		}
	}
	for _, dir := range []string{"extensions", "skills"} { // including folders and repositories
		entries, err := filepath.Glob(h.dir + "/.gemini/" + dir + "/*")
		require.NoError(t, err)
		hidden, err := filepath.Glob(h.dir + "/.gemini/" + dir + "/.*")
		require.NoError(t, err)
		assert.Empty(t, slices.DeleteFunc(append(entries, hidden...), func(f string) bool { return filepath.Base(f) == "extension-enablement.json" }))
	}
	o, log := h.asked(t, `call write_file {"file_path": "a.txt", "content": "x"}`, "say Done.")
	assert.Equal(t, "Done.\n", o.Stdout)
	assert.Equal(t, "x", h.read(t, "a.txt"))
	assert.NotContains(t, string(log[0].Body), "mcp_service")
}

// checkInUse checks that what the three extensions bring works.
func (h home) checkInUse(t *testing.T, guard string) {
	t.Helper()
	_ = os.Remove(filepath.Join(h.workspace, "key-length"))
	o, log := h.asked(t, `call write_file {"file_path": "a.txt", "content": "x"}`, `call activate_skill {"name": "release"}`,
		`call mcp_service_grow {}`, "say Done.")
	assert.Equal(t, "Done.\n", o.Stdout)
	require.Len(t, log, 4)
	first, all := string(log[0].Body), string(log[3].Body)
	for _, want := range []string{"Ask the service first.", `"mcp_service_grow"`, "Makes a release.", "Makes tea.", "Makes coffee.", "Fetches water.", "Looks around."} {
		assert.Contains(t, first, want)
	}
	for _, not := range []string{`"name":"web_fetch"`, `"name":"list_directory"`} {
		assert.NotContains(t, strings.ReplaceAll(first, `": "`, `":"`), not)
	}
	assert.Contains(t, all, "no secrets in files, says "+guard)
	assert.Contains(t, all, h.dir+"/.gemini/extensions/ways", "its skill has the path of the extension")
	assert.NoFileExists(t, h.workspace+"/a.txt")
	_, log = h.askedFor(t, "/service:ask now", "say Done.")
	assert.Contains(t, string(log[0].Body), "Ask the service about now")
	assert.Equal(t, "11", strings.TrimSpace(h.read(t, "key-length")), "the secret is in the hook's environment")
}

// checkDisabled checks that a disabled extension brings nothing, whether it is disabled
// here or everywhere.
func (h home) checkDisabled(t *testing.T) {
	t.Helper()
	h.minigem(t, "", "extensions", "disable", "guard", "--scope", "workspace")
	assert.Contains(t, h.minigem(t, "", "--list-extensions"), "turned off in")
	h.minigem(t, "", "skills", "disable", "tea", "--scope", "user")
	o, log := h.asked(t, `call write_file {"file_path": "b.txt", "content": "x"}`, "say Done.")
	assert.Equal(t, "Done.\n", o.Stdout)
	assert.Equal(t, "x", h.read(t, "b.txt"))
	assert.NotContains(t, string(log[0].Body), "Makes tea.")
	h.minigem(t, "", "extensions", "enable", "guard")
	o, log = h.asked(t, `call write_file {"file_path": "c.txt", "content": "x"}`, "say Done.")
	assert.Equal(t, "Done.\n", o.Stdout)
	assert.Contains(t, string(log[1].Body), "no secrets in files")
	h.minigem(t, "", "skills", "enable", "tea")
	for _, name := range []string{"service", "ways"} {
		h.minigem(t, "", "extensions", "disable", name)
	}
	_, log = h.asked(t, "say Done.")
	for _, gone := range []string{"Ask the service first.", "mcp_service_grow", "Makes a release.", "Looks around."} {
		assert.NotContains(t, string(log[0].Body), gone)
	}
	for _, name := range []string{"service", "ways"} {
		h.minigem(t, "", "extensions", "enable", name)
	}
	h.checkInUse(t, "version 2")
}

// TestExtensionsAcrossPrograms: each program sees, changes and updates what the other has
// installed.
func TestExtensionsAcrossPrograms(t *testing.T) {
	t.Parallel()
	program := oracle(t)
	h := newHome(t, nil)
	h.write(t, "../.gemini/trustedFolders.json", `{"`+h.dir+`": "TRUST_FOLDER"}`)
	h.write(t, "../.gemini/settings.json", `{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false}}`)
	for file, content := range guardExtension {
		h.write(t, "../sources/guard/"+file, content)
	}
	for file, content := range waysExtension {
		h.write(t, "../sources/ways/"+file, content)
	}
	h.write(t, "../sources/service/gemini-extension.json", `{"name": "service", "version": "1.0.0",
		"settings": [{"name": "Key", "description": "a key", "envVar": "SERVICE_KEY", "sensitive": true}, {"name": "Place", "description": "where", "envVar": "SERVICE_PLACE"}]}`)
	theirs := func(stdin string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), program, append([]string{"extensions"}, args...)...)
		cmd.Dir, cmd.Stdin = h.workspace, strings.NewReader(stdin)
		cmd.Env = append([]string{"HOME=" + h.dir, "PATH=" + os.Getenv("PATH"), "TERM=dumb", "NO_COLOR=1", "GEMINI_API_KEY=x", "GEMINI_CLI_NO_RELAUNCH=true"}, fileStorage...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%q: %s", args, out)
		return string(out)
	}
	h.minigem(t, "", "extensions", "install", h.dir+"/sources/guard", "--consent")
	h.minigem(t, "y\nkey-1234567\nhere\n", "extensions", "install", h.dir+"/sources/service")
	theirs("", "install", h.dir+"/sources/ways", "--consent", "--skip-settings")

	listed := theirs("", "list")
	for _, want := range []string{"guard (1.0.0)", "web_fetch", "service (1.0.0)", "Key: ***", "Place: here"} {
		assert.Contains(t, listed, want)
	}
	var ours []struct{ Name, Version string }
	require.NoError(t, json.Unmarshal([]byte(h.minigem(t, "", "extensions", "list", "-o", "json")), &ours))
	assert.Len(t, ours, 3)

	// The records of their origin have the same format.
	h.write(t, "../sources/guard/gemini-extension.json", `{"name": "guard", "version": "1.1.0"}`)
	assert.Contains(t, theirs("y\n", "update", "guard"), "1.0.0 → 1.1.0")
	h.write(t, "../sources/ways/gemini-extension.json", `{"name": "ways", "version": "1.1.0"}`)
	assert.Contains(t, h.minigem(t, "", "extensions", "update", "ways"), "1.0.0 -> 1.1.0")

	theirs("", "disable", "ways")
	assert.NotContains(t, h.minigem(t, "", "extensions", "list"), "ways 1.1.0  enabled")
	h.minigem(t, "", "extensions", "enable", "ways")
	assert.Contains(t, theirs("", "list"), "✓ ways")
	theirs("", "uninstall", "guard")
	h.minigem(t, "", "extensions", "uninstall", "ways", "service")
	assert.Contains(t, theirs("", "list"), "No extensions installed")
}
