package shell

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"minigem/internal/waittest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// heldBack are options of programs that need no rule, looked at and found to
// write, to run something, or to read what they do not name.
var heldBack = map[string]string{
	"wc": "--files0-from", "du": "--files0-from --exclude-from -X -L --dereference", "sort": "-T --temporary-directory --compress-program --files0-from --random-source",
	"grep": "-R --dereference-recursive -d --directories -D --devices --exclude-from", "diff": "-l --paginate --from-file --to-file -X --exclude-from -S --starting-file -D --ifdef",
	"md5sum": "-c --check", "sha1sum": "-c --check", "sha256sum": "-c --check", "cksum": "-c --check",
	"file": "-C --compile -m --magic-file -f --files-from -z -Z --uncompress -S --no-sandbox -p --preserve-date", "date": "-s --set -f --file -r --reference",
	"hostname": "-F --file -b --boot", "rg": "--pre --search-zip -z --hostname-bin --follow -L", "tree": "-o -R -l --fromfile --info",
	"find": "-delete -exec -execdir -ok -okdir -fprint -fprint0 -fprintf -fls -L -H -follow -files0-from",
}

func TestHeldBackOptionsNeedARule(t *testing.T) {
	t.Parallel()
	for name, options := range heldBack {
		for option := range strings.FieldsSeq(options) {
			for _, line := range []string{name + " " + option, name + " " + option + " x", name + " " + option + "=x x", name + " x " + option + " y"} {
				parsed, err := Parse(line)
				require.NoError(t, err)
				assert.False(t, parsed.Commands[0].Safe, line)
			}
		}
	}
	for _, line := range []string{
		"sort -o F in", "sort -oF in", "sort -uoF in", "sort --output=F in", "sort --out=F in", "uniq in F", "uniq -- in -F", "tree -o F", "date 0101", "hostname x", "find -fprintf F x",
		"find . -fls F", "find . -ok rm {} ;", "rg --pre=x y", "git grep -Ox y", "git -c a=b log", "git log --output=F", "git log --outp F", "git diff --ext-diff", "git branch new", "git tag v1",
		"git remote add a b", "cat $X", "command -p ls", "command ls", "which -a x $Y", "cd", "printf -v PATH x", "find . -name $X", "file -Cm x", "git show --textconv --output x",
	} {
		parsed, err := Parse(line)
		require.NoError(t, err)
		assert.False(t, parsed.Commands[0].Safe, line)
	}
}

var optionInHelp = regexp.MustCompile(`(?m)(?:^|[\s,\[|])(--?[A-Za-z0-9][-A-Za-z0-9]*)`)

// Every option that a program of this machine says it has is either known to
// be harmless, or needs a rule. The log names those that nobody looked at.
func TestEachOptionOfTheseProgramsIsDecided(t *testing.T) {
	t.Parallel()
	undecided := 0
	for _, name := range slices.Sorted(maps.Keys(readers)) {
		u := readers[name]
		path, err := exec.LookPath(name)
		if err != nil || u.words {
			continue
		}
		out, _ := exec.CommandContext(waittest.Context(t), path, "--help").CombinedOutput()
		known := u.readOptions()
		var open []string
		for _, m := range optionInHelp.FindAllSubmatch(out, -1) {
			option := string(m[1])
			if len(option) > 2 && !strings.HasPrefix(option, "--") && !u.whole {
				continue // no option: a word of the text
			}
			if _, ok := known[option]; ok || slices.Contains(strings.Fields(heldBack[name]), option) || slices.Contains(open, option) {
				continue
			}
			open = append(open, option)
			for _, line := range []string{name + " " + option, name + " " + option + " a b", name + " " + option + "=a b"} {
				parsed, err := Parse(line)
				require.NoError(t, err)
				assert.False(t, parsed.Commands[0].Safe, line)
			}
		}
		if len(open) > 0 {
			t.Logf("%s: not decided, so that they need a rule: %s", name, strings.Join(open, " "))
		}
		undecided += len(open)
	}
	t.Logf("%d options are not decided", undecided)
}

// Each option that is known to be harmless is given to the real program, with
// each value that could be a file: nothing is made or changed.
func TestHarmlessOptionsChangeNothing(t *testing.T) {
	t.Parallel()
	dir, ran := t.TempDir(), 0
	for _, name := range []string{"in", "in2"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("a\nb\n"), 0o444))
	}
	before := stateOf(t, dir)
	for _, name := range slices.Sorted(maps.Keys(readers)) {
		path, err := exec.LookPath(name)
		if err != nil || slices.Contains([]string{"cd", "sleep", "command", "type"}, name) {
			continue
		}
		for option, r := range readers[name].readOptions() {
			if strings.Contains("-f -F --follow --retry", option) && name == "tail" {
				continue // it never ends
			}
			for _, args := range [][]string{{option, "new", "in"}, {option + "=new", "in"}, {option + "new", "in"}, {option, "in", "in2"}, {"in", option}, {"-x", option, "new"}} {
				parsed, err := Parse(name + " " + strings.Join(args, " "))
				require.NoError(t, err)
				if !parsed.Commands[0].Safe || r == writes {
					continue
				}
				c := exec.CommandContext(waittest.Context(t), path, args...)
				c.Dir, c.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir}
				_ = c.Run() // that it fails is no matter
				ran++
				require.Equal(t, before, stateOf(t, dir), "%s %v", name, args)
			}
		}
	}
	assert.Greater(t, ran, 300)
	t.Logf("%d commands were run", ran)
}

func stateOf(t *testing.T, dir string) (state []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			state = append(state, path+info.ModTime().String()+info.Mode().String())
		}
		return err
	}))
	return state
}

// TestWhatIsNotDecidedCarries: an option that nobody thought of may run what it is
// given, whatever else is known of its program.
func TestWhatIsNotDecidedCarries(t *testing.T) {
	t.Parallel()
	for _, programs := range []map[string]usage{readers, writers} {
		for name, u := range programs {
			if _, builtin := builtins[name]; builtin || u.words || runnerOf(name) != nil {
				continue // they are judged by rules of their own
			}
			line, err := Parse(name + " --no-such-option='canary x'")
			require.NoError(t, err)
			c := line.Commands[0]
			assert.Contains(t, c.Carried(), []string{"canary", "x"}, name)
		}
	}
}
