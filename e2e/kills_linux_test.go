package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/transcript"
)

// A diskChange is a command that changes files of the user.
type diskChange struct {
	name  string
	files map[string]string // of the project; "../" is the home
	first [][]string        // commands to run before it
	args  []string          // the command to kill
	env   []string          // additional environment
	more  bool              // it is similar to another one, so it is only killed if the variable is set
	next  []string          // the next command; empty: a one-shot prompt
	whole []string          // folders of the home that must be as before the command or as after it, never a mixture
	later []string          // files in them that are written after the rest of the folder
}

// killedExtension returns an extension with the given version.
func killedExtension(version string) map[string]string {
	return map[string]string{
		"gemini-extension.json": `{"name": "guard", "version": "` + version + `"}`,
		"hooks/hooks.json":      `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "exit 0 # ` + version + `"}]}]}}`,
		"notes.txt":             version,
	}
}

func killedSkill(version string) map[string]string {
	return map[string]string{"SKILL.md": "---\nname: tea\ndescription: Makes tea " + version + ".\n---\nBoil water.\n", "notes.txt": version}
}

// under moves the files into a folder.
func under(dir string, files ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, some := range files {
		for name, text := range some {
			out[dir+"/"+name] = text
		}
	}
	return out
}

func merged(all ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, files := range all {
		for name, text := range files {
			out[name] = text
		}
	}
	return out
}

const killedCase = `prompt Show me the key
fired BeforeTool guard decision=deny

-- settings.json --
{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "guard", "command": "echo no >&2; exit 2"}]}]}}
-- key.pem --
s3cret
-- model --
call read_file {"file_path": "key.pem"}

text I may not read it.
`

// diskChanges lists the commands to kill, at moments spread over everything that they
// change. TOKEN in first and args is replaced by the fake answers of a model.
func diskChanges() []diskChange {
	settings := map[string]string{"../.gemini/settings.json": `{
  // mine
  "ui": {"theme": "dark"},
  "hooks": {"BeforeTool": [{"hooks": [{"name": "a", "type": "command", "command": "true"}]}]}
}`}
	theirs := map[string]string{".gemini/settings.json": "{\n  // ours\n  \"ui\": {\"theme\": \"light\"}\n}"}
	talk := func(args ...string) []string { return append([]string{"ANSWERS", "-y"}, args...) }
	one, two := under("../sources/one", killedExtension("1.0.0")), under("../sources/two", killedExtension("2.0.0"))
	session := map[string]string{"notes.txt": "hello world\n"}
	begun := [][]string{talk("-p", "remember this"), talk("-r", "latest", "-p", "and this")}
	return []diskChange{
		{name: "install", files: one, args: []string{"extensions", "install", "../sources/one", "--consent"}, whole: []string{".gemini/extensions/guard"}},
		{name: "link", more: true, files: one, args: []string{"extensions", "link", "../sources/one", "--consent"}, whole: []string{".gemini/extensions/guard"}},
		{
			name: "update", files: merged(one, two), whole: []string{".gemini/extensions/guard"},
			first: [][]string{{"extensions", "install", "../sources/one", "--consent"}, {"NEWER"}}, args: []string{"extensions", "update", "guard", "--consent"},
		},
		{name: "uninstall", more: true, files: one, first: [][]string{{"extensions", "install", "../sources/one", "--consent"}}, args: []string{"extensions", "uninstall", "guard"}, whole: []string{".gemini/extensions/guard"}},
		{
			name: "skill", files: merged(under("../sources/tea", killedSkill("2")), under("../.gemini/skills/tea", killedSkill("1"))),
			args: []string{"skills", "install", "../sources/tea", "--consent"}, whole: []string{".gemini/skills/tea"},
		},
		{
			name: "skill link", more: true, files: merged(under("../sources/tea", killedSkill("2")), under("../.gemini/skills/tea", killedSkill("1"))),
			args: []string{"skills", "link", "../sources/tea", "--consent"}, whole: []string{".gemini/skills/tea"},
		},
		{name: "worktree", files: merged(session, map[string]string{"../.gemini/settings.json": `{"experimental": {"worktrees": true}}`}), first: [][]string{{"GIT"}}, args: talk("--worktree", "fix", "-p", "go"), whole: []string{"project/.gemini/worktrees/fix"}, later: []string{"project/.gemini/worktrees/fix/new.txt"}},
		{name: "settings", files: settings, args: []string{"hooks", "disable", "a"}},
		{name: "project settings", more: true, files: theirs, args: []string{"mcp", "add", "server", "true"}},
		{name: "session", files: session, first: begun[:1], args: talk("-p", "a third")},
		{name: "resume", more: true, files: session, first: begun, args: talk("-r", "latest", "-p", "and that")},
		{name: "delete", more: true, files: session, first: begun, args: []string{"sessions", "delete", "1"}},
		{name: "rewind", files: session, first: begun, args: []string{"sessions", "rewind", "latest", "1", "--force"}},
		{name: "system prompt", files: session, args: talk("-p", "go"), env: []string{"GEMINI_WRITE_SYSTEM_MD=system.md"}},
		{name: "record", more: true, files: session, args: talk("--record-case", "said.txtar", "-p", "go")},
		{name: "skill of a repository", more: true, files: killedSkill("1"), first: [][]string{{"GIT"}}, args: []string{"skills", "install", "file://PROJECT", "--consent"}, whole: []string{".gemini/skills/tea"}},
		{name: "hooks test", files: map[string]string{"guard.txtar": killedCase}, args: []string{"hooks", "test", "guard.txtar"}, next: []string{"hooks", "test", "guard.txtar"}},
		{
			name: "on", more: true, files: map[string]string{"guard.txtar": killedCase}, args: []string{"hooks", "test", "--on", "gemini", "--agent-bin", "gemini=BINARY", "guard.txtar"},
			next: []string{"hooks", "test", "guard.txtar"},
		},
	}
}

// diskKills is the variable that sets the number of kills in TestKillsLoseNothing.
const diskKills = "MINIGEM_DISK_KILLS"

// TestKillsLoseNothing kills each command that changes files of the user just before one
// of its changes of the disk. At any moment, each file is as before the command or as the
// command leaves it, no session loses a message, and the next start removes everything
// else. The moments are spread evenly over all changes of a command, and are the same in
// each run.
func TestKillsLoseNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts minigem dozens of times")
	}
	t.Parallel()
	changes := diskChanges()
	each, few := 1, true
	if n, err := strconv.Atoi(os.Getenv(diskKills)); err == nil {
		each, few = (n+len(changes)-1)/len(changes), false
	}
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if few && c.more {
				t.Skip(diskKills + " says how often")
			}
			if c.name == "worktree" || c.name == "skill of a repository" {
				needs(t, "git")
			}
			h := c.home(t)
			before := h.owned(t)
			all := h.killAt(t, c.run(t, h), 0)
			require.Equal(t, 0, all.code, all.said)
			c.again(t, h)
			after := h.owned(t)
			inTime := 0
			for i := range each {
				n := 1 + i*(all.changes-1)/max(1, each-1)
				if few { // the ends of the range show the least
					n = 1 + (all.changes-1)/2
				}
				t.Run(strconv.Itoa(n), func(t *testing.T) {
					h := c.home(t)
					spoken := h.spoken(t)
					if k := h.killAt(t, c.run(t, h), n); k.inTime {
						inTime++
					}
					c.again(t, h)
					h.assertOwned(t, c, before, after)
					if c.name != "delete" && c.name != "rewind" {
						assert.Subset(t, h.spoken(t), spoken, "a session lost what was said")
					}
				})
			}
			t.Logf("%s: %d changes of the disk; killed before its end %d of %d times", c.name, all.changes, inTime, each)
		})
	}
}

// home returns a new home in which the command can run.
func (c diskChange) home(t *testing.T) home {
	t.Helper()
	h := newHome(t, nil)
	for name, text := range c.files {
		h.write(t, name, text)
	}
	require.NoError(t, os.Mkdir(h.temp(), 0o755))
	for _, args := range c.first {
		switch args[0] {
		case "GIT":
			for _, line := range []string{"init -q", "add .", "-c user.name=a -c user.email=b commit -q -m one"} {
				cmd := exec.Command("git", strings.Fields(line)...)
				cmd.Dir = h.workspace
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, string(out))
			}
		case "NEWER":
			for name, text := range killedExtension("2.0.0") {
				h.write(t, "../sources/one/"+name, text)
			}
		default:
			c.start(t, h, args)
		}
	}
	return h
}

// temp returns the folder for temporary files of all runs in h.
func (h home) temp() string { return filepath.Join(h.dir, "temp") }

func (c diskChange) run(t *testing.T, h home) run { return c.withArgs(t, h, c.args) }

func (c diskChange) withArgs(t *testing.T, h home, args []string) run {
	t.Helper()
	var out []string
	for _, a := range args {
		if a == "ANSWERS" {
			out = append(out, h.answersFile(t, `call write_file {"file_path": "new.txt", "content": "new"}`, "say Done.")...)
			continue
		}
		out = append(out, strings.NewReplacer("BINARY", binary, "PROJECT", h.workspace).Replace(a))
	}
	return run{Args: out, Env: slices.Concat([]string{"TMPDIR=" + h.temp(), "GEMINI_CLI_TRUST_WORKSPACE=true"}, fileStorage, c.env)}
}

func (c diskChange) start(t *testing.T, h home, args []string) {
	t.Helper()
	cmd, out, errOut := h.command(t, c.withArgs(t, h, args))
	require.NoError(t, cmd.Run(), "%q: %s%s", args, out, errOut)
}

// again runs the next command.
func (c diskChange) again(t *testing.T, h home) {
	t.Helper()
	next := c.next
	if next == nil {
		next = []string{"ANSWERS", "-y", "-p", "the next start"}
	}
	c.start(t, h, next)
}

// notOwned matches files that differ between two runs or are checked elsewhere.
var notOwned = regexp.MustCompile(`^(project/\.git/[^m]|\.gemini/tmp/[^/]*/chats/|answers\.jsonl|\.cache/minigem/agents/|\.gemini/\.projects\.lock|\.gemini/extension_integrity\.json|\.gemini/projects\.json$|\.gemini/tmp/fix/|\.gemini/history/fix/|\.gemini/gemini-credentials\.json$|` +
	`\.gemini/tmp/[^/]*/checkpoints/.*-before-rewind\.json$)`)

// owned returns everything in the home, with "/" at the end of folders, and the branches
// and worktrees of the project.
func (h home) owned(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(h.dir, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(h.dir, path)
		switch {
		case err != nil:
			return err
		case e.IsDir():
			name += "/"
		}
		if notOwned.MatchString(name) {
			return nil
		}
		switch {
		case e.IsDir():
			out[name] = "a folder"
		case e.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			out[name] = strings.ReplaceAll("-> "+to, h.dir, "HOME")
			return err
		default:
			data, err := os.ReadFile(path)
			out[name] = strings.ReplaceAll(string(data), h.dir, "HOME")
			return err
		}
		return nil
	}))
	if _, err := os.Stat(filepath.Join(h.workspace, ".git")); err == nil {
		for name, args := range map[string][]string{"branches": {"for-each-ref", "--format=%(refname)"}, "worktrees": {"worktree", "list", "--porcelain"}} {
			cmd := exec.Command("git", args...)
			cmd.Dir = h.workspace
			said, err := cmd.CombinedOutput()
			require.NoError(t, err, string(said))
			lines := regexp.MustCompile(`(?m)^HEAD .*\n`).ReplaceAllString(string(said), "")
			out["git "+name] = strings.ReplaceAll(lines, h.dir, "HOME")
		}
	}
	return out
}

// assertOwned compares the files with those before the command and those that it leaves.
func (h home) assertOwned(t *testing.T, c diskChange, before, after map[string]string) {
	t.Helper()
	now := h.owned(t)
	for name, text := range now {
		was, wasThere := before[name]
		is, isThere := after[name]
		switch {
		case !wasThere && !isThere:
			t.Errorf("left: %s", name)
		case !(wasThere && text == was) && !(isThere && text == is):
			t.Errorf("%s is neither as before nor as after: %q", name, text)
		}
	}
	for name := range before {
		if _, there := now[name]; !there && after[name] != "" {
			t.Errorf("lost: %s", name)
		}
	}
	for _, dir := range c.whole {
		part := func(of map[string]string) string {
			var b strings.Builder
			for _, name := range slices.Sorted(keysOf(of)) {
				if strings.HasPrefix(name, dir+"/") && !slices.Contains(c.later, name) || name == dir {
					fmt.Fprintf(&b, "%s: %q\n", name, of[name])
				}
			}
			return b.String()
		}
		assert.Contains(t, []string{part(before), part(after)}, part(now), "%s is a mixture", dir)
	}
}

func keysOf(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// spoken returns the ids of all messages in all sessions.
func (h home) spoken(t *testing.T) (ids []string) {
	t.Helper()
	for _, file := range transcriptsIn(h.dir) {
		if info, err := os.Stat(file); err == nil && info.Size() == 0 {
			continue // it was being created: no list shows it, and the retention of sessions removes it
		}
		f, err := transcript.Read(file)
		require.NoError(t, err)
		for _, m := range f.Messages {
			if m.ID != transcript.PreambleID {
				ids = append(ids, m.ID)
			}
		}
	}
	return ids
}
