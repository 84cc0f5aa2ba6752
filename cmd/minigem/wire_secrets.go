package main

import "minigem/internal/redact"

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

// childEnv is the environment of hooks and of shell commands.
func (c *configuration) childEnv() []string { return c.childEnvironment }

func (c *configuration) mask(b []byte) []byte { return c.masker.Bytes(b) }
