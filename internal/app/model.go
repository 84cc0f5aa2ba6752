package app

import (
	"cmp"

	"minigem/agent/event"
	"minigem/internal/models"
)

// Source says where the model of a session with these flags comes from. sink may be
// nil.
func (c *Configuration) Source(f *Options, sink event.Sink) models.Source {
	return models.Source{
		Settings: c.Settings, Catalog: c.Models, Flag: f.Model, Fake: cmp.Or(f.FakeNonStrict, f.Fake),
		Loose: f.FakeNonStrict != "", Lookup: c.Lookup, Version: Version, Sink: sink,
	}
}

// Lookup reads a variable from the environment, including .env files. The Gemini API key
// may also be stored elsewhere.
func (c *Configuration) Lookup(name string) string {
	value := (&System{Env: c.Env}).Getenv(name)
	if value == "" && name == "GEMINI_API_KEY" {
		return c.key
	}
	return value
}
