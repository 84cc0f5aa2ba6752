// Package skills finds skills, folders with a SKILL.md that tells a model how to
// do one kind of task, installs them, removes them and switches them on and off, in
// the folders of Gemini CLI, and offers them to the model of a session. It keeps
// out which folders count.
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

// A Skill is one that was found. Name and Description are single clean lines.
type Skill struct {
	Name, Description string
	Body              string // what the model is told to do
	File              string // its SKILL.md
	Source            string // where it was found, for people: "user", "project"
	Hooks             Hooks
}

// Dir is the folder of the skill, with everything that it may use.
func (s Skill) Dir() string { return filepath.Dir(s.File) }

// Source is a folder of skills.
type Source struct {
	Dir  string
	Name string // for people
	// Replace fills in the variables of an extension; nil: there are none.
	Replace *strings.Replacer
}

// maxSkill bounds a SKILL.md; maxSkills how many are looked at in one folder.
const (
	maxSkill  = 256 << 10
	maxSkills = 500
)

// Discover finds the skills of sources, by name. Of two with one name the later
// one counts, and problems say so; they also name each SKILL.md that cannot be
// used (core/skills/skillManager.ts).
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
				problems = append(problems, fmt.Sprintf("the skill %s of %s is not used: %s is called so too, and counts", s.Name,
					found[i].File, s.File))
			}
			found[i] = s
		}
	}
	slices.SortStableFunc(found, func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
	return found, problems
}

// skills are those of dir itself and of the folders right below it; links are
// followed (core/skills/skillLoader.ts).
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

// files are the SKILL.md files of dir, in order.
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

// Split takes a file apart that is "---", YAML, "---" and a body: the YAML begins
// on its second line.
func Split(data string) (head, body string, err error) {
	parts := frontmatter.FindStringSubmatch(data)
	if parts == nil {
		return "", "", fmt.Errorf(`it must begin with "---", name and description, and "---"`)
	}
	return parts[1], parts[2], nil
}

// parse reads a SKILL.md. Of the YAML name, description and hooks are read.
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

// clean makes of a name one that files and the command line take.
func clean(name string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`:\/<>*?"|`, r) {
			return '-'
		}
		return r
	}, text.Line(strings.TrimSpace(name))))
}

// lines finds name and description in what is not quite YAML, such as a
// description with a colon; indented lines go on with what they follow.
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
