package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

var updatePages = flag.Bool("update-pages", false, "rewrite what the commands of the pages print")

// A block is a code block on a page.
type block struct {
	section string // the heading above it
	intro   string // the paragraph above it, on one line
	lang    string
	text    string
	line    int // of its first line, from 0
}

// blocks returns the fenced code blocks of a page.
func blocks(page string) []block {
	var all []block
	var paragraph []string
	section, inside := "", false
	for i, line := range strings.Split(page, "\n") {
		switch fence, isFence := strings.CutPrefix(line, "```"); {
		case isFence && inside:
			inside, paragraph = false, nil
		case isFence:
			inside = true
			all = append(all, block{section: section, intro: strings.TrimSpace(strings.Join(paragraph, " ")), lang: fence, line: i + 1})
		case inside:
			all[len(all)-1].text += line + "\n"
		case strings.HasPrefix(line, "## "):
			section, paragraph = strings.TrimPrefix(line, "## "), nil
		case line == "" && len(paragraph) > 0 && paragraph[len(paragraph)-1] != "":
			paragraph = append(paragraph, "") // a block follows an empty line
		case line == "":
		case len(paragraph) > 0 && paragraph[len(paragraph)-1] == "":
			paragraph = []string{line}
		default:
			paragraph = append(paragraph, line)
		}
	}
	return all
}

// terminal is the shell of a reader who follows a page.
type terminal struct {
	home
	path string // the part before PATH
}

// types runs a command line and returns its output and exit code.
func (r terminal) types(t *testing.T, line string) (seen string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", line)
	cmd.Dir = r.workspace
	cmd.Env = []string{"HOME=" + r.dir, "PATH=" + r.path + string(os.PathListSeparator) + os.Getenv("PATH"), "TERM=dumb", "LANG=C.UTF-8"}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		require.NoError(t, err, line)
	}
	return strings.ReplaceAll(string(out), r.dir, "/home/you"), cmd.ProcessState.ExitCode()
}

func newTerminal(t *testing.T) terminal { return terminal{newHome(t, nil), filepath.Dir(binary)} }

// edits lists the changes that a page describes in prose.
var edits = map[string]struct{ file, from, to string }{
	"With `exit 2` in `guard.sh`:":                         {".gemini/hooks/guard.sh", "exit 1", "exit 2"},
	"With `\"matcher\": \"read_file|run_shell_command\"`:": {".gemini/settings.json", `"read_file"`, `"read_file|run_shell_command"`},
	"With `*.key*` instead of `*.pem*` in `guard.sh`:":     {".gemini/hooks/guard.sh", "*.pem*", "*.key*"},
	"With `*.pem*` in `guard.sh` again:":                   {".gemini/hooks/guard.sh", "*.key*", "*.pem*"},
}

// pages lists the tested pages in reading order. Each one continues with the files of the
// one before it.
var pages = []string{"TESTBED.md", "CASES.md", "CI.md"}

// begins lists the sections that start in an empty folder.
var begins = map[string]bool{"In three commands": true, "From nothing to a tested guard": true}

var named = regexp.MustCompile("`([\\w./-]+\\.\\w+)`")

// TestPages: each command on the pages prints the lines below it, for a reader who follows
// them from the top.
func TestPages(t *testing.T) {
	t.Parallel()
	var reader terminal
	done := map[string]bool{}
	for _, page := range pages {
		reader = reader.reads(t, filepath.Join("..", "docs", page), done)
	}
	assert.Len(t, done, len(edits), "every edit was made")
}

// reads follows a page and returns the terminal at its end. It adds the edits that it made
// to done.
func (r terminal) reads(t *testing.T, file string, done map[string]bool) terminal {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.Split(string(data), "\n")
	reader, section := r, ""
	shift := 0 // of lines, by updates
	for _, b := range blocks(string(data)) {
		if b.section != section && begins[b.section] {
			reader = newTerminal(t)
		}
		section = b.section
		for words, e := range edits {
			if strings.HasSuffix(b.intro, words) {
				done[words] = true
				text := reader.read(t, e.file)
				require.Contains(t, text, e.from, words)
				reader.write(t, e.file, strings.ReplaceAll(text, e.from, e.to))
			}
		}
		switch names := named.FindAllStringSubmatch(b.intro, -1); {
		case b.lang == "console":
			got := reader.plays(t, b)
			if tidy(got) == tidy(b.text) {
				continue
			}
			if !*updatePages {
				assert.Equal(t, tidy(b.text), tidy(got), "%s:%d: go test ./e2e -run TestPages -update-pages writes it", file, b.line)
				continue
			}
			was, now := strings.Count(b.text, "\n"), strings.Split(strings.TrimSuffix(got, "\n"), "\n")
			at := b.line + shift
			lines = append(lines[:at:at], append(now, lines[at+was:]...)...)
			shift += len(now) - was
		case b.lang == "yaml":
			reader.recipe(t, b.text)
		case strings.HasSuffix(b.intro, ":") && len(names) > 0:
			reader.write(t, names[len(names)-1][1], b.text)
		}
	}
	if *updatePages {
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644))
	}
	return reader
}

// plays types the commands of a console block and returns the block with their actual
// output. Commands that cannot run here stay unchanged.
func (r terminal) plays(t *testing.T, b block) string {
	t.Helper()
	var out strings.Builder
	commands := strings.Split("\n"+b.text, "\n$ ")[1:]
	for _, c := range commands {
		line, printed, _ := strings.Cut(c, "\n")
		command := strings.TrimSpace(regexp.MustCompile(`\s+# .*`).ReplaceAllString(line, ""))
		fmt.Fprintf(&out, "$ %s\n", line)
		switch {
		case strings.Contains(command, "--watch"): // it does not end
		case strings.Contains(command, "--on gemini"):
			out.WriteString(r.withGeminiCLI(t, command, printed))
		default:
			seen, _ := r.types(t, command)
			if !strings.Contains(line, "     # ") { // the page shows an option, not its output
				out.WriteString(seen)
			}
		}
	}
	return out.String()
}

// withGeminiCLI runs a command in the repository that requires Gemini CLI itself. Without
// Gemini CLI it returns what the page says.
func (r terminal) withGeminiCLI(t *testing.T, command, printed string) string {
	path := os.Getenv("MINIGEM_ORACLE")
	if path == "" {
		return printed
	}
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	r.workspace, r.path = root, r.path+string(os.PathListSeparator)+filepath.Dir(path)
	seen, _ := r.types(t, command+" 2>/dev/null") // without progress messages, whose order varies
	return seen
}

var (
	durations = regexp.MustCompile(`\b\d+(\.\d+)? ?m?s\b`)
	stamps    = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z|session-[\dT-]+-[0-9a-f]{8}|PGID: \d+`)
	blanks    = regexp.MustCompile(`[ \t]+`)
)

// tidy returns text without what differs from run to run.
func tidy(s string) string {
	return blanks.ReplaceAllString(stamps.ReplaceAllString(durations.ReplaceAllString(s, "TIME"), "ID"), " ")
}

// recipe checks a workflow of GitHub Actions: it is YAML, its steps are valid, and its
// minigem commands run.
func (r terminal) recipe(t *testing.T, text string) {
	t.Helper()
	var w struct {
		Name string
		On   []string
		Jobs map[string]struct {
			RunsOn string `yaml:"runs-on"`
			Steps  []struct {
				Uses, Run, If string
				With          map[string]string
			}
		}
	}
	d := yaml.NewDecoder(strings.NewReader(strings.Replace(text, "permissions:\n  contents: read\n", "", 1)))
	d.KnownFields(true)
	require.NoError(t, d.Decode(&w))
	assert.Equal(t, []string{"push", "pull_request"}, w.On)
	job := w.Jobs["test"]
	assert.Equal(t, "ubuntu-latest", job.RunsOn)
	var with map[string]string // of our own action, which TestGitHubAction runs
	for _, s := range job.Steps {
		if strings.HasPrefix(s.Uses, "OWNER/minigem@") {
			with = s.With
			continue
		}
		assert.Regexp(t, `^actions/(checkout|upload-artifact)@v\d+$`, s.Uses)
	}
	require.Len(t, with, 2)
	seen, code := r.types(t, "minigem hooks test "+with["cases"]+" --format github --html hooks.html --junit hooks.xml "+with["args"])
	assert.Equal(t, 0, code, seen)
	assert.Contains(t, r.read(t, "hooks.xml"), `<testsuite name="minigem hooks" tests="4" failures="0" errors="0"`)
}

// TestPageOfTheExamples runs the command of examples/README.md, with the Go hooks built as
// the page says.
func TestPageOfTheExamples(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../examples/README.md")
	require.NoError(t, err)
	reader := newTerminal(t)
	reader.workspace, err = filepath.Abs("..")
	require.NoError(t, err)
	build := regexp.MustCompile("`(go build -o) ~/bin/( ./examples/toolfilter [^`]+)`").FindStringSubmatch(string(data))
	require.NotNil(t, build, "the page says how to build them")
	bin := t.TempDir()
	cmd := exec.Command("bash", "-c", build[1]+" '"+bin+"'/"+build[2])
	cmd.Dir = reader.workspace
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	reader.path += string(os.PathListSeparator) + bin
	for _, b := range blocks(string(data)) {
		require.Equal(t, "console", b.lang)
		command, _, _ := strings.Cut(strings.TrimPrefix(b.text, "$ "), "\n")
		seen, code := reader.types(t, command)
		assert.Equal(t, 0, code, seen)
		assert.NotContains(t, seen, "failed,")
	}
}
