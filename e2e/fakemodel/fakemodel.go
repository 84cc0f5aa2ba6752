// Package fakemodel is a server that speaks four APIs of models from one script:
// Gemini, Anthropic Messages, OpenAI Responses and OpenAI chat completions. The path of
// a request selects the API, so one server serves all of them at once. The server logs
// requests in the types of llm, injects faults, and checks requests as the real APIs do.
// It contains no model, and it knows nothing about its clients.
//
// Paths are recognized by their end, so they may have any prefix:
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

// Protocol names an API.
type Protocol string

const (
	Anthropic Protocol = "anthropic" // Messages
	Responses Protocol = "responses" // OpenAI Responses
	Chat      Protocol = "chat"      // OpenAI chat completions
	Gemini    Protocol = "gemini"
)

// Protocols lists all APIs.
var Protocols = []Protocol{Anthropic, Responses, Chat, Gemini}

// Turn is one answer. Its Entry is what to send, in the terms of the Gemini API, which
// each protocol translates: chunks with text, thoughts and calls, the finish reason
// (without one the stream breaks off), usage, and a Fault. Method selects the requests
// that it answers:
//
//	script.Stream   a request that offers tools, streamed or not
//	script.Whole    a side request
//	script.Count    a request for a count of tokens
type Turn struct {
	script.Entry
	// Actions holds portable actions, by the index of their chunk. The other parts of the
	// chunk are sent before them, but its calls are not.
	Actions map[int]script.Action
	// Lines holds the line of the script for each call, by the index of its chunk.
	Lines  map[int]int
	Err    *llm.Error // the request fails with this error instead of an answer
	Agent  string     // the subagent it is for; empty for the main agent and for subagents without answers of their own
	Repeat bool       // every further request of this kind also gets it
}

// Entries returns the entries of turns, for Options.Entries.
func Entries(turns []Turn) []script.Entry {
	var all []script.Entry
	for _, t := range turns {
		all = append(all, t.Entry)
	}
	return all
}

// Tool is a tool that a request offers.
type Tool struct {
	// empty for tools that the API itself runs: their kind is the name
	Name string `json:"name"`
	// "function", "custom" (the argument is plain text), or the API's own type
	Kind      string          `json:"kind"`
	Namespace string          `json:"namespace,omitempty"` // that contains the tool; may be empty
	Schema    json.RawMessage `json:"schema,omitempty"`    // of the arguments; may be nil
}

// Call is a call that was sent.
type Call struct {
	llm.ToolCall                // with its final id; a custom tool's text is Args["input"]
	Action       *script.Action // the action it was translated from; nil if the script has the call itself
}

// Request is a request that the Server received, and how it was answered.
type Request struct {
	Number   int         `json:"number"` // counts all requests from 1
	Time     time.Time   `json:"time"`
	Protocol Protocol    `json:"protocol,omitempty"` // empty if no API has this path
	Method   string      `json:"method"`             // HTTP method
	Path     string      `json:"path"`               // with the query
	Header   http.Header `json:"header"`             // credentials are replaced by "***"
	// it offers no tools (a title, a summary, a count) and is not part of the conversation
	Side bool            `json:"side,omitempty"`
	Body json.RawMessage `json:"body,omitempty"` // as received; a string if it was not JSON
	// what the real API would refuse, and what in the script does not fit the request
	Problems []string `json:"problems,omitempty"`
	Missing  bool     `json:"missing,omitempty"` // the script had no answer left
	Again    bool     `json:"again,omitempty"`   // it repeats a permanently failed request: the client did not give up
	Answer   string   `json:"answer,omitempty"`  // position of the answer in the script
	Fault    *Fault   `json:"fault,omitempty"`
	Status   int      `json:"status"` // 0 if no header was sent
	Tools    []Tool   `json:"-"`
	Calls    []Call   `json:"-"` // calls in the answer

	// Parsed is the conversation: what the system, the user and the model said, and calls
	// and their results by id. System is what precedes the user's first message. Later
	// system or developer messages count as user messages. The text of a custom call is in
	// Args["input"]. A result is {"output": text} or {"error": text}. Parsed is zero if
	// the body could not be parsed.
	Parsed llm.Request `json:"-"`
	Addr   string      `json:"-"` // the client's address, equal for requests over one connection
}

// Options configure a Server.
type Options struct {
	Turns []Turn

	// Entries, if not nil, replace Turns for clients of Gemini. They are consumed as
	// Gemini CLI consumes a fake-responses file: each request takes the next entry, which
	// must be of its method. With NonStrict it takes the next entry of its method.
	Entries   []script.Entry
	NonStrict bool

	// Translate converts an action to calls of the tools that a request offers. If it
	// returns an error, the request is refused, with the error as its problem. nil means
	// Action.Call.
	Translate func(a script.Action, offered []Tool) ([]llm.ToolCall, error)

	// Empty answers requests for which no turn is left, and which are marked as Missing.
	// If it is nil, they get an error that makes clients give up.
	Empty *Turn

	ToolLess bool          // requests without tools take turns as others do
	Faults   []Fault       // by request number; the first match is used
	Strict   bool          // refuse what the real API would refuse
	Key      string        // the only accepted key; empty accepts any, or none
	Seen     func(Request) // called with each answered request, one at a time; may be nil
	LogTo    io.Writer     // receives each Request as a line of JSON; may be nil
}

// Server is an http.Handler. It is safe for concurrent use.
type Server struct {
	opts    Options
	queue   *Queue
	entries *script.Queue // nil: queue has the turns

	mu        sync.Mutex
	log       []Request
	count     int
	served    []llm.Part              // sent to clients of Gemini
	failed    map[string]script.Entry // permanent failures, by conversation
	reporting sync.Mutex              // held during writes to LogTo and calls of Seen
}

// New returns a Server.
func New(o Options) *Server {
	s := &Server{opts: o, queue: NewQueue(o.Turns), failed: map[string]script.Entry{}}
	if o.Entries != nil {
		s.entries = script.NewQueue(o.Entries, o.NonStrict)
	}
	return s
}

// Start serves on addr, such as "127.0.0.1:0", until stop is called. It returns the base
// URL, such as "http://127.0.0.1:8089". stop drops open connections.
func (s *Server) Start(addr string) (url string, stop func(), err error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, fmt.Errorf("listening for the fake model: %w", err)
	}
	server := &http.Server{Handler: s}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // its error is always that of stop
	}()
	return "http://" + l.Addr().String(), func() { _ = server.Close(); <-done }, nil
}

// Variable returns the environment variable that directs a client of p to the server at
// url, such as "OPENAI_BASE_URL=http://127.0.0.1:8089/v1".
func (p Protocol) Variable(url string) string {
	switch p {
	case Anthropic:
		return "ANTHROPIC_BASE_URL=" + url
	case Gemini:
		return "GOOGLE_GEMINI_BASE_URL=" + url
	}
	return "OPENAI_BASE_URL=" + url + "/v1"
}

// Log returns the answered requests in the order of their arrival.
func (s *Server) Log() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := slices.Clone(s.log)
	slices.SortFunc(log, func(a, b Request) int { return a.Number - b.Number })
	return log
}

// Left returns the number of turns that no request has taken yet.
func (s *Server) Left() int {
	if s.entries != nil {
		return s.entries.Left()
	}
	return len(s.queue.Left())
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.count++
	rec := &Request{Number: s.count, Time: time.Now().UTC(), Method: r.Method, Addr: r.RemoteAddr}
	s.mu.Unlock()
	rec.Path, rec.Header = redacted(r)
	defer s.keep(rec) // also runs when a fault drops the connection
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
			_, _ = s.opts.LogTo.Write(append(line, '\n')) // errors do not matter: the log is a by-product
		}
	}
	if s.opts.Seen != nil {
		s.opts.Seen(*rec)
	}
}

// redacted returns the path and query of a request and its header, with credentials
// replaced by "***".
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
