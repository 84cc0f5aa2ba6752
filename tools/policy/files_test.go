package policy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/runslater"
	"minigem/tools/workspace"
)

func project(t *testing.T) (root string, ws *workspace.Workspace) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range []string{".gemini/settings.json", ".gemini/hooks/guard.sh", ".vscode/tasks.json", ".git/config",
		".env.local", "sub/plain.txt", "in", "tree/x", "bare/y"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte("x\n"), 0o644))
	}
	require.NoError(t, os.Symlink(".", filepath.Join(root, "here")))
	require.NoError(t, os.Symlink("..", filepath.Join(root, "sub/up")))
	require.NoError(t, os.Symlink("/etc", filepath.Join(root, "etc")))
	ws, err = workspace.New(root)
	require.NoError(t, err)
	return root, ws
}

// projectEngine allows every command, in auto_edit mode, so that questions can only be
// about files.
func projectEngine(t *testing.T, root string, ws *workspace.Workspace, policy string, o Options) *Engine {
	t.Helper()
	o.InWorkspace = func(path string) bool { return ws.Writable(path) }
	o.Sensitive = func(path string) bool {
		real, err := workspace.Follow(ws.Abs(path))
		rel, outside := filepath.Rel(filepath.Join(root, ".gemini"), real)
		return err != nil || runslater.Match(real) != "" || outside == nil && filepath.IsLocal(rel)
	}
	o.Refused = func(path string, r workspace.Reach) string {
		return ws.Refused(path, r, workspace.Ignore{Gemini: true})
	}
	return engineWith(t, policy, o)
}

const allowAll = "[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"allow\"\npriority = 1\n"

func in(dir, command string) Call {
	c := shellCall(command)
	c.Intent.Exec.Dir = dir
	return c
}

// A command that a rule allows may write. It needs approval if it names a file that
// decides what programs run, or is redirected to one.
func TestWhatIsAllowedNamesNoGuards(t *testing.T) {
	t.Parallel()
	root, ws := project(t)
	for _, policy := range []string{allowAll, allowAll + "allowRedirection = true\n"} {
		e := projectEngine(t, root, ws, policy, Options{Interactive: true, Mode: ModeAutoEdit})
		for _, target := range []string{".gemini/settings.json", ".gemini/hooks/guard.sh", ".vscode/tasks.json"} {
			for _, way := range []string{
				"echo x > FILE", "echo x >> FILE", "echo x | tee FILE", "cp in FILE", "sed -i s/a/b/ FILE", "rm FILE",
				"{ echo x; } > FILE", "x=1 >FILE", "dd if=in of=FILE", "sed 's/a/b/w FILE' in",
				"bash -c 'echo x > FILE'", "eval >FILE", "awk '{print > \"FILE\"}' in", "f() { echo x > FILE; }; f",
			} {
				for _, spelling := range []string{"%s", "./%s", "ROOT/%s", "sub/../%s", "here/%s"} {
					command := strings.ReplaceAll(way, "FILE", strings.ReplaceAll(fmt.Sprintf(spelling, target), "ROOT", root))
					v := e.Check(in(root, command))
					assert.Equal(t, Ask, v.Decision, "%s: %+v", command, v)
				}
				plain := e.Check(in(root, strings.ReplaceAll(way, "FILE", "sub/plain.txt")))
				assert.Equal(t, Allow, plain.Decision, "%s: %+v", way, plain)
			}
		}
	}
}

// Without any rule, commands that read may read where the file tools may.
func TestWhatReadsIsJudgedAsReading(t *testing.T) {
	t.Parallel()
	root, ws := project(t)
	require.NoError(t, os.Symlink("etc/passwd", filepath.Join(root, "x\ny")))
	plain := projectEngine(t, root, ws, "", Options{Interactive: true})
	allowed := projectEngine(t, root, ws, allowAll, Options{Interactive: true})
	for command, want := range map[string]Decision{
		"cat in": Allow, "cat sub/*.txt": Allow, "cat *.md": Allow, "grep -rn x sub bare": Allow, "ls -la": Allow,
		"find . -name '*.go'": Allow, "cd sub && cat plain.txt": Allow,
		"rg x": Allow, "cat here/in": Allow, "head -5 in | sort -r | uniq -c": Allow, "ls etc/..": Ask,
		"tail -n +2 in": Allow, "git log --oneline -5": Allow, "diff in sub/plain.txt": Allow,
		"cat etc/passwd": Ask, "cat etc/*": Ask, "ls etc": Ask, "grep -r x .": Ask, "grep -r x": Ask, "grep -rn x here": Ask,
		"rg -uu x": Ask, "rg --hidden x": Ask, "rg -g '.e*' x": Ask, "diff -r . sub": Ask,
		"cat .env.local": Ask, "cat .e*": Ask, "cat ./.env.local": Ask, "cat here/.env.local": Ask, "cat .env.*": Ask,
		"head -1 .git/config":        Ask,
		"grep x sub -r --include=.*": Ask, "cat nosuch": Allow, "cat $F": Ask, "find . -exec cat {} ;": Ask,
		"cd etc && cat passwd": Ask, "grep -f .env.local in": Ask,
		"tail -f in": Allow, "cat < etc/passwd": Ask, "cd - && ls": Ask, "cd -; find": Ask, "cd && ls": Ask,
		"git diff in sub/plain.txt": Allow, "git diff etc/passwd in": Ask, "git diff in .env.local": Ask,
		"grep -d recurse x .": Ask, "grep x . -d recurse": Ask, "grep --der x .": Ask, "diff . sub": Ask, "grep -d recurse x sub": Allow,
		"cat 'x\ny'": Ask, "head -n1 'x\ny'": Ask, "date -u": Allow, "file in": Allow,
		"git status -v": Allow, "git status -s": Allow, "git grep --untracked x": Ask, "git grep --no-index x": Ask, "git cat-file -p x": Ask,
		"git blame etc/passwd": Ask, "git diff main..topic sub": Allow, "git diff . tree": Ask,
	} {
		v := plain.Check(in(root, command))
		assert.Equal(t, want, v.Decision, "%s: %+v", command, v)
		if want == Ask && !strings.ContainsAny(command, "$;") && !strings.HasPrefix(command, "git ") &&
			!strings.Contains(command, "-exec") {
			assert.Equal(t, Ask, allowed.Check(in(root, command)).Decision, "with a rule: %s", command)
		}
	}
	for _, command := range []string{ // options by which a command reads what no word names
		"date -f in", "date -uf in", "file -f in", "file -m in in", "find -files0-from in", "du --files0-from=in",
		"sort --files0-from=in", "strings @in", "wc --files0-from=in",
	} {
		assert.Equal(t, Ask, plain.Check(in(root, command)).Decision, command)
	}
	for command, want := range map[string]Decision{
		"git commit -F .env.local": Ask, "git commit -F.env.local": Ask, "git blame --contents=.env.local in": Ask,
		"git cat-file -p HEAD:.env.local": Ask, "git commit -m 'keep .env.local out'": Ask,
		"git grep -f .env.local": Ask, "git grep x sub": Allow, "git add sub": Allow, "git add .env.local": Ask,
		"curl http://h/a:b": Allow,
		"jq . .env.local":   Ask, "xargs -a .env.local jq": Ask, "xargs jq": Allow, "node --env-file=.env.local x.js": Ask,
		"node node_modules/x.js": Allow, "jq . in": Allow,
	} {
		assert.Equal(t, want, projectEngine(t, root, ws, allowAll, Options{Interactive: true}).Check(
			in(root, command)).Decision, "with a rule: %s", command)
	}
	for _, of := range []string{"HEAD:%s", ":%s", ":0:%s", ":(top)%s", ":(top,icase)%s", ":/%s", ":^%s", "HEAD:./%s"} {
		assert.Equal(t, Ask, plain.Check(in(root, fmt.Sprintf("git show '"+of+"'", ".env.local"))).Decision, of)
		assert.Equal(t, Allow, plain.Check(in(root, fmt.Sprintf("git show '"+of+"'", "in"))).Decision, of)
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "--output=x"), nil, 0o644))
	assert.Equal(t, Ask, plain.Check(in(root, "sort *")).Decision, "a file is named like an option")
	require.NoError(t, os.Remove(filepath.Join(root, ".env.local")))
	for command, want := range map[string]Decision{"grep -rn x .": Allow, "grep -Rn x .": Ask, "rg -L x": Ask,
		"diff -r . sub": Ask, "rg x": Allow, "diff -r sub tree": Ask, "diff -r bare tree": Allow} {
		assert.Equal(t, want, plain.Check(in(root, command)).Decision, "a link leads out of the folder: %s", command)
	}
}

// Any folder of files that tools may write, or that a clone may contain, can be a bare
// repository. Git finds it from inside and runs what its configuration names.
func TestGitInABareRepository(t *testing.T) {
	t.Parallel()
	root, ws := project(t)
	proof := filepath.Join(t.TempDir(), "proof")
	for name, text := range map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", ".git/config": "", ".git/objects/x": "", ".git/refs/x": "",
		"worktree/.git": "gitdir: ../bare\n",
		"evil/HEAD":     "ref: refs/heads/main\n", "evil/objects/x": "", "evil/refs/x": "", "evil/below/x": "",
		"evil/config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"touch '" +
			proof + "'; false\"\n",
		"other/HEAD": "ref: refs/heads/main\n", "other/commondir": "../evil\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	require.NoError(t, os.Symlink("evil/below", filepath.Join(root, "link")))
	if git, err := exec.LookPath("git"); err == nil {
		c := exec.Command(git, "status")
		c.Dir, c.Env = filepath.Join(root, "evil", "below"), []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1",
			"GIT_CONFIG_GLOBAL=" + os.DevNull}
		_ = c.Run() // the exit code does not matter
		assert.FileExists(t, proof, "this is how git runs it")
	}
	for _, policy := range []string{"", allowAll} {
		e := projectEngine(t, root, ws, policy, Options{Interactive: true})
		for dir, want := range map[string]Decision{".": Allow, "sub": Allow, "evil": Ask, "evil/below": Ask, "link": Ask,
			"other": Ask, ".git": Ask, "worktree": Allow} {
			v := e.Check(in(filepath.Join(root, dir), "git status"))
			assert.Equal(t, want, v.Decision, "in %s: %+v", dir, v)
			for _, command := range []string{"git -C %s status", "git -C . -C %s log", "git --no-pager -C %s diff",
				"cd %s && git log"} {
				if v := e.Check(in(root, fmt.Sprintf(command, dir))); want == Ask {
					assert.Equal(t, Ask, v.Decision, "%s in %s: %+v", command, dir, v)
				}
			}
		}
		assert.Equal(t, Ask, e.Check(in(root, "git -C $X status")).Decision)
	}
	for command, want := range map[string]Decision{"git --no-pager status": Allow, "git -C sub status": Ask,
		"git -c core.pager=x log": Ask} {
		e := projectEngine(t, root, ws, allowAll, Options{Interactive: true})
		assert.Equal(t, want, e.Check(in(root, command)).Decision, command)
	}
}

// A rule that allows writing does not include settings files unless it names them.
func TestARuleAboutEditsMeansNoSettings(t *testing.T) {
	t.Parallel()
	root, ws := project(t)
	file := filepath.Join(root, ".gemini/settings.json")
	const allow = "[[rule]]\ntoolName = \"write_file\"\ndecision = \"allow\"\npriority = 1\n"
	for _, c := range []struct {
		policy string
		mode   Mode
		path   string
		want   Decision
	}{
		{allow, ModeDefault, root + "/in", Allow}, {allow, ModeDefault, file, Ask}, {allow, ModeAutoEdit, file, Ask},
		{allow, ModeYolo, file, Allow}, {"", ModeAutoEdit, file, Ask},
		{allow + "argsPattern = 'settings'\n", ModeDefault, file, Allow},
	} {
		e := projectEngine(t, root, ws, c.policy, Options{Interactive: true, Mode: c.mode})
		assert.Equal(t, c.want, e.Check(editCall(c.path)).Decision, "%+v", c)
	}
}
