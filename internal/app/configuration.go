package app

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/internal/exit"
	"minigem/internal/extensions"
	"minigem/internal/models"
	"minigem/internal/place"
	"minigem/internal/redact"
	"minigem/internal/settings"
	"minigem/internal/stage"
	"minigem/internal/text"
)

// Configuration is everything read before anything runs: directories, settings, hooks
// and trust. Subcommands that only show things need nothing else.
type Configuration struct {
	place.Place
	Loaded         *settings.Loaded
	Settings       settings.Settings
	Env            []string // the environment, including variables from .env files
	Trust          FolderTrust
	Hooks          hooks.Config
	Sections       []config.Section
	Within         func(only []string, begin func() error) error // starts programs confined; may be nil
	Protects       func(rel string) string                       // see [workspace.Workspace.Protects]
	onlyExtensions []string                                      // names given with -e; nil means all that are enabled
	ownExtension   bool                                          // the extension in this folder counts as installed
	ownAgents      bool                                          // the project's agents need no agreement
	extensions     []config.Extension                            // extensions in force
	models         *models.Catalog
	values         map[string][]extensions.Value // the settings of extensions, by extension name
	serverOf       map[string]string             // MCP server names to the extensions that bring them
	Notices        []string                      // messages to show at the start, one per line

	Secrets          []string // values that must not be written anywhere
	Masker           *redact.Mask
	key              string         // Gemini API key that is in no variable; see findKey
	childEnvironment []string       // environment of shell commands
	ownEnvironment   []string       // environment of hooks that did not come with the project
	own              *Configuration // settings and environment without the project's; nil if it changes nothing
	projectVars      []string       // names of the variables in the project's .env file
	projectEnv       string         // path of that file
}

// Configure reads the configuration for sys.Dir. It sets HOME in sys.Env to the home
// that [settings.FindHome] chose.
func Configure(sys *System, f *Options) (*Configuration, error) {
	home, err := settings.FindHome(sys.LookupEnv, sys.Dir, sys.Account)
	if err != nil {
		return nil, exit.With(exit.Config, err)
	}
	sys.setHome(home.User)
	c := &Configuration{
		Place: place.Place{Home: home.Dir, DotGemini: filepath.Join(home.Dir, ".gemini"), Dir: sys.Dir}, Env: sys.Env,
		Within:         sys.Within,
		onlyExtensions: f.Extensions, ownExtension: f.OwnExtension, ownAgents: f.OwnAgents,
	}
	if err := c.checkDotGemini(); err != nil {
		return nil, err
	}
	stage.SettleTemp()
	stage.Settle(c.DotGemini, filepath.Join(c.DotGemini, "extensions"), filepath.Join(c.DotGemini, "skills"))
	c.ProjectDir = findProject(c.Dir, c.Home)
	if err := c.loadSettings(sys, f); err != nil {
		return nil, err
	}
	c.keepSecrets()
	if err := c.loadHooks(); err != nil {
		return nil, err
	}
	c.keepHookSecrets()
	c.Trust.narrow(sys, f)
	return c, nil
}

// checkDotGemini returns an error if .gemini is a file, because settings and policies
// would silently be missing.
func (c *Configuration) checkDotGemini() error {
	if info, err := os.Stat(c.DotGemini); err == nil && !info.IsDir() {
		return exit.Errorf(exit.Config, "%s is not a folder: settings and sessions are kept in it. "+
			"Move the file away, or set GEMINI_CLI_HOME to another folder", c.DotGemini)
	}
	return nil
}

func (c *Configuration) loadSettings(sys *System, f *Options) error {
	loaded, err := settings.Load(settings.Options{
		Home: c.Home, Dir: c.Dir, Lookup: sys.LookupEnv,
		Trusted: func(below settings.Settings) bool {
			c.Trust = decideTrust(sys, f, c, below.Security.FolderTrust.Enabled)
			return c.Trust.Trusted
		},
	})
	if err != nil {
		return exit.With(exit.Config, err)
	}
	c.Loaded, c.Settings = loaded, loaded.Settings
	c.readModels()
	if err := c.readEnv(sys); err != nil {
		return err
	}
	for _, w := range loaded.Warnings {
		if w.Kind != settings.WarnType || !ofHooks(w.Key) {
			c.Notices = append(c.Notices, w.String())
		}
	}
	for _, u := range loaded.Unknown {
		if u.Suggestion != "" && !ofHooks(u.Key) {
			c.Notices = append(c.Notices, u.String())
		}
	}
	return nil
}

// readModels reads the model aliases and overrides.
func (c *Configuration) readModels() {
	var problems []models.Problem
	c.models, problems = models.New(c.Settings.ModelConfigs, c.Settings.Agents.Overrides)
	for _, p := range problems {
		at := c.Loaded.At(p.Key)
		c.Notices = append(c.Notices, fmt.Sprintf("%s:%d: %s %s", at.File, at.Line, text.VisibleLine(p.Key),
			text.VisibleLine(p.Text)))
	}
}

// ofHooks reports whether the hooks package also reads the key and reports its
// problems.
func ofHooks(key string) bool { return strings.HasPrefix(key, "hooksConfig.") }

// HookLayers maps the layers of settings to those of hooks.
var HookLayers = map[settings.Layer]hooks.Layer{
	settings.LayerSystemDefaults: hooks.LayerSystemDefaults,
	settings.LayerUser:           hooks.LayerUser,
	settings.LayerWorkspace:      hooks.LayerProject,
	settings.LayerSystem:         hooks.LayerSystem,
}

func (c *Configuration) loadHooks() error {
	for _, file := range c.Loaded.Files {
		if file.Data == nil {
			continue
		}
		s, err := config.LoadSettings(HookLayers[file.Layer], file.Path, file.Data)
		if err != nil {
			return exit.With(exit.Config, err)
		}
		c.Sections = append(c.Sections, s)
	}
	problems, err := c.loadExtensionHooks()
	if err != nil {
		return err
	}
	c.Sections = append(c.Sections, c.headHooks()...)
	c.Hooks = config.Merge(c.Sections...)
	c.Hooks.Problems = append(c.Hooks.Problems, problems...)
	c.warnWithheld()
	return c.CheckProjectHooks()
}

// loadExtensionHooks reads the hooks of the extensions in force.
func (c *Configuration) loadExtensionHooks() ([]hooks.Problem, error) {
	problems, err := c.findExtensions()
	if err != nil {
		return nil, err
	}
	for _, e := range c.extensions {
		problems = append(problems, c.readExtension(e)...)
		s, err := config.LoadExtension(e, c.Dir, c.settingsOf(e))
		if err != nil {
			problems = append(problems, faultOf(e.Dir, err))
			continue
		}
		c.Sections = append(c.Sections, s)
	}
	return problems, nil
}

// CheckProjectHooks compares the project's hooks with those that were trusted.
func (c *Configuration) CheckProjectHooks() error {
	checks, err := c.TrustStore().Check(c.ProjectDir, c.Hooks)
	if err != nil {
		c.Notices = append(c.Notices, err.Error())
	}
	config.Apply(&c.Hooks, checks, false)
	return nil
}

// TrustStore returns the store of the project hooks that the user has agreed to.
func (c *Configuration) TrustStore() config.TrustStore { return config.TrustStore{Dir: c.DotGemini} }

// HookNotices returns messages about the project's new and changed hooks, and about
// problems in the configuration of hooks.
func (c *Configuration) HookNotices() []string {
	out := c.HookProblems()
	out = append(out, c.switchedOff()...)
	if c.Hooks.Off != "" {
		return out
	}
	return append(out, c.unasked()...)
}

// unasked names the hooks that run without the user's approval: one line for the new
// ones, and one for each kind of change.
func (c *Configuration) unasked() []string {
	var notes []string
	byNote := map[string][]hooks.Hook{}
	for _, h := range c.Hooks.Hooks {
		if h.Note == "" || h.Disabled != "" {
			continue
		}
		note, _, _ := strings.Cut(h.Note, ": ") // what changed comes after it
		if byNote[note] == nil {
			notes = append(notes, note)
		}
		byNote[note] = append(byNote[note], h)
	}
	for i, note := range notes {
		hs := byNote[note]
		if h := hs[0]; len(hs) == 1 {
			notes[i] = fmt.Sprintf("%s:%d: the %s hook %q runs unasked: %s. Look at it, then say yes to it with minigem trust",
				h.Source.File, h.Source.Line, h.Event, h.Label(), h.Note)
			continue
		}
		names := make([]string, len(hs))
		for n, h := range hs {
			_, changed, _ := strings.Cut(h.Note, ": ")
			names[n] = fmt.Sprintf("%s %q (%s)", h.Event, h.Label(),
				strings.TrimSuffix(fmt.Sprintf("%s:%d; %s", c.Relative(h.Source.File), h.Source.Line, changed), "; "))
		}
		notes[i] = fmt.Sprintf("%d hooks run unasked: %s. Look at them, then say yes to them with minigem trust: %s",
			len(hs), note, strings.Join(names, ", "))
	}
	return notes
}

// HookProblems lists the problems in the files that configure hooks, as file:line:
// text. It shows the first ones of each file, and counts the rest.
func (c *Configuration) HookProblems() []string {
	const most = 20
	var out []string
	count := map[string]int{}
	for _, p := range c.Hooks.Problems {
		if count[p.File]++; count[p.File] > most {
			continue
		}
		where := p.File
		if p.Line > 0 {
			where = fmt.Sprintf("%s:%d", p.File, p.Line)
		}
		out = append(out, where+": "+p.Text)
	}
	for _, file := range slices.Sorted(maps.Keys(count)) {
		if n := count[file] - most; n > 0 {
			out = append(out, fmt.Sprintf("%s: and %d more; minigem hooks lint shows them all", file, n))
		}
	}
	return out
}

// WithoutEffect lists on one line the keys in settings files that have no effect,
// including unknown ones. It returns "" if there are none.
func (c *Configuration) WithoutEffect() string {
	const most = 5
	var keys []string
	for _, g := range c.Loaded.WithoutEffect() {
		if !slices.Contains(keys, g.Key) {
			keys = append(keys, g.Key)
		}
	}
	for _, u := range c.Loaded.Unknown {
		if !slices.Contains(keys, u.Key) {
			keys = append(keys, u.Key)
		}
	}
	if len(keys) == 0 {
		return ""
	}
	verb, more := "have", ""
	if len(keys) == 1 {
		verb = "has"
	}
	named := keys[:min(most, len(keys))]
	if len(keys) > most {
		more = ", ..."
	}
	return fmt.Sprintf("%s %s no effect in minigem: %s%s; minigem settings list says more",
		text.Plural(len(keys), "setting"), verb, text.VisibleLine(strings.Join(named, ", ")), more)
}

// findProject returns the project's root: dir if it has its own .gemini, else the
// nearest parent below home that has a .gemini or .git, else dir.
func findProject(dir, home string) string {
	if Exists(filepath.Join(dir, ".gemini")) && dir != home {
		return dir
	}
	for at := dir; at != home; {
		if Exists(filepath.Join(at, ".git")) || Exists(filepath.Join(at, ".gemini")) {
			return at
		}
		up := filepath.Dir(at)
		if up == at {
			break
		}
		at = up
	}
	return dir
}

// Exists reports whether anything exists at path, even a dangling link.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil || !errors.Is(err, os.ErrNotExist)
}
