package fakemodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"minigem/internal/boundedfile"
	"minigem/llm"
	"minigem/llm/script"
)

// api is one of the APIs: it parses requests and formats answers.
type api interface {
	// read parses a body. counting means that the request only counts tokens. problems
	// lists what the real API would refuse. It returns an error if the body is not a
	// request at all.
	read(x *exchange, body []byte, counting bool) (a asked, problems []string, err error)
	whole(a answer) any                    // an answer that is not streamed
	stream(x *exchange, a answer) streamer // a streamed answer
	failure(f Fault, number int) any       // the body of an error response
}

// streamer writes a streamed answer.
type streamer interface {
	begin()
	chunk(c llm.Chunk)
	end()         // sends the finish reason
	fail(f Fault) // in mid-stream
}

// asked holds the content of a request.
type asked struct {
	llm.Request
	tools  []Tool
	method script.Method // named by Gemini's clients; empty for other APIs
	stream bool
	usage  bool            // the stream reports usage
	schema json.RawMessage // for the answer; nil if there is none
}

var apis = map[Protocol]api{Anthropic: anthropicAPI{}, Responses: responsesAPI{}, Chat: chatAPI{}, Gemini: geminiAPI{}}

// exchange handles one request.
type exchange struct {
	http.ResponseWriter
	s     *Server
	req   *http.Request
	rec   *Request
	api   api
	asked asked
}

func (x *exchange) problem(format string, args ...any) {
	x.rec.Problems = append(x.rec.Problems, fmt.Sprintf(format, args...))
}

// protocolOf returns the protocol of a path. counting means that the request only counts
// tokens.
func protocolOf(path string) (p Protocol, counting bool) {
	path = strings.TrimSuffix(path, "/")
	switch {
	case strings.HasSuffix(path, "/messages/count_tokens"):
		return Anthropic, true
	case strings.HasSuffix(path, "/messages"):
		return Anthropic, false
	case strings.HasSuffix(path, "/chat/completions"):
		return Chat, false
	case strings.HasSuffix(path, "/responses"):
		return Responses, false
	}
	if _, method := geminiTarget(path); method != "" {
		return Gemini, method == script.Count
	}
	return "", false
}

func (x *exchange) serve() {
	protocol, counting := protocolOf(x.req.URL.Path)
	x.rec.Protocol, x.api = protocol, apis[protocol]
	switch {
	case x.s.entries != nil && protocol != Gemini:
		x.unknown()
	case protocol == "" && x.req.Method == http.MethodGet && x.models():
	case protocol == "":
		x.unknown()
	case x.req.Method != http.MethodPost:
		x.fail(Fault{Status: http.StatusMethodNotAllowed, Message: x.req.Method + " is not POST"})
	default:
		x.serveJSON(counting)
	}
}

// unknown answers requests for paths that no API has.
func (x *exchange) unknown() {
	if x.req.Method == http.MethodHead { // clients check whether there is a server
		x.header(http.StatusOK)
		return
	}
	x.problem("no API has %s %s", x.req.Method, x.req.URL.Path)
	x.api = chatAPI{}
	if x.s.entries != nil {
		x.api = geminiAPI{}
	}
	x.fail(Fault{Status: http.StatusNotFound, Message: fmt.Sprintf("the fake model does not know %s %s", x.req.Method,
		x.req.URL.Path)})
}

// serveJSON answers a request of an API.
func (x *exchange) serveJSON(counting bool) {
	body, err := boundedfile.ReadAll(x.req.Body, "the request", boundedfile.Recorded)
	if err != nil {
		x.refuse("reading body: %v", err)
		return
	}
	x.rec.Body = body
	if !json.Valid(body) {
		x.rec.Body, _ = json.Marshal(string(body)) // strings always marshal
		x.refuse("the body is not JSON")
		return
	}
	if f := x.keyFault(); f.Status != 0 {
		x.fail(f)
		return
	}
	asked, problems, err := x.api.read(x, body, counting)
	if err != nil {
		x.refuse("%v", err)
		return
	}
	x.asked, x.rec.Parsed, x.rec.Tools = asked, asked.Request, asked.tools
	x.rec.Problems = append(x.rec.Problems, problems...)
	x.rec.Side = counting || len(asked.tools) == 0 && !x.s.opts.ToolLess
	if x.s.opts.Strict && len(problems) > 0 {
		x.fail(Fault{Status: http.StatusBadRequest, Message: strings.Join(problems, "; ")})
		return
	}
	x.answer(x.wanted(counting))
}

// wanted returns the method of the script's answer that the request takes.
func (x *exchange) wanted(counting bool) script.Method {
	switch own := x.asked.method; {
	case own != "" && (x.s.entries != nil || x.s.opts.ToolLess):
		return own
	case counting:
		return script.Count
	case x.rec.Side:
		return script.Whole
	}
	return script.Stream
}

// refuse answers an invalid request with status 400.
func (x *exchange) refuse(format string, args ...any) {
	x.problem(format, args...)
	x.fail(Fault{Status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...)})
}

// keyFault returns the API's error for the request's key, or a zero Fault if the key is
// accepted.
func (x *exchange) keyFault() Fault {
	var key string
	for _, name := range []string{"x-api-key", "x-goog-api-key"} {
		key += x.req.Header.Get(name)
	}
	if key == "" {
		key = strings.TrimPrefix(x.req.Header.Get("Authorization"), "Bearer ")
	}
	switch {
	case x.s.opts.Key == "" || key == x.s.opts.Key:
		return Fault{}
	case x.rec.Protocol == Gemini && key == "":
		return Fault{Status: http.StatusForbidden, Message: "Method doesn't allow unregistered callers."}
	case x.rec.Protocol == Gemini:
		return Fault{Status: http.StatusBadRequest, Reason: "API_KEY_INVALID",
			Message: "API key not valid. Please pass a valid API key."}
	}
	return Fault{Status: http.StatusUnauthorized, Reason: "invalid_api_key",
		Message: "invalid x-api-key: the key is not the one that the fake model takes"}
}

// answer finds the fault first, then the turn, because a fault that spoils the answer must
// not use up the turn.
func (x *exchange) answer(m script.Method) {
	var fault Fault
	for _, f := range x.s.opts.Faults {
		if f.Request == 0 || f.Request == x.rec.Number {
			fault, x.rec.Fault = f, &f
			break
		}
	}
	if fault.Status != 0 && fault.After == 0 {
		x.fail(fault)
		return
	}
	entry, err := x.pick(m, !fault.Spoils())
	if err != nil {
		x.fail(Fault{Status: x.giveUp(), Message: "fake model: " + err.Error(), Final: true})
		return
	}
	if x.rec.Fault == nil && entry.Fault != nil {
		if err := json.Unmarshal(entry.Fault, &fault); err != nil {
			x.fail(Fault{Status: http.StatusBadRequest, Message: fmt.Sprintf("fake model: %s: %v", x.rec.Answer, err),
				Final: true})
			return
		}
		x.rec.Fault = &fault
	}
	x.send(entry, fault)
}

func (x *exchange) send(e script.Entry, fault Fault) {
	a := answer{x: x, asked: x.asked, chunks: e.Chunks}
	for _, c := range e.Chunks {
		a.parts = append(a.parts, c.Parts...)
		if c.Usage != nil {
			a.usage = *c.Usage
		}
		if c.FinishReason != "" {
			a.finish = c.FinishReason
		}
		if c.BlockReason != "" {
			a.finish = "SAFETY" // none of these APIs distinguishes a refused prompt from a refused answer
		}
	}
	switch {
	case fault.Spoils() && fault.After == 0:
		x.spoil(fault, nil)
	case x.asked.stream:
		x.stream(a, fault)
	case !x.pause(fault.ChunkDelay):
	case e.Method == script.Count && x.rec.Protocol == Gemini:
		x.json(http.StatusOK, map[string]int{"totalTokens": e.Tokens})
	case e.Method == script.Count:
		x.json(http.StatusOK, map[string]int{"input_tokens": e.Tokens})
	case x.rec.Protocol != Gemini && (fault.Spoils() || a.finish == ""):
		panic(http.ErrAbortHandler) // an answer that is not streamed cannot break off
	default:
		x.json(http.StatusOK, x.api.whole(a))
	}
}

func (x *exchange) stream(a answer, fault Fault) {
	x.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	x.Header().Set("Cache-Control", "no-cache")
	x.header(http.StatusOK)
	to := x.api.stream(x, a)
	to.begin()
	for i, c := range a.chunks {
		if fault.Spoils() && i == fault.After {
			break
		}
		if !x.pause(fault.ChunkDelay) {
			return
		}
		to.chunk(c)
	}
	switch {
	case fault.Spoils():
		x.spoil(fault, to)
	case a.finish != "":
		to.end()
	}
}

var garbageEvents = map[Protocol]string{Anthropic: "content_block_delta", Responses: "response.output_text.delta"}

// spoil carries out the fault. to is nil if the header has not been sent.
func (x *exchange) spoil(f Fault, to streamer) {
	switch {
	case f.Cut:
		panic(http.ErrAbortHandler) // makes net/http drop the connection silently
	case f.Silent:
		<-x.req.Context().Done()
		panic(http.ErrAbortHandler)
	case f.Garbage:
		if to == nil {
			x.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			x.header(http.StatusOK)
		}
		if name := garbageEvents[x.rec.Protocol]; name != "" { // clients ignore events without a name
			_, _ = fmt.Fprintf(x, "event: %s\n", name)
		}
		_, _ = io.WriteString(x, "data: {\"type\": \"content_block"+x.eventEnd()) // the client may have left
		x.flush()
	case to != nil:
		to.fail(f)
	default:
		x.fail(f)
	}
}

// pause waits for d. It returns false if the client disconnected meanwhile.
func (x *exchange) pause(d time.Duration) bool {
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

// fail answers with an error in the API's format.
func (x *exchange) fail(f Fault) {
	f.Message = f.Text()
	if f.RetryDelay > 0 && x.rec.Protocol != Gemini { // Gemini says it in the body
		x.Header().Set("Retry-After", fmt.Sprintf("%.0f", f.RetryDelay.Seconds()))
	}
	if f.Final {
		x.Header().Set("X-Should-Retry", "false") // the vendors' own clients obey it
	}
	x.json(f.Status, x.api.failure(f, x.rec.Number))
}

func (x *exchange) json(status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		data, status = []byte(`{"error":{"message":"the scripted answer is not JSON"}}`), http.StatusInternalServerError
	}
	x.Header().Set("Content-Type", "application/json")
	x.header(status)
	_, _ = x.Write(data) // the client may have disconnected
}

// event writes an event of a stream. Without a name it has only data.
func (x *exchange) event(name string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		data = []byte(`{"type":"error","error":{"message":"the scripted answer is not JSON"}}`)
	}
	if name != "" {
		_, _ = fmt.Fprintf(x, "event: %s\n", name)
	}
	_, _ = fmt.Fprintf(x, "data: %s%s", data, x.eventEnd()) // the client may have left
	x.flush()
}

// eventEnd returns the API's line ends after an event of a stream.
func (x *exchange) eventEnd() string {
	if x.rec.Protocol == Gemini {
		return "\r\n\r\n"
	}
	return "\n\n"
}

func (x *exchange) header(status int) {
	x.rec.Status = status
	x.WriteHeader(status)
}

func (x *exchange) flush() { _ = http.NewResponseController(x.ResponseWriter).Flush() }
