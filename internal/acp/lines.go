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
)

const (
	mostMessage = 10<<20 - 1<<10 // bytes of one message: over longer ones the library ends the connection
	tooLong     = "_minigem/too_long"
)

var idOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)`)
})

// shortened passes on what an editor sends, line by line. Of a line that is too long a
// piece comes, which is no JSON, and then a message that has the request answered, or
// that is the answer. So the editor, or whoever asked it, is told, and the session goes on.
type shortened struct {
	in     io.Reader
	buf    [32 << 10]byte
	due    bytes.Buffer
	head   []byte // of the line
	length int    // of the line so far
}

// Read implements io.Reader.
func (s *shortened) Read(p []byte) (int, error) {
	for s.due.Len() == 0 {
		n, err := s.in.Read(s.buf[:])
		for _, piece := range bytes.SplitAfter(s.buf[:n], []byte("\n")) {
			s.pass(piece)
		}
		if err != nil && s.due.Len() == 0 {
			return 0, err
		}
	}
	return s.due.Read(p)
}

func (s *shortened) pass(piece []byte) {
	before := s.length
	s.length += len(piece)
	s.head = append(s.head, piece[:min(len(piece), 1<<10-len(s.head))]...)
	switch {
	case s.length <= mostMessage:
		s.due.Write(piece)
	case before <= mostMessage:
		s.due.WriteByte('\n')
	}
	if bytes.HasSuffix(piece, []byte("\n")) {
		if s.length > mostMessage {
			s.due.Write(instead(s.head))
		}
		s.head, s.length = s.head[:0], 0
	}
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
