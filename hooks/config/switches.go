package config

import (
	"math"

	"minigem/hooks"
	"minigem/hooks/jsonc"
)

// Keys of settings that are not events.
var (
	// configFields are the fields of hooksConfig.
	configFields = []string{"enabled", "disabled", "notifications", "maxRetries", "blockedExitCode", "allowedHttpHosts",
		"mayAllow"}
	// olderHookKeys are switches that earlier versions had among the events in "hooks".
	olderHookKeys = []string{"enabled", "disabled", "notifications"}
)

// hooksConfig reads the switches in "hooksConfig".
func (l *loader) hooksConfig(n jsonc.Node) {
	if !l.object("hooksConfig", n) {
		return
	}
	l.fields("hooksConfig", n, configFields)
	l.Enabled = l.flag("hooksConfig.enabled", n.Get("enabled"))
	l.Notifications = l.flag("hooksConfig.notifications", n.Get("notifications"))
	l.Disabled = append(l.Disabled, l.ids("hooksConfig.disabled", n.Get("disabled"))...)
	l.mayAllow(n.Get("mayAllow"))
	l.HTTPHosts = l.httpHosts(n)
	l.MaxRetries = l.number("hooksConfig.maxRetries", n.Get("maxRetries"), 1000)
	l.BlockedExitCode = l.number("hooksConfig.blockedExitCode", n.Get("blockedExitCode"), 255)
}

// httpHosts reads the hosts that hooks may contact without encryption. Neither a project
// nor an extension can set them.
func (l *loader) httpHosts(n jsonc.Node) []string {
	hosts := l.texts(n, "allowedHttpHosts")
	switch at := n.Get("allowedHttpHosts"); {
	case !at.Exists():
	case l.Layer == hooks.LayerProject || l.Layer == hooks.LayerExtension:
		l.problem(at.Line(), "hooksConfig.allowedHttpHosts counts only in your own settings and the system's: ignored")
		return nil
	case hosts == nil:
		l.problem(at.Line(), "hooksConfig.allowedHttpHosts must be an array of hosts: ignored")
	}
	return hosts
}

// number reads a whole number from 1 to most. It returns 0 if there is no valid one.
func (l *loader) number(name string, n jsonc.Node, most int) int {
	if !n.Exists() {
		return 0
	}
	f, ok := n.Float()
	if !ok || f < 1 || f > float64(most) || f != math.Trunc(f) {
		l.problem(n.Line(), "%s must be a whole number from 1 to %d, not %s: ignored", name, most, n.Standard())
		return 0
	}
	return int(f)
}

// older reads settings under the names of earlier versions (docs/spec/faults.md, "Older
// and other spellings"). hooksConfig.enabled in the same file wins over them.
func (l *loader) older(root jsonc.Node) {
	say := func(n jsonc.Node, name, now string) bool {
		if n.Exists() {
			p := l.problem(n.Line(), "%s is an older name: write %s", name, now)
			p.Rule, p.Fix.Edit = "HK010", MoveOlder
		}
		return n.Exists()
	}
	for _, name := range []string{"tools.enableHooks", "hooks.enabled"} {
		n := root.Get("hooks", "enabled")
		if name == "tools.enableHooks" {
			n = root.Get("tools", "enableHooks")
		}
		if !say(n, name, "hooksConfig.enabled") {
			continue
		}
		s := l.flag(name, n)
		if s != nil && (l.Enabled == nil || l.Enabled.Name != "hooksConfig.enabled" && !s.On) {
			l.Enabled = s
		}
	}
	if n := root.Get("hooks", "disabled"); say(n, "hooks.disabled", "hooksConfig.disabled") {
		l.Disabled = append(l.Disabled, l.ids("hooks.disabled", n)...)
	}
	if n := root.Get("hooks", "notifications"); say(n, "hooks.notifications", "hooksConfig.notifications") {
		if s := l.flag("hooks.notifications", n); l.Notifications == nil {
			l.Notifications = s
		}
	}
}

// flag reads a switch; nil if it is absent or not a boolean. A value that is not a
// boolean is a problem.
func (l *loader) flag(name string, n jsonc.Node) *Switch {
	if !n.Exists() {
		return nil
	}
	if n.Kind() != jsonc.Bool {
		l.problem(n.Line(), "%s must be true or false, not %s: ignored", name, n.Kind())
		return nil
	}
	return &Switch{On: n.IsTrue(), Name: name, Line: n.Line()}
}

// mayAllow reads which further hooks' permissions count. Neither a project nor an
// extension can set it.
func (l *loader) mayAllow(n jsonc.Node) {
	if n.Exists() && (l.Layer == hooks.LayerProject || l.Layer == hooks.LayerExtension) {
		l.problem(n.Line(), "hooksConfig.mayAllow counts only in the settings of the user and the system: ignored")
		return
	}
	l.MayAllow = l.ids("hooksConfig.mayAllow", n)
}

// ids reads an array of hooks' ids. Entries that are not strings are problems and are
// left out.
func (l *loader) ids(name string, n jsonc.Node) (ids []Disabled) {
	if n.Exists() && n.Kind() != jsonc.Array {
		l.problem(n.Line(), "%s must be an array of names, not %s: ignored", name, n.Kind())
	}
	for _, e := range n.Elements() {
		if e.Kind() != jsonc.String {
			l.problem(e.Line(), "%s holds %s where a name should be: ignored", name, e.Kind())
			continue
		}
		ids = append(ids, Disabled{ID: e.Text(), Line: e.Line()})
	}
	return ids
}
