package redact

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// minSecret is the minimum length of a masked value. Shorter ones are too common.
const minSecret = 8

// Secrets returns the secret values in env, which has the form of os.Environ: values of
// variables whose names suggest secrets, and values that look like secrets. It leaves
// out values under 8 bytes, and plain configuration values such as "disabled" or a
// path. The longest comes first, and each occurs once.
func Secrets(env []string) []string {
	var out []string
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if len(value) < minSecret || slices.Contains(out, value) {
			continue
		}
		if LooksSecret(value) || namesSecret(strings.ToUpper(name)) && !plain(value) {
			out = append(out, value)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return out
}

// plain reports whether value is that of a variable such as SSH_AUTH_SOCK, KEYBOARD or
// GPG_KEY_FILE. Masking such values would make holes in every text.
func plain(value string) bool {
	lower := strings.ToLower(value)
	return strings.HasPrefix(value, "/") && !strings.ContainsAny(value, "=+ ") && !strings.HasPrefix(value, "/+") ||
		slices.Contains([]string{"disabled", "required", "optional", "undefined", "anonymous", "password", "external",
			"automatic"}, lower) ||
		strings.Trim(value, "*") == ""
}

// Mask masks secrets in texts. The zero Mask masks none. It is safe for
// concurrent use.
type Mask struct {
	forms []string // the longest first
}

// Shown replaces a secret.
const Shown = "[REDACTED]"

// NewMask returns a [Mask] of the given values, except those under 8 bytes. It finds
// each value as it is and inside a JSON string, with and without HTML escapes, encoded
// once or twice.
func NewMask(secrets []string) *Mask {
	m := &Mask{}
	seen := map[string]bool{}
	for _, s := range secrets {
		if len(s) < minSecret {
			continue
		}
		for _, part := range append(lines(s), s) {
			for _, f := range spellings(part) {
				if !seen[f] {
					seen[f] = true
					m.forms = append(m.forms, f)
				}
			}
		}
	}
	slices.SortStableFunc(m.forms, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return m
}

// long is the length from which a value is masked anywhere, even inside a longer word,
// and from which a line of a key is masked on its own.
const long = 16

// lines returns those lines of a secret that are secrets on their own: long, without
// blanks, and not the frame of a PEM file.
func lines(s string) []string {
	if !strings.Contains(s, "\n") {
		return nil
	}
	var out []string
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if len(line) >= long && !strings.ContainsAny(line, " \t") && !strings.HasPrefix(line, "-----") {
			out = append(out, line)
		}
	}
	return out
}

// Value replaces value in text with shown. It ignores a value that is too short to be a
// secret, and replaces one that is not long only as a whole word: a key "x" does not
// occur in "proxy".
func Value(text, value, shown string) string {
	if len(value) < minSecret {
		return text
	}
	if len(value) >= long {
		return strings.ReplaceAll(text, value, shown)
	}
	var b strings.Builder
	for {
		at := strings.Index(text, value)
		if at < 0 {
			return b.String() + text
		}
		end := at + len(value)
		b.WriteString(text[:at])
		if (at == 0 || !inWord(text[at-1])) && (end == len(text) || !inWord(text[end])) {
			b.WriteString(shown)
		} else {
			b.WriteString(value)
		}
		text = text[end:]
	}
}

// inWord reports whether b continues a word.
func inWord(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= utf8.RuneSelf
}

func spellings(s string) []string {
	out := []string{s}
	for _, html := range []bool{false, true} {
		once := inJSON(s, html)
		out = append(out, once, inJSON(once, html), strings.ReplaceAll(once, "/", `\/`))
	}
	return out
}

// inJSON returns s as a JSON string without the quotes.
func inJSON(s string, html bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if err := enc.Encode(s); err != nil {
		return s
	}
	return b.String()[1 : b.Len()-2] // the quotes and the newline of Encode
}

// Bytes returns data with every secret replaced by [Shown], or data itself if it
// contains none. JSON remains valid.
func (m *Mask) Bytes(data []byte) []byte {
	if m == nil {
		return data
	}
	for _, f := range m.forms {
		if secret := []byte(f); bytes.Contains(data, secret) {
			data = bytes.ReplaceAll(data, secret, []byte(Shown))
		}
	}
	return data
}

// String is like [Mask.Bytes], for strings.
func (m *Mask) String(s string) string {
	if m == nil {
		return s
	}
	for _, f := range m.forms {
		s = strings.ReplaceAll(s, f, Shown)
	}
	return s
}
