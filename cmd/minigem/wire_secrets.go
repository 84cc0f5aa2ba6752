package main

import (
	"maps"
	"slices"
	"strings"

	"minigem/internal/redact"
)

// keepSecrets finds what must not be written down, and what children of ours
// must not see.
func (c *configuration) keepSecrets() {
	c.secrets = redact.Secrets(c.env)
	c.masker = redact.NewMask(c.secrets)
	r := c.settings.Security.EnvironmentVariableRedaction
	c.childEnvironment = redact.Sanitize(c.env, redact.Config{
		Enabled: r.Enabled, Allowed: r.Allowed, Blocked: r.Blocked, Strict: redact.Strict(c.env),
	})
}

// keepHookSecrets adds what hooks are configured with: the settings of
// extensions among it, which no environment has.
func (c *configuration) keepHookSecrets() {
	env := slices.Clone(c.env)
	for _, h := range c.hooks.Hooks {
		for _, name := range slices.Sorted(maps.Keys(h.Env)) {
			env = append(env, name+"="+h.Env[name])
		}
	}
	c.secrets = redact.Secrets(env)
	c.masker = redact.NewMask(c.secrets)
}

// childEnv is the environment of shell commands.
func (c *configuration) childEnv() []string { return c.childEnvironment }

// hookEnv is the environment of hooks: that of shell commands without what a
// project's .env file sets to put other code into programs.
func (c *configuration) hookEnv() []string {
	return slices.DeleteFunc(slices.Clone(c.childEnvironment), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(c.keptFromHooks, name)
	})
}

func (c *configuration) mask(b []byte) []byte { return c.masker.Bytes(b) }
