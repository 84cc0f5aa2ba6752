package settings

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/jsonc"
)

// machine is a set of settings files: home, workspace and system files.
type machine struct {
	home, dir, system, systemDefaults string
	env                               map[string]string
	trusted                           bool
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	root := t.TempDir()
	p := &machine{
		home: filepath.Join(root, "home"), dir: filepath.Join(root, "work"),
		system: filepath.Join(root, "etc", "settings.json"), systemDefaults: filepath.Join(root, "etc", "system-defaults.json"),
		trusted: true,
	}
	p.env = map[string]string{envSystem: p.system}
	return p
}

func (p *machine) path(l Layer) string {
	switch l {
	case LayerUser:
		return filepath.Join(p.home, ".gemini", "settings.json")
	case LayerWorkspace:
		return filepath.Join(p.dir, ".gemini", "settings.json")
	case LayerSystemDefaults:
		return p.systemDefaults
	}
	return p.system
}

func (p *machine) write(t *testing.T, l Layer, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(p.path(l)), 0o755))
	require.NoError(t, os.WriteFile(p.path(l), []byte(text), 0o644))
}

func (p *machine) options() Options {
	return Options{
		Home: p.home, Dir: p.dir,
		Lookup:  func(k string) (string, bool) { v, ok := p.env[k]; return v, ok },
		Trusted: func(Settings) bool { return p.trusted },
	}
}

func (p *machine) load(t *testing.T) *Loaded {
	t.Helper()
	l, err := Load(p.options())
	require.NoError(t, err)
	return l
}

func TestDefaultsMatchTheSpecification(t *testing.T) {
	t.Parallel()
	l := newMachine(t).load(t)
	s := l.Settings
	want := Settings{
		General: General{
			DefaultApprovalMode: "default", MaxAttempts: 10, RetryFetchErrors: true, NotificationMethod: "auto",
			SessionRetention: SessionRetention{Enabled: true, MaxAge: "30d", MinRetention: "1d"},
			Plan:             Plan{Enabled: true, ModelRouting: true}, TopicUpdateNarration: true,
		},
		Output: Output{Format: "text"},
		Model:  Model{MaxSessionTurns: -1, CompressionThreshold: 0.5},
		Context: Context{
			IncludeDirectoryTree: true, MemoryBoundaryMarkers: []string{".git"}, IncludeDirectories: []string{},
			FileFiltering: FileFiltering{RespectGitIgnore: true, RespectGeminiIgnore: true, EnableRecursiveFileSearch: true, CustomIgnoreFilePaths: []string{}},
		},
		Tools:        Tools{TruncateToolOutputThreshold: 40000, Shell: Shell{InactivityTimeout: 300}},
		MCPServers:   map[string]MCPServer{},
		Security:     Security{FolderTrust: FolderTrust{Enabled: true}},
		Advanced:     Advanced{ExcludedEnvVars: []string{"DEBUG", "DEBUG_MODE"}},
		HooksConfig:  HooksConfig{Enabled: true, Disabled: []string{}, Notifications: true, MaxRetries: 10},
		Admin:        Admin{Skills: AdminSkills{Enabled: true}},
		Experimental: Experimental{EnableAgents: true},
		Skills:       Skills{Enabled: true, Disabled: []string{}},
		Extensions:   Extensions{Disabled: []string{}},
	}
	assert.Equal(t, want, s)
	assert.Empty(t, l.Warnings)
	assert.Empty(t, l.Unknown)
}

func TestHigherLayerWins(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	layers := []Layer{LayerSystemDefaults, LayerUser, LayerWorkspace, LayerSystem}
	assert.Equal(t, "default", p.load(t).Settings.General.DefaultApprovalMode)
	for _, l := range layers {
		p.write(t, l, `{"model":{"name":"`+string(l)+`"}}`)
		loaded := p.load(t)
		assert.Equal(t, string(l), loaded.Settings.Model.Name)
		at, ok := loaded.Origin("model.name")
		assert.True(t, ok)
		assert.Equal(t, Origin{Layer: l, File: p.path(l), Line: 1, Column: 18}, at)
		assert.Equal(t, 0.5, loaded.Settings.Model.CompressionThreshold, "siblings keep their defaults")
	}
}

func TestWorkspaceCountsOnlyWhenTrustedAndNotHome(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	p.write(t, LayerWorkspace, `{"model":{"name":"w"},"security":{"folderTrust":{"enabled":false}}}`)
	assert.Equal(t, "w", p.load(t).Settings.Model.Name)

	p.trusted = false
	l := p.load(t)
	assert.Empty(t, l.Settings.Model.Name)
	assert.Equal(t, File{Layer: LayerWorkspace, Path: p.path(LayerWorkspace), Skipped: "the folder is not trusted"}, l.Files[2])

	o := p.options()
	o.Trusted = func(s Settings) bool { return !s.Security.FolderTrust.Enabled }
	l, err := Load(o)
	require.NoError(t, err)
	assert.False(t, l.Trusted, "a folder cannot switch off the question about itself")

	p.trusted, p.home = true, p.dir
	l = p.load(t)
	assert.Equal(t, "the working directory is the home directory", l.Files[2].Skipped)
	assert.Equal(t, LayerUser, l.Files[1].Layer)
	assert.Equal(t, "w", l.Settings.Model.Name, "as the user's file")
}

func TestBrokenFilesNameTheirPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text   string
		line, column int
	}{
		{"missing comma", "{\n  \"a\": 1\n  \"b\": 2\n}", 3, 3},
		{"empty", "", 1, 1},
		{"not an object", "// list\n [1]", 2, 2},
		{"cut off", `{"a": {`, 1, 8},
		{"two values", `{} {}`, 1, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newMachine(t)
			p.write(t, LayerUser, c.text)
			_, err := Load(p.options())
			var syntax *jsonc.SyntaxError
			require.ErrorAs(t, err, &syntax)
			assert.Equal(t, []any{p.path(LayerUser), c.line, c.column}, []any{syntax.File, syntax.Line, syntax.Column}, syntax.Text)
		})
	}
}

func TestUnreadableFileIsAnError(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	require.NoError(t, os.MkdirAll(p.path(LayerUser), 0o755)) // a folder where the file should be
	_, err := Load(p.options())
	assert.ErrorContains(t, err, "reading settings: ")
}

func TestCommentsTrailingCommasAndBOM(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	p.write(t, LayerUser, "\xef\xbb\xbf{ // the model\n \"model\": { /* which */ \"name\": \"m\", }, }")
	l := p.load(t)
	assert.Equal(t, "m", l.Settings.Model.Name)
	at, _ := l.Origin("model.name")
	assert.Equal(t, 2, at.Line)
	assert.Equal(t, byte(0xef), l.Files[1].Data[0], "raw bytes are kept as they were")
}

func TestWrongTypesFallBackToTheLowerLayer(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	p.write(t, LayerUser, `{"model":{"name":"low","maxSessionTurns":7}, "output":{"format":"json"}}`)
	p.write(t, LayerSystem, `{
  "model": { "name": 5, "maxSessionTurns": 1.5, "compressionThreshold": "half" },
  "output": { "format": "yaml" },
  "general": [],
  "tools": { "exclude": ["a", 3, "b"], "core": "all", "shell": { "inactivityTimeout": null } },
  "context": { "fileName": { } },
  "mcpServers": { "s": { "command": "x", "env": { "A": 1, "B": "2" } } }
}`)
	l := p.load(t)
	assert.Equal(t, Model{Name: "low", MaxSessionTurns: 7, CompressionThreshold: 0.5}, l.Settings.Model)
	assert.Equal(t, "json", l.Settings.Output.Format)
	assert.Equal(t, []string{"a", "b"}, l.Settings.Tools.Exclude)
	assert.Nil(t, l.Settings.Tools.Core)
	assert.Equal(t, map[string]MCPServer{"s": {Command: "x", Env: map[string]string{"B": "2"}}}, l.Settings.MCPServers)
	var got []string
	for _, w := range l.Warnings {
		assert.Equal(t, WarnType, w.Kind)
		got = append(got, w.String()[len(p.system)+1:])
	}
	assert.Equal(t, []string{
		`2:22: model.name: must be a string, not 5; ignored`,
		`2:44: model.maxSessionTurns: must be a whole number, not 1.5; ignored`,
		`2:73: model.compressionThreshold: must be a number, not "half"; ignored`,
		`3:25: output.format: must be one of text, json, stream-json, not "yaml"; ignored`,
		`4:14: general: must be an object, not a list; ignored`,
		`5:31: tools.exclude[1]: must be a string, not 3; ignored`,
		`5:48: tools.core: must be a list, not "all"; ignored`,
		`5:87: tools.shell.inactivityTimeout: must be a whole number, not null; ignored`,
		`6:28: context.fileName: must be a string or a list of strings, not an object; ignored`,
		`7:56: mcpServers.s.env.A: must be a string, not 1; ignored`,
	}, got)
}

func TestUnknownKeysAreToleratedAndSuggested(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	p.write(t, LayerUser, `{"$schema":"x","modell":{"name":1},"TOOLS":5,"tools":{"exlude":[1]},"ui":{"hideBaner":1,"hideTips":2,"footer":{"itens":1}},"mcpServers":{"s":{"comand":"c","oauth":{"enabled":true}}},"zzz":true,"a":1,"a":2}`)
	l := p.load(t)
	var got [][2]string
	for _, u := range l.Unknown {
		got = append(got, [2]string{u.Key, u.Suggestion})
	}
	assert.Equal(t, [][2]string{{"modell", "model"}, {"TOOLS", "tools"}, {"tools.exlude", "tools.exclude"},
		{"ui.hideBaner", "ui.hideBanner"}, {"ui.footer.itens", "ui.footer.items"}, {"mcpServers.s.comand", "mcpServers.s.command"}, {"zzz", ""}, {"a", ""}}, got)
	require.Len(t, l.Warnings, 1)
	assert.Equal(t, WarnDuplicate, l.Warnings[0].Kind)
	var idle []string
	for _, g := range l.WithoutEffect() {
		idle = append(idle, g.Key)
	}
	assert.Equal(t, []string{"ui.hideTips", "mcpServers.s.oauth.enabled"}, idle)
}

func TestOlderKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, mode, warning string }{
		{`{"tools": {"approvalMode": "auto_edit"}}`, "auto_edit", "older key: write general.defaultApprovalMode"},
		{`{"tools": {"approvalMode": "auto_edit"}, "general": {"vimMode": true}}`, "auto_edit", "older key: write general.defaultApprovalMode"},
		{`{"tools": {"approvalMode": "auto_edit"}, "general": {"defaultApprovalMode": "plan"}}`, "plan", "older key ignored: the file has general.defaultApprovalMode too"},
		{`{"tools": {"approvalMode": "auto_edit"}, "general": 5}`, "default", "older key: write general.defaultApprovalMode"},
	} {
		p := newMachine(t)
		p.write(t, LayerUser, c.text)
		l := p.load(t)
		assert.Equal(t, c.mode, l.Settings.General.DefaultApprovalMode, c.text)
		require.NotEmpty(t, l.Warnings)
		assert.Equal(t, Warning{WarnDeprecated, "tools.approvalMode", Origin{LayerUser, p.path(LayerUser), 1, 28}, c.warning}, l.Warnings[0])
	}
}

func TestEntriesHaveTheLinesOfValues(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	p.write(t, LayerUser, `{"tools":{"exclude":["a"]},"mcpServers":{"my.server":{"command":"c"}}}`)
	p.write(t, LayerSystem, `{"tools":{"exclude":["b"]}}`)
	l := p.load(t)
	e, ok := l.Lookup("tools.exclude")
	require.True(t, ok)
	assert.JSONEq(t, `["a","b"]`, string(e.Value))
	assert.Equal(t, LayerSystem, e.Origin.Layer)
	require.Len(t, e.Origins, 2)
	assert.Equal(t, LayerUser, e.Origins[0].Layer)
	at, ok := l.Origin("mcpServers.my.server.command")
	assert.True(t, ok)
	assert.Equal(t, LayerUser, at.Layer)
	_, ok = l.Lookup("tools.nothing")
	assert.False(t, ok)
	at, _ = l.Origin("output.format")
	assert.Equal(t, "default", at.String())

	keys := map[string]bool{}
	for _, e := range l.Entries() {
		assert.False(t, keys[e.Key], e.Key)
		keys[e.Key] = true
	}
	assert.True(t, keys["tools.exclude"] && keys["mcpServers.my.server.command"] && keys["output.format"])
}

func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	file := filepath.Join(dir, ".gemini", "settings.json")
	require.NoError(b, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(b, os.WriteFile(file, []byte(`{"model":{"name":"$M"},"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"x $Y"}]}]}}`), 0o644))
	for b.Loop() {
		if _, err := Load(Options{Home: dir, Dir: b.TempDir(), Trusted: func(Settings) bool { return true }}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestPathsComeFromTheEnvironment(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	other := filepath.Join(t.TempDir(), "other.json")
	require.NoError(t, os.WriteFile(other, []byte(`{"model":{"name":"from elsewhere"}}`), 0o644))
	m.env[envSystemDefaults] = other
	l := m.load(t)
	assert.Equal(t, "from elsewhere", l.Settings.Model.Name)
	var paths []string
	for _, f := range l.Files {
		paths = append(paths, f.Path)
	}
	assert.Equal(t, []string{other, m.path(LayerUser), m.path(LayerWorkspace), m.system}, paths)

	for goos, dir := range map[string]string{"linux": "/etc/gemini-cli", "darwin": "/Library/Application Support/GeminiCli", "windows": `C:\ProgramData\gemini-cli`} {
		assert.Equal(t, dir, systemDir(goos))
	}
}

func TestLoadWithoutEnvironmentOrTrust(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l, err := Load(Options{Home: filepath.Join(dir, "home"), Dir: filepath.Join(dir, "work")})
	require.NoError(t, err)
	assert.False(t, l.Trusted)
	assert.Equal(t, "the folder is not trusted", l.Files[2].Skipped)
}
