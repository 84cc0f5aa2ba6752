package extensions

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks/jsonc"
)

// scopeRule returns the rule that covers dir and everything below it.
func scopeRule(dir string) string {
	return "/" + strings.Trim(filepath.ToSlash(dir), "/") + "/*"
}

// Switch enables or disables an extension for dir and everything below it, and removes
// earlier rules for them.
func (m *Manager) Switch(name string, on bool, dir string) (Installed, error) {
	i, err := m.find(name)
	if err != nil {
		return i, err
	}
	return i, m.enable(i.Name, on, dir)
}

func (m *Manager) enable(name string, on bool, dir string) error {
	rule := scopeRule(dir)
	return m.editEnablement(func(all map[string]json.RawMessage) {
		var now struct {
			Overrides []string `json:"overrides"`
		}
		_ = json.Unmarshal(all[name], &now) // a rule that cannot be read is replaced
		now.Overrides = slices.DeleteFunc(now.Overrides, func(old string) bool {
			old = strings.TrimSuffix(strings.TrimPrefix(old, "!"), "*")
			return strings.HasPrefix(strings.TrimSuffix(old, "/")+"/", strings.TrimSuffix(rule, "*"))
		})
		if !on {
			rule = "!" + rule
		}
		now.Overrides = append(now.Overrides, rule)
		all[name], _ = json.Marshal(now)
	})
}

func (m *Manager) forgetEnablement(name string) error {
	return m.editEnablement(func(all map[string]json.RawMessage) { delete(all, name) })
}

func (m *Manager) editEnablement(change func(map[string]json.RawMessage)) error {
	file := filepath.Join(m.Dir, enablementFile)
	return jsonc.Update(file, 0o644, func(data []byte) ([]byte, error) {
		all := map[string]json.RawMessage{}
		if data != nil {
			doc, err := jsonc.Parse(file, data)
			if err != nil {
				return nil, err
			}
			for _, member := range doc.Root().Members() {
				all[member.Name] = member.Value.Standard()
			}
		}
		change(all)
		return json.MarshalIndent(all, "", "  ")
	})
}
