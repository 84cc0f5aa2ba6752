package hooks

import (
	"bytes"

	"minigem/hooks/protocol"
)

// Payload is the JSON that a hook reads, in pieces that are written one after
// the other: all payloads of one model request, of each of its chunks above all,
// share the piece that holds the request. nil is not a payload. The bytes must not
// be changed.
type Payload [][]byte

// Bytes joins the pieces; a single one is returned as it is. nil where there is
// no payload.
func (p Payload) Bytes() []byte {
	switch len(p) {
	case 0:
		return nil
	case 1:
		return p[0]
	}
	return bytes.Join(p, nil)
}

// String is the payload as text.
func (p Payload) String() string { return string(p.Bytes()) }

// Len is the length in bytes.
func (p Payload) Len() int {
	n := 0
	for _, piece := range p {
		n += len(piece)
	}
	return n
}

// modelPayload puts a payload together from pieces that are JSON already, so
// that what a long history costs is its way through the pipe.
func modelPayload(base protocol.Base, request []byte, chunk *protocol.LLMChunk, full string) Payload {
	head := encode(base)
	head = append(head[:len(head)-1], `,"llm_request":`...)
	if chunk == nil {
		return Payload{head, request, []byte("}")}
	}
	tail := append([]byte(`,"llm_response":`), encode(*chunk)...)
	if full != "" {
		tail = append(append(tail, `,"full_content":`...), encode(full)...)
	}
	return Payload{head, request, append(tail, '}')}
}

// payload is one of a single piece.
func payload(v any) Payload { return Payload{encode(v)} }
