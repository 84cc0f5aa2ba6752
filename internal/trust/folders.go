// Package trust knows which folders the user trusts, and what minigem would load from a
// folder: the reason to ask. Its callers ask the user, and leave things out. Trust in
// individual hooks is handled by hooks/config.
package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks/jsonc"
	"minigem/internal/boundedfile"
	"minigem/internal/text"
)

// Level is what a rule says about a folder, spelled as in the file
// (cli/config/trustedFolders.ts).
type Level string

const (
	Folder Level = "TRUST_FOLDER" // this folder and everything below
	Parent Level = "TRUST_PARENT" // the parent of this folder, and everything below that
	Never  Level = "DO_NOT_TRUST" // this folder and everything below
	unsaid Level = ""
)

// Decision is what the rules say about a folder.
type Decision int

const (
	Unknown Decision = iota // no rule; treated as untrusted
	Trusted
	Untrusted
)

// Rules maps the folders that the user has decided about to what was decided.
type Rules map[string]Level

// Load reads trustedFolders.json. A missing file has no rules. Invalid rules are
// reported, and a rule that is not understood distrusts its folder.
func Load(file string) (Rules, []string, error) {
	data, err := boundedfile.Read(file, boundedfile.Written)
	if errors.Is(err, fs.ErrNotExist) {
		return Rules{}, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading trusted folders: %w", err)
	}
	doc, err := jsonc.Parse(file, data)
	if err == nil && doc.Root().Kind() != jsonc.Object {
		err = fmt.Errorf("it must hold an object, not %s", doc.Root().Kind())
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading trusted folders: %w", boundedfile.SetAside(file, err))
	}
	rules, warnings := Rules{}, []string(nil)
	for _, m := range doc.Root().Members() {
		level := Level(m.Value.Text())
		if !slices.Contains([]Level{Folder, Parent, Never}, level) {
			warnings = append(warnings, fmt.Sprintf("%s:%d: %s is neither %s nor %s nor %s: the folder is not trusted",
				file, m.Line, m.Value.Standard(), Folder, Parent, Never))
			level = Never
		}
		if !filepath.IsAbs(m.Name) {
			warnings = append(warnings, fmt.Sprintf("%s:%d: %q is not an absolute path: ignored", file, m.Line, m.Name))
		}
		rules[m.Name] = level
	}
	return rules, warnings, nil
}

// Decide returns whether dir is trusted. The rule with the longest path wins, and of
// two for the same folder the one that distrusts. Symbolic links are resolved, in rules
// as well.
func (r Rules) Decide(dir string) Decision {
	dir = real(dir)
	longest, level := -1, unsaid
	for path, l := range r {
		if !filepath.IsAbs(path) {
			continue
		}
		path = real(path)
		if l == Parent {
			path = filepath.Dir(path)
		}
		if !text.Inside(path, dir) || len(path) < longest || len(path) == longest && level == Never {
			continue
		}
		longest, level = len(path), l
	}
	switch level {
	case unsaid:
		return Unknown
	case Never:
		return Untrusted
	}
	return Trusted
}

// Set writes the rule for dir to file and leaves the others as they are. Unless the
// rule is [Never], it also records that the user agrees to what [Appeared] there.
func Set(file, dir string, level Level) error {
	dir = real(dir)
	err := jsonc.Update(file, 0o600, func(data []byte) ([]byte, error) {
		doc, err := jsonc.Parse(file, data)
		if err != nil {
			return nil, err
		}
		if err := doc.Set(level, dir); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return doc.Bytes(), nil
	})
	if err == nil && level != Never {
		err = agree(file, dir)
	}
	if err != nil {
		return fmt.Errorf("remembering trust in %s: %w", dir, err)
	}
	return nil
}

// ByEnvironment returns the decision in GEMINI_CLI_TRUST_WORKSPACE: "true" or "false".
// Other values are ignored.
func ByEnvironment(value string) Decision {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "true":
		return Trusted
	case "false":
		return Untrusted
	}
	return Unknown
}

// real resolves links, as far as the path exists.
func real(path string) string {
	path = filepath.Clean(path)
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(real(parent), filepath.Base(path))
}
