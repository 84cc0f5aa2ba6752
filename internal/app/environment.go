package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/command"
	"minigem/hooks/dotenv"
	"minigem/hooks/webhook"
	"minigem/internal/models"
	"minigem/internal/redact"
	"minigem/internal/settings"
	"minigem/internal/text"
)

// readEnv adds the variables of the first .env file to the environment. Variables that
// are already set win.
func (c *Configuration) readEnv(sys *System) error {
	file, err := c.envFile(sys, c.Settings, c.Trust.Trusted)
	if err != nil {
		c.Notices = append(c.Notices, err.Error())
	}
	if len(file.Refused) > 0 {
		c.Notices = append(
			c.Notices, fmt.Sprintf(
				"%s sets %s, which would make programs run code: minigem takes that only from your own environment",
				c.Shorten(file.Path), text.VisibleLine(strings.Join(file.Refused, ", "))))
	}
	c.Env = withVars(sys.Env, c.SignIn().Beside(file, sys.LookupEnv))
	c.childEnvironment = sanitized(c.Env, c.Settings)
	if !c.Trust.Trusted {
		c.ownEnvironment = c.childEnvironment
		return nil
	}
	return c.readOwnEnv(sys, file)
}

// readOwnEnv builds the environment of hooks that did not come with the project, as it
// would be without the project. Otherwise the project's .env file and settings could
// replace a program that a guard runs, remove a variable that it needs, or hide the
// user's own .env file. No list of forbidden names would be long enough.
func (c *Configuration) readOwnEnv(sys *System, all dotenv.File) error {
	own, err := settings.Load(settings.Options{Home: c.Home, Dir: c.Dir, Lookup: sys.LookupEnv})
	if err != nil {
		return err
	}
	file, err := c.envFile(sys, own.Settings, false)
	if err != nil {
		c.Notices = append(c.Notices, err.Error())
	}
	without := *c
	without.Loaded, without.Settings, without.Env = own, own.Settings, withVars(sys.Env, file.Vars)
	// problems were already reported for all settings
	without.Models, _ = models.New(own.Settings.ModelConfigs, own.Settings.Agents.Overrides)
	c.Own, c.ownEnvironment = &without, sanitized(without.Env, own.Settings)
	if all.Path != file.Path {
		c.projectEnv = all.Path
		for _, v := range all.Vars {
			c.projectVars = append(c.projectVars, v.Name)
		}
	}
	return nil
}

func (c *Configuration) envFile(sys *System, s settings.Settings, trusted bool) (dotenv.File, error) {
	return dotenv.Find(dotenv.Options{
		Home: c.Home, Dir: c.Dir, Trusted: trusted, Lookup: sys.LookupEnv,
		Excluded: s.Advanced.ExcludedEnvVars, IgnoreLocal: s.Advanced.IgnoreLocalEnv,
	})
}

func withVars(env []string, vars []dotenv.Var) []string {
	out := slices.Clone(env)
	for _, v := range vars {
		out = append(out, v.Name+"="+v.Value)
	}
	return out
}

func sanitized(env []string, s settings.Settings) []string {
	r := s.Security.EnvironmentVariableRedaction
	return redact.Sanitize(env, redact.Config{Enabled: r.Enabled, Allowed: r.Allowed, Blocked: r.Blocked,
		Strict: redact.Strict(env)})
}

// warnWithheld warns about hooks that use a variable of the project's .env file and do
// not get it.
func (c *Configuration) warnWithheld() {
	for _, h := range c.Hooks.Hooks {
		if h.Source.OfProject() || h.Disabled != "" {
			continue
		}
		if name := namedBy(h, c.projectVars); name != "" {
			c.Notices = append(
				c.Notices, fmt.Sprintf(
					"%s: the hook %q names %s, which the project's .env sets: hooks that did not come with the project do not get it",
					h.Source, h.ID(), name))
		}
	}
}

// namedBy returns the first of names that h's command or environment refers to.
func namedBy(h hooks.Hook, names []string) string {
	text := h.Target()
	for _, v := range h.Env {
		text += " " + v
	}
	for _, n := range names {
		if strings.Contains(text, "$"+n) || strings.Contains(text, "${"+n) {
			return n
		}
	}
	return ""
}

// keepSecrets collects the values that must not be written anywhere: secrets of the
// environment, of the configuration of hooks and of the settings of extensions.
func (c *Configuration) keepSecrets() {
	env := slices.Clone(c.Env)
	for _, h := range c.Hooks.Hooks {
		for _, name := range slices.Sorted(maps.Keys(h.Env)) {
			env = append(env, name+"="+h.Env[name])
		}
		for _, name := range slices.Sorted(maps.Keys(h.Headers)) {
			env = append(env, headerSecrets(name, h.Headers[name])...)
		}
	}
	for _, values := range c.Extensions.Values {
		for _, v := range values {
			if v.Sensitive && v.Value != "" {
				env = append(env, v.EnvVar+"_TOKEN="+v.Value) // a secret whatever its name
			}
		}
	}
	if c.key != "" {
		env = append(env, "GEMINI_API_KEY="+c.key)
	}
	c.Secrets = redact.Secrets(env)
	c.Masker = redact.NewMask(c.Secrets)
}

// headerSecrets returns a header's value as variables, so that it is masked if its name
// suggests a secret. For Authorization, the value without the scheme is masked, too.
func headerSecrets(name, value string) []string {
	variable := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	if variable == "AUTHORIZATION" || variable == "COOKIE" {
		variable += "_TOKEN"
	}
	_, bare, _ := strings.Cut(value, " ")
	return []string{variable + "=" + value, variable + "=" + bare}
}

// ChildEnv returns the environment of shell commands.
func (c *Configuration) ChildEnv() []string { return c.childEnvironment }

// HookRunner runs hooks of every kind. The project's hooks run in the environment of
// shell commands, all others in the environment as it would be without the project.
func (c *Configuration) HookRunner(children *command.Children) hooks.ByKind {
	return hooks.ByKind{
		"command": command.Runner{Dir: c.Dir, Env: c.ownEnvironment, ProjectEnv: c.childEnvironment, Children: children,
			Within: c.Within},
		"http": &webhook.Runner{Env: c.ownEnvironment, ProjectEnv: c.childEnvironment, Hosts: c.Hooks.HTTPHosts},
	}
}

// HookEngine returns an engine that runs hooks as a session does, but without a
// session.
func (c *Configuration) HookEngine(config hooks.Config, children *command.Children) *hooks.Engine {
	return &hooks.Engine{Config: config, Runner: c.HookRunner(children), Origin: c.Origin(), Mask: c.Mask}
}

// Mask masks secrets in b.
func (c *Configuration) Mask(b []byte) []byte { return c.Masker.Bytes(b) }

// Origin returns the session data that hooks see when no session is running.
func (c *Configuration) Origin() hooks.Origin {
	return hooks.Origin{SessionID: "00000000-0000-4000-8000-000000000000", Cwd: c.Dir, ProjectDir: c.ProjectDir,
		Home: c.Lookup("HOME")}
}
