package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/confine"
	"minigem/internal/proc"
)

// reader is a repository in a home with secrets around it.
type reader struct {
	*Readers
	dir string
	env []string
}

func newReader(t testing.TB) reader {
	t.Helper()
	if err := confine.Supported(); err != nil {
		t.Skip(err)
	}
	home := t.TempDir()
	dir := filepath.Join(home, "project")
	for name, text := range map[string]string{
		"project/a.txt": "alpha\nbeta\n", "project/b.json": `{"n": 1}`, "project/src/c.go": "package c // TODO\n",
		"project/.env": "K=hush-hush\n", "project/pkg/.env": "K=hush-hush\n", "project/.env.old": "hush-hush\n",
		".gemini/gemini-credentials.json": "hush-hush\n", ".pgpass": "hush-hush\n", "outside": "[a]\nb = hush-hush\n", "other/.env": "hush-hush\n",
		"other/notes.txt": "hush-hush\n", ".gitconfig": "[include]\npath = more\n", "more": "[user]\nname = N\nemail = e\n[core]\nexcludesFile = ~/ignored\n[github]\ntoken = hush-hush\n",
		"ignored": "*.log\n", "project/x.log": "TODO\n", "project/m/n.txt": "TODO\n",
	} {
		name = filepath.Join(home, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	r := reader{dir: dir, env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_OPTIONAL_LOCKS=0"}}
	for _, line := range []string{"init", "add -f .", "commit -m first", "rm --cached .env pkg/.env .env.old", "commit -m second",
		"remote add origin https://u:hush-hush@h.example/x",
		"init m", "-C m add .", "-C m commit -m m", "worktree add ../tree"} {
		cmd := exec.CommandContext(t.Context(), "git", append(strings.Fields(line)[:1:1], strings.Fields(line)[1:]...)...)
		cmd.Dir, cmd.Env = dir, r.env
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", line, out)
	}
	r.Readers = &Readers{Home: home, Path: os.Getenv("PATH"), Env: func() []string { return r.env },
		Dirs: func() []string { return []string{dir} }, Copy: filepath.Join(t.TempDir(), "gitconfig")}
	return r
}

// run runs a line as a command that nobody was asked about.
func (r reader) run(t testing.TB, line string, rules confine.Rules, env ...string) (output string, code int) {
	t.Helper()
	rules.Write = []string{t.TempDir()}
	p, err := proc.Start(proc.Command{Line: ReadersPrelude + line, Dir: r.dir, Env: append(env, r.env...), Merge: true, Rules: &rules})
	require.NoError(t, err, line)
	res := p.Wait(t.Context())
	return res.Stdout.String(), res.ExitCode
}

// What a program reads and starts is not known from its words if they are a program of
// their own. None of these lines may show a secret; each shows it if nothing confines it.
func TestReadersKeepToWhatIsNamed(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	config, err := os.OpenFile(filepath.Join(r.dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = config.WriteString("[include]\npath = ~/outside\n")
	require.NoError(t, errors.Join(err, config.Close()))
	for _, line := range []string{
		`git status; awk 'BEGIN { f = ENVIRON["HOME"] "/out" "side"; while ((getline l < f) > 0) print l }'`,
		`git status; awk 'BEGIN { f = ENVIRON["HOME"] "/mo" "re"; while ((getline l < f) > 0) print l }'`,
		`awk 'BEGIN { f = ENVIRON["HOME"] "/.gemini/gemini-cred" "entials.json"; while ((getline l < f) > 0) print l }'`,
		`awk 'BEGIN { f = ENVIRON["HOME"] "/.pg" "pass"; while ((getline l < f) > 0) print l }'`,
		`awk 'BEGIN { while ((getline l < ("pkg/.e" "nv")) > 0) print l }'`,
		`awk 'BEGIN { system("cat $HOME/other/notes.tx" "t") }'`,
		`sed '1e cat $HOME/other/.en?' a.txt`,
		`sed "1e git log -p -3" a.txt`,
		`sed "1e git remote -v" a.txt`,
		`awk 'BEGIN { system("git show HEAD~1:.en" "v") }'`,
		`awk 'BEGIN { system("cat .g*/config") }'`,
		`awk 'BEGIN { while ((getline l < (".git/conf" "ig")) > 0) print l }'`,
		`grep -r u: .git; grep -rh hush .git`,
		`printf "$HOME/other/%s\0" notes.txt | sort --files0-from=-`,
		`sort -S 1b --compress-program=./x.sh a.txt; cat a.txt | sed 's/alpha/cat pkg\/.en*/e'`,
		`date -f pkg/.env`, `file -f pkg/.env`, `find -files0-from pkg/.env`, `du --files0-from=pkg/.env`, `cat pkg/.e*`,
		`grep -d recurse hush .`, `grep hush pkg -d recurse`, `grep --der hush .`, `diff src pkg`, `diff -N src pkg`,
		`strings @pkg/.env`,
		`which ls; awk 'BEGIN { system("/lib64/ld-linux-x86-64.so.2 /usr/bin/perl -e \"print qq(hush),qq(-hush)\"") }'`,
		`egrep x a.txt; sed "1e printf hush; printf -- -hush" a.txt`,
		`printf 'printf hush; printf -- -hush\n' | sort -S1k --compress-program=bash - a.txt a.txt a.txt`,
		`git status --short; awk 'BEGIN { system("git show HEAD~1:.en" "v") }'`,
	} {
		rules, env := r.Rules(line, r.dir)
		said, _ := r.run(t, line, rules, env...)
		assert.NotContains(t, said, "hush-hush", line)
	}
}

// These lines print the same as without any rules.
func TestReadersRead(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	for _, line := range []string{
		"cat a.txt", "cat a.txt | head -1", "sed -n 1,40p a.txt", "wc -l *.txt src/*.go", "ls -la src", "find . -name '*.go'",
		"grep -rn TODO src", "grep -n alpha a.txt b.json", "awk '{ print $1 }' a.txt", "sort a.txt | uniq -c", "egrep -c a a.txt",
		"diff a.txt b.json", "head -c 3 <a.txt", "cd src && cat c.go", "stat -c %s a.txt", "file a.txt", "which git", "date +%Y",
		"git status --short", "git log --oneline", "git log --format=%an", "git diff", "git branch", "git rev-parse HEAD",
		"git show HEAD", "git log --oneline | awk '{ print $2 }'", "cut -d: -f1 /etc/passwd", "du -s src", "pwd", "test -f a.txt",
		"xxd a.txt", "od -c a.txt", "tr a b <a.txt", "echo *", "jq .n b.json", "rg --sort path -n TODO", "rg --sort path --files", "cd m && git status", "cd m && git log --oneline", "realpath a.txt", "id",
	} {
		want, code := r.run(t, line, confine.Rules{})
		if code == 127 {
			continue // a program that is not installed
		}
		rules, env := r.Rules(line, r.dir)
		got, gotCode := r.run(t, line, rules, env...)
		assert.Equal(t, want, got, line)
		assert.Equal(t, code, gotCode, line)
	}
}

// A program in the workspace is not started by its name, although PATH leads to it, and a
// version manager's program starts the one that it stands for.
func TestReadersStartNoProgramOfTheModel(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	shims := filepath.Join(r.Home, "shims")
	path, err := exec.LookPath("echo")
	require.NoError(t, err)
	echo, err := os.ReadFile(path)
	require.NoError(t, err)
	for file, text := range map[string]string{
		filepath.Join(r.dir, "wc"): string(echo), filepath.Join(shims, "file"): "#!/bin/sh\nexec stat -c %s a.txt\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o755))
	}
	in := r
	in.env = []string{"PATH=" + r.dir + ":" + shims + ":" + r.Path, "HOME=" + r.Home}
	in.Readers = &Readers{Home: r.Home, Path: in.env[0][len("PATH="):], Env: r.Env, Dirs: r.Dirs}
	for line, want := range map[string]string{"wc -l a.txt": "denied", "file a.txt": "11", "file a.txt; awk 1 a.txt": "denied"} {
		rules, env := in.Rules(line, r.dir)
		said, _ := in.run(t, line, rules, env...)
		assert.Contains(t, said, want, line)
	}
}

// Without files of the user's, git lines open no working directory in their place.
func TestReadersTakeNoNameForTheWorkingDirectory(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	in := &Readers{Home: t.TempDir(), Path: r.Path, Env: func() []string { return []string{"PATH=" + r.Path} },
		Dirs: func() []string { return []string{r.dir} }}
	rules, _ := in.Rules("git status", r.dir)
	assert.NotContains(t, rules.Read, ".")
	assert.NotContains(t, rules.Read, "")
}

// git works in a worktree, whose data is elsewhere, and below the top of a repository.
func TestReadersFindTheRepository(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	for _, dir := range []string{filepath.Join(r.Home, "tree"), filepath.Join(r.dir, "src"), filepath.Join(r.dir, "m")} {
		in := r
		in.dir = dir
		in.Readers = &Readers{Home: r.Home, Path: r.Path, Env: r.Env, Dirs: func() []string { return []string{dir} },
			Copy: filepath.Join(t.TempDir(), "gitconfig")}
		for _, line := range []string{"git status", "git log --format=%an", "git diff HEAD", "git ls-files", "git blame *"} {
			want, code := in.run(t, line, confine.Rules{})
			rules, env := in.Rules(line, dir)
			got, gotCode := in.run(t, line, rules, env...)
			assert.Equal(t, want, got, "%s in %s", line, dir)
			assert.Equal(t, code, gotCode, "%s in %s", line, dir)
		}
	}
	// A file that claims to be a worktree of another repository is not believed.
	other := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(other, ".git"), []byte("gitdir: "+r.dir+"/.git\n"), 0o600))
	in := r
	in.dir = other
	in.Readers = &Readers{Home: r.Home, Path: r.Path, Env: r.Env, Dirs: func() []string { return []string{other} }}
	rules, env := in.Rules("git log -p", other)
	said, code := in.run(t, "git log -p", rules, env...)
	assert.NotContains(t, said, "alpha")
	assert.NotZero(t, code)
}

// BenchmarkReader compares a command that nobody was asked about with the same line
// without rules.
func BenchmarkReader(b *testing.B) {
	r := newReader(b)
	for name, rules := range map[string]func() confine.Rules{
		"free":     func() confine.Rules { return confine.Rules{} },
		"confined": func() confine.Rules { rules, _ := r.Rules("cat a.txt", r.dir); return rules },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r.run(b, "cat a.txt", rules())
			}
		})
	}
}
