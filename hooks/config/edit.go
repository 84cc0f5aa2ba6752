package config

import (
	"fmt"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/jsonc"
	"minigem/internal/text"
)

// Editor turns hooks off and on in the settings files. A change leaves the rest of its
// file as it was written, comments included, and fails rather than touch a file that the
// editor does not understand. Methods that change something return what they did as a
// sentence for the user; their errors are for the user too. An Editor works on Sections
// as they were loaded: load them again after a change.
type Editor struct {
	// Sections are the files as loaded. Hooks that can be named are taken from them, and
	// so are the lists that disable hooks.
	Sections []Section
	// User and Project are the paths of the settings files. Project is empty if it must
	// not be written: in a folder that is not trusted, and in the home directory.
	User, Project string
}

// Check returns an error that says, with a suggestion if there is one, that no hook has
// this id. It returns nil if a hook or an entry of a list of disabled hooks has it. It
// reads no file.
func (e Editor) Check(id string) error {
	if d, _ := e.disabledBy(id, ""); d != nil {
		return nil
	}
	return e.known(id)
}

// Disable adds id to hooksConfig.disabled of the project or, if Project is empty, of
// the user (docs/spec/faults.md, "Older and other spellings"). Disabling a disabled
// hook is not an error. The file, and its folder, are made if they are missing.
func (e Editor) Disable(id string) (string, error) {
	if err := e.known(id); err != nil {
		return "", err
	}
	if d, where := e.disabledBy(id, ""); d != nil {
		return fmt.Sprintf("Hook %q is already disabled, in %s:%d.", id, where.File, d.Line), nil
	}
	if err := addDisabled(e.target(), []string{id}); err != nil {
		return "", fmt.Errorf("disabling hook %q: %w", id, err)
	}
	return fmt.Sprintf("Hook %q disabled in %s.", id, e.target()), nil
}

// Enable removes id from the lists of the user and the project, under their older name
// too. It is an error if the system's settings disable the hook. Enabling an enabled
// hook is not an error. If the second of two files cannot be written, the first has
// been changed all the same.
func (e Editor) Enable(id string) (string, error) {
	if d, _ := e.disabledBy(id, ""); d == nil {
		if err := e.known(id); err != nil {
			return "", err
		}
		return fmt.Sprintf("Hook %q is not disabled.", id), nil
	}
	if err := e.fixed(id); err != nil {
		return "", err
	}
	changed, err := e.remove(func(s string) bool { return s == id })
	if err != nil {
		return "", fmt.Errorf("enabling hook %q: %w", id, err)
	}
	return fmt.Sprintf("Hook %q enabled in %s.", id, strings.Join(changed, " and ")), nil
}

// DisableAll disables every hook that is not disabled yet, in the file that
// [Editor.Disable] writes. The sentence says how many there were, or that there is
// nothing to do. The error is about the file.
func (e Editor) DisableAll() (string, error) {
	var ids []string
	all := e.ids()
	for _, id := range all {
		if d, _ := e.disabledBy(id, ""); d == nil {
			ids = append(ids, id)
		}
	}
	switch {
	case len(all) == 0:
		return "No hooks are configured.", nil
	case len(ids) == 0:
		return "All hooks are already disabled.", nil
	}
	if err := addDisabled(e.target(), ids); err != nil {
		return "", fmt.Errorf("disabling all hooks: %w", err)
	}
	return fmt.Sprintf("%s disabled in %s.", text.Plural(len(ids), "hook"), e.target()), nil
}

// EnableAll empties the lists of the user and the project. Its sentence also names the
// hooks that stay disabled, each on a line. The system's lists are not touched.
func (e Editor) EnableAll() (string, error) {
	var freed int
	var fixed []string
	for _, id := range e.ids() {
		d, _ := e.disabledBy(id, "")
		switch {
		case d == nil:
		case e.fixed(id) != nil:
			fixed = append(fixed, e.fixed(id).Error())
		default:
			freed++
		}
	}
	changed, err := e.remove(func(string) bool { return true })
	if err != nil {
		return "", fmt.Errorf("enabling all hooks: %w", err)
	}
	said := "All hooks are already enabled."
	switch {
	case len(e.ids()) == 0:
		said = "No hooks are configured."
	case len(changed) > 0:
		said = fmt.Sprintf("%s enabled in %s.", text.Plural(freed, "hook"), strings.Join(changed, " and "))
	case len(fixed) > 0:
		said = "Nothing to enable."
	}
	return strings.Join(append([]string{said}, fixed...), "\n"), nil
}

// Names returns the ids of the disabled hooks or of the others, in running order, for
// completion. Each id occurs once; nil means that there are none.
func (e Editor) Names(disabled bool) []string {
	return slices.DeleteFunc(e.ids(), func(id string) bool {
		d, _ := e.disabledBy(id, "")
		return (d != nil) != disabled
	})
}

// target returns the file that new entries go to.
func (e Editor) target() string {
	if e.Project != "" {
		return e.Project
	}
	return e.User
}

// ids returns the hooks' ids in the order in which they run, each once.
func (e Editor) ids() []string {
	var ids []string
	for _, h := range Merge(e.Sections...).Hooks {
		if !slices.Contains(ids, h.ID()) {
			ids = append(ids, h.ID())
		}
	}
	return ids
}

// known returns an error, with a suggestion, unless a hook has the id.
func (e Editor) known(id string) error {
	ids := e.ids()
	if slices.Contains(ids, id) {
		return nil
	}
	if len(ids) == 0 {
		return fmt.Errorf("there is no hook %q: no hooks are configured", id)
	}
	return fmt.Errorf("there is no hook %q%s", id, text.DidYouMean(text.Nearest(id, ids)))
}

// disabledBy returns the first entry that disables id, and its section, or nil. It
// looks in the sections of layer, or in all if layer is empty.
func (e Editor) disabledBy(id string, layer hooks.Layer) (*Disabled, *Section) {
	for i, s := range e.Sections {
		for j, d := range s.Disabled {
			if d.ID == id && (layer == "" || s.Layer == layer) {
				return &e.Sections[i].Disabled[j], &e.Sections[i]
			}
		}
	}
	return nil, nil
}

// fixed says why a hook cannot be enabled from here.
func (e Editor) fixed(id string) error {
	for _, layer := range []hooks.Layer{hooks.LayerSystem, hooks.LayerSystemDefaults} {
		if d, s := e.disabledBy(id, layer); d != nil {
			return fmt.Errorf(
				"hook %q is disabled by the system's settings, %s:%d; only the administrator of this machine can enable it",
				id, s.File,
				d.Line)
		}
	}
	if d, s := e.disabledBy(id, hooks.LayerProject); d != nil && e.Project == "" {
		return fmt.Errorf("hook %q is disabled in %s:%d, which cannot be changed from here", id, s.File, d.Line)
	}
	return nil
}

// disabledLists are the paths of the lists of disabled hooks. The second is the older
// name, which is read but never written.
var disabledLists = [][]string{{"hooksConfig", "disabled"}, {"hooks", "disabled"}}

// addDisabled adds ids to hooksConfig.disabled of a file. Those that it has already are
// not added again.
func addDisabled(file string, ids []string) error {
	return editSettings(file, func(doc *jsonc.Doc) error {
		listed := doc.Root().Get(disabledLists[0]...).Strings()
		for _, id := range ids {
			if slices.Contains(listed, id) {
				continue
			}
			if err := doc.Append(id, disabledLists[0]...); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
		return nil
	})
}

// editSettings changes a settings file under its lock. A file that is not UTF-8 is
// refused, because writing it would lose bytes.
func editSettings(file string, edit func(*jsonc.Doc) error) error {
	return jsonc.Update(file, 0o644, func(data []byte) ([]byte, error) {
		doc, err := jsonc.Parse(file, data)
		if err != nil {
			return nil, err
		}
		if doc.BadUTF8 > 0 {
			return nil, fmt.Errorf("%s:%d: a byte that is not UTF-8 would be lost; repair it first", file, doc.BadUTF8)
		}
		if err := edit(doc); err != nil {
			return nil, err
		}
		return doc.Bytes(), nil
	})
}

// remove removes names from the lists of the files that may be written, and returns the
// files that it changed.
func (e Editor) remove(drop func(string) bool) ([]string, error) {
	var changed []string
	for _, file := range []string{e.Project, e.User} {
		if file == "" || !e.lists(file, drop) {
			continue
		}
		err := editSettings(file, func(doc *jsonc.Doc) error {
			for _, list := range disabledLists {
				if doc.RemoveStrings(drop, list...) > 0 {
					doc.RemoveEmpty(list...)
					doc.RemoveEmpty(list[0])
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		changed = append(changed, file)
	}
	return changed, nil
}

// lists reports whether file was loaded with entries for which drop returns true.
func (e Editor) lists(file string, drop func(string) bool) bool {
	return slices.ContainsFunc(e.Sections, func(s Section) bool {
		return s.File == file && slices.ContainsFunc(s.Disabled, func(d Disabled) bool { return drop(d.ID) })
	})
}
