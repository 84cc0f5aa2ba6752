package openai

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"minigem/llm"
	"minigem/llm/internal/remote"
)

// Options configures a [Client]. Nothing is read from the environment: [OptionsFor] fills
// it in, [Options.Check] says what is missing.
type Options struct {
	// Model is the name that the server knows. A request for a model that is not [Named],
	// such as a Gemini model for summaries, goes to this one.
	Model string
	// BaseURL is the address of the API without "/chat/completions", such as
	// "http://127.0.0.1:11434/v1". Required.
	BaseURL string
	// APIKey is sent as a bearer token; empty means none.
	APIKey string

	// Version is the version of this program, for the User-Agent.
	Version string

	// MaxAttempts is how often a call is tried, counting the first time. 0 means 10.
	MaxAttempts int
	// NoFetchRetries makes network errors without a well-known code final.
	NoFetchRetries bool
	// Silence is how long the server may send nothing while the client waits. 0 means 5
	// minutes.
	Silence time.Duration
	// Notify is called before each wait, from the caller's goroutine; may be nil.
	Notify func(llm.Retry)

	// Rand returns a number in [0,1) for the jitter of waits; nil means math/rand.
	Rand func() float64
	// Transport makes the requests; nil means one like [http.DefaultTransport].
	Transport http.RoundTripper

	// set by OptionsFor
	server server
}

// A server is a kind of server by the first word of a model's name.
type server struct {
	word    string
	address func(getenv func(string) string) string
	variable,
	hint string // what to do if it cannot be reached
}

// openAI is the address of OpenAI's own server, which differs from others in some
// fields and needs a key.
const openAI = "https://api.openai.com/v1"

// servers lists the kinds of servers by the first word of a model's name.
var servers = []server{
	{"openai", func(getenv func(string) string) string {
		return cmp.Or(getenv("OPENAI_BASE_URL"), openAI)
	}, "OPENAI_BASE_URL", "check the network and OPENAI_BASE_URL"},
	{"ollama", ollama, "OLLAMA_HOST", "start it with: ollama serve; OLLAMA_HOST is its address if it is another"},
	{"lmstudio", fixed("http://127.0.0.1:1234/v1"), "",
		"start its server, or use openai/NAME with OPENAI_BASE_URL for another address"},
	{"llamacpp", fixed("http://127.0.0.1:8080/v1"), "",
		"start llama-server, or use openai/NAME with OPENAI_BASE_URL for another address"},
}

// fixed is an address that no variable changes.
func fixed(address string) func(func(string) string) string {
	return func(func(string) string) string { return address }
}

// ollama reads OLLAMA_HOST as Ollama does: a host, with or without a scheme and
// a port.
func ollama(getenv func(string) string) string {
	host := getenv("OLLAMA_HOST")
	if host == "" {
		return "http://127.0.0.1:11434/v1"
	}
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil {
		return host // Check says what is wrong
	}
	if name := u.Hostname(); u.Port() == "" && u.Scheme == "http" || name == "0.0.0.0" {
		if name == "0.0.0.0" { // the address that it listens on, not one to connect to
			name = "127.0.0.1"
		}
		u.Host = net.JoinHostPort(name, cmp.Or(u.Port(), "11434"))
	}
	return strings.TrimSuffix(u.String(), "/") + "/v1"
}

// Server returns the kind of server that model names by its first word: "openai" for
// "openai/gpt-5", "ollama" for "ollama/qwen3:8b", "lmstudio" or "llamacpp"; "" if it
// names none.
func Server(model string) string {
	s, _, _ := split(model)
	return s.word
}

// Named reports whether model begins with one of the words of [Server] and a slash, so
// that this package and not llm/gemini serves it.
func Named(model string) bool { return Server(model) != "" }

// split returns the server that a model's name begins with, and the rest of the name.
func split(model string) (s server, name string, ok bool) {
	word, name, _ := strings.Cut(model, "/")
	for _, s := range servers {
		if s.word == word && name != "" {
			return s, name, true
		}
	}
	return server{}, "", false
}

// OptionsFor returns what a model that is [Named] needs. It reads OPENAI_BASE_URL and
// OPENAI_API_KEY for openai/..., and OLLAMA_HOST for ollama/...; the others have fixed
// addresses on this machine, ports 1234 and 8080. It is an error if model is not Named.
func OptionsFor(model string, getenv func(string) string) (Options, error) {
	s, name, ok := split(model)
	if !ok {
		return Options{},
			fmt.Errorf("%q does not begin with openai/, ollama/, lmstudio/ or llamacpp/ and the name of a model", model)
	}
	o := Options{Model: name, BaseURL: strings.TrimSuffix(s.address(getenv), "/"), server: s}
	if s.word == "openai" {
		o.APIKey = getenv("OPENAI_API_KEY")
	}
	return o, nil
}

// Check returns an [*llm.Error] if o lacks something that calls need: of the kind
// [llm.ErrInvalid] if BaseURL is not an address, [llm.ErrAuth] if OpenAI's own server is
// called without a key. It makes no request.
func (o Options) Check() error {
	u, err := url.Parse(o.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return &llm.Error{
			Kind: llm.ErrInvalid, Message: fmt.Sprintf("%q is not the address of a server",
				remote.Secrets{o.APIKey}.Shown(o.BaseURL)),
			Hint: strings.TrimSpace("write it as http://HOST:PORT/v1 " + o.into()),
		}
	}
	if o.APIKey == "" && o.BaseURL == openAI {
		return &llm.Error{
			Kind: llm.ErrAuth, Message: "there is no OpenAI API key",
			Hint: "put it into the variable OPENAI_API_KEY, or the address of another server into OPENAI_BASE_URL",
		}
	}
	return nil
}

// local reports whether the server is on this machine.
func (o Options) local() bool {
	u, err := url.Parse(o.BaseURL)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// into says which variable holds the address; empty if none does.
func (o Options) into() string {
	if o.server.variable == "" {
		return ""
	}
	return "into the variable " + o.server.variable
}

// secrets returns the values that must never be shown.
func (o Options) secrets() remote.Secrets {
	all := remote.Secrets{o.APIKey}
	if u, err := url.Parse(o.BaseURL); err == nil && u.User != nil {
		if password, ok := u.User.Password(); ok {
			all = append(all, password)
		}
	}
	return all
}
