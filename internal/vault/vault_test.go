package vault

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/zalando/go-keyring"
)

// FuzzVault checks that the file of secrets returns what was stored, and that a damaged
// one yields an error naming it.
func FuzzVault(f *testing.F) {
	f.Add("a", "b", "c", []byte("x:y:z"))
	f.Fuzz(func(t *testing.T, service, account, value string, damaged []byte) {
		v := Vault{File: filepath.Join(t.TempDir(), "secrets")}
		_, err := v.decipher(damaged)
		assert.ErrorContains(t, err, v.File)
		all := map[string]map[string]string{service: {account: value}}
		data, err := v.encipher(all)
		require.NoError(t, err)
		got, err := v.decipher(data)
		require.NoError(t, err)
		before, err := json.Marshal(all)
		require.NoError(t, err)
		after, err := json.Marshal(got)
		require.NoError(t, err)
		assert.JSONEq(t, string(before), string(after))
	})
}

// TestWhere checks that a secret is in the keychain if there is a working one, else in
// a file that only its owner can read, and that Get finds it in both.
func TestWhere(t *testing.T) { // not parallel: the keychain is one for the process
	session := func(name string) string {
		return map[string]string{"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"}[name]
	}
	none := func(string) string { return "" }
	for _, c := range []struct {
		name     string
		getenv   func(string) string
		broken   error
		keychain bool
	}{
		{"a keychain", session, nil, true},
		{"a keychain that refuses", session, keyring.ErrUnsupportedPlatform, false},
		{"forced into the file", func(n string) string { return session(n) + map[string]string{"GEMINI_FORCE_FILE_STORAGE": "true"}[n] }, nil, false},
		{"no session", none, nil, false},
	} {
		if keyring.MockInit(); c.broken != nil {
			keyring.MockInitWithError(c.broken)
		}
		v := New(t.TempDir(), c.getenv)
		keychain, err := v.Keep("service", "account", "s3cret")
		require.NoError(t, err, c.name)
		if c.name == "no session" {
			c.keychain = v.Keychain() // macOS and Windows have one without
		}
		assert.Equal(t, c.keychain, keychain, c.name)
		value, ok, err := v.Get("service", "account")
		require.NoError(t, err, c.name)
		assert.Equal(t, []any{"s3cret", true}, []any{value, ok}, c.name)
		info, err := os.Stat(v.File)
		if assert.Equal(t, c.keychain, os.IsNotExist(err), c.name); err == nil {
			assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), c.name)
		}
		require.NoError(t, v.Remove("service", "account"), c.name)
		_, ok, err = v.Get("service", "account")
		require.NoError(t, err, c.name)
		assert.False(t, ok, c.name)
	}
}
