package fakemodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"minigem/llm"
	"minigem/llm/script"
)

// geminiAPI implements the Gemini API, with the paths of Google AI Studio
// (/v1beta/models/M:streamGenerateContent) and of Vertex AI
// (/v1beta1/projects/P/locations/L/publishers/google/models/M:...).
type geminiAPI struct{}

// geminiMethods maps the method after the colon of a path to the script's name.
var geminiMethods = map[string]script.Method{
	"streamGenerateContent": script.Stream,
	"generateContent":       script.Whole,
	"countTokens":           script.Count,
}

// geminiTarget splits a path into model and method. Both are empty if the path is not
// Gemini's.
func geminiTarget(path string) (model string, m script.Method) {
	_, name, _ := strings.Cut(path, "/models/")
	model, method, _ := strings.Cut(name, ":")
	if model == "" {
		return "", ""
	}
	return model, geminiMethods[method]
}

func (geminiAPI) read(x *exchange, body []byte, counting bool) (asked, []string, error) {
	var a asked
	model, method := geminiTarget(x.req.URL.Path)
	if method == script.Stream && x.req.URL.Query().Get("alt") != "sse" {
		return a, nil, errors.New("the fake model streams with alt=sse only")
	}
	var inner struct {
		Request json.RawMessage `json:"generateContentRequest"`
	}
	if counting && json.Unmarshal(body, &inner) == nil && inner.Request != nil {
		body = inner.Request
	}
	if err := json.Unmarshal(body, &a.Request); err != nil {
		return a, nil, err
	}
	a.Model, a.method, a.stream, a.schema = model, method, method == script.Stream, a.Sampling.JSONSchema
	for _, t := range a.Tools {
		a.tools = append(a.tools, Tool{Name: t.Name, Kind: kindFunction, Schema: t.Parameters})
	}
	x.s.mu.Lock()
	served := slices.Clone(x.s.served)
	x.s.mu.Unlock()
	return a, GeminiProblems(a.Request, served), nil
}

// whole returns the answer as one chunk.
func (geminiAPI) whole(a answer) any {
	var whole llm.Chunk
	for _, c := range a.chunks {
		parts := append(whole.Parts, c.Parts...)
		whole, whole.Parts = c, parts
	}
	a.x.remember(whole)
	return whole
}

// geminiStream writes chunks unchanged.
type geminiStream struct{ x *exchange }

func (geminiAPI) stream(x *exchange, _ answer) streamer { return geminiStream{x} }

func (s geminiStream) begin() { s.x.flush() }

func (s geminiStream) chunk(c llm.Chunk) {
	s.x.event("", c)
	s.x.remember(c)
}

func (geminiStream) end() {}

func (s geminiStream) fail(f Fault) { s.x.event("", geminiAPI{}.failure(f, 0)) }

// remember stores the parts that were sent, because later requests must return their
// signatures.
func (x *exchange) remember(c llm.Chunk) {
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	x.s.served = append(x.s.served, c.Parts...)
}

func (geminiAPI) failure(f Fault, _ int) any { return object{"error": geminiError(f)} }

// googleError is the error object of Google's APIs.
type googleError struct {
	Code    int      `json:"code"`
	Message string   `json:"message"`
	Status  string   `json:"status"`
	Details []object `json:"details,omitempty"`
}

func geminiError(f Fault) googleError {
	e := googleError{Code: f.Status, Message: f.Text(), Status: statusName(f.Status)}
	add := func(kind string, detail object) {
		detail["@type"] = "type.googleapis.com/google.rpc." + kind
		e.Details = append(e.Details, detail)
	}
	if f.Reason != "" {
		add("ErrorInfo", object{"reason": f.Reason, "domain": "googleapis.com"})
	}
	if f.PerDay {
		add("QuotaFailure",
			object{"violations": []object{{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}}})
	}
	if f.RetryDelay > 0 {
		add("RetryInfo", object{"retryDelay": fmt.Sprintf("%gs", f.RetryDelay.Seconds())})
	}
	return e
}

// statusName returns the canonical code for an HTTP status.
func statusName(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "INVALID_ARGUMENT"
	case http.StatusUnauthorized:
		return "UNAUTHENTICATED"
	case http.StatusForbidden:
		return "PERMISSION_DENIED"
	case http.StatusNotFound:
		return "NOT_FOUND"
	case http.StatusTooManyRequests:
		return "RESOURCE_EXHAUSTED"
	case 499:
		return "CANCELLED"
	case http.StatusServiceUnavailable:
		return "UNAVAILABLE"
	case http.StatusGatewayTimeout:
		return "DEADLINE_EXCEEDED"
	case http.StatusInternalServerError:
		return "INTERNAL"
	}
	return "UNKNOWN"
}
