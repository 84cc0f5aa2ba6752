package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks/dotenv"
	"minigem/hooks/jsonc"
	"minigem/internal/models"
	"minigem/internal/vault"
	"minigem/llm"
	"minigem/llm/gemini"
	"minigem/llm/openai"
)

// signInVariables say where a model is, and what opens the way to it.
var signInVariables = []string{
	"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_GENAI_USE_VERTEXAI",
	"GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OLLAMA_HOST",
}

// Where Gemini CLI keeps a key that was pasted into it
// (core/core/apiKeyCredentialStorage.ts).
const (
	keyService = "gemini-cli-api-key"
	keyAccount = "default-api-key"
)

// A SignIn is a way to a model, as the user gave it. One of its first three fields
// is set.
type SignIn struct {
	APIKey            string // of the Gemini API
	Project, Location string // of Vertex AI
	Model             string // on a server of one's own: openai/NAME, ollama/NAME and the like

	BaseURL, ServerKey string // of Model's server; may be empty
}

// ownEnvFile is the user's file of variables.
func (c *Configuration) ownEnvFile() string { return filepath.Join(c.DotGemini, ".env") }

// addSignIn returns vars, those of a project's .env file, with what the user's own
// file says about the way to the model, which that file hides: all of it, or nothing
// where the project says anything of it itself. A key never goes to an address that
// came from elsewhere.
func (c *Configuration) addSignIn(file dotenv.File, getenv func(string) (string, bool)) []dotenv.Var {
	if file.Path == "" || file.Path == c.ownEnvFile() || slices.ContainsFunc(file.Vars, ofSignIn) {
		return file.Vars
	}
	own, err := dotenv.Read(c.ownEnvFile())
	if err != nil {
		return file.Vars
	}
	vars := slices.Clone(file.Vars)
	for _, v := range own {
		if _, set := getenv(v.Name); !set && ofSignIn(v) {
			vars = append(vars, v)
		}
	}
	return vars
}

func ofSignIn(v dotenv.Var) bool { return slices.Contains(signInVariables, v.Name) }

// findKey looks for the key that the user had kept, where the settings say that
// there is one and no variable has it: a variable that is empty hides the line in
// their .env file. It goes to no address that a project's .env file names.
func (c *Configuration) findKey() {
	if gemini.Auth(c.Settings.Security.Auth.SelectedType) != gemini.AuthAPIKey ||
		(&System{Env: c.Env}).Getenv("GEMINI_API_KEY") != "" ||
		slices.ContainsFunc(c.projectVars, func(name string) bool { return slices.Contains(signInVariables, name) }) {
		return
	}
	if c.key = c.keptKey(); c.key == "" {
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

func (c *Configuration) keptKey() string {
	vars, _ := dotenv.Read(c.ownEnvFile())
	for _, v := range vars {
		if v.Name == "GEMINI_API_KEY" && v.Value != "" {
			return v.Value
		}
	}
	kept, _, err := c.vault().Get(keyService, keyAccount)
	if err != nil {
		c.Notices = append(c.Notices, err.Error())
	}
	var entry keptKey
	if json.Unmarshal([]byte(kept), &entry) != nil {
		return ""
	}
	return entry.Token.AccessToken
}

// keptKey is a key as Gemini CLI keeps it.
type keptKey struct {
	ServerName string `json:"serverName"`
	Token      struct {
		AccessToken string `json:"accessToken"`
		TokenType   string `json:"tokenType"`
	} `json:"token"`
}

func (c *Configuration) vault() vault.Vault {
	return vault.New(c.DotGemini, (&System{Env: c.Env}).Getenv)
}

// HasKeychain reports whether the system seems to have a keychain.
func (c *Configuration) HasKeychain() bool { return c.vault().Keychain() }

// ParseKey returns the key in what was typed or pasted: alone, or as a line of a
// .env file or a shell's script.
func ParseKey(typed string) (string, error) {
	words := strings.Fields(typed)
	if len(words) == 2 && words[0] == "export" {
		words = words[1:]
	}
	if len(words) != 1 {
		return "", errors.New("a key is one word, and that was more")
	}
	_, value, named := strings.Cut(words[0], "=")
	key := words[0]
	if named && strings.HasSuffix(strings.SplitN(words[0], "=", 2)[0], "_KEY") {
		key = value
	}
	key = strings.Trim(key, `"'`)
	if key == "" || strings.ContainsFunc(key, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune("#\"'`\\", r)
	}) {
		return "", errors.New("a key has other characters than that")
	}
	return key, nil
}

// TrySignIn makes one request by s, and returns its error: nil if the way is open.
func (c *Configuration) TrySignIn(ctx context.Context, f *Options, s SignIn) error {
	lookup := func(name string) string {
		if value, given := s.variables()[name]; given {
			return value
		}
		if name == "GOOGLE_API_KEY" { // it would go in place of the project
			return ""
		}
		return (&System{Env: c.Env}).Getenv(name)
	}
	o, err := gemini.OptionsFor(s.auth(), lookup)
	if err != nil {
		return err
	}
	r := Runtime{Config: c, Flags: f}
	model, err := r.modelName()
	if err != nil || openai.Named(model) {
		model = models.Default
	}
	o.Version, o.MaxAttempts = Version, 1
	_, err = gemini.New(o).CountTokens(ctx, llm.Request{Model: model, Messages: []llm.Message{llm.UserText("Hello")}})
	var answered *llm.Error
	if errors.As(err, &answered) && slices.Contains([]llm.ErrorKind{llm.ErrQuota, llm.ErrRateLimit, llm.ErrNotFound},
		answered.Kind) {
		return nil // who is told that has been let in
	}
	return err
}

// ServerModels lists what a server has that speaks OpenAI's API; "" is Ollama on
// this machine.
func (c *Configuration) ServerModels(ctx context.Context, address, key string) ([]string, error) {
	name := "openai/any"
	if address == "" {
		name = "ollama/any"
	}
	o, err := openai.OptionsFor(name, func(variable string) string {
		switch variable {
		case "OPENAI_BASE_URL":
			return address
		case "OPENAI_API_KEY":
			return key
		}
		return (&System{Env: c.Env}).Getenv(variable)
	})
	if err != nil {
		return nil, err
	}
	o.Version = Version
	return openai.New(o).Models(ctx)
}

func (s SignIn) auth() gemini.Auth {
	if s.Project != "" {
		return gemini.AuthVertex
	}
	return gemini.AuthAPIKey
}

// variables are those that s is, one that has to go with an empty value.
func (s SignIn) variables() map[string]string {
	switch {
	case s.Model != "" && openai.Server(s.Model) == "openai":
		return map[string]string{"OPENAI_BASE_URL": s.BaseURL, "OPENAI_API_KEY": s.ServerKey}
	case s.Model != "":
		return nil
	case s.Project != "":
		return map[string]string{"GOOGLE_CLOUD_PROJECT": s.Project, "GOOGLE_CLOUD_LOCATION": s.Location}
	}
	return map[string]string{"GEMINI_API_KEY": s.APIKey}
}

// KeepSignIn keeps s for sessions to come, a key of the Gemini API in the keychain
// or else, as everything, in the user's .env file, which only they can read
// then. It returns what was written, for people.
func (c *Configuration) KeepSignIn(s SignIn, keychain bool) (where string, err error) {
	model := cmp.Or(s.Model, c.geminiModel())
	if model != "" {
		if err := c.SaveSetting(model, "model", "name"); err != nil {
			return "", err
		}
	}
	if s.Model == "" {
		if err := c.SaveSetting(string(s.auth()), "security", "auth", "selectedType"); err != nil {
			return "", err
		}
	}
	variables := s.variables()
	if keychain && s.APIKey != "" {
		if where, err = c.keepKey(s.APIKey); err != nil {
			return "", err
		}
		variables["GEMINI_API_KEY"] = "" // an old one would win
	}
	if len(variables) == 0 {
		return filepath.Join(c.DotGemini, "settings.json"), nil
	}
	if err := writeVariables(c.ownEnvFile(), variables); err != nil {
		return "", err
	}
	return cmp.Or(where, c.ownEnvFile()), nil
}

// geminiModel is the name of a model of Google's where the settings name another
// one; empty where they do not.
func (c *Configuration) geminiModel() string {
	if openai.Named(c.Settings.Model.Name) {
		return "auto"
	}
	return ""
}

func (c *Configuration) keepKey(key string) (where string, err error) {
	var entry keptKey
	entry.ServerName, entry.Token.AccessToken, entry.Token.TokenType = keyAccount, key, "ApiKey"
	data, err := json.Marshal(entry)
	if err != nil {
		return "", err
	}
	v := c.vault()
	taken, err := v.Keep(keyService, keyAccount, string(data))
	if taken {
		return "the keychain of the system", err
	}
	return v.File, err
}

// ForgetKey removes the key of the Gemini API that is kept.
func (c *Configuration) ForgetKey() error {
	return errors.Join(c.vault().Remove(keyService, keyAccount),
		writeVariables(c.ownEnvFile(), map[string]string{"GEMINI_API_KEY": ""}))
}

func writeVariables(path string, variables map[string]string) error {
	var vars []dotenv.Var
	for _, name := range signInVariables { // in one order
		if value, ok := variables[name]; ok {
			vars = append(vars, dotenv.Var{Name: name, Value: value})
		}
	}
	if _, err := os.Stat(path); err != nil &&
		!slices.ContainsFunc(vars, func(v dotenv.Var) bool { return v.Value != "" }) {
		return nil
	}
	err := os.Chmod(path, 0o600) // before there is a key in it
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		err = update(path, vars)
	}
	if err != nil {
		return fmt.Errorf("keeping the sign-in: %w", err)
	}
	return nil
}

func update(path string, vars []dotenv.Var) error {
	return jsonc.Update(path, 0o600, func(data []byte) ([]byte, error) {
		text, err := dotenv.Edit(string(data), vars...)
		return []byte(text), err
	})
}
