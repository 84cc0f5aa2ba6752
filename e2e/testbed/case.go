package testbed

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"minigem/hooks/agents"
	"minigem/internal/boundedfile"

	"github.com/rogpeppe/go-internal/txtar"
)

// Case is a parsed and checked case file.
type Case struct {
	Name     string // the path without its extension, with slashes
	Path     string
	Row      string // of a table; empty if the case has none
	Title    string // the comment lines at the top of the script
	Commands []Command
	Rounds   []Round // what the model answers; nil if the file has no model

	files    []section // written before the case runs
	servers  []section // programs that answer http hooks
	portable []Portable
	wants    map[string]section
	archive  *txtar.Archive
	source   *txtar.Archive // the unparsed file
	bare     error          // it has no hooks; nil if it has
	rows     []*Case        // this case once per row, starting with itself; nil if it has none
}

// section is a file of a case.
type section struct {
	name string
	data []byte
	line int // of its first line
}

// Command is one line of a script.
type Command struct {
	File    string
	Line    int
	Source  string // as written in the file
	Negated bool
	Args    []string // words other than conditions
	Conds   []Cond
	Text    string // the rest of the line, for raw verbs

	verb *verb
}

// Where returns "file:line".
func (c Command) Where() string { return fmt.Sprintf("%s:%d", c.File, c.Line) }

// Cond is a condition of a command: key=value, or key~pattern.
type Cond struct {
	Key   string
	Value string
	re    *regexp.Regexp // nil for key=value
}

func (c Cond) String() string {
	value := c.Value
	if strings.ContainsAny(value, " \n") {
		value = "'" + value + "'"
	}
	if c.re != nil {
		return c.Key + "~" + value
	}
	return c.Key + "=" + value
}

// matches reports whether text satisfies the condition: "=" compares all of it, "~"
// searches in it.
func (c Cond) matches(text string) bool {
	if c.re != nil {
		return c.re.MatchString(text)
	}
	return text == c.Value
}

// fitsAny reports whether c is a pattern that matches every text. A reason is never empty.
func (c Cond) fitsAny() bool {
	return c.re != nil && (c.Key == "because" || c.matches("")) && c.matches("0\n%")
}

// A SyntaxError describes a mistake in a case file: where it is, and what was expected
// there. The errors of one file are joined.
type SyntaxError struct {
	File string
	Line int
	Text string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text) }

// ReadFile reads and checks the case at path.
func ReadFile(path string) (*Case, error) {
	data, err := boundedfile.Read(path, boundedfile.Kept)
	if err != nil {
		return nil, fmt.Errorf("reading the case: %w", err)
	}
	return Parse(path, data)
}

// Parse parses and checks a case. The returned error joins a SyntaxError for each mistake.
//
// A case is a txtar archive. Its comment is the script, one command a line (see Verbs).
// Its files go into the workspace, with these exceptions: "model" or
// "model.responses" is what the model answers, "http URL" is a program that answers the
// requests of http hooks to that URL, "settings.json" is .gemini/settings.json, "home/..."
// goes into the home, and "want/..." is only compared with. Files that begin with "#!" or
// are named *.sh, *.py or *.js are executable. A section "rows" makes the case a table
// (see Each). Parse returns its first case.
func Parse(path string, data []byte) (*Case, error) {
	a := txtar.Parse(data)
	line := lineCount(a.Comment) + 1
	for _, f := range a.Files {
		if f.Name == rowsSection {
			return parseRows(path, a, line+1, string(f.Data))
		}
		line += lineCount(f.Data) + 1
	}
	return parseArchive(path, a)
}

// parseArchive is Parse without rows.
func parseArchive(path string, a *txtar.Archive) (*Case, error) {
	p := caseParser{seen: map[string]bool{}, c: &Case{
		Path: path, Name: nameOf(path),
		wants: map[string]section{}, archive: a, source: a,
	}}
	p.script(a.Comment)
	line := lineCount(a.Comment) + 1
	for _, f := range a.Files {
		p.section(section{f.Name, f.Data, line + 1})
		line += lineCount(f.Data) + 1
	}
	if p.hooks.name != "" {
		var err error
		if p.c.portable, err = parsePortable(path, p.hooks, p.c.brings()); err != nil {
			p.errs = append(p.errs, err)
		}
	}
	p.whole()
	return p.c, errors.Join(p.errs...)
}

// brings returns the names of the files that the case puts into the workspace.
func (c *Case) brings() []string {
	var names []string
	for _, f := range c.files {
		names = append(names, f.name)
	}
	for _, cmd := range c.Commands {
		if cmd.verb.Name == "use" && len(cmd.Args) > 0 {
			names = append(names, path.Base(usedAs(cmd)), usedAs(cmd))
		}
	}
	return names
}

type caseParser struct {
	c     *Case
	errs  []error
	seen  map[string]bool // section names
	hooks section         // the portable hooks

	agents []Round // what the model says to subagents
}

func (p *caseParser) fail(line int, format string, args ...any) {
	p.errs = append(p.errs, &SyntaxError{p.c.Path, line, fmt.Sprintf(format, args...)})
}

// maxFaults limits how many mistakes of a script are reported. maxScriptLine limits the
// length of its lines, because errors quote them.
const (
	maxFaults     = 20
	maxScriptLine = 64 << 10
)

// lineCount counts the line ends of b without copying it: sections may be large.
func lineCount(b []byte) int { return bytes.Count(b, []byte("\n")) }

func (p *caseParser) script(text []byte) {
	n := 0
	for raw := range bytes.Lines(text) {
		n++
		if len(p.errs) >= maxFaults {
			p.fail(n, "more errors follow")
			return
		}
		if len(raw) > maxScriptLine {
			p.fail(n, "the line is longer than %d KiB", maxScriptLine>>10)
			continue
		}
		line := strings.TrimSpace(string(raw))
		switch {
		case line == "":
		case line[0] == '#':
			if len(p.c.Commands) == 0 {
				p.c.Title = strings.TrimSpace(p.c.Title + " " + strings.TrimSpace(line[1:]))
			}
		default:
			cmd, err := parseCommand(line)
			if err != nil {
				p.fail(n, "%s", err)
				continue
			}
			cmd.File, cmd.Line = p.c.Path, n
			p.c.Commands = append(p.c.Commands, cmd)
		}
	}
}

// agentRounds parses what the model says to one subagent.
func (p *caseParser) agentRounds(s section) error {
	name := strings.TrimPrefix(s.name, agentPrefix)
	if name == "" || strings.ContainsAny(name, " \t") {
		return &SyntaxError{p.c.Path, s.line - 1, fmt.Sprintf("%q names no agent: expected one, such as %shelper", s.name,
			agentPrefix)}
	}
	rounds, err := ParseModel(p.c.Path, s.line, string(s.data))
	for i := range rounds {
		rounds[i].Agent = name
	}
	p.agents = append(p.agents, rounds...)
	return err
}

func (p *caseParser) section(s section) {
	if p.seen[s.name] {
		p.fail(s.line-1, "a second section %q: expected each name once", s.name)
	}
	p.seen[s.name] = true
	var err error
	switch {
	case !filepath.IsLocal(filepath.FromSlash(s.name)):
		p.fail(s.line-1, "the file %q would lie outside the workspace: expected a path in it", s.name)
	case s.name == modelSection:
		if p.c.Rounds, err = ParseModel(p.c.Path, s.line, string(s.data)); p.c.Rounds == nil {
			p.c.Rounds = []Round{}
		}
	case strings.HasPrefix(s.name, agentPrefix):
		err = p.agentRounds(s)
	case strings.HasPrefix(s.name, serverPrefix):
		p.c.servers = append(p.c.servers, s)
	case s.name == responsesSection:
		p.c.Rounds, err = parseResponses(p.c.Path, s.line, string(s.data))
	case s.name == settingsSection:
		s.name = ".gemini/settings.json"
		p.c.files = append(p.c.files, s)
	case s.name == rowsSection:
	case s.name == PortableSection:
		p.hooks = s
	case strings.HasPrefix(s.name, wantPrefix):
		p.c.wants[s.name] = s
	default:
		p.c.files = append(p.c.files, s)
	}
	if err != nil {
		p.errs = append(p.errs, err)
	}
}

// whole checks what depends on the file as a whole.
func (p *caseParser) whole() {
	if len(p.errs) > 0 {
		return
	}
	c := p.c
	c.Rounds = append(c.Rounds, p.agents...)
	if len(c.Commands) == 0 {
		p.fail(1, "no script: expected commands before the first -- section --, such as: prompt Fix the tests")
		return
	}
	if p.seen[modelSection] && p.seen[responsesSection] {
		p.fail(1, "both -- %s -- and -- %s --: expected one of them", modelSection, responsesSection)
	}
	if !c.configures() && !c.configuresOthers() && !p.seen[PortableSection] { // an empty section is for --from
		c.bare = &SyntaxError{c.Path, 1, fmt.Sprintf("no settings: expected a -- settings.json -- section with the hooks' "+
			"entries, one -- %s -- with portable ones, or a line such as: use %s%s", PortableSection, usable(c.Path),
			c.misspelt(settingsSection, PortableSection))}
	}
	if len(c.portable) > 0 && slices.ContainsFunc(c.files, func(s section) bool {
		return s.name == ".gemini/settings.json"
	}) {
		p.fail(p.hooks.line-1, "both -- %s -- and .gemini/settings.json: expected one of them", PortableSection)
	}
	p.order()
	p.surroundings()
	p.golden()
}

// configuresOthers reports whether the case has hook files of other agents.
func (c *Case) configuresOthers() bool {
	return slices.ContainsFunc(c.files, section.isOthers)
}

// isOthers reports whether s is a hook file of another agent.
func (s section) isOthers() bool {
	name := strings.TrimPrefix(s.name, homePrefix)
	return slices.ContainsFunc(agents.Folders(), func(dir string) bool { return strings.HasPrefix(name, dir) })
}

// configures reports whether anything in the case can configure hooks for minigem.
func (c *Case) configures() bool {
	return len(c.portable) > 0 || slices.ContainsFunc(c.files, func(s section) bool {
		return strings.HasPrefix(s.name, ".gemini/") || strings.HasPrefix(s.name, homePrefix+".gemini/")
	}) || slices.ContainsFunc(c.Commands, func(cmd Command) bool { return cmd.verb.Name == "use" })
}

// order checks that whatever a session starts with comes before the session starts.
func (p *caseParser) order() {
	open, begun := false, false
	for i, cmd := range p.c.Commands {
		switch {
		case cmd.verb.Kind == assertion && !begun && cmd.verb.Name == "holds":
			p.fail(cmd.Line, "holds needs a session: add start or a prompt before it")
		case cmd.verb.Kind == assertion && !begun:
			p.fail(cmd.Line, "nothing has happened yet: expected %s after a prompt or start", cmd.verb.Name)
		case cmd.verb.Name == "end":
			open = false
		case cmd.begins():
			open, begun = true, true
		case cmd.verb.Kind == setup && open && !p.resumesNext(i):
			p.fail(cmd.Line, "%s has no effect on a session that runs: expected it before the first prompt, or before resume",
				cmd.verb.Name)
		}
	}
}

// begins reports whether c is an action that opens a session.
func (c Command) begins() bool { return c.verb.Kind == action && c.verb.Name != "answer" }

// resumesNext reports whether the next action after command i begins another session.
func (p *caseParser) resumesNext(i int) bool {
	for _, cmd := range p.c.Commands[i+1:] {
		if cmd.verb.Kind == action {
			return cmd.verb.Name == "resume"
		}
	}
	return false
}

// surroundings checks that commands that need a terminal have one, and that commands that
// must not have one do not.
func (p *caseParser) surroundings() {
	terminal := slices.ContainsFunc(p.c.Commands, func(cmd Command) bool { return cmd.verb.Name == "terminal" })
	for _, cmd := range p.c.Commands {
		onScreen := cmd.verb.InTerminal || cmd.verb.Name == "cmp" && cmd.Args[0] == "screen"
		printed := cmd.verb.Headless || cmd.verb.Name == "cmp" && (cmd.Args[0] == "stdout" || cmd.Args[0] == "stderr")
		switch {
		case onScreen && !terminal:
			p.fail(cmd.Line, "%s needs a terminal: expected a line before it that says: terminal", cmd.what())
		case terminal && printed:
			p.fail(cmd.Line, "%s is for cases without a terminal: expected %s", cmd.what(), insteadOf[cmd.what()])
		}
	}
}

// what returns the command's name as it appears in messages.
func (c Command) what() string {
	if c.verb.Name == "cmp" {
		return "cmp " + c.Args[0]
	}
	return c.verb.Name
}

// insteadOf maps commands to their equivalents in a terminal.
var insteadOf = map[string]string{
	"interactive": "terminal alone, which asks too", "holds": "it in a case of its own",
	"answer": "waitfor Allow, then such as: type n not today, and: key enter",
	"stdout": "screen", "stderr": "screen", "cmp stdout": "cmp screen", "cmp stderr": "cmp screen",
}

// golden checks that commands that compare name a section that begins with wantPrefix.
func (p *caseParser) golden() {
	for _, cmd := range p.c.Commands {
		if n := len(cmd.Args); cmd.verb.Golden && n > 0 {
			if name := cmd.Args[n-1]; !strings.HasPrefix(name, wantPrefix) {
				p.fail(cmd.Line, "%s compares with a section whose name begins with %s, not with %q", cmd.verb.Name, wantPrefix,
					name)
			}
		}
	}
}

// executable reports whether a file of a case is a program.
func executable(name string, data []byte) bool {
	return strings.HasPrefix(string(data), "#!") || slices.Contains([]string{".sh", ".py", ".js"}, filepath.Ext(name))
}
