package attack

import (
	_ "embed" // the spellings
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed commands.txt
var commandsText string

//go:embed look.txt
var lookText string

// A template is one way to write any command. template is a spelling with placeholders
// for the words of the command.
type template struct {
	class, text string
	plain       bool // works only if no word needs quotes
}

// templates reads the list of templates: [CLASS] begins a class, "~" marks a plain one,
// and two characters are line breaks and tabs. Lines that begin with "# " before the
// first spelling are comments unless @cmd is in
// them.
func templates(text string) []template {
	var out []template
	class := "look-alike"
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || out == nil && strings.HasPrefix(line, "# ") && !strings.Contains(line, "@cmd") ||
			strings.HasPrefix(line, "front: "):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") && !strings.Contains(line, " "):
			class = strings.Trim(line, "[]")
		default:
			t, plain := strings.CutPrefix(line, "~")
			out = append(out, template{class, strings.NewReplacer("⏎", "\n", "⇥", "\t").Replace(t), plain})
		}
	}
	return out
}

// inUse returns the path of a program on this machine's PATH, or "" if there is none.
func inUse(program string) string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if info, err := os.Stat(filepath.Join(dir, program)); err == nil && info.Mode().IsRegular() &&
			info.Mode()&0o111 != 0 {
			return filepath.Join(dir, program)
		}
	}
	return ""
}

// commandSpellings returns the spellings of a command, each once, and the look-alikes,
// which are harmless. The error says why the command cannot be attacked.
func commandSpellings(g Goal) ([]Spelling, error) {
	words, err := parse(g.Value)
	if err != nil {
		return nil, err
	}
	find := g.Find
	if find == nil {
		find = inUse
	}
	abs := func(program string) string {
		if at := find(program); at != "" && !strings.Contains(program, "/") {
			return at
		}
		return "/usr/bin/" + filepath.Base(program)
	}
	c := command{words, abs(words[0])}
	var out []Spelling
	seen := map[string]bool{}
	add := func(class, text string, harmless bool) {
		if !seen[text] {
			seen[text] = true
			out = append(out, Spelling{class, "run_shell_command", map[string]any{"command": text}, text, harmless})
		}
	}
	add("as it is", line(words), false)
	for _, t := range templates(commandsText) {
		if t.plain && slices.ContainsFunc(words, func(w string) bool { return !isPlain(w) }) || len(words) == 1 &&
			strings.Contains(t.text, "last") {
			continue
		}
		add(t.class, c.fill(t.text), false)
	}
	f := familyOf(words)
	for _, variant := range f.variants(words) {
		add("arguments", variant, false)
		for _, w := range wrappers {
			if v, err := parse(variant); err == nil {
				add("arguments", command{v, c.abs}.fill(w), false)
			}
		}
	}
	for _, other := range f.others(words) {
		add("others", other, false)
	}
	for _, t := range templates(lookText) {
		add("look-alike", c.fill(t.text), true)
	}
	for _, other := range f.harmless(words) {
		add("look-alike", other, true)
	}
	return out, nil
}

// wrappers wrap each way to write the arguments.
var wrappers = []string{"sh -c @cmdsq", "true && @cmd", "env @cmd", "echo @cmdsq | sh", "x=@prog; $x @args"}
