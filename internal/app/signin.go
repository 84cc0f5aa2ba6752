package app

import (
	"slices"

	"minigem/internal/models"
	"minigem/internal/signin"
	"minigem/llm/gemini"
	"minigem/llm/openai"
)

// SignIn keeps the ways to a model that the user gives.
func (c *Configuration) SignIn() signin.Keeper {
	return signin.Keeper{Place: c.Place, Env: c.Env, Model: c.Settings.Model.Name, Version: Version}
}

// GeminiModel is the model of Google's that a session with these flags uses, or
// the default one where it uses another's.
func (c *Configuration) GeminiModel(f *Options) string {
	name, err := modelSource{config: c, flags: f}.name()
	if err != nil || openai.Named(name) {
		return models.Default
	}
	return name
}

// findKey looks for the key that the user had kept, where the settings say that
// there is one and no variable has it: a variable that is empty hides the line in
// their .env file. It goes to no address that a project's .env file names.
func (c *Configuration) findKey() {
	if gemini.Auth(c.Settings.Security.Auth.SelectedType) != gemini.AuthAPIKey ||
		(&System{Env: c.Env}).Getenv("GEMINI_API_KEY") != "" ||
		slices.ContainsFunc(c.projectVars, signin.IsVariable) {
		return
	}
	key, err := c.SignIn().Key()
	if err != nil {
		c.Notices = append(c.Notices, err.Error())
	}
	if c.key = key; c.key == "" {
		return
	}
	c.keepHookSecrets()
	if c.own != nil {
		c.own.key = c.key
	}
}

// TakeKey takes over the key that an earlier configuration of this run found.
func (c *Configuration) TakeKey(before *Configuration) {
	if c.key = before.key; c.key != "" {
		c.keepHookSecrets()
	}
}
