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
	mostMessage = 10<<20 - 1<<10 // bytes of one message: over longer ones the library ends the connection
	tooLong     = "_minigem/too_long"
)

var idOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)`)
})

// wire passes on what an editor sends, line by line. For a line that is too long comes
// a message that has the request answered, or that is the answer. So the editor, or
// whoever asked it, is told, and the session goes on.
//
// For session/cancel come cancellations of the requests that were prompts until then. The
// library obeys those in the order of the lines. Prompts and session/cancel it handles in
// goroutines, so that a cancel may come before its prompt, or behind the next one.
type wire struct {
	in      io.Reader
	buf     [32 << 10]byte
	due     bytes.Buffer
	line    []byte      // so far, without what is too much
	length  int         // of the line so far
	prompts [][2]string // session and id of the latest requests
}

// mostPrompts bounds how many prompts are remembered for a cancel.
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
			w.pass() // the last line has no end
		}
		if err != nil && w.due.Len() == 0 {
			return 0, err
		}
	}
	return w.due.Read(p)
}

// pass makes due what comes for the line.
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

// instead stands for a message that begins with head.
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
