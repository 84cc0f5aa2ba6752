// Package fakegemini is a server that speaks the Gemini API from a script, for
// tests of whole programs: it streams, counts, keeps a log of what it was asked,
// can misbehave in every way that a network and a server can, and judges
// requests as strictly as the real one. It keeps out anything that thinks.
//
// Paths are those of the Gemini API (/v1beta/models/<m>:streamGenerateContent)
// and of Vertex AI (/v1beta1/projects/<p>/locations/<l>/publishers/google/models/<m>:...).
package fakegemini

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"minigem/llm"
	"minigem/llm/script"
)

// Options configure a Server.
type Options struct {
	Entries   []script.Entry // the answers
	NonStrict bool           // the first answer of the method, whatever stands before it
	Faults    []Fault        // the first one that fits a request is taken
	Strict    bool           // refuse what Validate refuses
	Key       string         // the only key that is taken; empty: any, and none
	Models    []string       // the only models that exist; nil: all do
	LogTo     io.Writer      // gets each Request as a line of JSON, when it is answered; may be nil
}

// Request is what the Server was asked, and how it went.
type Request struct {
	Number   int             `json:"number"` // from 1
	Time     time.Time       `json:"time"`
	Path     string          `json:"path"`   // with the query
	Header   http.Header     `json:"header"` // credentials are "***"
	Method   script.Method   `json:"method,omitempty"`
	Model    string          `json:"model,omitempty"`
	Body     json.RawMessage `json:"body,omitempty"`     // as it came; a string if it was not JSON
	Problems []string        `json:"problems,omitempty"` // of Validate, whether or not it was refused for them
	Answer   string          `json:"answer,omitempty"`   // where the answer stands in the script
	Fault    *Fault          `json:"fault,omitempty"`
	Status   int             `json:"status"` // 0: no header was sent

	Parsed llm.Request `json:"-"` // Body; zero if it could not be read
	Addr   string      `json:"-"` // the client's: the same for requests over one connection
}

// Server is an http.Handler. It is safe for concurrent use.
type Server struct {
	opts  Options
	queue *script.Queue

	mu     sync.Mutex
	log    []Request
	count  int
	served []llm.Part
}

// Source gives answers, as script.Queue does.
type Source interface {
	Next(m script.Method, req llm.Request) (script.Entry, error) // takes the answer for req
	Peek(m script.Method, req llm.Request) (script.Entry, error) // the same, and leaves it there
}

// New makes a Server.
func New(o Options) *Server {
	return &Server{opts: o, queue: script.NewQueue(o.Entries, o.NonStrict)}
}

// Start serves on addr, such as "127.0.0.1:0", until stop is called, and returns
// what GOOGLE_GEMINI_BASE_URL has to be. stop drops open connections.
func (s *Server) Start(addr string) (url string, stop func(), err error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, fmt.Errorf("listening for the fake API: %w", err)
	}
	server := &http.Server{Handler: s}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // it always ends with an error: that of stop
	}()
	return "http://" + l.Addr().String(), func() { _ = server.Close(); <-done }, nil
}

// Log returns the requests that were answered, in the order in which they came.
func (s *Server) Log() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := slices.Clone(s.log)
	slices.SortFunc(log, func(a, b Request) int { return a.Number - b.Number })
	return log
}

// Left says how many answers nobody has asked for yet.
func (s *Server) Left() int { return s.queue.Left() }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.count++
	rec := &Request{Number: s.count, Time: time.Now().UTC(), Addr: r.RemoteAddr}
	s.mu.Unlock()
	defer s.keep(rec) // runs when a fault drops the connection, too
	s.Handle(w, r, rec, s.queue)
}

// Handle answers one request from source and fills in rec, whose Number says
// which of the Faults fits. It is for servers that keep the log themselves.
func (s *Server) Handle(w http.ResponseWriter, r *http.Request, rec *Request, source Source) {
	rec.Path, rec.Header = Redacted(r)
	x := &answer{ResponseWriter: w, s: s, req: r, rec: rec, source: source}
	if e := x.read(); e != nil {
		x.fail(*e)
		return
	}
	x.serve()
}

func (s *Server) keep(rec *Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, *rec)
	if s.opts.LogTo == nil {
		return
	}
	if line, err := json.Marshal(rec); err == nil {
		_, _ = s.opts.LogTo.Write(append(line, '\n')) // the log is a by-product
	}
}

// Redacted returns the path of a request with its query, and its header, with
// "***" for credentials.
func Redacted(r *http.Request) (path string, h http.Header) {
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

// keyProblem is what the API says about the key of a request; nil: nothing.
func (s *Server) keyProblem(r *http.Request) *apiError {
	key := r.Header.Get("x-goog-api-key")
	if key == "" {
		key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	if s.opts.Key == "" || key == s.opts.Key {
		return nil
	}
	f := Fault{Status: http.StatusBadRequest, Reason: "API_KEY_INVALID", Message: "API key not valid. Please pass a valid API key."}
	if key == "" {
		f = Fault{Status: http.StatusForbidden, Message: "Method doesn't allow unregistered callers."}
	}
	e := f.apiError()
	return &e
}

// methods are the script's names of what stands behind the colon of a path.
var methods = map[string]script.Method{
	"streamGenerateContent": script.Stream,
	"generateContent":       script.Whole,
	"countTokens":           script.Count,
}

// target splits a path into model and method.
func target(path string) (model string, m script.Method, err error) {
	_, name, ok := strings.Cut(path, "/models/")
	model, verb, colon := strings.Cut(name, ":")
	m = methods[verb]
	if !ok || !colon || model == "" || m == "" {
		return "", "", errors.New("the fake API knows .../models/<model>:streamGenerateContent, :generateContent and :countTokens")
	}
	return model, m, nil
}
