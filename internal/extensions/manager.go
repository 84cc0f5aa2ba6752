package extensions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks/dotenv"
	"minigem/internal/atomicfile"
	"minigem/internal/boundedfile"
	"minigem/internal/download"
	"minigem/internal/proc"
	"minigem/internal/stage"
	"minigem/internal/text"
	"minigem/internal/vault"
)

// Manager changes a user's extensions.
type Manager struct {
	Dir       string   // the folder of extensions
	DotGemini string   // the folder of Gemini CLI's other files
	Home      string   // an installed extension is enabled below it
	Workspace string   // the working directory
	Env       []string // "NAME=value"; later ones win
	Rules     Rules
	User      User
	Wait      download.Wait // for servers
}

// User is asked, and informed.
type User interface {
	Say(text string)
	// Confirm shows about and reports whether the user answers question with yes. No
	// answer means no.
	Confirm(about, question string) bool
	// Value asks for a line. If hidden is set, the input is not shown. ok is false if
	// nobody can answer.
	Value(question string, hidden bool) (value string, ok bool)
}

// Options are the options of Install, Link and Update.
type Options struct {
	Ref             string
	AutoUpdate      bool
	AllowPreRelease bool
	Consent         bool // the user has already agreed
	SkipSettings    bool
}

// ErrRefused means that nobody agreed and nothing was changed.
var ErrRefused = errors.New("nothing was installed, because nobody agreed; --consent says yes beforehand")

// Getenv returns the last value of name in Env.
func (m *Manager) Getenv(name string) string {
	value, _ := dotenv.Lookup(m.Env, name)
	return value
}

// environ returns the environment of git, without variables that select a repository or
// configuration.
func (m *Manager) environ() []string {
	return slices.DeleteFunc(proc.GitEnviron(m.Env), func(e string) bool { return strings.HasPrefix(e, "GIT_CONFIG_") })
}

// Install installs the extension at address, after the user has seen what it brings and
// agreed.
func (m *Manager) Install(ctx context.Context, address string, o Options) (Installed, error) {
	origin, err := ParseSource(address, m.Workspace)
	if err != nil {
		return Installed{}, err
	}
	if origin.Type == TypeLocal && (o.Ref != "" || o.AutoUpdate || o.AllowPreRelease) {
		return Installed{}, errors.New("--ref, --auto-update and --pre-release are for addresses, not for a folder")
	}
	origin.Ref, origin.AutoUpdate, origin.AllowPreRelease = o.Ref, o.AutoUpdate, o.AllowPreRelease
	return m.install(ctx, origin, o, nil)
}

// Link adds the extension in the folder dir to the user's, without copying it.
func (m *Manager) Link(ctx context.Context, dir string, o Options) (Installed, error) {
	origin, err := ParseSource(dir, m.Workspace)
	if err != nil {
		return Installed{}, err
	}
	if origin.Type != TypeLocal {
		return Installed{}, fmt.Errorf("%s is an address: only a folder can be linked", text.VisibleLine(dir))
	}
	origin.Type = TypeLink
	return m.install(ctx, origin, o, nil)
}

// install installs an extension, or replaces before if given. If it fails, nothing
// changes.
func (m *Manager) install(ctx context.Context, origin Origin, o Options, before *Installed) (Installed, error) {
	refused, err := m.Rules.Refused(origin, origin.Source)
	if err == nil && refused != "" {
		err = errors.New(refused)
	}
	if err != nil {
		return Installed{}, err
	}
	if err := os.MkdirAll(m.Dir, 0o755); err != nil {
		return Installed{}, err
	}
	change, err := stage.Begin(m.Dir)
	if err != nil {
		return Installed{}, err
	}
	defer change.End()
	made := change.Made()
	if err := os.Mkdir(made, 0o755); err != nil {
		return Installed{}, err
	}
	if origin.Type != TypeLink {
		if origin, err = m.fetch(ctx, origin, made); err != nil {
			return Installed{}, err
		}
		if err := os.RemoveAll(filepath.Join(made, ".env")); err != nil { // it would replace the user's settings
			return Installed{}, err
		}
	}
	if err := writeOrigin(made, origin); err != nil {
		return Installed{}, err
	}
	next, err := Open(made)
	if err != nil {
		return next, fmt.Errorf("this is not an extension that can be used: %w", err)
	}
	if err := m.agree(next, before, o.Consent); err != nil {
		return next, err
	}
	set, err := m.askSettings(next, before, o)
	if err != nil {
		return next, err
	}
	return m.put(next, before, change, set)
}

func writeOrigin(dir string, o Origin) error {
	data, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(filepath.Join(dir, installFile), data, 0o644)
}

// agree shows what next brings and asks the user. After an update it asks only if
// something that runs or is read has changed.
func (m *Manager) agree(next Installed, before *Installed, agreed bool) error {
	switch {
	case before != nil && before.Name != next.Name: // settings, secrets and switches depend on the name
		return fmt.Errorf("the extension %s is called %s now: uninstall it, and install %s", before.Name, next.Name,
			text.VisibleLine(next.Origin.Source))
	case before == nil:
		if old, err := m.find(next.Name); err == nil {
			return fmt.Errorf("the extension %s is installed already: update or uninstall it", old.Name)
		}
		if lexists(filepath.Join(m.Dir, next.Name)) {
			return fmt.Errorf("%s is in the way: it is not an extension; move it away", filepath.Join(m.Dir, next.Name))
		}
	}
	brings, err := Read(next.Dir)
	if err != nil {
		return err
	}
	if next.Version == "" {
		return errors.New(`this is not an extension that can be used: its manifest has no "version"`)
	}
	from := text.VisibleLine(next.Origin.Source)
	question := "Install it? [y/N] "
	about := fmt.Sprintf("The extension %s %s from %s would bring:\n%s", next.Name, text.VisibleLine(next.Version), from,
		brings.Listing())
	if before != nil {
		if about, err = describeChanges(*before, next, brings, from); err != nil || about == "" {
			return err
		}
		question = "Update it? [y/N] "
	}
	for _, p := range brings.Problems {
		about += "  left out: " + text.VisibleLine(p) + "\n"
	}
	about += "Hooks and MCP servers run on this machine with your rights. " +
		"The rest is given to models as instructions. minigem has not checked any of it.\n"
	if agreed {
		m.User.Say(about)
	} else if !m.User.Confirm(about, question) {
		return ErrRefused
	}
	return nil
}

// describeChanges describes what an update would change, or returns "" if nothing that
// runs or is read changes.
func describeChanges(before, next Installed, brings Contents, from string) (string, error) {
	files, err := changes(before, next)
	if err != nil {
		return "", err
	}
	was, err := Read(before.Dir)
	if err == nil && was.Listing() == brings.Listing() && len(files) == 0 && before.Origin.Source == next.Origin.Source {
		return "", nil
	}
	about := fmt.Sprintf("The extension %s would change from %s to %s, from %s, and bring:\n%s",
		before.Name, text.VisibleLine(before.Version), text.VisibleLine(next.Version), from, brings.Listing())
	const most = 30
	for n, f := range files {
		if n == most {
			about += fmt.Sprintf("  and %d more files\n", len(files)-most)
			break
		}
		about += "  " + text.VisibleLine(f) + "\n"
	}
	return about, nil
}

func lexists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// put moves the new folder into place and records its origin. If that fails, or the
// process is killed, the old one is restored.
func (m *Manager) put(next Installed, before *Installed, change *stage.Change, set []given) (Installed, error) {
	if before != nil {
		if data, err := boundedfile.Read(filepath.Join(before.Folder, ".env"), boundedfile.Written); err == nil {
			if err := os.WriteFile(filepath.Join(next.Folder, ".env"), data, 0o600); err != nil {
				return next, err
			}
		}
	}
	name := next.Name
	if before != nil {
		name = filepath.Base(before.Folder)
	} else if place := filepath.Join(m.Dir, name); lexists(place) { // it appeared while the user was asked
		return next, fmt.Errorf("installing the extension %s: %s is in the way", name, place)
	}
	err := change.Put(name)
	done := next
	if err == nil {
		done, err = Open(filepath.Join(m.Dir, name))
	}
	if err == nil {
		if before == nil {
			err = m.enable(done.Name, true, m.Home)
		}
		err = errors.Join(err, m.records().set(done.Name, &done.Origin), m.store(done, set))
		if err == nil {
			err = change.Commit()
		}
		if err != nil && before == nil {
			err = errors.Join(err, m.forget(next))
		}
	}
	if err != nil {
		return done, fmt.Errorf("installing the extension %s: %w", next.Name, err)
	}
	return done, nil
}

func (m *Manager) vault() vault.Vault { return vault.New(m.DotGemini, m.Getenv) }
func (m *Manager) records() records   { return records{m.DotGemini, m.vault()} }

// Uninstall removes the extension called name and its settings. If it is linked, only
// the link is removed.
func (m *Manager) Uninstall(name string) (Installed, error) {
	i, err := m.find(name)
	if err != nil {
		return i, err
	}
	if err := stage.Remove(m.Dir, filepath.Base(i.Folder)); err != nil {
		return i, fmt.Errorf("removing the extension %s: %w", i.Name, err)
	}
	return i, m.forget(i)
}

// forget removes the data about an extension outside its folder.
func (m *Manager) forget(i Installed) error {
	err := errors.Join(m.forgetEnablement(i.Name), m.records().set(i.Name, nil))
	for service, accounts := range m.secretsOf(i) {
		for _, account := range accounts {
			err = errors.Join(err, m.vault().Remove(service, account))
		}
	}
	return err
}

// Names returns the names of the installed extensions.
func (m *Manager) Names() []string {
	var out []string
	for _, i := range m.all() {
		out = append(out, i.Name)
	}
	return out
}

// Updated is the result of Update for one extension.
type Updated struct {
	Before, After Installed
	Why           string // why there was nothing to update; empty if it was updated
}

// Update updates the extension called name.
func (m *Manager) Update(ctx context.Context, name string, o Options) (Updated, error) {
	i, err := m.find(name)
	if err != nil {
		return Updated{}, err
	}
	u := Updated{Before: i}
	if err := m.records().check(i.Name, i.Origin); err != nil {
		return u, err
	}
	origin := i.Origin
	if i.MigratedTo != "" && i.MigratedTo != origin.Source {
		if origin, err = ParseSource(i.MigratedTo, i.Dir); err != nil {
			return u, err
		}
	} else if u.Why, err = m.current(ctx, i); err != nil || u.Why != "" {
		return u, err
	}
	u.After, err = m.install(ctx, origin, o, &i)
	return u, err
}

// current says why there is nothing to update, or returns "" if there is something.
func (m *Manager) current(ctx context.Context, i Installed) (string, error) {
	const newest = "it is up to date"
	switch i.Origin.Type {
	case TypeLink:
		return "it is linked, and always matches its folder", nil
	case TypeLocal:
		there, err := ReadManifest(i.Origin.Source)
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("the folder it was installed from, %s, has no extension any more", i.Origin.Source)
		}
		if err == nil && there.Version == i.Version {
			return newest, nil
		}
		return "", err
	case TypeGit:
		newer, err := m.newerCommit(ctx, i)
		if err == nil && !newer {
			return newest, nil
		}
		return "", err
	case TypeRelease:
		r, err := m.release(ctx, i.Origin)
		if err == nil && r.Tag == i.Origin.ReleaseTag {
			return newest, nil
		}
		return "", err
	}
	return "", fmt.Errorf("its source was not recorded: uninstall it, and install it again")
}
