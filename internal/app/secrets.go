package app

import (
	"maps"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/command"
	"minigem/hooks/webhook"
	"minigem/internal/redact"
)

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
