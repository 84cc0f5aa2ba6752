package listing

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/settings"
	"minigem/internal/text"
)

// ListedSetting is a setting in force and its origin. Secrets are masked.
type ListedSetting struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
	Layer settings.Layer  `json:"layer"`
	File  string          `json:"file,omitempty"`
	Line  int             `json:"line,omitempty"`
	// Effect says what the setting does in minigem: works, none or restriction, or
	// unknown if the key is not known.
	Effect string `json:"effect"`
}

// SettingsBelow lists the settings at and below key, or all if key is empty.
func SettingsBelow(c *app.Configuration, key string) []ListedSetting {
	out := []ListedSetting{}
	for _, e := range c.Loaded.Entries() {
		if key == "" || e.Key == key || strings.HasPrefix(e.Key, key+".") {
			out = append(out, ListedSetting{e.Key, c.Mask(e.Value), e.Origin.Layer, e.Origin.File, e.Origin.Line,
				settings.EffectOf(e.Key)})
		}
	}
	// the later layer is in force
	for _, g := range slices.Backward(slices.Concat(c.Loaded.WithoutEffect(), c.Loaded.Restrictions())) {
		if slices.ContainsFunc(out, func(l ListedSetting) bool { return l.Key == g.Key }) || key != "" && g.Key != key &&
			!strings.HasPrefix(g.Key, key+".") {
			continue
		}
		out = append(out, ListedSetting{g.Key, c.Mask(g.Value), g.Origin.Layer, g.Origin.File, g.Origin.Line,
			settings.EffectOf(g.Key)})
	}
	slices.SortStableFunc(out, func(a, b ListedSetting) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// WriteKnown lists each known key with its effect: works, none (a convenience that
// minigem does not have) or restriction (it cannot be enforced, so no session begins
// while it is set).
func WriteKnown(sys *app.System, below string) error {
	var rows [][]string
	var keys []string
	for _, k := range settings.KnownKeys() {
		section, _, _ := strings.Cut(k.Key, ".")
		keys = append(keys, k.Key, section)
		if below == "" || k.Key == below || strings.HasPrefix(k.Key, below+".") {
			rows = append(rows, []string{k.Key, string(k.Effect)})
		}
	}
	if len(rows) == 0 {
		return exit.Errorf(exit.Input, "there is no setting %q%s", below, text.DidYouMean(text.Nearest(below, keys)))
	}
	return writeRows(sys, rows)
}

// writeRows prints rows in columns.
func writeRows(sys *app.System, rows [][]string) error {
	text.Align(rows)
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(strings.Join(row, "  ") + "\n")
	}
	_, err := io.WriteString(sys.Stdout, b.String())
	return err
}

// effects are the remarks shown for settings that are not simply in force.
var effects = map[string]string{
	string(settings.EffectNone):        "  (no effect in minigem)",
	string(settings.EffectRestriction): "  (cannot be enforced: no session begins)", "unknown": "  (not known)",
}

// WriteSettings lists settings for people, with their origins if asked for.
func WriteSettings(c *app.Configuration, sys *app.System, found []ListedSetting, origin bool) error {
	rows := make([][]string, len(found))
	for i, s := range found {
		rows[i] = []string{text.VisibleLine(s.Key), text.VisibleLine(string(s.Value)) + effects[s.Effect]}
		if !origin {
			continue
		}
		at := string(s.Layer)
		if s.File != "" {
			at = fmt.Sprintf("%s %s:%d", s.Layer, c.Shorten(s.File), s.Line)
		}
		rows[i] = append(rows[i], at)
	}
	return writeRows(sys, rows)
}

// WriteSettingsFaults reports settings that were ignored or are unknown.
func WriteSettingsFaults(c *app.Configuration, sys *app.System) {
	for _, w := range c.Loaded.Warnings {
		fmt.Fprintf(sys.Stderr, "[WARNING] %s\n", w)
	}
	for _, g := range c.Loaded.Restrictions() {
		fmt.Fprintf(sys.Stderr, "[WARNING] %s:%d: %s cannot be enforced, so that no session begins\n",
			c.Shorten(g.Origin.File), g.Origin.Line, text.VisibleLine(g.Key))
	}
	for _, g := range c.Loaded.WithoutEffect() {
		fmt.Fprintf(sys.Stderr, "[WARNING] %s:%d: %s has no effect in minigem\n", c.Shorten(g.Origin.File), g.Origin.Line,
			text.VisibleLine(g.Key))
	}
	for _, u := range c.Loaded.Unknown {
		u.Origin.File = c.Shorten(u.Origin.File)
		fmt.Fprintf(sys.Stderr, "[WARNING] %s\n", u)
	}
	for _, f := range c.Loaded.Files {
		if f.Layer == settings.LayerWorkspace && f.Skipped != "" && app.Exists(f.Path) && !c.Trust.Trusted {
			fmt.Fprintf(sys.Stderr, "[WARNING] %s is not read: %s\n", c.Shorten(f.Path), f.Skipped)
		}
	}
}
