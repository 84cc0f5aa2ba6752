package policy

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/internal/boundedfile"

	"github.com/pelletier/go-toml/v2"
)

// Problem is a fault of a policy file or of a list of the settings. The rule that it is
// about is not in force.
type Problem struct {
	// Place is the file and, if it is known, the line of the rule.
	Place Place
	// Text says what is wrong and what to do, without the place.
	Text string
	// Loosens means that the rule may have denied or asked: do not run anything without
	// it.
	Loosens bool
}

// String formats the problem as "file:line: text".
func (p Problem) String() string { return p.Place.String() + ": " + p.Text }

// LoadPaths reads policy files; of a folder, its *.toml files in order of their names.
// A path that does not exist is a problem only if required. A file that cannot be read
// is a problem that [Problem.Loosens], and the others are read all the same. Rules are
// in the order of paths. Both results may be nil.
func LoadPaths(tier Tier, required bool, paths ...string) ([]Rule, []Problem) {
	var rules []Rule
	var problems []Problem
	for _, path := range paths {
		files, err := policyFiles(path)
		if err != nil && (required || !errors.Is(err, os.ErrNotExist)) {
			problems = append(problems, unread(path, err))
		}
		for _, file := range files {
			data, err := boundedfile.Read(file, boundedfile.Written)
			if err != nil {
				problems = append(problems, unread(file, err))
				continue
			}
			rs, ps := Parse(file, data, tier)
			rules, problems = append(rules, rs...), append(problems, ps...)
		}
	}
	return rules, problems
}

// unread is the problem of a file that could not be read. It may have held rules that
// deny.
func unread(path string, err error) Problem {
	return Problem{
		Place: Place{File: path}, Loosens: true,
		Text: fmt.Sprintf("policy not read: %v", err),
	}
}

// policyFiles returns path itself, or the *.toml files of a folder in order of their
// names.
func policyFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	var files []string
	for _, e := range entries {
		if !e.IsDir() && filepath.Ext(e.Name()) == ".toml" {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	return files, err
}

// Parse reads one policy file. file is only the name for messages. Rules are in the
// order of the file, with priorities of the tier; a rule with a fault is a [Problem]
// instead. A file that is not TOML is one Problem and has no rules.
func Parse(file string, data []byte, tier Tier) ([]Rule, []Problem) {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // Windows editors write a byte order mark
	var doc map[string]any
	lines, err := tableLines(data)
	if err == nil {
		err = boundedfile.CheckTOML(data)
	}
	if err == nil {
		err = toml.Unmarshal(data, &doc)
	}
	if err != nil {
		return nil, []Problem{unparsed(file, err)}
	}
	p := &parser{file: file, tier: tier}
	for _, key := range slices.Sorted(maps.Keys(doc)) {
		tables, ok := doc[key].([]any)
		place := func(i int) Place {
			if at := lines[key]; i < len(at) && len(at) == len(tables) {
				return Place{file, at[i]}
			}
			return Place{File: file}
		}
		switch {
		case key == "safety_checker": // losing a check silently would be worse than an error
			p.complain(place(0), true,
				"a safety checker outside a rule is not supported: give the rule itself a safety_checker")
		case key != "rule":
			p.unknownKey(place(0), key, ok)
		case !ok:
			p.complain(place(0), true, `"rule" must be an array of tables: write [[rule]]`)
		default:
			for i, t := range tables {
				p.rule(place(i), t)
			}
		}
	}
	return p.rules, p.problems
}

// maxPolicyLine limits a line: each dot of a dotted key takes hundreds of times its size.
const maxPolicyLine = 64 << 10

// tableLines finds the line of each [[name]] at the outermost level. One within a text of
// several lines counts, too. A line that is too long is an error.
func tableLines(data []byte) (map[string][]int, error) {
	lines, n := map[string][]int{}, 0
	for line := range strings.Lines(string(data)) {
		if n++; len(line) > maxPolicyLine {
			return nil, fmt.Errorf("line %d is longer than %d KiB", n, maxPolicyLine>>10)
		}
		if inner, ok := strings.CutPrefix(strings.TrimSpace(line), "[["); ok {
			name, _, _ := strings.Cut(inner, "]]")
			name = strings.Trim(name, "\t \"'")
			lines[name] = append(lines[name], n)
		}
	}
	return lines, nil
}

// unparsed is the problem of a file that is not TOML, with the line if the decoder
// knows it.
func unparsed(file string, err error) Problem {
	pr := Problem{Place: Place{File: file}, Loosens: true}
	if de := (*toml.DecodeError)(nil); errors.As(err, &de) {
		pr.Place.Line, _ = de.Position()
	}
	pr.Text = "not valid TOML: " + strings.TrimPrefix(err.Error(), "toml: ")
	return pr
}
