package slash

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"minigem/internal/boundedfile"
	"minigem/internal/text"

	"github.com/pelletier/go-toml/v2"
	"mvdan.cc/sh/v3/syntax"
)

// Custom is a custom command: a prompt in a TOML file
// (cli/services/FileCommandLoader.ts).
type Custom struct {
	Name        string // "git:commit" for git/commit.toml
	File        string
	Description string
	Prompt      string
}

// LoadCustom reads the *.toml files below dir, sorted by name. A missing dir has none.
// Unusable files are left out and reported.
func LoadCustom(dir string) (found []Custom, problems []error) {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fs.SkipAll
		case err != nil:
			problems = append(problems, err)
			return nil
		case !e.Type().IsRegular() || filepath.Ext(path) != ".toml":
			return nil
		}
		c, err := readCustom(dir, path)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w; the command is left out", path, err))
			return nil
		}
		found = append(found, c)
		return nil
	})
	if err != nil {
		problems = append(problems, err)
	}
	return found, problems
}

// maxCustom limits a command's file. It is more than most conversations.
const maxCustom = 256 << 10

func readCustom(dir, path string) (Custom, error) {
	data, err := boundedfile.Read(path, maxCustom)
	if err != nil {
		return Custom{}, err
	}
	if err := boundedfile.CheckTOML(data); err != nil {
		return Custom{}, err
	}
	var file struct {
		Prompt      *string `toml:"prompt"`
		Description string  `toml:"description"`
	}
	if err := toml.Unmarshal(data, &file); err != nil {
		return Custom{}, err
	}
	if file.Prompt == nil {
		return Custom{}, errors.New(`it has no "prompt"`)
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return Custom{}, err
	}
	name := strings.ReplaceAll(strings.TrimSuffix(filepath.ToSlash(rel), ".toml"), "/", ":")
	name = strings.Join(strings.Fields(name), "_")
	if text.Line(name) != name {
		return Custom{},
			errors.New("its name contains characters that are invisible, or that act upon a terminal: rename the file")
	}
	return Custom{Name: name, File: path, Description: text.Line(file.Description), Prompt: *file.Prompt}, nil
}

// Named gives unique names to the commands of one source. A name that is in use gets
// prefix, such as "user." or "extension:", and a number if that is in use too
// (cli/services/BuiltinCommandLoader.ts).
func Named(prefix string, commands []Custom, taken []string) []Custom {
	out := slices.Clone(commands)
	for i := range out {
		name := out[i].Name
		if slices.Contains(taken, name) {
			name = prefix + name
		}
		for n, base := 1, name; slices.Contains(taken, name); n++ {
			name = fmt.Sprintf("%s%d", base, n)
		}
		out[i].Name = name
		taken = append(taken, name)
	}
	return out
}

// Source is a folder of custom commands. Prefix, such as "user." or "extension:", is
// added to a name that is in use.
type Source struct{ Prefix, Dir string }

// LoadAll reads the commands of several sources. Earlier sources get their names first.
// The names in taken are in use.
func LoadAll(sources []Source, taken []string) (found []Custom, problems []error) {
	for _, s := range sources {
		own, faults := LoadCustom(s.Dir)
		problems = append(problems, faults...)
		for _, c := range Named(s.Prefix, own, taken) {
			taken = append(taken, c.Name)
			found = append(found, c)
		}
	}
	return found, problems
}

// Filler inserts files and the output of commands into prompts.
type Filler struct {
	// File returns the replacement for "@{path}".
	File func(ctx context.Context, path string) (string, error)
	// Shell runs the command of "!{...}", if it is allowed, and returns the
	// replacement.
	Shell func(ctx context.Context, command string) (string, error)
}

// Fill returns the prompt for args. It inserts files first, then commands and
// arguments. Arguments inside a command are quoted for the shell, elsewhere they are
// not. If the prompt has no placeholder for arguments, said, the whole line that was
// typed, is appended. Inserted files and output are not scanned for placeholders.
func (c Custom) Fill(ctx context.Context, f Filler, said, args string) (string, error) {
	var out strings.Builder
	used := false
	for rest := c.Prompt; rest != ""; {
		at := nextPlace(rest)
		if at < 0 {
			out.WriteString(rest)
			break
		}
		out.WriteString(rest[:at])
		rest = rest[at:]
		if out.Len() > maxFilled {
			return "", fmt.Errorf("%s: the prompt becomes larger than %d MiB", c.File, maxFilled>>20)
		}
		if after, ok := strings.CutPrefix(rest, argsPlace); ok {
			out.WriteString(args)
			used, rest = true, after
			continue
		}
		inner, after, ok := braced(rest[1:])
		if !ok {
			return "", fmt.Errorf("%s: a %s has no closing brace", c.File, rest[:2])
		}
		used = used || rest[0] == '!' && strings.Contains(inner, argsPlace)
		filled, err := fill(ctx, f, rest[0], strings.TrimSpace(inner), args)
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.File, err)
		}
		out.WriteString(filled)
		rest = after
	}
	if !used && args != "" {
		out.WriteString("\n\n" + said)
	}
	return out.String(), nil
}

const argsPlace = "{{args}}"

// maxFilled limits the resulting prompt, which may repeat the arguments, a file or an
// output thousands of times.
const maxFilled = 16 << 20

// nextPlace returns the index of the next placeholder, or -1. It looks at each
// character only once, however many placeholders there are.
func nextPlace(s string) int {
	for i := range len(s) {
		switch s[i] {
		case '!', '@':
			if strings.HasPrefix(s[i+1:], "{") {
				return i
			}
		case '{':
			if strings.HasPrefix(s[i:], argsPlace) {
				return i
			}
		}
	}
	return -1
}

// braced splits s after the brace that closes its first character.
func braced(s string) (inner, after string, ok bool) {
	depth := 0
	for i, c := range []byte(s) {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return s[1:i], s[i+1:], true
			}
		}
	}
	return "", "", false
}

func fill(ctx context.Context, f Filler, kind byte, inner, args string) (string, error) {
	switch {
	case kind == '@':
		return f.File(ctx, inner)
	case inner == "":
		return "", nil
	}
	quoted := ""
	if args != "" {
		var err error
		if quoted, err = syntax.Quote(args, syntax.LangBash); err != nil {
			return "", fmt.Errorf("quoting the arguments for the shell: %w", err)
		}
	}
	if strings.Count(inner, argsPlace)*len(quoted) > maxFilled {
		return "", fmt.Errorf("a command becomes larger than %d MiB", maxFilled>>20)
	}
	return f.Shell(ctx, strings.ReplaceAll(inner, argsPlace, quoted))
}
