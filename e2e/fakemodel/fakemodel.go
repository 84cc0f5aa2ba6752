// Package fakemodel is a server that speaks four APIs of models from one script:
// Gemini, Anthropic Messages, OpenAI Responses and OpenAI chat completions. The path of a request says which one is
// spoken, so that one server serves all at once. It keeps a log of what it was
// asked, in the types of llm for each API, can misbehave as a server can, and
// judges requests as the real APIs do. It keeps out anything that thinks, and
// all knowledge of the programs that ask.
//
// Paths are known by their end, so that they may follow any prefix:
//
//	/v1/messages, /v1/messages/count_tokens   Anthropic
//	/v1/responses                             OpenAI Responses
//	/v1/chat/completions                      OpenAI chat completions
//	/v1beta/models/M:streamGenerateContent    Gemini, and its other methods
//	/v1/models                                the list of models, as the client expects it
package fakemodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"minigem/llm"
	"minigem/llm/script"
)

// Protocol is an API.
type Protocol string

const (
	Anthropic Protocol = "anthropic" // Messages
	Responses Protocol = "responses" // OpenAI Responses
	Chat      Protocol = "chat"      // OpenAI chat completions
	Gemini    Protocol = "gemini"
)

// Protocols are all of them.
var Protocols = []Protocol{Anthropic, Responses, Chat, Gemini}

// Turn is one answer. Its Entry says what goes out, in the vocabulary of the
// Gemini API, which each protocol puts into its own words: chunks with text,
// thoughts and calls, the reason of the end (none: the stream breaks off), usage,
// and a Fault. Method is what it answers:
//
//	script.Stream   a request that offers tools, streamed or not
//	script.Whole    a side request
//	script.Count    a request for a count of tokens
type Turn struct {
	script.Entry
	// Actions are calls in neutral words, by the index of their chunk: what
	// stands in that chunk goes out in front of them, but calls do not.
	Actions map[int]script.Action
	Repeat  bool // every further request of this kind gets it too
}

// Entries are the entries of turns, for Options.Entries.
func Entries(turns []Turn) []script.Entry {
	var all []script.Entry
	for _, t := range turns {
		all = append(all, t.Entry)
	}
	return all
}

// Tool is a tool as a request offers it.
type Tool struct {
	// empty where the kind is the name: a tool that the API itself runs
	Name string `json:"name"`
	// "function", "custom" (the argument is free text), or the API's own word
	Kind      string          `json:"kind"`
	Namespace string          `json:"namespace,omitempty"` // that the tool belongs to; empty: none
	Schema    json.RawMessage `json:"schema,omitempty"`    // of the arguments; nil: none
}

// Call is a call that went out.
type Call struct {
	llm.ToolCall                // with the id that it got; a custom tool's text is Args["input"]
	Action       *script.Action // that it was made of; nil: the script had the call itself
}

// Request is what the Server was asked, and how it went.
type Request struct {
	Number   int         `json:"number"` // from 1, over everything that came
	Time     time.Time   `json:"time"`
	Protocol Protocol    `json:"protocol,omitempty"` // empty: no API has this path
	Method   string      `json:"method"`             // of HTTP
	Path     string      `json:"path"`               // with the query
	Header   http.Header `json:"header"`             // credentials are "***"
	// it offers no tools: a title, a summary, a count; it does not belong to the conversation
	Side bool            `json:"side,omitempty"`
	Body json.RawMessage `json:"body,omitempty"` // as it came; a string if it was not JSON
	// what the real API would refuse, and what of the script does not fit the request
	Problems []string `json:"problems,omitempty"`
	Missing  bool     `json:"missing,omitempty"` // the script had no answer left
	Again    bool     `json:"again,omitempty"`   // it asks what failed for good before: its client did not give up
	Answer   string   `json:"answer,omitempty"`  // where the answer stands in the script
	Fault    *Fault   `json:"fault,omitempty"`
	Status   int      `json:"status"` // 0: no header was sent
	Tools    []Tool   `json:"-"`
	Calls    []Call   `json:"-"` // that the answer made

	// Parsed is the conversation: what the system, the user and the model said,
	// calls and their results by id. System is what stands before the first
	// message of the user; what a system or developer says later is a message of
	// the user's. A custom call's text is Args["input"]; a result is
	// {"output": text} or {"error": text}. Zero if the body could not be read.
	Parsed llm.Request `json:"-"`
	Addr   string      `json:"-"` // the client's: the same for requests over one connection
}

// Options configure a Server.
type Options struct {
	Turns []Turn

	// Entries answer in place of Turns, as Gemini CLI takes a fake-responses file:
	// each request the next one, which must be of its method; with NonStrict the
	// next one of its method. They are for clients of Gemini. nil: Turns answer.
	Entries   []script.Entry
	NonStrict bool

	// Translate makes calls of an action for the tools that a request offers; an
	// error is a problem of the request, which is refused. nil: Action.Call.
	Translate func(a script.Action, offered []Tool) ([]llm.ToolCall, error)

	// Empty is what a request gets that finds no turn left, beside being marked
	// as Missing; nil: an error, with which clients give up.
	Empty *Turn

	ToolLess bool          // a request without tools takes a turn as others do
	Faults   []Fault       // by number of request; the first one that fits is taken
	Strict   bool          // refuse what the real API would refuse
	Key      string        // the only key that is taken; empty: any, and none
	Seen     func(Request) // gets each request when it was answered, one at a time; may be nil
	LogTo    io.Writer     // gets each Request as a line of JSON; may be nil
}

// Server is an http.Handler. It is safe for concurrent use.
type Server struct {
	opts    Options
	queue   *queue
	entries *script.Queue // nil: queue has the answers

	mu        sync.Mutex
	log       []Request
	count     int
	served    []llm.Part // to clients of Gemini
	reporting sync.Mutex // held while LogTo and Seen get a request
}

// New makes a Server.
func New(o Options) *Server {
	s := &Server{opts: o, queue: newQueue(o.Turns)}
	if o.Entries != nil {
		s.entries = script.NewQueue(o.Entries, o.NonStrict)
	}
	return s
}

// Start serves on addr, such as "127.0.0.1:0", until stop is called, and returns
// the root of what it serves, such as "http://127.0.0.1:8089". stop drops open
// connections.
func (s *Server) Start(addr string) (url string, stop func(), err error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, fmt.Errorf("listening for the fake model: %w", err)
	}
	server := &http.Server{Handler: s}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // it always ends with an error: that of stop
	}()
	return "http://" + l.Addr().String(), func() { _ = server.Close(); <-done }, nil
}

// Variable is the line of the environment that sends a client of p to the
// server at url: "OPENAI_BASE_URL=http://127.0.0.1:8089/v1".
func (p Protocol) Variable(url string) string {
	switch p {
	case Anthropic:
		return "ANTHROPIC_BASE_URL=" + url
	case Gemini:
		return "GOOGLE_GEMINI_BASE_URL=" + url
	}
	return "OPENAI_BASE_URL=" + url + "/v1"
}

// Log returns the requests that were answered, in the order in which they came.
func (s *Server) Log() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := slices.Clone(s.log)
	slices.SortFunc(log, func(a, b Request) int { return a.Number - b.Number })
	return log
}

// Left says how many turns nobody has asked for yet.
func (s *Server) Left() int {
	if s.entries != nil {
		return s.entries.Left()
	}
	return s.queue.len()
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.count++
	rec := &Request{Number: s.count, Time: time.Now().UTC(), Method: r.Method, Addr: r.RemoteAddr}
	s.mu.Unlock()
	rec.Path, rec.Header = redacted(r)
	defer s.keep(rec) // runs when a fault drops the connection, too
	(&exchange{ResponseWriter: w, s: s, req: r, rec: rec}).serve()
}

func (s *Server) keep(rec *Request) {
	s.mu.Lock()
	s.log = append(s.log, *rec)
	s.mu.Unlock()
	s.reporting.Lock()
	defer s.reporting.Unlock()
	if s.opts.LogTo != nil {
		if line, err := json.Marshal(rec); err == nil {
			_, _ = s.opts.LogTo.Write(append(line, '\n')) // the log is a by-product
		}
	}
	if s.opts.Seen != nil {
		s.opts.Seen(*rec)
	}
}

// redacted returns the path of a request with its query, and its header, with
// "***" for credentials.
func redacted(r *http.Request) (path string, h http.Header) {
	h = r.Header.Clone()
	for name := range h {
		switch name {
		case "Authorization", "Proxy-Authorization", "X-Goog-Api-Key", "X-Api-Key", "Api-Key", "Cookie":
			h[name] = []string{"***"}
		}
	}
	if q := r.URL.Query(); q.Has("key") {
		q.Set("key", "***")
		return r.URL.EscapedPath() + "?" + q.Encode(), h
	}
	return r.URL.RequestURI(), h
}
