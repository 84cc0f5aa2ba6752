package record

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"minigem/internal/redact"
)

// cleaner takes out what must not leave the machine.
type cleaner struct {
	mask   func(string) string
	script *strings.Replacer // folders become variables, for what a shell reads
	words  *strings.Replacer // folders become relative, for what tools and people read
	user   *regexp.Regexp    // nil: the name is not taken out
	taken  []string          // names or kinds of the secrets that were taken out, see [redact.Text]
}

// commonNames are login names that are words of every text.
var commonNames = []string{"root", "user", "admin", "runner", "build", "test", "home", "work", "node", "ubuntu",
	"default", "nobody"}

func newCleaner(o Options) *cleaner {
	c := &cleaner{mask: o.Mask}
	if c.mask == nil {
		c.mask = func(text string) string { return text }
	}
	slash := string(os.PathSeparator)
	var script, words []string
	for _, dir := range unique(append(spellings(o.Dir), spellings(o.Project)...)) {
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

// spellings are a folder as it is named and as it is without links, the longer
// one first.
func spellings(dir string) []string {
	if dir == "" {
		return nil
	}
	out := []string{filepath.Clean(dir)}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		out = append(out, real)
	}
	slices.SortFunc(out, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(out)
}

func unique(dirs []string) []string {
	slices.SortStableFunc(dirs, func(a, b string) int { return len(b) - len(a) })
	var out []string
	for _, d := range dirs {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

// secrets takes secrets out of text.
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

// summary says what was taken out, such as "API_TOKEN, AWS key (2)"; empty:
// nothing.
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

// code cleans what a shell reads: commands, scripts, files.
func (c *cleaner) code(text string) string { return c.names(c.script.Replace(c.secrets(text))) }

// text cleans what models, tools and people read.
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
