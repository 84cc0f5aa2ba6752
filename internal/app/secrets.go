package app

import (
	"maps"
	"slices"

	"minigem/hooks"
	"minigem/hooks/command"
	"minigem/internal/redact"
)

// keepSecrets finds the values that must not be written anywhere.
func (c *Configuration) keepSecrets() {
	c.Secrets = redact.Secrets(c.Env)
	c.Masker = redact.NewMask(c.Secrets)
}

// keepHookSecrets adds secrets from the configuration of hooks: settings of
// extensions are in no environment variable.
func (c *Configuration) keepHookSecrets() {
	env := slices.Clone(c.Env)
	for _, h := range c.Hooks.Hooks {
		for _, name := range slices.Sorted(maps.Keys(h.Env)) {
			env = append(env, name+"="+h.Env[name])
		}
	}
	c.Secrets = redact.Secrets(env)
	c.Masker = redact.NewMask(c.Secrets)
}

// ChildEnv returns the environment of shell commands.
func (c *Configuration) ChildEnv() []string { return c.childEnvironment }

// HookRunner runs hooks: those of the project in the environment of shell
// commands, all others in the one that would be there without the project.
func (c *Configuration) HookRunner(children *command.Children) command.Runner {
	return command.Runner{Dir: c.Dir, Env: c.ownEnvironment, ProjectEnv: c.childEnvironment, Children: children}
}

// HookEngine runs hooks as a session does, with no session around them.
func (c *Configuration) HookEngine(config hooks.Config, children *command.Children) *hooks.Engine {
	return &hooks.Engine{Config: config, Runner: c.HookRunner(children), Origin: c.Origin(), Mask: c.Mask}
}

// Mask masks secrets in b.
func (c *Configuration) Mask(b []byte) []byte { return c.Masker.Bytes(b) }
