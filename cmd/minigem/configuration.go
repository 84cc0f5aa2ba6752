package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"minigem/hooks"
	"minigem/internal/redact"
	"minigem/internal/settings"
)

// A configuration is what was found before anything runs: directories,
// settings, hooks and trust. Subcommands that only look need nothing else.
type configuration struct {
	home           string // holds .gemini
	dotGemini      string // <home>/.gemini
	dir            string // the working directory
	projectDir     string // GEMINI_PROJECT_DIR
	loaded         *settings.Loaded
	settings       settings.Settings
	env            []string // the environment with what .env files add
	trust          folderTrust
	hooks          hooks.Config
	sections       []hooks.Section
	onlyExtensions []string          // of -e; nil: all that are enabled
	extensions     []hooks.Extension // in force
	notices        []string          // to tell at the start, one a line

	secrets          []string // values that must not be written down
	masker           *redact.Mask
	childEnvironment []string // what shell commands see
	keptFromHooks    []string // names in it that hooks do not see
}

// configure reads everything that is configured for sys.Dir.
func configure(sys *system, f *flags) (*configuration, error) {
	userHome, _ := sys.LookupEnv("HOME")
	if userHome == "" {
		userHome = cmp.Or(sys.Getenv("USERPROFILE"), sys.Dir)
	}
	c := &configuration{home: settings.Home(sys.LookupEnv, userHome), dir: sys.Dir, env: sys.Env, onlyExtensions: f.extensions}
	c.dotGemini = filepath.Join(c.home, ".gemini")
	c.projectDir = findProject(c.dir, c.home)
	if err := c.loadSettings(sys, f); err != nil {
		return nil, err
	}
	c.keepSecrets()
	if err := c.loadHooks(f); err != nil {
		return nil, err
	}
	c.keepHookSecrets()
	return c, nil
}

func (c *configuration) loadSettings(sys *system, f *flags) error {
	loaded, err := settings.Load(settings.Options{
		Home: c.home, Dir: c.dir, Lookup: sys.LookupEnv,
		Trusted: func(below settings.Settings) bool {
			c.trust = decideTrust(sys, f, c, below.Security.FolderTrust.Enabled)
			return c.trust.trusted
		},
	})
	if err != nil {
		return withCode(exitConfig, err)
	}
	c.loaded, c.settings = loaded, loaded.Settings
	c.env = append(slices.Clone(sys.Env), dotEnv(sys, c)...)
	for _, w := range loaded.Warnings {
		c.notices = append(c.notices, w.String())
	}
	return nil
}

var hookLayers = map[settings.Layer]hooks.Layer{
	settings.LayerSystemDefaults: hooks.LayerSystemDefaults,
	settings.LayerUser:           hooks.LayerUser,
	settings.LayerWorkspace:      hooks.LayerProject,
	settings.LayerSystem:         hooks.LayerSystem,
}

func (c *configuration) loadHooks(f *flags) error {
	for _, file := range c.loaded.Files {
		if file.Data == nil {
			continue
		}
		s, err := hooks.LoadSettings(hookLayers[file.Layer], file.Path, file.Data)
		if err != nil {
			return withCode(exitConfig, err)
		}
		c.sections = append(c.sections, s)
	}
	problems := c.loadExtensionHooks()
	c.hooks = hooks.Merge(c.sections...)
	c.hooks.Problems = append(c.hooks.Problems, problems...)
	c.tellKeptFromHooks()
	return c.checkProjectHooks()
}

// loadExtensionHooks reads the hooks of the extensions in force.
func (c *configuration) loadExtensionHooks() []hooks.Problem {
	problems := c.findExtensions()
	for _, e := range c.extensions {
		s, err := hooks.LoadExtension(e.Dir, c.dir, nil)
		if err != nil {
			problems = append(problems, hooks.Problem{File: e.Dir, Text: err.Error()})
			continue
		}
		c.sections = append(c.sections, s)
	}
	return problems
}

// checkProjectHooks compares the project's hooks with what was trusted.
func (c *configuration) checkProjectHooks() error {
	checks, err := c.trustStore().Check(c.projectDir, c.hooks)
	if err != nil {
		c.notices = append(c.notices, err.Error())
	}
	c.hooks.Apply(checks, false)
	return nil
}

func (c *configuration) trustStore() hooks.TrustStore { return hooks.TrustStore{Dir: c.dotGemini} }

// hookNotices names the project's hooks that are new or changed, and what is
// wrong with the configuration of hooks.
func (c *configuration) hookNotices() []string {
	out := c.hookProblems()
	out = append(out, c.switchedOff()...)
	if c.hooks.Off != "" {
		return out
	}
	for _, h := range c.hooks.Hooks {
		if h.Note != "" && h.Disabled == "" {
			out = append(out, fmt.Sprintf("%s:%d: the %s hook %q runs unasked: %s. Look at it, then say yes to it with minigem trust",
				h.Source.File, h.Source.Line, h.Event, h.ID(), h.Note))
		}
	}
	return out
}

// hookProblems are the faults of the files that configure hooks, as file:line:
// text.
func (c *configuration) hookProblems() []string {
	var out []string
	for _, p := range c.hooks.Problems {
		where := p.File
		if p.Line > 0 {
			where = fmt.Sprintf("%s:%d", p.File, p.Line)
		}
		out = append(out, where+": "+p.Text)
	}
	return out
}

// findProject returns the project's root: dir where it has a .gemini of its
// own, else the nearest directory above, below home, that has one or a .git,
// else dir.
func findProject(dir, home string) string {
	if exists(filepath.Join(dir, ".gemini")) && dir != home {
		return dir
	}
	for at := dir; at != home; {
		if exists(filepath.Join(at, ".git")) || exists(filepath.Join(at, ".gemini")) {
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

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil || !errors.Is(err, os.ErrNotExist)
}
