package oauth

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGuard checks that a server on the Internet cannot direct a sign-in to this
// machine or its network, by an address or by a name that resolves to one.
func TestGuard(t *testing.T) {
	t.Parallel()
	u, err := url.Parse("https://mcp.example.com/x")
	require.NoError(t, err)
	for address, want := range map[string]string{
		"http://auth.example.com/token":  "a sign-in needs https",
		"https://127.0.0.1/token":        errNotPublic.Error(),
		"https://[::1]/token":            errNotPublic.Error(),
		"https://localhost/token":        errNotPublic.Error(),
		"https://10.0.0.1/token":         errNotPublic.Error(),
		"https://169.254.169.254/latest": errNotPublic.Error(),
		"https://[::ffff:192.168.0.1]/t": errNotPublic.Error(),
		"https://metadata.localhost/":    errNotPublic.Error(),
	} {
		_, err := clientFor(u).Get(address)
		require.Error(t, err, address)
		assert.Contains(t, err.Error(), want, address)
	}
	require.ErrorIs(t, onlyPublic("tcp", "192.168.0.1:443", nil), errNotPublic)
	require.ErrorIs(t, onlyPublic("tcp", "[fe80::1%eth0]:443", nil), errNotPublic)
	require.NoError(t, onlyPublic("tcp", "1.1.1.1:443", nil))
}

// TestAddressForTheBrowser checks that the address the user is asked to open uses
// https, unless everything is on this machine.
func TestAddressForTheBrowser(t *testing.T) {
	t.Parallel()
	server, err := url.Parse("https://mcp.example.com/x")
	require.NoError(t, err)
	for _, address := range []string{"http://auth.example.com/", "file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "ssh://x", "//x/"} {
		_, err = (&landing{url: server}).wait(t.Context(), server, address, func(string) { t.Error("shown: " + address) })
		require.ErrorContains(t, err, "is not https", address)
	}
}
