package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// notPlayed lists the README's commands that TestREADME does not run, and why.
var notPlayed = map[string]string{
	"go run ./cmd/minigem demo":     "minigem demo below it is run; .ci/run runs this one",
	"go test ./...":                 "it would run this test; .ci/run runs it",
	"minigem":                       "the chat needs a terminal; TestChatTalks runs it",
	"export GEMINI_API_KEY=...":     "the test has a key of its own, for a fake API",
	"npm install --prefix ~/agents": "it needs the network",
	"minigem hooks test --agents-from ~/agents --on claude,codex no-force.txtar": "it needs those agents; TestRealAgents runs them",
}

// TestREADME follows the page from the top in an empty home: it saves the files, types the
// commands and compares the output. A screen whose files are saved further down is
// compared there.
func TestREADME(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	page := string(data)
	lines := strings.Split(page, "\n")
	assert.LessOrEqual(t, len(lines)-1, 150, "lines of README.md")
	for i, line := range lines {
		assert.LessOrEqual(t, len([]rune(line)), 120, "README.md:%d is longer than 120 characters", i+1)
	}
	reader := newTerminal(t)
	reader.path = installs(t)
	var later []block
	typed := 0
	for _, b := range pageBlocks(page) {
		switch {
		case b.lang == "indented":
			for command := range strings.Lines(b.text) {
				typed += reader.follows(t, strings.TrimSpace(command))
			}
		case b.lang == "console":
			later = append(later, b)
		case b.lang == "yaml":
			typed += reader.workflow(t, b.text)
		case b.lang == "go":
			assertCompiled(t, b.text)
		case strings.HasPrefix(b.intro[strings.LastIndex(b.intro, ". ")+1:], " Save "):
			reader.saves(t, b)
		default:
			reader.edits(t, b)
		}
		for i := len(later) - 1; i >= 0; i-- { // newest first: it may make the hook executable
			if reader.has(later[i]) {
				reader.compares(t, later[i])
				later, typed = slices.Delete(later, i, i+1), typed+1
			}
		}
	}
	assert.Empty(t, later, "the files of these screens are never saved")
	assert.Greater(t, typed, 8)
}

// installs runs the page's first command in the repository and returns the program's
// folder.
func installs(t *testing.T) string {
	bin := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "install", "./cmd/minigem")
	cmd.Dir, cmd.Env = "..", append(os.Environ(), "GOBIN="+bin)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return bin
}

// pageBlocks returns the fenced and indented blocks of a page in order. The lang of
// indented ones is "indented".
func pageBlocks(page string) []block {
	var all []block
	fenced, inside := blocks(page), false
	for i, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, "```") {
			inside = !inside
			if inside {
				all, fenced = append(all, fenced[0]), fenced[1:]
			}
			continue
		}
		command, indented := strings.CutPrefix(line, "    ")
		switch {
		case inside || !indented:
		case len(all) > 0 && all[len(all)-1].lang == "indented" && all[len(all)-1].line+strings.Count(all[len(all)-1].text, "\n") == i:
			all[len(all)-1].text += command + "\n"
		default:
			all = append(all, block{lang: "indented", text: command + "\n", line: i})
		}
	}
	return all
}

// follows types an indented command, whose output the page does not show.
func (r terminal) follows(t *testing.T, line string) int {
	if notPlayed[line] != "" || line == "go install ./cmd/minigem" {
		return 0
	}
	first, rest, _ := strings.Cut(line, " && ")
	require.True(t, rest == "" || notPlayed[rest] != "", line)
	api := startFakeAPI(t, textAnswers(t, "It is empty.", 2))
	seen, code := r.types(t, "export "+strings.Join(api.env(), " ")+"; "+first)
	assert.Equal(t, 0, code, "%s\n%s", line, seen)
	return 1
}

// saves writes the file that the paragraph above the block names last.
func (r terminal) saves(t *testing.T, b block) {
	names := named.FindAllStringSubmatch(b.intro, -1)
	require.NotEmpty(t, names, b.intro)
	name := names[len(names)-1][1]
	r.write(t, name, b.text)
	require.NoError(t, os.Chmod(filepath.Join(r.workspace, name), 0o644)) // as an editor would
}

// edits replaces the line of the file that starts like the block.
func (r terminal) edits(t *testing.T, b block) {
	names := named.FindAllStringSubmatch(b.intro, -1)
	require.NotEmpty(t, names, b.intro)
	require.Regexp(t, "With this line in `[^`]+`:$", b.intro)
	name := names[len(names)-1][1]
	start, _, _ := strings.Cut(b.text, " echo")
	was := r.read(t, name)
	now := regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(start)+`.*\n`).ReplaceAllLiteralString(was, b.text)
	require.NotEqual(t, was, now, "%s has no line that begins with %s", name, start)
	require.NoError(t, os.WriteFile(filepath.Join(r.workspace, name), []byte(now), 0o755))
}

// has reports whether the screen's commands can run: the files that they name exist, and
// the hook is executable or they make it so.
func (r terminal) has(screen block) bool {
	hook, err := os.Stat(filepath.Join(r.workspace, "no-force.sh"))
	if err == nil && hook.Mode()&0o100 == 0 && !strings.Contains(screen.text, "$ chmod ") {
		return false
	}
	for line := range strings.Lines(screen.text) {
		for _, name := range regexp.MustCompile(`no-force\.\w+`).FindAllString(line, -1) {
			if _, err := os.Stat(filepath.Join(r.workspace, name)); strings.HasPrefix(line, "$ ") && err != nil {
				return false
			}
		}
	}
	return true
}

// compares types the commands of a screen and compares the output. A line "..." matches
// any number of lines.
func (r terminal) compares(t *testing.T, screen block) {
	for _, c := range strings.Split("\n"+screen.text, "\n$ ")[1:] {
		command, printed, _ := strings.Cut(c, "\n")
		seen, _ := r.types(t, command+" 2>/dev/null") // without progress messages
		pattern := "^"
		for line := range strings.Lines(tidy(printed)) {
			if strings.TrimSpace(line) == "..." {
				pattern += `(?:.*\n)*?`
			} else {
				pattern += regexp.QuoteMeta(line)
			}
		}
		if !regexp.MustCompile(pattern + "$").MatchString(tidy(seen)) {
			assert.Equal(t, printed, seen, "README.md:%d: $ %s", screen.line, command)
		}
	}
}

// workflow parses the steps of a workflow and runs the minigem command in them.
func (r terminal) workflow(t *testing.T, text string) int {
	var steps []struct {
		Uses, Run string
		With      map[string]string
	}
	require.NoError(t, yaml.Unmarshal([]byte(text), &steps))
	ran := 0
	for _, s := range steps {
		if strings.HasPrefix(s.Run, "minigem ") {
			seen, code := r.types(t, s.Run)
			assert.Equal(t, 0, code, seen)
			ran++
		}
	}
	assert.Equal(t, 1, ran)
	return ran
}

// assertCompiled checks that the README's program is in a test that compiles and runs it.
func assertCompiled(t *testing.T, text string) {
	source, err := os.ReadFile("../examples/agent/readme_test.go")
	require.NoError(t, err)
	unindented := strings.ReplaceAll("\n"+string(source), "\n\t", "\n")
	assert.Contains(t, unindented, text, "examples/agent/readme_test.go has other lines")
}
