package extensions

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks/dotenv"
	"minigem/internal/text"
)

// given is a value of a setting to store.
type given struct {
	setting Setting
	value   string // empty: no value
}

// ErrNoAnswer means that a setting was asked for and nobody answered.
var ErrNoAnswer = errors.New(
	"nothing was installed: a setting needs a value, and nobody answered; --skip-settings leaves them for minigem " +
		"extensions config")

// askSettings asks for the settings of next that before did not have.
func (m *Manager) askSettings(next Installed, before *Installed, o Options) ([]given, error) {
	var missing []string
	var out []given
	for _, s := range next.Settings {
		if before != nil && slices.ContainsFunc(before.Settings, func(old Setting) bool {
			return old.EnvVar == s.EnvVar && old.Sensitive == s.Sensitive
		}) {
			continue
		}
		if o.SkipSettings {
			missing = append(missing, s.EnvVar)
			continue
		}
		value, ok := m.User.Value(question(s), s.Sensitive)
		if !ok && o.Consent {
			missing = append(missing, s.EnvVar)
			continue
		}
		if !ok {
			return nil, ErrNoAnswer
		}
		if value != "" {
			out = append(out, given{s, value})
		}
	}
	if len(missing) > 0 {
		m.User.Say(fmt.Sprintf("Not set: %s. minigem extensions config %s asks for them.\n", strings.Join(missing, ", "),
			next.Name))
	}
	return out, nil
}

func question(s Setting) string {
	what := text.VisibleLine(s.Name)
	if s.Description != "" {
		what = strings.TrimSpace(what + " - " + text.Line(s.Description))
	}
	return strings.TrimSpace(what+" ("+s.EnvVar+")") + ": "
}

// service returns the name under which Gemini CLI stores an extension's secrets. For
// the secrets of a workspace, it includes the folder.
func service(i Installed, workspace string) string {
	name := "Gemini CLI Extensions " + i.Name + " " + i.ID()
	if workspace != "" {
		name += " " + workspace
	}
	return name
}

const accountPrefix = "__secret__"

// secretsOf returns the services and accounts that may hold secrets of i.
func (m *Manager) secretsOf(i Installed) map[string][]string {
	out := map[string][]string{}
	for _, s := range i.Settings {
		out[service(i, "")] = append(out[service(i, "")], accountPrefix+s.EnvVar)
		out[service(i, m.Workspace)] = append(out[service(i, m.Workspace)], accountPrefix+s.EnvVar)
	}
	if len(i.Settings) == 0 {
		return out
	}
	for name, accounts := range m.vault().Services(service(i, "")) {
		out[name] = nil
		for account := range accounts {
			out[name] = append(out[name], account)
		}
	}
	return out
}

// store stores the user's values, for all folders.
func (m *Manager) store(i Installed, all []given) error {
	for _, g := range all {
		if err := m.keep(i, g, ""); err != nil {
			return err
		}
	}
	return nil
}

// keep stores one value. Secrets and values for a single workspace go to the keychain,
// others to the extension's .env file.
func (m *Manager) keep(i Installed, g given, workspace string) error {
	if strings.ContainsAny(g.value, "\r\n\x00") {
		return fmt.Errorf("the value of %s has more than one line", g.setting.EnvVar)
	}
	if g.setting.Sensitive || workspace != "" {
		if g.value == "" {
			return m.vault().Remove(service(i, workspace), accountPrefix+g.setting.EnvVar)
		}
		return m.vault().Set(service(i, workspace), accountPrefix+g.setting.EnvVar, g.value)
	}
	file := filepath.Join(i.Folder, ".env")
	vars, err := dotenv.Read(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var lines []string
	for _, v := range vars {
		if v.Name != g.setting.EnvVar {
			lines = append(lines, envLine(v.Name, v.Value))
		}
	}
	if g.value != "" {
		lines = append(lines, envLine(g.setting.EnvVar, g.value))
	}
	return writeEnv(file, lines)
}

// envLine quotes a value so that both programs read it back unchanged.
func envLine(name, value string) string {
	switch {
	case !strings.ContainsAny(value, " \t#'\"`\\$"):
		return name + "=" + value
	case !strings.Contains(value, "'"):
		return name + "='" + value + "'"
	}
	return name + `="` + strings.ReplaceAll(value, `"`, `\"`) + `"`
}

// Value is a setting of an extension with its current value.
type Value struct {
	Setting
	Value string // empty if not set
	Where string // "user" or "workspace"; empty if not set
}

// Values returns the settings of i in workspace. Values set for the workspace win. With
// an empty workspace it returns those set for all folders.
func (m *Manager) Values(i Installed, workspace string) ([]Value, error) {
	if len(i.Settings) == 0 {
		return nil, nil
	}
	vars, err := dotenv.Read(filepath.Join(i.Folder, ".env"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	secrets := m.vault()
	var out []Value
	for _, s := range i.Settings {
		v := Value{Setting: s}
		for _, one := range vars {
			if one.Name == s.EnvVar && !s.Sensitive {
				v.Value, v.Where = one.Value, "user"
			}
		}
		for _, scope := range []string{"", workspace} {
			if scope == "" && !s.Sensitive {
				continue
			}
			value, ok, fault := secrets.Get(service(i, scope), accountPrefix+s.EnvVar)
			err = errors.Join(err, fault)
			if ok && value != "" {
				v.Value, v.Where = value, map[bool]string{true: "user", false: "workspace"}[scope == ""]
			}
		}
		out = append(out, v)
	}
	return out, err
}

// Configure asks for all settings of the extension called name, or for one, given by
// its name or variable, and stores them.
func (m *Manager) Configure(name, setting string, workspace bool) error {
	i, err := m.find(name)
	if err != nil {
		return err
	}
	scope := ""
	if workspace {
		scope = m.Workspace
	}
	var wanted []Setting
	for _, s := range i.Settings {
		if setting == "" || strings.EqualFold(s.Name, setting) || s.EnvVar == setting {
			wanted = append(wanted, s)
		}
	}
	if len(wanted) == 0 {
		if setting == "" {
			return fmt.Errorf("the extension %s has no settings", i.Name)
		}
		return fmt.Errorf("the extension %s has no setting %q: it has %s", i.Name, setting, settingNames(i.Settings))
	}
	for _, s := range wanted {
		value, ok := m.User.Value(question(s), s.Sensitive)
		if !ok {
			return fmt.Errorf("no value for the setting %s: run this in a terminal", s.EnvVar)
		}
		if err := m.keep(i, given{s, value}, scope); err != nil {
			return err
		}
		m.User.Say(map[bool]string{true: s.EnvVar + " has no value now.\n", false: s.EnvVar + " is set.\n"}[value == ""])
	}
	return nil
}

func settingNames(all []Setting) string {
	var names []string
	for _, s := range all {
		names = append(names, s.EnvVar)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// Find finds an installed extension by its name, ignoring case, or by its source.
func (m *Manager) Find(name string) (Installed, error) { return m.find(name) }
