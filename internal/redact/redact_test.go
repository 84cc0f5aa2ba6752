package redact

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// These are made up, and assembled here so that no scanner takes them for real.
var (
	github = "ghp_" + strings.Repeat("a1B2", 9)
	google = "AIza" + strings.Repeat("x", 35)
	amazon = "AKIA" + strings.Repeat("Z", 16)
	jwt    = "eyJhbGciOiJI" + ".eyJzdWIiOiIx" + ".c2lnbmF0dXJl"
	stripe = "sk_live_" + strings.Repeat("0", 24)
	slack  = "xoxb-" + strings.Repeat("1", 12)
	pem    = "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END"
)

func TestSanitizeKeepsToTheOrderOfItsRules(t *testing.T) {
	t.Parallel()
	on := Config{Enabled: true, Allowed: []string{"my_token", "database_url"}, Blocked: []string{"plain", "Path", "MY_TOKEN"}}
	strict := Config{Strict: true, Allowed: []string{"EXTRA"}}
	for _, c := range []struct {
		entry      string
		on, strict bool // kept
	}{
		// Names of the program's own, before values
		{"GEMINI_CLI_KEY=" + github, true, true},
		// Values that look like secrets
		{"A=" + github, false, false},
		{"A=" + google, false, false},
		{"A=" + amazon, false, false},
		{"A=" + jwt, false, false},
		{"A=" + stripe, false, false},
		{"A=" + slack, false, false},
		{"A=" + pem, false, false},
		{"A=https://user:pass@host/", false, false},
		{"MY_TOKEN=" + github, false, false},
		{"GIT_CONFIG_VALUE_0=" + github, false, false},
		// git's configuration, before names
		{"GIT_CONFIG_KEY_0=user.name", true, true},
		// Allowed before blocked, blocked before well-known
		{"MY_TOKEN=short", true, false},
		{"PLAIN=x", false, false},
		{"PATH=/bin", false, true},
		{"DATABASE_URL=db", true, false},
		{"EXTRA=x", true, true},
		// Well-known
		{"HOME=/h", true, true},
		{"home=/h", true, true},
		{"TERM=xterm", true, true},
		// Never passed although the name says nothing
		{"CLIENT_ID=1", false, false},
		{"GOOGLE_CLOUD_PROJECT=p", false, false},
		// Names
		{"X_TOKEN=1", false, false}, {"X_SECRET=1", false, false}, {"X_PASSWORD=1", false, false}, {"X_PASSWD=1", false, false},
		{"X_KEY=1", false, false}, {"X_AUTH=1", false, false}, {"X_CREDENTIALS=1", false, false}, {"X_CREDS=1", false, false},
		{"X_PRIVATE=1", false, false}, {"X_CERT=1", false, false}, {"x_token=1", false, false},
		// The rest
		{"ANYTHING=1", true, false},
		{"A=https://host/path", true, false},
		{"EMPTY=", true, false},
	} {
		assert.Equal(t, c.on, len(Sanitize([]string{c.entry}, on)) == 1, "on: %s", c.entry)
		assert.Equal(t, c.strict, len(Sanitize([]string{c.entry}, strict)) == 1, "strict: %s", c.entry)
		assert.Equal(t, []string{c.entry}, Sanitize([]string{c.entry}, Config{Blocked: []string{"A"}}), "off")
	}
	env := []string{"B=1", "X_TOKEN=1", "A=2"}
	assert.Equal(t, []string{"B=1", "A=2"}, Sanitize(env, on))
	assert.Equal(t, []string{"B=1", "X_TOKEN=1", "A=2"}, env, "the caller's slice is left alone")
}

func TestStrictByEnvironment(t *testing.T) {
	t.Parallel()
	assert.True(t, Strict([]string{"A=1", "GITHUB_SHA=abc"}))
	assert.True(t, Strict([]string{"SURFACE=Github"}))
	assert.False(t, Strict([]string{"GITHUB_SHA=", "SURFACE=other"}))
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	got := Secrets([]string{
		"GEMINI_API_KEY=0123456789", "SHORT_KEY=1234567", "HOME=/home/somebody", "SSH_AUTH_SOCK=/tmp/agent.1", "ANY=" + github,
		"KEY_MODE=disabled", "DB_PASSWORD=correct horse", "AGAIN_TOKEN=0123456789", "X_SECRET=/+base64==", "STARS_KEY=********",
	})
	assert.Equal(t, []string{github, "correct horse", "0123456789", "/+base64=="}, got)
}

func TestMaskAcrossEncodings(t *testing.T) {
	t.Parallel()
	secrets := []string{"pl4in-secret", "with \"quote\" and \\", "<html>&amp;", "line\nbreak\tand more", "ünïcode-ßecret", "pl4in-secret-longer", "path/with/slash"}
	m := NewMask(append(secrets, "short"))
	for _, s := range secrets {
		text := "before " + s + " after"
		assert.Equal(t, "before [REDACTED] after", m.String(text))
		encoded := text
		for depth := range 3 {
			assert.Equal(t, "before [REDACTED] after", decode(t, string(m.Bytes([]byte(encoded))), depth), "%q encoded %d times", s, depth)
			b, err := json.Marshal(encoded)
			require.NoError(t, err)
			encoded = string(b)
		}
	}
	assert.Equal(t, `{"a":"[REDACTED]"}`, string(m.Bytes([]byte(`{"a":"path\/with\/slash"}`))))
	assert.Equal(t, "short stays", m.String("short stays"))

	clean := []byte("nothing here")
	assert.Same(t, &clean[0], &m.Bytes(clean)[0])
	var none *Mask
	assert.Equal(t, "x", none.String("x"))
	assert.Equal(t, clean, (&Mask{}).Bytes(clean))
}

func decode(t *testing.T, s string, depth int) string {
	for range depth {
		require.NoError(t, json.Unmarshal([]byte(s), &s))
	}
	return s
}
