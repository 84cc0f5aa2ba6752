package redact

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// minSecret is the length below which a value is too common to be masked.
const minSecret = 8

// Secrets returns the values of env, in the form of os.Environ, that must not be
// written down: of variables whose names speak of secrets, and those that look
// like one. Values under 8 bytes and values that are plain words of
// configuration, such as "disabled" or a path, are left out. The longest comes
// first, none twice.
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

// plain values stand under names such as SSH_AUTH_SOCK, KEYBOARD or
// GPG_KEY_FILE, and would tear holes into every text if they were masked.
func plain(value string) bool {
	lower := strings.ToLower(value)
	return strings.HasPrefix(value, "/") && !strings.ContainsAny(value, "=+ ") && !strings.HasPrefix(value, "/+") ||
		slices.Contains([]string{"disabled", "required", "optional", "undefined", "anonymous", "password", "external", "automatic"}, lower) ||
		strings.Trim(value, "*") == ""
}

// Mask takes secrets out of texts. The zero Mask takes out none. It is safe for
// concurrent use.
type Mask struct {
	forms []string // the longest first
}

// Shown is what stands in a secret's place.
const Shown = "[REDACTED]"

// NewMask returns a Mask of the given values; those under 8 bytes are skipped.
// It knows each of them as it is, and as it stands inside a JSON string, with
// and without the escapes that are for HTML, once and twice encoded.
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

// long is the length from which a value is a secret wherever it stands, also
// inside a longer word, and a line of a key is one by itself.
const long = 16

// lines are those of a secret of several lines that are secrets by themselves:
// long, without blanks, and not the frame of a PEM file.
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

// Value puts shown in the place of value in text. What is too short to be a
// secret stays, and what is not long is masked as a whole word only: a key "x" is
// not in "proxy".
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

// inWord reports whether a word goes on with b.
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

// inJSON encodes s as it stands between the quotes of a JSON string.
func inJSON(s string, html bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if err := enc.Encode(s); err != nil {
		return s
	}
	return b.String()[1 : b.Len()-2] // the quotes and the newline of Encode
}

// Bytes returns data with every secret replaced by Shown; data itself where it
// holds none. JSON stays JSON.
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

// String is Bytes for strings.
func (m *Mask) String(s string) string {
	if m == nil {
		return s
	}
	for _, f := range m.forms {
		s = strings.ReplaceAll(s, f, Shown)
	}
	return s
}
