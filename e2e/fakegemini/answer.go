package fakegemini

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"minigem/internal/boundedfile"
	"minigem/llm"
	"minigem/llm/script"
)

// answer is the work on one request.
type answer struct {
	http.ResponseWriter
	s      *Server
	req    *http.Request
	rec    *Request
	source Source
}

func problem(status int, format string, args ...any) *apiError {
	e := Fault{Status: status, Message: fmt.Sprintf(format, args...)}.apiError()
	return &e
}

// read fills in the record, and returns what the API would refuse the request
// for before it looks for an answer.
func (x *answer) read() *apiError {
	body, err := boundedfile.ReadAll(x.req.Body, "the request", boundedfile.Recorded)
	if err != nil {
		return problem(http.StatusBadRequest, "reading body: %v", err)
	}
	x.rec.Body = body
	if !json.Valid(body) {
		x.rec.Body, _ = json.Marshal(string(body)) // a string always can be
		return problem(http.StatusBadRequest, "the body is not JSON")
	}
	x.rec.Model, x.rec.Method, err = target(x.req.URL.Path)
	switch {
	case err != nil:
		return problem(http.StatusNotFound, "%v", err)
	case x.req.Method != http.MethodPost:
		return problem(http.StatusMethodNotAllowed, "%s is not POST", x.req.Method)
	case x.rec.Method == script.Stream && x.req.URL.Query().Get("alt") != "sse":
		return problem(http.StatusBadRequest, "the fake API streams with alt=sse only")
	}
	if e := x.s.keyProblem(x.req); e != nil {
		return e
	}
	if x.s.opts.Models != nil && !slices.Contains(x.s.opts.Models, x.rec.Model) {
		return problem(http.StatusNotFound, "models/%s is not found for API version v1beta.", x.rec.Model)
	}
	return x.judge(body)
}

func (x *answer) judge(body []byte) *apiError {
	var inner struct {
		Request json.RawMessage `json:"generateContentRequest"`
	}
	if x.rec.Method == script.Count && json.Unmarshal(body, &inner) == nil && inner.Request != nil {
		body = inner.Request
	}
	if err := json.Unmarshal(body, &x.rec.Parsed); err != nil {
		return problem(http.StatusBadRequest, "%v", err)
	}
	x.rec.Parsed.Model = x.rec.Model
	x.s.mu.Lock()
	served := slices.Clone(x.s.served)
	x.s.mu.Unlock()
	x.rec.Problems = Validate(x.rec.Parsed, served)
	if x.s.opts.Strict && len(x.rec.Problems) > 0 {
		return problem(http.StatusBadRequest, "%s", strings.Join(x.rec.Problems, "; "))
	}
	return nil
}

// serve finds the fault and the answer, in this order: a fault that spoils the
// answer must not use it up.
func (x *answer) serve() {
	var fault Fault
	take := x.source.Next
	for _, f := range x.s.opts.Faults {
		if f.Request == 0 || f.Request == x.rec.Number {
			fault, x.rec.Fault = f, &f
			break
		}
	}
	if fault.Status != 0 && fault.After == 0 {
		x.fail(fault.apiError())
		return
	}
	if fault.Spoils() {
		take = x.source.Peek
	}
	entry, err := take(x.rec.Method, x.rec.Parsed)
	if err != nil {
		var e *llm.Error
		if !errors.As(err, &e) {
			e = &llm.Error{Message: err.Error()}
		}
		x.fail(*problem(http.StatusBadRequest, "fake API: %s", e.Message))
		return
	}
	x.rec.Answer = entry.Where(x.rec.Number)
	if x.rec.Fault == nil && entry.Fault != nil {
		if err := json.Unmarshal(entry.Fault, &fault); err != nil {
			x.fail(*problem(http.StatusBadRequest, "fake API: %s: %v", x.rec.Answer, err))
			return
		}
		x.rec.Fault = &fault
	}
	x.send(entry, fault)
}

func (x *answer) send(entry script.Entry, fault Fault) {
	if fault.Spoils() && fault.After == 0 {
		x.spoil(fault)
		return
	}
	switch entry.Method {
	case script.Stream:
		x.stream(entry.Chunks, fault)
	case script.Whole:
		x.pause(fault.ChunkDelay)
		x.json(http.StatusOK, entry.Chunks[0])
		x.remember(entry.Chunks[0])
	case script.Count:
		x.pause(fault.ChunkDelay)
		x.json(http.StatusOK, map[string]int{"totalTokens": entry.Tokens})
	}
}

func (x *answer) stream(chunks []llm.Chunk, fault Fault) {
	x.Header().Set("Content-Type", "text/event-stream")
	x.header(http.StatusOK)
	x.flush()
	for i, c := range chunks {
		if fault.Spoils() && i == fault.After {
			break
		}
		if !x.pause(fault.ChunkDelay) {
			return
		}
		x.event(c)
		x.remember(c)
	}
	if fault.Spoils() {
		x.spoil(fault)
	}
}

// spoil does what the fault says, now.
func (x *answer) spoil(f Fault) {
	switch {
	case f.Cut:
		panic(http.ErrAbortHandler) // net/http drops the connection without a word
	case f.Silent:
		<-x.req.Context().Done()
		panic(http.ErrAbortHandler)
	case f.Garbage:
		if f.After == 0 {
			x.header(http.StatusOK)
		}
		_, _ = io.WriteString(x, "data: {\"candidates\": [{\"content\"\r\n\r\n")
		x.flush()
	case f.After > 0:
		x.event(map[string]any{"error": f.apiError()})
	default:
		x.fail(f.apiError())
	}
}

// pause waits; false: the client has left meanwhile.
func (x *answer) pause(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-x.req.Context().Done():
		return false
	}
}

// remember keeps the parts with signatures, for Validate.
func (x *answer) remember(c llm.Chunk) {
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	x.s.served = append(x.s.served, c.Parts...)
}

func (x *answer) fail(e apiError) { x.json(e.Code, map[string]any{"error": e}) }

func (x *answer) json(status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		data, status = []byte(`{"error":{"code":500,"message":"the scripted answer is not JSON","status":"INTERNAL"}}`), http.StatusInternalServerError
	}
	x.Header().Set("Content-Type", "application/json; charset=UTF-8")
	x.header(status)
	_, _ = x.Write(data) // the client may have left
}

func (x *answer) event(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		data = []byte(`{"error":{"code":500,"message":"the scripted answer is not JSON","status":"INTERNAL"}}`)
	}
	_, _ = fmt.Fprintf(x, "data: %s\r\n\r\n", data) // the client may have left
	x.flush()
}

func (x *answer) header(status int) {
	x.rec.Status = status
	x.WriteHeader(status)
}

func (x *answer) flush() { _ = http.NewResponseController(x.ResponseWriter).Flush() }
