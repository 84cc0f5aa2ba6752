package gemini

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"minigem/llm"
	"minigem/llm/internal/remote"
)

// Auth is a way of signing in, spelled as in the setting security.auth.selectedType.
type Auth string

// The ways of signing in.
const (
	// nothing is configured: Check returns an error
	AuthNone Auth = ""
	// the Gemini API with a key
	AuthAPIKey Auth = "gemini-api-key"
	// Vertex AI, with a project and a location or with a key
	AuthVertex Auth = "vertex-ai"
	// a server that speaks the Gemini API; a key is optional
	AuthGateway Auth = "gateway"
	// signing in with a Google account, which is not supported: Check returns an error
	AuthGoogle Auth = "oauth-personal"
)

// Options configures a [Client]. Nothing is read from the environment except the proxy
// variables and, if Auth is [AuthVertex] and APIKey is empty, the application default
// credentials. [OptionsFor] fills it in from the environment, [Options.Check] says what
// is missing.
type Options struct {
	// Auth is required: [AuthNone] is an error of Check.
	Auth Auth
	// APIKey is required for [AuthAPIKey] and optional for [AuthGateway]. For
	// [AuthVertex] it replaces Project and Location.
	APIKey string
	// Project selects the Google Cloud project, for [AuthVertex] only, which requires
	// it and Location unless there is an APIKey.
	Project string
	// Location is the project's region, such as us-central1.
	Location string
	// BaseURL is the address of the API; required for [AuthGateway]. Empty means
	// Google's.
	BaseURL string
	// APIVersion is a part of the address. Empty means v1beta, and v1beta1 for Vertex AI.
	APIVersion string

	// Bearer sends the key as "Authorization: Bearer" too.
	Bearer bool
	// Headers are sent with every request and replace the client's own; may be nil. Their
	// values are kept out of errors, as secrets.
	Headers http.Header

	// Version is the version of this program, for the User-Agent.
	Version string
	// Surface is where the program runs, for the User-Agent. Empty means "terminal".
	Surface string

	// MaxAttempts is how often a call is tried, counting the first time. 0 means 10, as
	// in core/utils/retry.ts. Waits grow from 5 s to 30 s unless the server asks for
	// another time.
	MaxAttempts int
	// NoFetchRetries makes network errors without a well-known code final
	// (general.retryFetchErrors: false).
	NoFetchRetries bool
	// Silence is how long the server may send nothing. 0 means 5 minutes.
	Silence time.Duration
	// Notify is called before each wait, from the caller's goroutine; may be nil.
	Notify func(llm.Retry)

	// Rand returns a number in [0,1) for the jitter of waits; nil means math/rand.
	Rand func() float64
	// Transport makes the requests; nil means one like [http.DefaultTransport].
	Transport http.RoundTripper
}

// AuthFromEnv chooses the way of signing in from GOOGLE_GENAI_USE_GCA,
// GOOGLE_GENAI_USE_VERTEXAI, GOOGLE_GEMINI_BASE_URL and GEMINI_API_KEY; the first that is
// set wins. The result is [AuthNone] if none is. (cli/gemini.tsx)
func AuthFromEnv(getenv func(string) string) Auth {
	switch {
	case isTrue(getenv("GOOGLE_GENAI_USE_GCA")):
		return AuthGoogle
	case isTrue(getenv("GOOGLE_GENAI_USE_VERTEXAI")):
		return AuthVertex
	case getenv("GOOGLE_GEMINI_BASE_URL") != "":
		return AuthGateway
	case getenv("GEMINI_API_KEY") != "":
		return AuthAPIKey
	}
	return AuthNone
}

// isTrue reports whether a variable is set to "1" or, in any case, "true".
func isTrue(s string) bool { return s == "1" || strings.EqualFold(s, "true") }

// OptionsFor reads from the environment what auth needs: keys, project, location, the
// API's address and version, GEMINI_API_KEY_AUTH_MECHANISM and GEMINI_CLI_CUSTOM_HEADERS.
// Its error is about a malformed variable; [Options.Check] reports missing ones.
func OptionsFor(auth Auth, getenv func(string) string) (Options, error) {
	o := Options{
		Auth:       auth,
		APIKey:     getenv("GEMINI_API_KEY"),
		BaseURL:    getenv("GOOGLE_GEMINI_BASE_URL"),
		APIVersion: getenv("GOOGLE_GENAI_API_VERSION"),
	}
	if auth == AuthVertex {
		o.APIKey, o.BaseURL = getenv("GOOGLE_API_KEY"), getenv("GOOGLE_VERTEX_BASE_URL")
		o.Project = cmp.Or(getenv("GOOGLE_CLOUD_PROJECT"), getenv("GOOGLE_CLOUD_PROJECT_ID"))
		o.Location = getenv("GOOGLE_CLOUD_LOCATION")
	}
	switch m := getenv("GEMINI_API_KEY_AUTH_MECHANISM"); m {
	case "", "x-goog-api-key":
	case "bearer":
		o.Bearer = true
	default:
		return Options{}, fmt.Errorf("reading GEMINI_API_KEY_AUTH_MECHANISM: %q is neither \"bearer\" nor \"x-goog-api-key\"",
			m)
	}
	headers, err := parseHeaders(getenv("GEMINI_CLI_CUSTOM_HEADERS"))
	if err != nil {
		return Options{}, fmt.Errorf("reading GEMINI_CLI_CUSTOM_HEADERS: %w", err)
	}
	o.Headers = headers
	return o, nil
}

// parseHeaders reads "Name: value, Name: value". A comma belongs to the value
// unless a name and a colon follow it. Errors do not contain values, which may
// be secrets.
func parseHeaders(s string) (http.Header, error) {
	var h http.Header
	last := ""
	for _, piece := range strings.Split(s, ",") {
		name, value, ok := strings.Cut(piece, ":")
		name = strings.TrimSpace(name)
		if !ok || !httpguts.ValidHeaderFieldName(name) {
			switch {
			case strings.TrimSpace(piece) == "":
				continue
			case last == "":
				return nil, fmt.Errorf(`the beginning is not of the form "Name: value"`)
			}
			h.Set(last, h.Get(last)+","+piece)
			continue
		}
		if h == nil {
			h = http.Header{}
		}
		last = name
		h.Set(name, strings.TrimSpace(value))
	}
	for name := range h {
		if !httpguts.ValidHeaderFieldValue(h.Get(name)) {
			return nil, fmt.Errorf("the value of %s has a character that no header may have", name)
		}
	}
	return h, nil
}

// Check returns an [*llm.Error] of the kind [llm.ErrAuth] if o lacks something that calls
// need, with a hint what to set. It makes no request: a wrong key goes unnoticed.
func (o Options) Check() error {
	const getKey = "create a key at https://aistudio.google.com/apikey and put it into the variable GEMINI_API_KEY, or " +
		"the line GEMINI_API_KEY=... into ~/.gemini/.env"
	switch o.Auth {
	case AuthNone:
		return &llm.Error{Kind: llm.ErrAuth, Message: "no way of signing in to Gemini is configured", Hint: getKey}
	case AuthAPIKey:
		if o.APIKey == "" {
			return &llm.Error{Kind: llm.ErrAuth, Message: "there is no Gemini API key", Hint: getKey}
		}
	case AuthVertex:
		if o.APIKey == "" && (o.Project == "" || o.Location == "") {
			return &llm.Error{
				Kind: llm.ErrAuth, Message: "Vertex AI lacks a project and location, or a key",
				Hint: "set GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, or GOOGLE_API_KEY",
			}
		}
	case AuthGateway:
		if o.BaseURL == "" {
			return &llm.Error{Kind: llm.ErrAuth, Message: "the gateway has no address", Hint: "set GOOGLE_GEMINI_BASE_URL"}
		}
	default:
		return &llm.Error{Kind: llm.ErrAuth, Message: fmt.Sprintf("signing in by %q is not supported", o.Auth), Hint: getKey}
	}
	return nil
}

// secrets returns the values that must never be shown.
func (o Options) secrets() remote.Secrets {
	secrets := remote.Secrets{o.APIKey}
	for name := range o.Headers {
		secrets = append(secrets, o.Headers.Get(name))
	}
	return secrets
}
