package app

import (
	"maps"
	"slices"
	"strings"

	"minigem/internal/redact"
)

// keepSecrets finds what must not be written down, and what children of ours
// must not see.
func (c *Configuration) keepSecrets() {
	c.Secrets = redact.Secrets(c.Env)
	c.Masker = redact.NewMask(c.Secrets)
	r := c.Settings.Security.EnvironmentVariableRedaction
	c.childEnvironment = redact.Sanitize(c.Env, redact.Config{
		Enabled: r.Enabled, Allowed: r.Allowed, Blocked: r.Blocked, Strict: redact.Strict(c.Env),
	})
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

// HookEnv is the environment of hooks: that of shell commands without what a
// project's .env file sets to put other code into programs.
func (c *Configuration) HookEnv() []string {
	return slices.DeleteFunc(slices.Clone(c.childEnvironment), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(c.keptFromHooks, name)
	})
}

func (c *Configuration) Mask(b []byte) []byte { return c.Masker.Bytes(b) }
