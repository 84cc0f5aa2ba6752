// Package skills finds skills, folders with a SKILL.md that tells a model how to do one
// kind of task, installs them, removes them and switches them on and off, in the
// folders of Gemini CLI, and offers them to the model of a session. Its callers decide
// which folders count.
package skills

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"minigem/internal/boundedfile"
	"minigem/internal/text"
)

// Skill is a skill that was found. Name and Description are single clean lines.
type Skill struct {
	Name, Description string
	Body              string // the instructions for the model
	File              string // its SKILL.md
	Source            string // where it was found, for display: "user", "project"
	Hooks             Hooks
}

// Dir returns the skill's folder, with everything that it may use.
func (s Skill) Dir() string { return filepath.Dir(s.File) }

// Source is a folder of skills.
type Source struct {
	Dir  string
	Name string // for display
	// Replace expands the variables of an extension. May be nil.
	Replace *strings.Replacer
}

// maxSkill limits a SKILL.md, and maxSkills how many are read in one folder.
const (
	maxSkill  = 256 << 10
	maxSkills = 500
)

// Discover finds the skills of sources, by name. Of two with the same name the later
// one wins, and problems says so. problems also names each SKILL.md that cannot be used
// (core/skills/skillManager.ts).
func Discover(sources []Source) (found []Skill, problems []string) {
	for _, source := range sources {
		own, faults := source.skills()
		problems = append(problems, faults...)
		for _, s := range own {
			i := slices.IndexFunc(found, func(o Skill) bool { return o.Name == s.Name })
			if i < 0 {
				found = append(found, s)
				continue
			}
			if found[i].File != s.File {
				problems = append(problems, fmt.Sprintf(
					"the skill %s of %s is not used: %s has the same name, and is used instead", s.Name,
					found[i].File, s.File))
			}
			found[i] = s
		}
	}
	slices.SortStableFunc(found, func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
	return found, problems
}

// skills returns the skills in dir itself and in the folders directly below it. Links
// are followed (core/skills/skillLoader.ts).
func (s Source) skills() (found []Skill, problems []string) {
	for _, file := range files(s.Dir) {
		one, err := Read(file)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		if s.Replace != nil {
			one.Name, one.Description = clean(s.Replace.Replace(one.Name)), text.Line(s.Replace.Replace(one.Description))
			one.Body = s.Replace.Replace(one.Body)
		}
		one.Source = s.Name
		found = append(found, one)
	}
	return found, problems
}

// files returns the SKILL.md files of dir, in order.
func files(dir string) []string {
	var out []string
	add := func(file string) {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && len(out) < maxSkills {
			out = append(out, file)
		}
	}
	add(filepath.Join(dir, "SKILL.md"))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return out
	}
	for _, e := range entries {
		if e.Name() != "node_modules" && e.Name() != ".git" {
			add(filepath.Join(dir, e.Name(), "SKILL.md"))
		}
	}
	return out
}

// Read reads one SKILL.md.
func Read(file string) (Skill, error) {
	data, err := boundedfile.Read(file, maxSkill)
	if err != nil {
		return Skill{}, fmt.Errorf("reading a skill: %w", err)
	}
	s, err := parse(string(data))
	if err != nil {
		return Skill{}, fmt.Errorf("%s is left out: %w", file, err)
	}
	s.File = file
	return s, nil
}

var frontmatter = regexp.MustCompile(`(?s)^\x{feff}?---\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n(.*))?$`)

// Split splits a file into front matter and body. The YAML between the two "---" begins
// on the second line.
func Split(data string) (head, body string, err error) {
	parts := frontmatter.FindStringSubmatch(data)
	if parts == nil {
		return "", "", fmt.Errorf(`it must begin with "---", name and description, and "---"`)
	}
	return parts[1], parts[2], nil
}

// parse parses a SKILL.md. It reads only name, description and hooks of the front
// matter.
func parse(data string) (Skill, error) {
	yamlText, body, err := Split(data)
	if err != nil {
		return Skill{}, err
	}
	var head struct {
		Name, Description string
		Hooks             yaml.Node
	}
	bad := yaml.Unmarshal([]byte(yamlText), &head)
	if bad != nil || head.Name == "" || head.Description == "" {
		head.Name, head.Description = lines(yamlText)
	}
	s := Skill{Hooks: hooksIn(yamlText, &head.Hooks, bad), Name: clean(head.Name),
		Description: text.Line(head.Description), Body: strings.TrimSpace(text.Clean(body))}
	switch {
	case s.Name == "":
		return s, fmt.Errorf("it has no name")
	case s.Description == "":
		return s, fmt.Errorf("it has no description")
	}
	return s, nil
}

// clean makes name usable in file names and on the command line.
func clean(name string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`:\/<>*?"|`, r) {
			return '-'
		}
		return r
	}, text.Line(strings.TrimSpace(name))))
}

// lines finds name and description in front matter that is not valid YAML, such as a
// description with a colon. Indented lines continue the previous value.
func lines(head string) (name, description string) {
	var into *string
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(line, ":")
		switch {
		case strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"):
			if into != nil {
				*into = strings.TrimSpace(*into + " " + strings.TrimSpace(line))
			}
			continue
		case key == "name":
			into = &name
		case key == "description":
			into = &description
		default:
			into = nil
			continue
		}
		*into = strings.Trim(strings.TrimSpace(value), `"'`)
	}
	return name, description
}
