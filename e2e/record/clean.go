package record

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"minigem/internal/redact"
)

// cleaner removes what must not leave the machine.
type cleaner struct {
	mask   func(string) string
	script *strings.Replacer // replaces folders by variables, in text for a shell
	words  *strings.Replacer // replaces folders by relative paths, in text for tools and people
	user   *regexp.Regexp    // nil: the login name is kept
	taken  []string          // names or kinds of the removed secrets, see [redact.Text]
}

// commonNames lists login names that are too common as words to be removed.
var commonNames = []string{"root", "user", "admin", "runner", "build", "test", "home", "work", "node", "ubuntu",
	"default", "nobody"}

func newCleaner(o Options) *cleaner {
	c := &cleaner{mask: o.Mask}
	if c.mask == nil {
		c.mask = func(text string) string { return text }
	}
	slash := string(os.PathSeparator)
	var script, words []string
	for _, dir := range spellings(o.Dir, o.Project) {
		script = append(script, dir, "$GEMINI_PROJECT_DIR")
		words = append(words, dir+slash, "", dir, ".")
	}
	for _, home := range spellings(o.Home) {
		if len(home) > 1 {
			script, words = append(script, home, "$HOME"), append(words, home, "$HOME")
		}
	}
	c.script, c.words = strings.NewReplacer(script...), strings.NewReplacer(words...)
	if len(o.User) >= 4 && !slices.Contains(commonNames, strings.ToLower(o.User)) {
		c.user = regexp.MustCompile(`\b` + regexp.QuoteMeta(o.User) + `\b`)
	}
	return c
}

// spellings returns folders without and with their symbolic links resolved, longest first.
func spellings(dirs ...string) []string {
	var out []string
	for _, dir := range dirs {
		if real, err := filepath.EvalSymlinks(dir); err == nil && dir != "" {
			out = append(out, real)
		}
		if dir != "" {
			out = append(out, filepath.Clean(dir))
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(out)
}

// secrets removes secrets from text.
func (c *cleaner) secrets(text string) string {
	masked := c.mask(text)
	for range strings.Count(masked, redact.Shown) - strings.Count(text, redact.Shown) {
		c.taken = append(c.taken, "the environment")
	}
	masked, taken := redact.Text(masked)
	c.taken = append(c.taken, taken...)
	return masked
}

func (c *cleaner) names(text string) string {
	if c.user == nil {
		return text
	}
	return c.user.ReplaceAllLiteralString(text, "$USER")
}

// summary lists what was removed, such as "API_TOKEN, AWS key (2)". It is empty if nothing
// was.
func (c *cleaner) summary() string {
	count := map[string]int{}
	for _, kind := range c.taken {
		count[kind]++
	}
	var out []string
	for _, kind := range slices.Sorted(maps.Keys(count)) {
		if n := count[kind]; n > 1 {
			kind += fmt.Sprintf(" (%d)", n)
		}
		out = append(out, kind)
	}
	return strings.Join(out, ", ")
}

// code cleans text for a shell: commands, scripts, files.
func (c *cleaner) code(text string) string { return c.names(c.script.Replace(c.secrets(text))) }

// text cleans text for models, tools and people.
func (c *cleaner) text(text string) string { return c.names(c.words.Replace(c.secrets(text))) }

// value cleans the strings of a JSON value.
func (c *cleaner) value(v any) any {
	switch v := v.(type) {
	case string:
		return c.text(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = c.value(e)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for key, e := range v {
			out[c.text(key)] = c.value(e)
		}
		return out
	}
	return v
}
