package app

import (
	"slices"

	"minigem/internal/signin"
	"minigem/llm/gemini"
)

// SignIn returns the keeper of the sign-in data that the user enters.
func (c *Configuration) SignIn() signin.Keeper {
	return signin.Keeper{Place: c.Place, Env: c.Env, Model: c.Settings.Model.Name, Version: Version}
}

// FindKey looks up the key that the user stored, if the settings say that there is one
// and no variable has it. An empty variable hides the line in the user's .env file. The
// key is not used if a project's .env file sets the address it would be sent to.
func (c *Configuration) FindKey() {
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
	c.keepSecrets()
	if c.Own != nil {
		c.Own.key = c.key
	}
}

// TakeKey takes over the key found by an earlier configuration of this run.
func (c *Configuration) TakeKey(before *Configuration) {
	if c.key = before.key; c.key != "" {
		c.keepSecrets()
	}
}
