package hooks

import (
	"bytes"
	"slices"

	"minigem/hooks/protocol"
)

// Payload is the JSON that a hook reads, in pieces to be written one after the other. All
// payloads of one model request, above all those of its chunks, share the piece that
// holds the messages. A nil Payload means that there is none. The bytes must not be
// changed.
type Payload [][]byte

// Bytes joins the pieces. It copies them unless there is only one, and returns nil for a
// nil Payload.
func (p Payload) Bytes() []byte {
	switch len(p) {
	case 0:
		return nil
	case 1:
		return p[0]
	}
	return bytes.Join(p, nil)
}

// String returns the payload as text; empty for a nil Payload. It makes a copy each
// time.
func (p Payload) String() string { return string(p.Bytes()) }

// Len returns the length in bytes.
func (p Payload) Len() int {
	n := 0
	for _, piece := range p {
		n += len(piece)
	}
	return n
}

// modelPayload joins pieces that are JSON already, so that a long history costs only its
// transfer through the pipe.
func modelPayload(base protocol.Base, request Payload) Payload {
	head := encode(base)
	head = append(append(head[:len(head)-1], `,"llm_request":`...), request[0]...)
	p := append(Payload{head}, request[1:]...)
	return p.with("}")
}

// chunkPayload returns the payload for a chunk of an answer. said is the answer before
// it, as soFar returns it, and text is the chunk's text.
func chunkPayload(base protocol.Base, request Payload, chunk protocol.LLMChunk, said []byte, text string) Payload {
	p := modelPayload(base, request)
	last := &p[len(p)-1]
	*last = append(append((*last)[:len(*last)-1], `,"llm_response":`...), encode(chunk)...)
	if len(said)+len(text) == 0 {
		return p.with("}")
	}
	return append(p.with(`,"full_content":"`), said, append(inString(text), `"}`...))
}

// with returns p with text added to its last piece, of which it makes a copy: other
// payloads may share the old one.
func (p Payload) with(text string) Payload {
	p[len(p)-1] = slices.Concat(p[len(p)-1], []byte(text))
	return p
}

// inString returns text as a JSON string without its quotes.
func inString(text string) []byte {
	data := encode(text)
	return data[1 : len(data)-1 : len(data)-1]
}

// payload returns v as a Payload of a single piece.
func payload(v any) Payload { return Payload{encode(v)} }
