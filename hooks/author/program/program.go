// Package program examines the programs of hooks without running them: what they print on
// which stream, with which codes they exit, and which fields they read.
//
//	for _, f := range program.Read(hook, place) {
//		if exit := f.Exit(func(code int) bool { return code > 2 }); exit != nil {
//			fmt.Println(f.Path, exit.Line, "exits with", exit.Text)
//		}
//	}
//
// It knows only what the text shows. A program that computes its answer shows little, and
// then the facts are few rather than wrong. Shell programs are parsed; Python and
// JavaScript are searched line by line; in other languages only words are found.
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
	// Dir is the working directory, an absolute path.
	Dir string
	// ProjectDir is the project's root (GEMINI_PROJECT_DIR).
	ProjectDir string
	// Home is the user's home directory; empty if there is none.
	Home string
}

// Vars returns the variables of commands whose values are known. The map is the caller's.
func (p Place) Vars() map[string]string {
	return map[string]string{
		"GEMINI_PROJECT_DIR": p.ProjectDir, "CLAUDE_PROJECT_DIR": p.ProjectDir,
		"GEMINI_CWD": p.Dir, "PWD": p.Dir, "HOME": p.Home,
	}
}

// Language is the language of a program.
type Language string

const (
	// Shell is bash, dash or sh. Other shells, such as fish and zsh, are Other.
	Shell Language = "sh"
	// Python includes pypy and uv scripts.
	Python Language = "py"
	// Script is JavaScript or TypeScript.
	Script Language = "js"
	// Other is any other language.
	Other Language = ""
)

// Fact is something that a line shows.
type Fact struct {
	// Line is the line in the program, from 1.
	Line int
	// Text is the words, the code or the value that was found; may be empty.
	Text string
}

// Facts are what one program shows. A pointer that is nil means that nothing of the kind
// was found; otherwise it is the first.
type Facts struct {
	// Path is the program's file; empty for the command itself.
	Path string
	// Lang is the program's language.
	Lang Language
	// Text is the program's text.
	Text string

	// Exits are the exit codes that are written as numbers.
	Exits []Fact
	// Decisions are the values of "decision".
	Decisions []Fact
	// Foreign are fields that belong to another agent's hooks, such as
	// permissionDecision.
	Foreign []Fact

	// Fields are the fields that it reads, most likely of its payload: by jq in a shell,
	// by access to members in Python and JavaScript.
	Fields []Field

	// Stdout are the texts that it prints on stdout. Shell only.
	Stdout []Fact
	// Stderr are the texts that it prints on stderr. In Python and JavaScript it has only
	// "{}", for JSON.
	Stderr []Fact
	// Silent says that the program prints nothing at all. Shell only.
	Silent bool
	// Mixed is a text that is printed before JSON, on the same path through the program.
	Mixed *Fact
	// Traps says that the program ignores TERM.
	Traps *Fact
	// Leaves says that it leaves a child that holds stdout open.
	Leaves *Fact
	// Kills says that it ends itself by a signal.
	Kills *Fact
	// Unsaid is JSON that is printed before an exit with 2, on the same path through the
	// program.
	Unsaid *Fact
	// Strict is a set -e or set -u in a program for sh, where a fault then exits with 2,
	// which blocks.
	Strict *Fact
	// Invalid says why the shell cannot parse the program; empty if it can.
	Invalid string
}

// Field is what one jq filter, or one line of another language, reads: the first of Paths
// that exists.
type Field struct {
	// Line is the line in the program, from 1.
	Line int
	// Paths are the alternatives, each a path of names such as "tool_input", "command".
	Paths [][]string
}

// maxProgram is the size of the largest program that is examined. Larger files are
// built, not written.
const maxProgram = 256 << 10

// Read examines h's command, which is the first of the results, and the programs that it
// names. Files that are binary, larger than 256 KiB, unreadable or plainly data are left
// out.
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

// pattern compiles expr on first use, so that only runs that read programs pay for it.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// shebang matches the first line of a script, also by way of env, and finds the name of
// the interpreter without its version.
var shebang = pattern(`^\x{FEFF}?#!\s*(?:\S*[/\s])?(?:env\s+(?:-\S+\s+|\w+=\S*\s+)*)?(\w+?)[\d.]*(?:\s|$)`)

// languageOf recognizes the language by the first line, the file's name, or the command
// that runs it. "?" means data that the command names, not a program.
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
		return Other // fish, zsh and others have different syntax
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

// Signs in programs that are not shell scripts, line by line. They find most of what
// hooks in these languages write, and are wrong where such text is data.
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

// look finds facts in a program line by line; lines that are only a comment are left
// out.
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

// Exit returns the first exit whose code satisfies want; nil if there is none.
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

// JSONOnStderr returns the first JSON that is printed on stderr; nil if there is none.
func (f Facts) JSONOnStderr() *Fact { return firstJSON(f.Stderr) }

// JSONOnStdout returns the first JSON that is printed on stdout; nil if there is none.
func (f Facts) JSONOnStdout() *Fact { return firstJSON(f.Stdout) }

// firstJSON returns the first fact whose text is JSON; nil if none is.
func firstJSON(facts []Fact) *Fact {
	i := slices.IndexFunc(facts, func(t Fact) bool { return isJSON(t.Text) })
	if i < 0 {
		return nil
	}
	return &facts[i]
}

// isJSON reports whether a text looks like an object or an array. Text from variables
// may be missing in it.
func isJSON(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") || strings.HasPrefix(s, `[{`) || s == "[]"
}

// Mentions reports whether the program's text, without lines that are comments, contains
// word.
func (f Facts) Mentions(word string) bool {
	for line := range strings.Lines(f.Text) {
		if t := strings.TrimSpace(line); !strings.HasPrefix(t, "#") && !strings.HasPrefix(t, "//") &&
			strings.Contains(line, word) {
			return true
		}
	}
	return false
}
