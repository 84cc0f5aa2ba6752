package extensions

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/vault"
)

// someone answers yes or no, and enters the values in turn.
type someone struct {
	yes    bool
	values []string
	said   strings.Builder
}

func (u *someone) Say(s string) { u.said.WriteString(s) }
func (u *someone) Confirm(about, _ string) bool {
	u.Say(about)
	return u.yes
}
func (u *someone) Value(string, bool) (string, bool) {
	if len(u.values) == 0 {
		return "", false
	}
	v := u.values[0]
	u.values = u.values[1:]
	return v, true
}

func newManager(t *testing.T, u *someone, env ...string) *Manager {
	t.Helper()
	home := t.TempDir()
	return &Manager{
		Dir: filepath.Join(home, ".gemini", "extensions"), DotGemini: filepath.Join(home, ".gemini"), Home: home, Workspace: filepath.Join(home, "work"),
		Env: append([]string{"PATH=" + os.Getenv("PATH"), "GEMINI_FORCE_FILE_STORAGE=true"}, env...), User: u,
	}
}

func write(t testing.TB, dir string, files map[string]string) string {
	t.Helper()
	for name, content := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
		require.NoError(t, os.WriteFile(at, []byte(content), 0o644))
	}
	return dir
}

func left(t *testing.T, m *Manager) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(m.Dir)
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// A refused extension leaves nothing behind.
func TestRefused(t *testing.T) {
	t.Parallel()
	good := map[string]string{manifestFile: `{"name": "good", "version": "1"}`}
	asks := map[string]string{manifestFile: `{"name": "asks", "version": "1", "settings": [{"name": "K", "description": "d", "envVar": "K"}]}`}
	for name, c := range map[string]struct {
		files map[string]string
		link  string // a link to make, to this target
		user  someone
		rules Rules
		want  string
	}{
		"nobody agrees":      {files: good, want: "nobody agreed"},
		"nobody answers":     {files: asks, user: someone{yes: true}, want: "nobody answered"},
		"no manifest":        {files: map[string]string{"a": "b"}, user: someone{yes: true}, want: "not an extension"},
		"no version":         {files: map[string]string{manifestFile: `{"name": "good"}`}, user: someone{yes: true}, want: `no "version"`},
		"a bad name":         {files: map[string]string{manifestFile: `{"name": "../good", "version": "1"}`}, user: someone{yes: true}, want: "not a name"},
		"leads out":          {files: good, link: "../../../etc", user: someone{yes: true}, want: "leads out"},
		"not allowed":        {files: good, user: someone{yes: true}, rules: Rules{Allowed: []string{"^https://good/"}}, want: "security.allowedExtensions does not name"},
		"a bad rule":         {files: good, user: someone{yes: true}, rules: Rules{Allowed: []string{"("}}, want: "not a regular expression"},
		"two lines as value": {files: asks, user: someone{yes: true, values: []string{"a\nb"}}, want: "more than one line"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := write(t, t.TempDir(), c.files)
			if c.link != "" {
				require.NoError(t, os.Symlink(c.link, filepath.Join(source, "out")))
			}
			m := newManager(t, &c.user)
			m.Rules = c.rules
			_, err := m.Install(t.Context(), source, Options{})
			require.ErrorContains(t, err, c.want)
			for _, entry := range left(t, m) {
				assert.Equal(t, enablementFile, entry)
			}
			assert.Empty(t, m.Names())
		})
	}
	blocked := newManager(t, &someone{yes: true})
	blocked.Rules.BlockGit = true
	_, err := blocked.Install(t.Context(), "https://example.invalid/x.git", Options{})
	assert.ErrorContains(t, err, "security.blockGitExtensions is set")
}

// A setting is stored where both programs look for it, a secret is in no readable file,
// and both are removed with the extension.
func TestSettings(t *testing.T) {
	t.Parallel()
	source := write(t, t.TempDir(), map[string]string{manifestFile: `{"name": "asks", "version": "1", "settings": [
		{"name": "Place", "description": "d", "envVar": "PLACE"}, {"name": "Key", "description": "d", "envVar": "KEY", "sensitive": true}]}`})
	u := &someone{yes: true, values: []string{"over there", "s3cret-value"}}
	m := newManager(t, u)
	i, err := m.Install(t.Context(), source, Options{})
	require.NoError(t, err)
	env, err := os.ReadFile(filepath.Join(i.Folder, ".env"))
	require.NoError(t, err)
	assert.Equal(t, "PLACE='over there'\n", string(env))
	file := m.vault().File
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.NotContains(t, string(data), "s3cret-value")

	u.values = []string{"other"}
	require.NoError(t, m.Configure("ASKS", "KEY", true))
	valuesIn := func(workspace string) (out []string) {
		all, err := m.Values(i, workspace)
		require.NoError(t, err)
		for _, v := range all {
			out = append(out, v.EnvVar+"="+v.Value+" "+v.Where)
		}
		return out
	}
	assert.Equal(t, []string{"PLACE=over there user", "KEY=s3cret-value user"}, valuesIn(""))
	assert.Equal(t, []string{"PLACE=over there user", "KEY=other workspace"}, valuesIn(m.Workspace))
	assert.ErrorContains(t, m.Configure("asks", "NOPE", false), "it has PLACE, KEY")

	_, err = m.Uninstall("asks")
	require.NoError(t, err)
	assert.Empty(t, m.vault().Services("Gemini CLI Extensions"))
}

// An update that asks for nothing new keeps the settings. A record changed to point
// elsewhere stops it.
func TestUpdate(t *testing.T) {
	t.Parallel()
	source := write(t, t.TempDir(), map[string]string{manifestFile: `{"name": "x", "version": "1", "settings": [{"name": "P", "description": "d", "envVar": "P"}]}`})
	m := newManager(t, &someone{yes: true, values: []string{"here"}})
	i, err := m.Install(t.Context(), source, Options{})
	require.NoError(t, err)
	write(t, source, map[string]string{manifestFile: `{"name": "x", "version": "2", "settings": [{"name": "P", "description": "d", "envVar": "P"}]}`})
	u, err := m.Update(t.Context(), "x", Options{})
	require.NoError(t, err)
	assert.Equal(t, "1 2", u.Before.Version+" "+u.After.Version)
	values, err := m.Values(u.After, "")
	require.NoError(t, err)
	assert.Equal(t, "here", values[0].Value)
	assert.Equal(t, []string{enablementFile, "x"}, left(t, m))

	other := write(t, t.TempDir(), map[string]string{manifestFile: `{"name": "x", "version": "3"}`})
	require.NoError(t, writeOrigin(i.Folder, Origin{Source: other, Type: TypeLocal}))
	_, err = m.Update(t.Context(), "x", Options{Consent: true})
	require.ErrorContains(t, err, "has changed since it was installed")
	now, err := m.Find("x")
	require.NoError(t, err)
	assert.Equal(t, "2", now.Version)
}

func TestEnableRules(t *testing.T) {
	t.Parallel()
	m := newManager(t, &someone{})
	require.NoError(t, os.MkdirAll(m.Dir, 0o755))
	for _, s := range []struct {
		on   bool
		dir  string
		want []string
	}{
		{true, "/home/u", []string{"/home/u/*"}},
		{false, "/home/u/p", []string{"/home/u/*", "!/home/u/p/*"}},
		{true, "/home/u/p", []string{"/home/u/*", "/home/u/p/*"}},
		{false, "/home/u/pq", []string{"/home/u/*", "/home/u/p/*", "!/home/u/pq/*"}},
		{false, "/home/u", []string{"!/home/u/*"}},
	} {
		require.NoError(t, m.enable("x", s.on, s.dir))
		data, err := os.ReadFile(filepath.Join(m.Dir, enablementFile))
		require.NoError(t, err)
		var all map[string]struct{ Overrides []string }
		require.NoError(t, json.Unmarshal(data, &all))
		assert.Equal(t, s.want, all["x"].Overrides)
	}
}

func tarOf(t testing.TB, files map[string]string) []byte {
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	w := tar.NewWriter(zipped)
	for name, content := range files {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(content))}))
		_, err := w.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, zipped.Close())
	return b.Bytes()
}

func zipOf(t testing.TB, files map[string]string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range files {
		f, err := w.Create(name)
		require.NoError(t, err)
		_, err = f.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// A repository on GitHub is installed from its latest release, and updated if there is
// a newer one.
func TestReleases(t *testing.T) {
	t.Parallel()
	tag, archive := "v1", tarOf(t, map[string]string{"repo-1/" + manifestFile: `{"name": "rel", "version": "1"}`, "repo-1/GEMINI.md": "x"})
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	name := "all.tar.gz"
	mux.HandleFunc("/repos/o/r/releases/latest", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"tag_name": tag, "tarball_url": server.URL + "/source", "assets": []any{map[string]string{"name": name, "url": server.URL + "/asset"}}})
	})
	mux.HandleFunc("/asset", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive) })
	m := newManager(t, &someone{yes: true}, "GITHUB_API_URL="+server.URL)
	i, err := m.Install(t.Context(), "https://github.com/o/r", Options{})
	require.NoError(t, err)
	assert.Equal(t, Origin{Source: "https://github.com/o/r", Type: TypeRelease, ReleaseTag: "v1"}, i.Origin)
	u, err := m.Update(t.Context(), "rel", Options{})
	require.NoError(t, err)
	assert.Equal(t, "it is up to date", u.Why)
	tag, name, archive = "v2", "all.zip", zipOf(t, map[string]string{manifestFile: `{"name": "rel", "version": "2"}`})
	u, err = m.Update(t.Context(), "rel", Options{})
	require.NoError(t, err)
	assert.Equal(t, "v2 2", u.After.Origin.ReleaseTag+" "+u.After.Version)
	tag, name, archive = "v3", "all.tar.gz", tarOf(t, map[string]string{"../../evil": "x", manifestFile: `{"name": "rel", "version": "3"}`})
	_, err = m.Update(t.Context(), "rel", Options{})
	require.ErrorContains(t, err, "leads out of the extension")
	for _, inside := range []string{".git/config", "a/.GIT/hooks/post-checkout"} {
		tag, archive = tag+"x", tarOf(t, map[string]string{inside: "x", manifestFile: `{"name": "rel", "version": "3"}`})
		_, err = m.Update(t.Context(), "rel", Options{})
		require.ErrorContains(t, err, "is part of a repository")
	}
	now, err := m.Find("rel")
	require.NoError(t, err)
	assert.Equal(t, "2", now.Version)
}

func TestNewIsValid(t *testing.T) {
	t.Parallel()
	for _, template := range append(Templates(), "") {
		dir := filepath.Join(t.TempDir(), "mine")
		require.NoError(t, New(dir, template))
		brings, err := Read(dir)
		require.NoError(t, err)
		assert.Empty(t, brings.Problems, template)
		assert.Equal(t, template == "", len(brings.Parts) == 0, template)
		assert.ErrorContains(t, New(dir, template), "exists already")
	}
	assert.ErrorContains(t, New(filepath.Join(t.TempDir(), "mine"), "hook"), `did you mean "hooks"?`)
}

// TestNotForGeminiCLI checks that a manifest that only minigem can read is not reported
// as valid.
func TestNotForGeminiCLI(t *testing.T) {
	t.Parallel()
	for manifest, why := range map[string]string{
		`{"name": "a", "version": "1"}`:                  "",
		`{"name": "a", "version": "1",}`:                 "Gemini CLI does not load it",
		"{// mine\n\"name\": \"a\", \"version\": \"1\"}": "Gemini CLI does not load it",
	} {
		dir := write(t, t.TempDir(), map[string]string{manifestFile: manifest})
		_, err := ReadManifest(dir)
		require.NoError(t, err)
		assert.Contains(t, NotForGeminiCLI(dir), why)
		assert.Equal(t, why == "", NotForGeminiCLI(dir) == "")
	}
}

func TestUnknownNames(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]*UnknownError{
		`there is no extension "gard"; did you mean "guard"?`:   {Name: "gard", There: []string{"a", "guard"}},
		`there is no extension "other": installed are a, guard`: {Name: "other", There: []string{"a", "guard"}},
		`there is no extension "guard": none is installed`:      {Name: "guard"},
	} {
		assert.EqualError(t, err, want)
	}
}

// FuzzManifest checks that reading an extension terminates, whatever its files contain,
// and that everything shown of it is a single line.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"name": "x", "version": "1", "mcpServers": {"a": {"command": "c", "args": ["d"], "env": {"K": "v"}, "trust": true}}, "settings": [{"envVar": "A"}], "contextFileName": ["a", "../b"], "plan": {"directory": "/x"}}`), []byte(`{"source": "x", "type": "git"}`))
	f.Fuzz(func(t *testing.T, manifest, install []byte) {
		dir := write(t, t.TempDir(), map[string]string{manifestFile: string(manifest), installFile: string(install), "GEMINI.md": "x"})
		c, err := Read(dir)
		if err != nil {
			return
		}
		assert.Regexp(t, nameForm, c.Name)
		assert.Equal(t, NotForGeminiCLI(dir) == "", json.Valid(manifest))
		for _, s := range c.Servers {
			assert.NotContains(t, strings.ToLower(string(s.JSON)), `"trust":`)
		}
		assert.Equal(t, len(c.Parts), strings.Count(c.Listing(), "\n")-map[bool]int{true: 1}[len(c.Parts) == 0])
		if i, err := Open(dir); err == nil && i.Origin.Type != TypeLink {
			assert.Equal(t, dir, i.Dir)
		}
	})
}

// FuzzArchive checks that no archive writes outside its folder.
func FuzzArchive(f *testing.F) {
	f.Add(tarOf(f, map[string]string{"a/b": "c", "../x": "d"}), false)
	f.Add(zipOf(f, map[string]string{"a/b": "c", "/etc/x": "d"}), true)
	f.Fuzz(func(t *testing.T, data []byte, zipped bool) {
		above := t.TempDir()
		dir := filepath.Join(above, "in")
		require.NoError(t, os.Mkdir(dir, 0o755))
		if zipped {
			_ = unzip(data, dir)
		} else {
			_ = untar(data, dir)
		}
		entries, err := os.ReadDir(above)
		require.NoError(t, err)
		assert.Len(t, entries, 1)
	})
}

// FuzzRecords checks that a records file that was not signed with the key is rejected.
func FuzzRecords(f *testing.F) {
	f.Add([]byte(`{"store": {}, "signature": "00"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := records{dotGemini: t.TempDir(), vault: vault.Vault{File: filepath.Join(t.TempDir(), "secrets")}}
		require.NoError(t, os.WriteFile(r.file(), data, 0o600))
		assert.Error(t, r.check("x", Origin{Source: "s"}))
	})
}
