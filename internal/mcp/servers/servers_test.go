package servers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/mcp/servers"
)

// TestAdd checks that the bytes are those that Gemini CLI 0.61 writes for the same
// command.
func TestAdd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		o      servers.Options
		target string
		args   []string
		file   string // the expected entry, indented by four
		kind   string
	}{
		{"a program", servers.Options{}, "echo", []string{"hi", "--flag"},
			"{\n      \"command\": \"echo\",\n      \"args\": [\n        \"hi\",\n        \"--flag\"\n      ]\n    }", "stdio"},
		{"alone", servers.Options{Transport: "stdio"}, "https://x", nil, "{\n      \"command\": \"https://x\",\n      \"args\": []\n    }", "stdio"},
		{"all", servers.Options{
			Transport: "sse", Entry: servers.Entry{Timeout: 100, Trust: true, Description: "de s", IncludeTools: []string{"a"}, ExcludeTools: []string{"c"}},
		}, "https://x.example/sse", nil, "{\n      \"url\": \"https://x.example/sse\",\n      \"type\": \"sse\",\n      \"timeout\": 100,\n      \"trust\": true,\n" +
			"      \"description\": \"de s\",\n      \"includeTools\": [\n        \"a\"\n      ],\n      \"excludeTools\": [\n        \"c\"\n      ]\n    }", "sse"},
		{"headers", servers.Options{Transport: "http", Headers: []string{"A:b:c"}}, "https://x", nil,
			"{\n      \"url\": \"https://x\",\n      \"type\": \"http\",\n      \"headers\": {\n        \"A\": \"b:c\"\n      }\n    }", "http"},
		{"variables, whole", servers.Options{Env: []string{"A=b=c", "B="}}, "p", nil,
			"{\n      \"command\": \"p\",\n      \"args\": [],\n      \"env\": {\n        \"A\": \"b=c\",\n        \"B\": \"\"\n      }\n    }", "stdio"},
		{"a URL without a word", servers.Options{}, "https://x", nil, "{\n      \"url\": \"https://x\"\n    }", "http"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "made", "settings.json")
			e, err := tt.o.New(tt.target, tt.args)
			require.NoError(t, err)
			assert.Equal(t, tt.kind, e.Kind())
			replaced, err := servers.Add(file, "s", e)
			require.NoError(t, err)
			assert.False(t, replaced)
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, "{\n  \"mcpServers\": {\n    \"s\": "+tt.file+"\n  }\n}", string(data))
		})
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		o      servers.Options
		target string
		args   []string
		says   string
	}{
		{servers.Options{Transport: "tcp"}, "p", nil, "must be stdio, sse or http"},
		{servers.Options{Transport: "http"}, "example.com", nil, "must begin with http:// or https://"},
		{servers.Options{Transport: "sse"}, "https://x", []string{"y"}, `"y" follows the URL`},
		{servers.Options{Env: []string{"A"}}, "p", nil, `--env takes NAME=value, not "A"`},
		{servers.Options{Env: []string{"A=b"}}, "https://x", nil, "--env is for servers that are started"},
		{servers.Options{Headers: []string{"=b"}}, "https://x", nil, `--header takes "Name: value", not "=b"`},
		{servers.Options{Headers: []string{"a: b"}}, "p", nil, "--header is for servers with a URL"},
	} {
		_, err := tt.o.New(tt.target, tt.args)
		assert.ErrorContains(t, err, tt.says)
	}
}

// TestEdits checks that the rest of the file stays, and that only the owner can read a
// file with values.
func TestEdits(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "settings.json")
	const before = "{\n  // mine\n  \"mcpServers\": {\"a\": {\"command\": \"x\"}}, \"ui\": {}\n}\n"
	require.NoError(t, os.WriteFile(file, []byte(before), 0o644))
	mode := func() os.FileMode {
		info, err := os.Stat(file)
		require.NoError(t, err)
		return info.Mode().Perm()
	}

	found, err := servers.Remove(file, "b")
	require.NoError(t, err)
	assert.False(t, found)
	replaced, err := servers.Add(file, "a", servers.Entry{Command: "y", Args: []string{}})
	require.NoError(t, err)
	assert.True(t, replaced)
	shared := mode()
	_, err = servers.Add(file, "b", servers.Entry{URL: "https://x", Headers: map[string]string{"K": "secret"}})
	require.NoError(t, err)
	if shared != mode() { // if the system has file permissions
		assert.Equal(t, os.FileMode(0o600), mode())
	} else {
		assert.NotEqual(t, os.FileMode(0o644), shared)
	}
	for _, name := range []string{"a", "b"} {
		found, err = servers.Remove(file, name)
		require.NoError(t, err)
		assert.True(t, found)
	}
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(data), "// mine")
	assert.Contains(t, string(data), `"ui": {}`)
	assert.NotContains(t, string(data), "secret")

	_, err = servers.Add(file, " ", servers.Entry{})
	require.ErrorContains(t, err, "cannot be the name")
	require.NoError(t, os.WriteFile(file, []byte("{,"), 0o644))
	_, err = servers.Add(file, "a", servers.Entry{})
	require.Error(t, err, "a file that cannot be read is not written over")
	data, err = os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "{,", string(data))
	found, err = servers.Remove(filepath.Join(t.TempDir(), "none"), "a")
	require.NoError(t, err)
	assert.False(t, found)
}

func TestSwitches(t *testing.T) {
	t.Parallel()
	s := servers.Switches{File: filepath.Join(t.TempDir(), "mcp-server-enablement.json")}
	off := func() []string {
		names, err := s.Off()
		require.NoError(t, err)
		return names
	}
	change := func(f func(string) (bool, error), name string, want bool) {
		t.Helper()
		changed, err := f(name)
		require.NoError(t, err)
		assert.Equal(t, want, changed)
	}
	assert.Empty(t, off())
	change(s.Enable, "a", false)
	change(s.Disable, "My-Srv", true)
	change(s.Disable, "my-srv", false)
	data, err := os.ReadFile(s.File)
	require.NoError(t, err)
	assert.JSONEq(t, `{"my-srv":{"enabled":false}}`, string(data))
	assert.Equal(t, []string{"my-srv"}, off())
	change(s.Enable, "MY-SRV", true)
	assert.Empty(t, off())
	for _, broken := range []string{"[", "[]", "7"} {
		require.NoError(t, os.WriteFile(s.File, []byte(broken), 0o600))
		_, err = s.Off()
		assert.ErrorContains(t, err, s.File, broken)
	}
	for entry, isOff := range map[string]bool{
		`{}`: false, `{"enabled": true}`: false, `{"enabled": false}`: true, `{"enabled": "true"}`: true, `{"enabld": false}`: true, `false`: true, `true`: true, `null`: true,
	} {
		require.NoError(t, os.WriteFile(s.File, []byte(`{"a": `+entry+`}`), 0o600))
		assert.Equal(t, isOff, len(off()) == 1, entry)
	}
}

// FuzzEdit checks that, whatever a file contains, an added server is there and can be
// removed again, or nothing is written.
func FuzzEdit(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"mcpServers": {"a": {}, "a": 1}}`, "{// c\n\"mcpServers\": [],}", `{"a": {"enabled": false}}`, "[", `{"a":`} {
		f.Add(seed, "a")
	}
	f.Fuzz(func(t *testing.T, before, name string) {
		file := filepath.Join(t.TempDir(), "settings.json")
		require.NoError(t, os.WriteFile(file, []byte(before), 0o600))
		_, _ = servers.Switches{File: file}.Off()
		if _, err := servers.Add(file, name, servers.Entry{Command: "c"}); err != nil {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, before, string(data))
			return
		}
		found, err := servers.Remove(file, name)
		require.NoError(t, err)
		require.True(t, found)
	})
}
