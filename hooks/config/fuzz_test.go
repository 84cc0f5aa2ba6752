package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
)

// FuzzExtension checks that any extension is found under a plain name or reported with
// its file, that its hooks are marked as its own, and that a folder's path never
// becomes part of a command that a shell would misread.
func FuzzExtension(f *testing.F) {
	for _, seed := range [][4]string{
		{`{"name":"x","settings":[{"envVar":"A"}],"contextFileName":["a.md",5]}`, `{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"${extensionPath}/h ${/}"}]}]}}`, "A='b'\n", `{"x":{"overrides":["!/p/*"]}}`},
		{`{"name":"../x"}`, `{}`, "", `{}`}, {`null`, `[]`, "A", `null`}, {`{"name":"x","settings":{"a":1},"contextFileName":{}}`, `{"hooks":[]}`, "=", `{"x":5}`}, {`[`, `[`, "\"", `[`},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	f.Fuzz(func(t *testing.T, manifest, events, env, enablement string) {
		root := t.TempDir()
		dir := filepath.Join(root, "x")
		for name, text := range map[string]string{"x/gemini-extension.json": manifest, "x/hooks/hooks.json": events, "x/.env": env, "extension-enablement.json": enablement} {
			write(t, filepath.Join(root, name), text)
		}
		found, problems := config.FindExtensions("/p/q", config.ExtensionRoots{User: root})
		for _, p := range problems {
			require.True(t, strings.HasPrefix(p.File, root), "%v", p)
			require.NotEmpty(t, p.Text)
		}
		if len(found) == 0 {
			require.NotEmpty(t, problems)
			return
		}
		require.Regexp(t, `^[A-Za-z0-9-]+$`, found[0].Name)
		require.Equal(t, dir, found[0].Dir)
		s, err := config.LoadExtension(found[0], "/p/$(id)", map[string]string{"A": "given"})
		if err != nil {
			require.ErrorContains(t, err, found[0].Name)
			return
		}
		for _, h := range s.Hooks {
			require.Equal(t, hooks.LayerExtension, h.Source.Layer)
			require.Equal(t, found[0].Name, h.Source.Extension)
			require.NotContains(t, strings.ReplaceAll(h.Command, "/p/$(id)", "FOUND"), "FOUND")
		}
	})
}

// FuzzTrust checks that, for any content of the trust store, only trusted hooks are
// known. After trusting them they are, and the file is in our form.
func FuzzTrust(f *testing.F) {
	for _, text := range []string{`{}`, `null`, `{"/p":[{"event":"BeforeTool","command":"x"}]}`, `{"/p":null}`, `[`, `{"/p":[null]}`, ``, `{"/p":[{"scripts":{"a":null},"env":5}]}`} {
		f.Add([]byte(text), []byte(text))
	}
	f.Fuzz(func(t *testing.T, ours, theirs []byte) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "trusted_hooks_minigem.json"), ours, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "trusted_hooks.json"), theirs, 0o600))
		store := config.TrustStore{Dir: dir}
		h := hooks.Hook{Event: protocol.BeforeTool, Command: "no file knows 7d0c", Source: hooks.Source{Layer: hooks.LayerProject, File: "/p/.gemini/settings.json", Line: 1}}
		c := hooks.Config{Hooks: []hooks.Hook{h}}
		checks, err := store.Check("/p", c)
		require.Len(t, checks, 1)
		if err != nil {
			require.ErrorContains(t, err, dir)
		}
		if err != nil || !strings.Contains(string(ours), "7d0c") && !strings.Contains(string(ours), `\`) {
			require.NotEqual(t, config.TrustKnown, checks[0].Status)
		}
		require.NoError(t, store.Trust("/p", []hooks.Hook{h}))
		checks, err = store.Check("/p", c)
		require.NoError(t, err)
		require.Equal(t, config.TrustKnown, checks[0].Status)
	})
}

// FuzzEditor checks that turning a hook off and on again in any settings file restores
// the file's hooks, or that the error names the file.
func FuzzEditor(f *testing.F) {
	for _, text := range []string{`{}`, `{"hooksConfig":{"disabled":["a",/* c */"x"]}}`, `{"hooks":{"disabled":["x"]}}`, `[]`, `{"hooksConfig":5}`, "\xff", `{"hooksConfig":{"disabled":{}}}`, ``} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "settings.json")
		require.NoError(t, os.WriteFile(file, data, 0o600))
		before, readable := config.LoadSettings(hooks.LayerUser, file, data)
		e := config.Editor{Sections: []config.Section{{Layer: hooks.LayerUser, File: file, Hooks: []hooks.Hook{{Command: "x"}}}}, User: file}
		_, err := e.Disable("x")
		if err != nil {
			require.ErrorContains(t, err, file)
			return
		}
		require.NoError(t, readable)
		now, err := os.ReadFile(file)
		require.NoError(t, err)
		after, err := config.LoadSettings(hooks.LayerUser, file, now)
		require.NoError(t, err, "%q", now)
		require.Len(t, after.Hooks, len(before.Hooks))
	})
}
