// Package program looks at the programs of hooks without running them: what
// they print where, with which codes they exit, which fields they read. What it
// finds is what their text shows; a program that computes its answer shows
// little, and then the facts are few rather than wrong.
package program

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/internal/boundedfile"
)

// Place is where hooks run.
type Place struct {
	Dir        string // their working directory
	ProjectDir string // GEMINI_PROJECT_DIR
	Home       string
}

// Vars are the variables that a command can use and that are known.
func (p Place) Vars() map[string]string {
	return map[string]string{
		"GEMINI_PROJECT_DIR": p.ProjectDir, "CLAUDE_PROJECT_DIR": p.ProjectDir,
		"GEMINI_CWD": p.Dir, "PWD": p.Dir, "HOME": p.Home,
	}
}

// Language is what a program is written in.
type Language string

const (
	Shell  Language = "sh"
	Python Language = "py"
	Script Language = "js" // JavaScript
	Other  Language = ""
)

// Fact is something that a line shows.
type Fact struct {
	Line int
	Text string // the words, the code, the value that were found
}

// Facts are what one program shows. Lines are those of the program.
type Facts struct {
	Path string // empty: it is the command itself
	Lang Language
	Text string

	Exits     []Fact // exit codes that stand there as numbers
	Decisions []Fact // values of "decision"
	Foreign   []Fact // fields of another agent's hooks

	Fields []Field // that it reads, of its payload most likely: by jq in a shell

	Stdout  []Fact // texts that are printed there, shell only
	Stderr  []Fact // likewise, on stderr
	Silent  bool   // it prints nothing at all, shell only
	Mixed   *Fact  // a text that is printed before JSON, on the same way through the program
	Traps   *Fact  // it ignores TERM
	Leaves  *Fact  // it leaves a child that holds stdout
	Kills   *Fact  // it ends itself by a signal
	Unsaid  *Fact  // JSON that is printed before an exit with 2, on the same way through the program
	Strict  *Fact  // set -e or set -u, where sh makes of a fault an exit with 2
	Invalid string // why the shell cannot read it; empty: it can
}

// Field is what a filter of jq, or a line of another language, reads: the first of
// Paths that is there.
type Field struct {
	Line  int
	Paths [][]string
}

// maxProgram is how much of a program is looked at: larger ones are built, not
// written.
const maxProgram = 256 << 10

// Read looks at h's command and at the programs it names. Files that cannot be
// read, and binary ones, are left out.
func Read(h hooks.Hook, p Place) []Facts {
	all := []Facts{look("", Shell, h.Line())}
	for _, path := range config.FilesNamed(h, p.Dir, p.Vars()) {
		if info, err := os.Stat(path); err != nil || info.Size() > maxProgram {
			continue
		}
		data, err := boundedfile.Read(path, maxProgram)
		if err != nil || bytes.IndexByte(data, 0) >= 0 {
			continue
		}
		if lang := languageOf(path, string(data), h.Line()); lang != "?" {
			all = append(all, look(path, lang, string(data)))
		}
	}
	return all
}

// pattern compiles expr when it is first asked for, so that only those who read
// programs pay for it.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

var shebang = pattern(`^\x{FEFF}?#!\s*(?:\S*[/\s])?(?:env\s+(?:-\S+\s+|\w+=\S*\s+)*)?(\w+?)[\d.]*(?:\s|$)`)

// languageOf knows programs by their first line, their name, or by who runs
// them. "?" is not a program: data that the command names.
func languageOf(path, text, command string) Language {
	first, _, _ := strings.Cut(text, "\n")
	if m := shebang().FindStringSubmatch(first); m != nil {
		switch m[1] {
		case "python", "pypy", "uv":
			return Python
		case "bash", "dash", "sh", "ash":
			return Shell
		case "node", "deno", "bun":
			return Script
		}
		return Other // fish, zsh and others have a syntax of their own
	}
	switch filepath.Ext(path) {
	case ".sh", ".bash":
		return Shell
	case ".py":
		return Python
	case ".js", ".mjs", ".cjs", ".ts":
		return Script
	case ".json", ".jsonl", ".md", ".txt", ".toml", ".yaml", ".yml", ".log":
		return "?"
	}
	if strings.HasPrefix(strings.TrimSpace(command), "bash ") || strings.HasPrefix(strings.TrimSpace(command), "sh ") {
		return Shell
	}
	return Other
}

var (
	decision = pattern(`\bdecision\\?["']?\s*[:=]\s*\\?["'](\w+)`)
	foreign  = pattern(`\b(permissionDecisionReason|permissionDecision|updatedInput|updatedToolOutput)\b`)
	exits    = map[Language]func() *regexp.Regexp{
		Python: pattern(`\b(?:sys\.exit|os\._exit|exit)\(\s*(\d+)\s*\)`),
		Script: pattern(`\bprocess\.(?:exit\(\s*|exitCode\s*=\s*)(\d+)`),
	}
	// sys.exit with words prints them on stderr and exits with 1.
	pythonWords = pattern(`\b(?:sys\.exit|SystemExit)\(\s*[rbf]?["']`)
	stderrJSON  = map[Language]func() *regexp.Regexp{
		Python: pattern(
			`json\.dump\([^\n]*sys\.stderr|print\(\s*json\.dumps[^\n]*sys\.stderr|sys\.stderr\.write\(\s*json\.dumps`),
		Script: pattern(`(?:console\.error|process\.stderr\.write)\(\s*JSON\.stringify`),
	}
)

func look(path string, lang Language, text string) Facts {
	f := Facts{Path: path, Lang: lang, Text: text}
	n := 0
	for line := range strings.Lines(text) {
		n++
		if t := strings.TrimSpace(line); strings.HasPrefix(t, "#") || strings.HasPrefix(t, "//") {
			continue
		}
		for _, m := range decision().FindAllStringSubmatch(line, -1) {
			f.Decisions = append(f.Decisions, Fact{n, m[1]})
		}
		for _, m := range foreign().FindAllString(line, -1) {
			f.Foreign = append(f.Foreign, Fact{n, m})
		}
		if re := exits[lang]; re != nil {
			for _, m := range re().FindAllStringSubmatch(line, -1) {
				f.Exits = append(f.Exits, Fact{n, m[1]})
			}
		}
		if lang == Python && pythonWords().MatchString(line) {
			f.Exits = append(f.Exits, Fact{n, "1"})
		}
		if re := stderrJSON[lang]; re != nil && re().MatchString(line) {
			f.Stderr = append(f.Stderr, Fact{n, "{}"})
		}
		f.chain(n, line)
	}
	if lang == Shell {
		f.shell()
		if first, _, _ := strings.Cut(text, "\n"); path == "" || strings.Contains(first, "bash") {
			f.Strict = nil
		}
	}
	return f
}

// Exit finds the first exit whose code is wanted; nil: there is none.
func (f Facts) Exit(want func(code int) bool) *Fact {
	i := slices.IndexFunc(f.Exits, func(e Fact) bool {
		code, err := strconv.Atoi(e.Text)
		return err == nil && want(code)
	})
	if i < 0 {
		return nil
	}
	return &f.Exits[i]
}

// JSONOnStderr finds the first; nil: there is none.
func (f Facts) JSONOnStderr() *Fact { return firstJSON(f.Stderr) }

// JSONOnStdout finds the first; nil: there is none.
func (f Facts) JSONOnStdout() *Fact { return firstJSON(f.Stdout) }

func firstJSON(facts []Fact) *Fact {
	i := slices.IndexFunc(facts, func(t Fact) bool { return isJSON(t.Text) })
	if i < 0 {
		return nil
	}
	return &facts[i]
}

// isJSON: the text looks like an object or an array, with holes where variables
// stand.
func isJSON(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") || strings.HasPrefix(s, `[{`) || s == "[]"
}

// Mentions reports whether the program's text holds word, comments left out.
func (f Facts) Mentions(word string) bool {
	for line := range strings.Lines(f.Text) {
		if t := strings.TrimSpace(line); !strings.HasPrefix(t, "#") && !strings.HasPrefix(t, "//") &&
			strings.Contains(line, word) {
			return true
		}
	}
	return false
}
