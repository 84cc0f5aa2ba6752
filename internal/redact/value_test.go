package redact

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestValueIsMaskedWhereItIsOne(t *testing.T) {
	t.Parallel()
	longer := strings.Repeat("k", 16)
	for _, c := range []struct{ text, value, want string }{
		{"check the network, the proxy", "x", "check the network, the proxy"},
		{"a key of 7: abcdefg", "abcdefg", "a key of 7: abcdefg"},
		{"key=abcdefgh.", "abcdefgh", "key=***."},
		{"abcdefgh", "abcdefgh", "***"},
		{"abcdefghi xabcdefgh \u00e9abcdefgh abcdefgh", "abcdefgh", "abcdefghi xabcdefgh \u00e9abcdefgh ***"},
		{"x" + longer + "y", longer, "x***y"},
		{"", "abcdefgh", ""},
		{"text", "", "text"},
	} {
		assert.Equal(t, c.want, Value(c.text, c.value, "***"), c.text)
	}
}

// A tool prints a key line by line, with numbers or blanks in front, so each line of it
// is masked on its own.
func TestLinesOfASecretAreMasked(t *testing.T) {
	t.Parallel()
	one, two := strings.Repeat("Ab1+", 16), strings.Repeat("Zz9/", 4)
	key := "-----BEGIN PRIVATE KEY-----\r\n" + one + "\r\n" + two + "\nshort\nno secret in a sentence\n-----END PRIVATE KEY-----"
	m := NewMask([]string{key})
	assert.Equal(t, "1: [REDACTED]\n2:   [REDACTED]", m.String("1: "+one+"\n2:   "+two))
	assert.Equal(t, "short -----BEGIN PRIVATE KEY----- no secret in a sentence", m.String("short -----BEGIN PRIVATE KEY----- no secret in a sentence"))
	assert.Equal(t, Shown, m.String(key), "the whole of it is one")
	assert.Equal(t, `{"a":"[REDACTED]"}`, string(m.Bytes([]byte(`{"a":"`+strings.ReplaceAll(two, "/", `\/`)+`"}`))))
}
