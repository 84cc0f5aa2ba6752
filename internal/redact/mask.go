package redact

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
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
		for _, f := range spellings(s) {
			if !seen[f] {
				seen[f] = true
				m.forms = append(m.forms, f)
			}
		}
	}
	slices.SortStableFunc(m.forms, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return m
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
