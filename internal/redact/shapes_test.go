package redact

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestShapes(t *testing.T) {
	t.Parallel()
	key := "AIza" + "0123456789012345678901234567890123x"
	for _, c := range []struct {
		in, want string
		found    int
	}{
		{"nothing here", "nothing here", 0},
		{"it=" + key + " and " + key + ".", "it=[REDACTED] and [REDACTED].", 2},
		{"https://user:pass@host/path", "[REDACTED]host/path", 1},
		{"a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb", "a\n[REDACTED]\nb", 1},
		{"-----BEGIN PRIVATE KEY-----\ncut off", "[REDACTED]", 1},
	} {
		got, taken := Text(c.in)
		assert.Equal(t, c.want, got, c.in)
		assert.Len(t, taken, c.found, c.in)
	}
}
