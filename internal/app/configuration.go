package app

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	Loaded     *settings.Loaded
	Settings   settings.Settings
	Env        []string // the environment, including variables from .env files
	Trust      FolderTrust
	Hooks      config.Loaded
	Sections   []config.Section
	Within     func(only []string, begin func() error) error // starts programs confined; may be nil
	Protects   func(rel string) string                       // see [workspace.Workspace.Protects]
	OwnAgents  bool                                          // the project's agents need no agreement
	Extensions extensions.Set
	Models     *models.Catalog
	Notices    []string // messages to show at the start, one per line

	Secrets          []string // values that must not be written anywhere
	Masker           *redact.Mask
	key              string         // Gemini API key that is in no variable; see FindKey
	childEnvironment []string       // environment of shell commands
	ownEnvironment   []string       // environment of hooks that did not come with the project
	Own              *Configuration // settings and environment without the project's; nil if it changes nothing
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
		Within: sys.Within, OwnAgents: f.OwnAgents,
		Extensions: extensions.Set{Only: f.Extensions, Own: f.OwnExtension},
	}
	// If .gemini is a file, settings and policies would silently be missing.
	if info, err := os.Stat(c.DotGemini); err == nil && !info.IsDir() {
		return nil, exit.Errorf(exit.Config, "%s is not a folder: settings and sessions are kept in it. "+
			"Move the file away, or set GEMINI_CLI_HOME to another folder", c.DotGemini)
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
	c.keepSecrets()
	c.Trust.narrow(sys, f)
	c.Extensions.Trusted = c.Trust.Trusted
	return c, nil
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
	var problems []models.Problem
	c.Models, problems = models.New(c.Settings.ModelConfigs, c.Settings.Agents.Overrides)
	for _, p := range problems {
		at := c.Loaded.At(p.Key)
		c.Notices = append(c.Notices, fmt.Sprintf("%s:%d: %s %s", at.File, at.Line, text.VisibleLine(p.Key),
			text.VisibleLine(p.Text)))
	}
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
	c.Sections = append(c.Sections, c.HeadHooks()...)
	c.Hooks = config.Merge(c.Sections...)
	c.Hooks.Problems = append(c.Hooks.Problems, problems...)
	c.warnWithheld()
	return c.CheckProjectHooks()
}

// loadExtensionHooks reads the hooks of the extensions in force.
func (c *Configuration) loadExtensionHooks() ([]config.Problem, error) {
	x, security := &c.Extensions, c.Settings.Security
	x.Place, x.Trusted, x.Disabled = c.Place, c.Trust.Trusted, c.Settings.Extensions.Disabled
	x.Without = x.Disabled
	x.Rules = extensions.Rules{Allowed: security.AllowedExtensions, BlockGit: security.BlockGitExtensions}
	x.Env, x.Lookup, x.Expand = c.Env, (&System{Env: c.Env}).LookupEnv, settings.Expand
	x.Values, x.ServerOf = map[string][]extensions.Value{}, map[string]string{}
	if c.Own != nil {
		x.Env, x.Without = c.Own.Env, c.Own.Settings.Extensions.Disabled
	}
	notices, problems, err := x.Find()
	if err != nil {
		return nil, err
	}
	c.Notices = append(c.Notices, notices...)
	c.AddMCPServers(nil) // copies the map, which is changed below
	for _, e := range x.Used {
		m, more := x.Read(e, c.Settings.MCPServers)
		problems = append(problems, more...)
		plans := &c.Settings.General.Plan.Directory
		*plans = cmp.Or(*plans, m.PlanDir) // the first extension that sets it wins
		s, err := config.LoadExtension(e, c.Dir, x.Settings(e))
		if err != nil {
			problems = append(problems, FaultOf(e.Dir, err))
			continue
		}
		c.Sections = append(c.Sections, s)
	}
	return problems, nil
}

// CheckProjectHooks compares the project's hooks with those that were trusted.
func (c *Configuration) CheckProjectHooks() error {
	checks, err := c.TrustStore().Check(c.ProjectDir, c.Hooks.Config)
	if err != nil {
		c.Notices = append(c.Notices, err.Error())
	}
	config.Apply(&c.Hooks.Config, checks, false)
	return nil
}

// TrustStore returns the store of the project hooks that the user has agreed to.
func (c *Configuration) TrustStore() config.TrustStore { return config.TrustStore{Dir: c.DotGemini} }

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

// CheckRestrictions returns an error if the settings contain a restriction that minigem
// does not support, since going on would pretend to enforce it. Once a restriction is
// supported, its line in settings/known.txt says "works".
func (c *Configuration) CheckRestrictions() error {
	all := c.Loaded.Restrictions()
	if len(all) == 0 {
		return nil
	}
	g := all[0]
	if g.Fault != "" {
		return exit.Errorf(exit.Config, "%s:%d: %s %s. Nothing runs until this is corrected, because it may be a restriction",
			c.Shorten(g.Origin.File), g.Origin.Line, text.VisibleLine(g.Key), text.VisibleLine(g.Fault))
	}
	return exit.Errorf(exit.Config, "%s:%d: %s is %s, which minigem cannot enforce: take it out, or run minigem inside "+
		"a container that does it",
		c.Shorten(g.Origin.File), g.Origin.Line, text.VisibleLine(g.Key), c.Mask(g.Value))
}
