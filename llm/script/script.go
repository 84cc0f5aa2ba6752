// Package script answers model calls from a script instead of a network: the
// fake-responses files of Gemini CLI, and recordings of real calls in the same form. It
// knows no HTTP and nothing that can go wrong there; for that there is e2e/fakemodel,
// which serves the same files.
//
// A script is JSON Lines, one answer a line (core/core/fakeContentGenerator.ts):
//
//	{"method": "generateContentStream", "response": [<GenerateContentResponse>, ...]}
//	{"method": "generateContent",       "response": <GenerateContentResponse>}
//	{"method": "countTokens",           "response": {"totalTokens": 7}}
//
// [Open] makes a model from such a file, [New] from entries made by a program:
//
//	model := script.New([]script.Entry{
//		script.Streamed(llm.Chunk{Parts: []llm.Part{llm.Text{Text: "Hi"}}, FinishReason: "STOP"}),
//	}, false)
package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"minigem/internal/boundedfile"
	"minigem/llm"
)

// Method is a method of the Gemini API, as a script spells it.
type Method string

// The methods that a script may have.
const (
	// an answer in pieces: a list of responses
	Stream Method = "generateContentStream"
	// an answer in one piece
	Whole Method = "generateContent"
	// a number of tokens
	Count Method = "countTokens"
	// an embedding; it may be in a file, but no call asks for it
	Embed Method = "embedContent"
)

// Entry is one answer of a script. Make it with [Streamed], [Answered] or [Counted]; the
// zero Entry has no method and answers nothing.
type Entry struct {
	// Method says which of the fields below count.
	Method Method
	// Chunks are the answer to Stream, in order and perhaps empty, or the one chunk that
	// answers Whole.
	Chunks []llm.Chunk
	// Tokens is the answer to Count.
	Tokens int

	// Fault is the value of "fault" in the line, for e2e/fakemodel; nil if there is none.
	// A [Model] refuses an Entry that has one.
	Fault json.RawMessage

	// File is the file of the entry; empty for an entry that a program made.
	File string
	// Line is its line there, from 1.
	Line int
}

// Streamed makes the Entry of a streamed answer. Without chunks it is an answer that
// broke off at once.
func Streamed(chunks ...llm.Chunk) Entry { return Entry{Method: Stream, Chunks: chunks} }

// Answered makes the Entry of an answer in one piece. It is for [llm.Generator].
func Answered(c llm.Chunk) Entry { return Entry{Method: Whole, Chunks: []llm.Chunk{c}} }

// Counted makes the Entry of a count of tokens. It is for [llm.TokenCounter].
func Counted(tokens int) Entry { return Entry{Method: Count, Tokens: tokens} }

// Where returns "file:line", or "answer n" for an Entry without a line; n counts from 1.
func (e Entry) Where(n int) string {
	if e.Line == 0 {
		return fmt.Sprintf("answer %d", n)
	}
	return fmt.Sprintf("%s:%d", e.File, e.Line)
}

// wireEntry is a line of a script. Its response is read by its method.
type wireEntry struct {
	Method   Method          `json:"method"`
	Response json.RawMessage `json:"response,omitempty"`
	Fault    json.RawMessage `json:"fault,omitempty"`
}

// wireCount is the answer to countTokens.
type wireCount struct {
	TotalTokens int `json:"totalTokens"`
}

// MarshalJSON writes e as a line of a script, without the line break. File and Line are
// not written. Without Chunks the answer is written as an empty one. Of the Chunks of a
// [Whole] answer only the first is written.
func (e Entry) MarshalJSON() ([]byte, error) {
	var response any
	switch {
	case e.Method == Count:
		response = wireCount{e.Tokens}
	case e.Method == Stream && e.Chunks == nil:
		response = []llm.Chunk{}
	case e.Method == Stream:
		response = e.Chunks
	case e.Method == Whole && len(e.Chunks) > 0:
		response = e.Chunks[0]
	default:
		response = struct{}{}
	}
	data, err := json.Marshal(response)
	if err != nil {
		return nil, fmt.Errorf("writing scripted answer: %w", err)
	}
	return json.Marshal(wireEntry{e.Method, data, e.Fault})
}

// UnmarshalJSON reads one line of a script. It does not set File and Line. "response"
// may be missing only if there is a "fault".
func (e *Entry) UnmarshalJSON(data []byte) error {
	var w wireEntry
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	e.Method, e.Fault, e.Chunks, e.Tokens = w.Method, w.Fault, nil, 0
	if bytes.Equal(e.Fault, []byte("null")) {
		e.Fault = nil
	}
	if w.Response == nil {
		if e.Fault == nil {
			return errors.New(`"response" is missing`)
		}
		w.Response = emptyResponse(w.Method)
	}
	switch w.Method {
	case Stream:
		if err := json.Unmarshal(w.Response, &e.Chunks); err != nil {
			return fmt.Errorf(`"response" of generateContentStream must be an array of responses: %w`, err)
		}
	case Whole:
		var c llm.Chunk
		if err := json.Unmarshal(w.Response, &c); err != nil {
			return err
		}
		e.Chunks = []llm.Chunk{c}
	case Count:
		var c wireCount
		if err := json.Unmarshal(w.Response, &c); err != nil {
			return fmt.Errorf("reading count: %w", err)
		}
		e.Tokens = c.TotalTokens
	case Embed:
	default:
		return fmt.Errorf(`"method" is %q; known are generateContentStream, generateContent, countTokens, embedContent`,
			w.Method)
	}
	return nil
}

// emptyResponse is the response of a line that has only a fault.
func emptyResponse(m Method) json.RawMessage {
	if m == Stream {
		return json.RawMessage("[]")
	}
	return json.RawMessage("{}")
}

// Parse reads a script. name is what errors and Entry.File show. Blank lines do not count
// as answers; a script without answers is valid. The error names the first broken line,
// or says that the file is too large.
func Parse(name string, r io.Reader) ([]Entry, error) {
	data, err := boundedfile.ReadAll(r, name, boundedfile.Kept)
	if err != nil {
		return nil, fmt.Errorf("reading scripted answers %s: %w", name, err)
	}
	var entries []Entry
	n := 0
	for line := range bytes.Lines(data) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		e := Entry{File: name, Line: n}
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("reading scripted answers: %s:%d: %w", name, n, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// ParseFile is [Parse] for the file at path. It is named by path in errors and in
// Entry.File.
func ParseFile(path string) ([]Entry, error) {
	data, err := boundedfile.ReadNamed(path, boundedfile.Kept)
	if err != nil {
		return nil, fmt.Errorf("opening scripted answers: %w", err)
	}
	return Parse(path, bytes.NewReader(data))
}

// Write writes entries as a script, one a line, in the form that [Parse] reads. Errors
// are those of w, and of an Entry that has no JSON form. Entries before it are written.
func Write(w io.Writer, entries []Entry) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, e := range entries {
		if err := enc.Encode(e); err != nil {
			return fmt.Errorf("writing scripted answers: %w", err)
		}
	}
	return nil
}
