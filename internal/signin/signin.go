// Package signin gives minigem access to a model: it tries what the user entered and
// stores it where Gemini CLI does. Asking the user is left to callers.
package signin

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
	"minigem/internal/place"
	"minigem/internal/vault"
	"minigem/llm"
	"minigem/llm/gemini"
	"minigem/llm/openai"
)

// signInVariables say where a model is, and give access to it.
var signInVariables = []string{
	"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_GENAI_USE_VERTEXAI",
	"GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OLLAMA_HOST",
}

// Where Gemini CLI stores a key that was pasted into it
// (core/core/apiKeyCredentialStorage.ts).
const (
	keyService = "gemini-cli-api-key"
	keyAccount = "default-api-key"
)

// Keeper tries and stores ways to access a model.
type Keeper struct {
	place.Place
	Env     []string // the environment of the run: "NAME=value"; later ones win
	Model   string   // the model in the settings; may be empty
	Version string   // this program's version, which is sent to servers
}

// Way is a way to access a model, as given by the user. One of its first three lines of
// fields is set.
type Way struct {
	APIKey            string // a Gemini API key
	Project, Location string // for Vertex AI
	Model             string // on a server of the user's own: openai/NAME, ollama/NAME and the like

	BaseURL, ServerKey string // for Model's server; may be empty
}

func (k Keeper) getenv(name string) string {
	v, _ := dotenv.Lookup(k.Env, name)
	return v
}

// ownEnvFile returns the path of the user's own .env file.
func (k Keeper) ownEnvFile() string { return filepath.Join(k.DotGemini, ".env") }

// Beside returns the variables of file, a project's .env file, together with the user's
// own sign-in variables, which that file hides. It adds all of them, or none if the
// project sets any itself: a key must never be sent to an address that came from
// elsewhere.
func (k Keeper) Beside(file dotenv.File, lookup func(string) (string, bool)) []dotenv.Var {
	ofSignIn := func(v dotenv.Var) bool { return IsVariable(v.Name) }
	if file.Path == "" || file.Path == k.ownEnvFile() || slices.ContainsFunc(file.Vars, ofSignIn) {
		return file.Vars
	}
	own, err := dotenv.Read(k.ownEnvFile())
	if err != nil {
		return file.Vars
	}
	vars := slices.Clone(file.Vars)
	for _, v := range own {
		if _, set := lookup(v.Name); !set && ofSignIn(v) {
			vars = append(vars, v)
		}
	}
	return vars
}

// IsVariable reports whether the variable called name says where a model is, or gives
// access to it.
func IsVariable(name string) bool { return slices.Contains(signInVariables, name) }

// Key returns the stored Gemini API key, or "". The error says why the keychain could
// not be read.
func (k Keeper) Key() (string, error) {
	vars, _ := dotenv.Read(k.ownEnvFile())
	for _, v := range vars {
		if v.Name == "GEMINI_API_KEY" && v.Value != "" {
			return v.Value, nil
		}
	}
	kept, _, err := k.vault().Get(keyService, keyAccount)
	var entry keptKey
	if json.Unmarshal([]byte(kept), &entry) != nil {
		return "", err
	}
	return entry.Token.AccessToken, err
}

// keptKey is a key in Gemini CLI's format.
type keptKey struct {
	ServerName string `json:"serverName"`
	Token      struct {
		AccessToken string `json:"accessToken"`
		TokenType   string `json:"tokenType"`
	} `json:"token"`
}

func (k Keeper) vault() vault.Vault {
	return vault.New(k.DotGemini, k.getenv)
}

// HasKeychain reports whether the system seems to have a keychain.
func (k Keeper) HasKeychain() bool { return k.vault().Keychain() }

// ParseKey returns the key in what was typed or pasted: the key alone, or a line of a
// .env file or a shell script.
func ParseKey(typed string) (string, error) {
	words := strings.Fields(typed)
	if len(words) == 2 && words[0] == "export" {
		words = words[1:]
	}
	if len(words) != 1 {
		return "", errors.New("a key is a single word: paste only the key")
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
		return "", errors.New("a key does not contain such characters")
	}
	return key, nil
}

// Try makes one request with s to model, and returns its error, or nil if s works.
func (k Keeper) Try(ctx context.Context, s Way, model string) error {
	lookup := func(name string) string {
		if value, given := s.variables()[name]; given {
			return value
		}
		if name == "GOOGLE_API_KEY" { // it would be used instead of the project
			return ""
		}
		return k.getenv(name)
	}
	o, err := gemini.OptionsFor(s.auth(), lookup)
	if err != nil {
		return err
	}
	o.Version, o.MaxAttempts = k.Version, 1
	_, err = gemini.New(o).CountTokens(ctx, llm.Request{Model: model, Messages: []llm.Message{llm.UserText("Hello")}})
	var answered *llm.Error
	if errors.As(err, &answered) && slices.Contains([]llm.ErrorKind{llm.ErrQuota, llm.ErrRateLimit, llm.ErrNotFound},
		answered.Kind) {
		return nil // a server that answers this has accepted the key
	}
	return err
}

// Models lists the models of a server with OpenAI's API. "" means Ollama on this
// machine.
func (k Keeper) Models(ctx context.Context, address, key string) ([]string, error) {
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
		return k.getenv(variable)
	})
	if err != nil {
		return nil, err
	}
	o.Version = k.Version
	return openai.New(o).Models(ctx)
}

func (s Way) auth() gemini.Auth {
	if s.Project != "" {
		return gemini.AuthVertex
	}
	return gemini.AuthAPIKey
}

// variables returns the variables that represent s. One with an empty value must be
// removed.
func (s Way) variables() map[string]string {
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

// Keep stores s for later sessions: a Gemini API key in the keychain, or else, like
// everything, in the user's .env file, which only the user can then read. It returns
// where s was stored, for display.
func (k Keeper) Keep(s Way, keychain bool) (where string, err error) {
	model := cmp.Or(s.Model, k.geminiModel())
	if model != "" {
		if err := k.SaveSetting(model, "model", "name"); err != nil {
			return "", err
		}
	}
	if s.Model == "" {
		if err := k.SaveSetting(string(s.auth()), "security", "auth", "selectedType"); err != nil {
			return "", err
		}
	}
	variables := s.variables()
	if keychain && s.APIKey != "" {
		if where, err = k.keepKey(s.APIKey); err != nil {
			return "", err
		}
		variables["GEMINI_API_KEY"] = "" // an old one would win
	}
	if len(variables) == 0 {
		return k.UserSettings(), nil
	}
	if err := writeVariables(k.ownEnvFile(), variables); err != nil {
		return "", err
	}
	return cmp.Or(where, k.ownEnvFile()), nil
}

// geminiModel returns the name of a Google model if the settings name a different one,
// else "".
func (k Keeper) geminiModel() string {
	if openai.Named(k.Model) {
		return "auto"
	}
	return ""
}

func (k Keeper) keepKey(key string) (where string, err error) {
	var entry keptKey
	entry.ServerName, entry.Token.AccessToken, entry.Token.TokenType = keyAccount, key, "ApiKey"
	data, err := json.Marshal(entry)
	if err != nil {
		return "", err
	}
	v := k.vault()
	taken, err := v.Keep(keyService, keyAccount, string(data))
	if taken {
		return "the keychain of the system", err
	}
	return v.File, err
}

// Forget removes the stored Gemini API key.
func (k Keeper) Forget() error {
	return errors.Join(k.vault().Remove(keyService, keyAccount),
		writeVariables(k.ownEnvFile(), map[string]string{"GEMINI_API_KEY": ""}))
}

func writeVariables(path string, variables map[string]string) error {
	var vars []dotenv.Var
	for _, name := range signInVariables { // in a fixed order
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
