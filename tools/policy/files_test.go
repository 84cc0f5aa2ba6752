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

// writing are ways to write: FILE exists, DIR is the directory that it lies in,
// BASE its name there. What need not be asked for a plain file ends in "+".
var writing = []string{
	"echo x > FILE +", "echo x >> FILE +", "echo x >| FILE +", "echo x &> FILE +", "echo x &>> FILE +", "echo x 2> FILE +", "echo x <> FILE +", "{ echo x; } > FILE +",
	"echo x | tee FILE +", "echo x | tee -a FILE +", "tee -- FILE < in +", "cp in FILE +", "cp -f in FILE +", "cp -t DIR in +", "cp --target-directory=DIR in +", "cp -r in FILE +", "cp -T in FILE +",
	"cp -rT tree DIR +", "cp -r tree/. DIR +", "cp --backup -S x in FILE", "mv in FILE +", "mv -f in FILE +", "mv FILE other +", "mv DIR other", "install in FILE +", "install -m 755 in FILE +", "install -D in FILE +",
	"ln -f in FILE +", "ln -sf in FILE +", "ln FILE other +", "ln -s FILE other +", "link in FILE +", "unlink FILE +", "rm FILE +", "rmdir DIR +", "touch FILE +", "touch -d 1999-01-01 FILE +", "truncate -s 0 FILE +",
	"mkdir FILE +", "mkdir -p FILE/x +", "chmod 000 FILE +", "chmod -x FILE", "chown u FILE +", "chgrp g FILE +", "dd if=in of=FILE", "sed -i s/a/b/ FILE +", "sed -i.bak s/a/b/ FILE +", "sed --in-place s/a/b/ FILE +",
	"sed -n -i p FILE +", "sed w\\ FILE in", "sed 's/a/b/w FILE' in", "sort -o FILE in +", "sort in -ro FILE +", "sort --output=FILE in +", "uniq in FILE +", "uniq -- in FILE +", "split in FILE +", "csplit -f FILE in 1 +",
	"patch FILE < in", "patch < in", "patch -d DIR < in", "tar xf in -C DIR +", "tar -xf in --directory=DIR +", "tar -cf FILE in +", "tar xf in", "unzip in -d DIR +", "unzip in", "zip FILE in +", "gzip FILE +", "gunzip FILE +", "xz FILE +",
	"xxd -r in FILE +", "curl -o FILE http://h +", "curl --output FILE http://h +", "curl -O http://h/BASE", "curl --stderr FILE http://h", "curl --etag-save FILE http://h", "curl --hsts FILE http://h",
	"curl --alt-svc FILE http://h", "curl --libcurl FILE http://h", "curl --trace FILE http://h", "curl -D FILE http://h", "curl -c FILE http://h", "curl -K FILE", "curl --output-dir DIR http://h",
	"curl -w '%output{FILE}' http://h", "wget -O FILE http://h +", "wget -P DIR http://h", "wget http://h/BASE", "scp in FILE +", "rsync in FILE +", "rsync -a tree/ DIR +",
	"git checkout -- FILE +", "git checkout main", "git restore FILE", "git apply in", "git stash pop", "git rm -- FILE +", "git diff --output=FILE", "git archive -o FILE HEAD", "git bundle create FILE HEAD",
	"awk '{print > \"FILE\"}' in", "vim FILE +", "editor --file=FILE +", "timeout 5 cp in FILE +", "bash -c 'echo x > FILE' +", "find in -exec cp {} FILE ;", "ls in | xargs cp -t DIR", "f() { echo x > FILE; }; f +",
}

// pathSpellings are those of a path within the project.
var pathSpellings = []string{
	"%s", "./%s", "sub/../%s", "ROOT/%s", "~/%s", "$HOME/%s", "$PWD/%s", "\"%s\"", "'%s'", "here/%s", "ROOT/sub/up/%s", "/proc/self/cwd/%s",
}

func project(t *testing.T) (root string, ws *workspace.Workspace) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range []string{".gemini/settings.json", ".gemini/hooks/guard.sh", ".vscode/tasks.json", ".git/config", ".env.local", "sub/plain.txt", "in", "tree/x", "bare/y"} {
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

// projectEngine allows every command, in auto_edit mode: what is asked for is
// asked for because of files.
func projectEngine(t *testing.T, root string, ws *workspace.Workspace, policy string, o Options) *Engine {
	t.Helper()
	o.InWorkspace = func(path string) bool { return ws.Writable(path) }
	o.Sensitive = func(path string, below bool) bool {
		real, err := ws.Follow(path)
		rel, outside := filepath.Rel(filepath.Join(root, ".gemini"), real)
		return err != nil || runslater.Match(real) != "" || outside == nil && filepath.IsLocal(rel) || below && strings.HasPrefix(root+"/.gemini/", real+"/")
	}
	o.Refused = func(r Reading) string {
		return ws.Refused(r.Path, workspace.Reach{Pattern: r.Pattern, Names: r.Names, Below: r.Below, Visible: r.Visible, Links: r.Links}, workspace.Ignore{Gemini: true})
	}
	return engineWith(t, policy, o)
}

const allowAll = "[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"allow\"\npriority = 1\n"

func in(dir, command string) Call {
	c := shellCall(command)
	c.Intent.Exec.Dir = dir
	return c
}

// Every way to write is asked for where it meets a protected file, in every
// spelling, and refused where nobody can be asked. Beside a plain file the same
// way runs, so that the table shows more than that all is asked for.
func TestWhatWritesIsJudgedAsAnEdit(t *testing.T) {
	t.Parallel()
	root, ws := project(t)
	asking := projectEngine(t, root, ws, allowAll, Options{Interactive: true, Mode: ModeAutoEdit})
	headless := projectEngine(t, root, ws, allowAll, Options{Mode: ModeAutoEdit})
	careful := projectEngine(t, root, ws, allowAll, Options{Interactive: true})
	free := projectEngine(t, root, ws, allowAll+"allowRedirection = true\n", Options{Interactive: true})
	lines := 0
	for _, way := range writing {
		way, plain := strings.CutSuffix(way, " +")
		line := func(file string) string {
			// the quotes belong to the path
			return strings.NewReplacer("FILE", file, "DIR", filepath.Dir(strings.Trim(file, `"'`)), "BASE", filepath.Base(strings.Trim(file, `"'`))).Replace(way)
		}
		want := map[bool]Decision{true: Allow, false: Ask}[plain]
		assert.Equal(t, want, asking.Check(in(root, line("sub/plain.txt"))).Decision, "%s: %+v", line("sub/plain.txt"), asking.Check(in(root, line("sub/plain.txt"))))
		for _, target := range []string{".gemini/settings.json", ".gemini/hooks/guard.sh", ".vscode/tasks.json"} {
			for _, spelling := range pathSpellings {
				command := line(strings.ReplaceAll(fmt.Sprintf(spelling, target), "ROOT", root))
				for name, e := range map[string]*Engine{"auto_edit": asking, "default": careful} {
					assert.Equal(t, Ask, e.Check(in(root, command)).Decision, "%s: %s", name, command)
				}
				assert.Equal(t, Deny, headless.Check(in(root, command)).Decision, command)
				lines++
			}
			for _, command := range []string{"cd " + filepath.Dir(target) + " && " + line(filepath.Base(target)), "cd sub; " + line("../"+target)} {
				assert.Equal(t, Ask, asking.Check(in(root, command)).Decision, command)
			}
			assert.Equal(t, Ask, asking.Check(in(filepath.Join(root, filepath.Dir(target)), line(filepath.Base(target)))).Decision, "in the folder: %s", line(filepath.Base(target)))
		}
	}
	for command, want := range map[string]Decision{
		"echo x > sub/plain.txt": Allow, "echo x > $X": Allow, "echo x > .gemini/settings.json": Ask, "cp in .gemini/settings.json": Ask, "sed 1eid in": Ask,
	} {
		assert.Equal(t, want, free.Check(in(root, command)).Decision, "with allowRedirection: %s", command)
	}
	t.Logf("%d command lines", lines)
}

// A line that moves files changes where the names of its other commands lead.
func TestNamesBesideAMove(t *testing.T) {
	t.Parallel()
	root, ws := project(t)
	e := projectEngine(t, root, ws, allowAll, Options{Interactive: true, Mode: ModeAutoEdit})
	for command, want := range map[string]Decision{
		"ln -s tree l": Allow, "ln -s .gemini l": Ask, "ln -s /etc l": Ask, "ln -s ../.gemini sub/l": Ask, "ln -s bare l && echo x > l/y": Ask, "mv bare b; cat b/y": Ask,
		"cp -r bare b && npm test": Allow, "mkdir new && touch new/x": Allow,
	} {
		v := e.Check(in(root, command))
		assert.Equal(t, want, v.Decision, "%s: %+v", command, v)
	}
}

// Without any rule, what reads runs where the file tools read, too.
func TestWhatReadsIsJudgedAsReading(t *testing.T) {
	t.Parallel()
	root, ws := project(t)
	plain := projectEngine(t, root, ws, "", Options{Interactive: true})
	allowed := projectEngine(t, root, ws, allowAll, Options{Interactive: true})
	for command, want := range map[string]Decision{
		"cat in": Allow, "cat sub/*.txt": Allow, "cat *.md": Allow, "grep -rn x sub bare": Allow, "ls -la": Allow, "find . -name '*.go'": Allow, "cd sub && cat plain.txt": Allow,
		"rg x": Allow, "cat here/in": Allow, "head -5 in | sort -r | uniq -c": Allow, "ls etc/..": Ask, "tail -n +2 in": Allow, "git log --oneline -5": Allow, "diff in sub/plain.txt": Allow,
		"cat etc/passwd": Ask, "cat etc/*": Ask, "ls etc": Ask, "grep -r x .": Ask, "grep -r x": Ask, "grep -rn x here": Ask, "rg -uu x": Ask, "rg --hidden x": Ask, "rg -g '.e*' x": Ask, "diff -r . sub": Ask,
		"cat .env.local": Ask, "cat .e*": Ask, "cat ./.env.local": Ask, "cat here/.env.local": Ask, "cat .env.*": Ask, "head -1 .git/config": Ask,
		"grep x sub -r --include=.*": Allow, "cat nosuch": Allow, "cat $F": Ask, "find . -exec cat {} ;": Ask, "cd etc && cat passwd": Ask, "grep -f .env.local in": Ask,
		"tail -f in": Allow, "cat < etc/passwd": Ask, "cd - && ls": Ask, "cd -; find": Ask, "cd && ls": Ask,
		"git diff in sub/plain.txt": Allow, "git diff etc/passwd in": Ask, "git diff in .env.local": Ask, "git blame etc/passwd": Ask, "git diff main..topic sub": Allow, "git diff . tree": Ask,
	} {
		v := plain.Check(in(root, command))
		assert.Equal(t, want, v.Decision, "%s: %+v", command, v)
		if want == Ask {
			assert.Equal(t, Ask, allowed.Check(in(root, command)).Decision, "with a rule: %s", command)
		}
	}
	for command, want := range map[string]Decision{
		"git commit -F .env.local": Ask, "git commit -F.env.local": Ask, "git blame --contents=.env.local in": Ask, "git cat-file -p HEAD:.env.local": Ask, "git commit -m 'keep .env.local out'": Allow,
		"git tag -F etc/passwd v1": Ask, "git grep -f .env.local": Ask, "git grep --no-index x": Ask, "git grep x sub": Allow, "git diff --no-index in tree": Ask, "git add sub": Allow, "git add .env.local": Ask,
		"curl file:///etc/passwd": Ask, "curl FILE:/etc/passwd": Ask, "curl --url file:///etc/passwd": Ask, "curl '{file,http}:///etc/passwd'": Ask, "curl 'fil[e-e]:///etc/passwd'": Ask, "curl http://h/a:b": Allow,
		"jq . .env.local": Ask, "xargs -a .env.local jq": Ask, "xargs jq": Allow, "node --env-file=.env.local x.js": Ask, "node node_modules/x.js": Allow, "jq . in": Allow,
	} {
		assert.Equal(t, want, allowed.Check(in(root, command)).Decision, "with a rule: %s", command)
	}
	for _, of := range []string{"HEAD:%s", ":%s", ":0:%s", ":(top)%s", ":(top,icase)%s", ":/%s", ":^%s", "HEAD:./%s"} {
		for _, e := range []*Engine{plain, allowed} {
			assert.Equal(t, Ask, e.Check(in(root, fmt.Sprintf("git show '"+of+"'", ".env.local"))).Decision, of)
			assert.Equal(t, Allow, e.Check(in(root, fmt.Sprintf("git show '"+of+"'", "in"))).Decision, of)
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "--output=x"), nil, 0o644))
	assert.Equal(t, Ask, plain.Check(in(root, "sort *")).Decision, "a file is named like an option")
	require.NoError(t, os.Remove(filepath.Join(root, ".env.local")))
	assert.Equal(t, Allow, plain.Check(in(root, "grep -rn x .")).Decision, "nothing there is a secret")
}

// A bare repository is any folder of files that tools may write or a clone may
// bring. Git finds it from within and runs what its configuration names.
func TestGitInABareRepository(t *testing.T) {
	t.Parallel()
	root, ws := project(t)
	proof := filepath.Join(t.TempDir(), "proof")
	for name, text := range map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", ".git/config": "", ".git/objects/x": "", ".git/refs/x": "", "worktree/.git": "gitdir: ../bare\n",
		"evil/HEAD": "ref: refs/heads/main\n", "evil/objects/x": "", "evil/refs/x": "", "evil/below/x": "",
		"evil/config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"touch '" + proof + "'; false\"\n",
		"other/HEAD":  "ref: refs/heads/main\n", "other/commondir": "../evil\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	require.NoError(t, os.Symlink("evil/below", filepath.Join(root, "link")))
	if git, err := exec.LookPath("git"); err == nil {
		c := exec.Command(git, "status")
		c.Dir, c.Env = filepath.Join(root, "evil", "below"), []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull}
		_ = c.Run() // what it says is no matter
		assert.FileExists(t, proof, "this is how git runs it")
	}
	for _, policy := range []string{"", allowAll} {
		e := projectEngine(t, root, ws, policy, Options{Interactive: true})
		for dir, want := range map[string]Decision{".": Allow, "sub": Allow, "evil": Ask, "evil/below": Ask, "link": Ask, "other": Ask, ".git": Ask, "worktree": Allow} {
			v := e.Check(in(filepath.Join(root, dir), "git status"))
			assert.Equal(t, want, v.Decision, "in %s: %+v", dir, v)
			for _, command := range []string{"git -C %s status", "git -C . -C %s log", "git --no-pager -C%s diff", "timeout 5 git -C %s status", "bash -c 'git -C %s log'", "cd %s && git log"} {
				if v := e.Check(in(root, fmt.Sprintf(command, dir))); want == Ask || policy == "" {
					assert.Equal(t, Ask, v.Decision, "%s in %s: %+v", command, dir, v)
				}
			}
		}
		assert.Equal(t, Ask, e.Check(in(root, "git -C $X status")).Decision)
	}
	assert.Equal(t, Allow, projectEngine(t, root, ws, allowAll, Options{Interactive: true}).Check(in(root, "git -C sub status")).Decision)
}

// A rule that allows to write means no settings, unless it names the file.
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
		{allow, ModeDefault, root + "/in", Allow}, {allow, ModeDefault, file, Ask}, {allow, ModeAutoEdit, file, Ask}, {allow, ModeYolo, file, Allow}, {"", ModeAutoEdit, file, Ask},
		{allow + "argsPattern = 'settings'\n", ModeDefault, file, Allow},
	} {
		e := projectEngine(t, root, ws, c.policy, Options{Interactive: true, Mode: c.mode})
		assert.Equal(t, c.want, e.Check(editCall(c.path)).Decision, "%+v", c)
	}
}
