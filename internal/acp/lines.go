package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"sync"

	acp "github.com/coder/acp-go-sdk"
	"github.com/tidwall/gjson"
)

const (
	mostMessage = 10<<20 - 1<<10 // maximum bytes of one message; for longer ones the library would end the connection
	tooLong     = "_minigem/too_long"
)

var idOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)`)
})

// wire passes on what the editor sends, line by line. It replaces an overlong line with
// a message that makes the server answer the request, or that fails the request it
// answers. So the side that asked gets an error, and the session goes on.
//
// It turns session/cancel into cancellations of the prompt requests sent until then,
// because the library obeys those in the order of the lines. Prompts and session/cancel
// it handles in goroutines, so a cancel could come before its prompt, or after the next
// one.
type wire struct {
	in      io.Reader
	buf     [32 << 10]byte
	due     bytes.Buffer
	line    []byte      // the current line, cut at mostMessage
	length  int         // full length of the current line
	prompts [][2]string // session and request id of the latest prompts
}

// mostPrompts limits how many prompts are remembered for a cancel.
const mostPrompts = 1 << 10

// Read implements io.Reader.
func (w *wire) Read(p []byte) (int, error) {
	for w.due.Len() == 0 {
		n, err := w.in.Read(w.buf[:])
		for piece := range bytes.SplitAfterSeq(w.buf[:n], []byte("\n")) {
			w.line = append(w.line, piece[:min(len(piece), mostMessage-len(w.line))]...)
			if w.length += len(piece); bytes.HasSuffix(piece, []byte("\n")) {
				w.pass()
			}
		}
		if err != nil && w.length > 0 {
			w.pass() // the last line has no newline
		}
		if err != nil && w.due.Len() == 0 {
			return 0, err
		}
	}
	return w.due.Read(p)
}

// pass queues the current line, or what replaces it.
func (w *wire) pass() {
	line := w.line
	if w.length > mostMessage {
		line = instead(line[:1<<10])
	}
	w.line, w.length = w.line[:0], 0
	said := gjson.GetManyBytes(line, "method", "params.sessionId", "id")
	switch session := said[1].Str; said[0].Str {
	case acp.AgentMethodSessionPrompt:
		w.prompts = append(w.prompts[max(0, len(w.prompts)+1-mostPrompts):], [2]string{session, said[2].Raw})
	case acp.AgentMethodSessionCancel:
		for _, prompt := range w.prompts {
			if prompt[0] == session {
				fmt.Fprintf(&w.due, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%s}}`+"\n", prompt[1])
			}
		}
		if said[2].Raw == "" {
			return
		}
	}
	w.due.Write(line)
}

// instead returns the replacement for an overlong message that begins with head.
func instead(head []byte) []byte {
	head, _, answer := bytes.Cut(head, []byte(`"result"`))
	head, _, _ = bytes.Cut(head, []byte(`"params"`))
	switch id := idOf().FindSubmatch(head); {
	case id == nil:
		return nil
	case answer:
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":%q}}`+"\n", id[1],
			errTooLong.Message)
	default:
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q}`+"\n", id[1], tooLong)
	}
}

var errTooLong = &acp.RequestError{Code: -32600, Message: "the message is longer than 10 MiB, and was not read"}

// HandleExtensionMethod implements acp.ExtensionMethodHandler.
func (s *server) HandleExtensionMethod(_ context.Context, method string, _ json.RawMessage) (any, error) {
	if method == tooLong {
		return nil, errTooLong
	}
	return nil, acp.NewMethodNotFound(method)
}
