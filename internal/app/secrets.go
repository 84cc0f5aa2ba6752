package app

import (
	"maps"
	"slices"

	"minigem/hooks/command"
	"minigem/internal/redact"
)

// keepSecrets finds what must not be written down.
func (c *Configuration) keepSecrets() {
	c.Secrets = redact.Secrets(c.Env)
	c.Masker = redact.NewMask(c.Secrets)
}

// keepHookSecrets adds what hooks are configured with: the settings of
// extensions among it, which no environment has.
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

// ChildEnv is the environment of shell commands.
func (c *Configuration) ChildEnv() []string { return c.childEnvironment }

// HookRunner runs hooks: those that came with the project in the environment of
// shell commands, the others in what it would be without the project.
func (c *Configuration) HookRunner(children *command.Children) command.Runner {
	return command.Runner{Dir: c.Dir, Env: c.ownEnvironment, ProjectEnv: c.childEnvironment, Children: children}
}

// Mask returns b without the values of secrets.
func (c *Configuration) Mask(b []byte) []byte { return c.Masker.Bytes(b) }
