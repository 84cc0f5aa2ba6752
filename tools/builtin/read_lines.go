package builtin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"golang.org/x/text/transform"
)

// excerpt is a range of lines of a stream.
type excerpt struct {
	lines     [][]byte // without newlines, valid UTF-8
	total     int      // lines counted, including the one after the last newline
	ended     bool     // the end was reached: total is exact
	shortened bool
}

// readLines reads the lines from first to last and nothing after them. Memory is
// limited by the result, however long lines are. A range that begins after the end has
// no lines; total is the number of lines then. If ctx ends, the error is its cause.
func readLines(ctx context.Context, r io.Reader, first, last int) (excerpt, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	head, _ := br.Peek(4)
	c := charsetOf(head)
	if _, err := br.Discard(len(c.mark)); err != nil {
		return excerpt{}, err
	}
	if c.enc != nil {
		br = bufio.NewReaderSize(transform.NewReader(br, c.enc.NewDecoder()), 64<<10)
	}
	var x excerpt
	for x.total < last {
		if x.total%1024 == 0 && ctx.Err() != nil {
			return x, context.Cause(ctx)
		}
		wanted := x.total+1 >= first
		line, more, err := nextLine(ctx, br, wanted)
		if err != nil {
			return x, err
		}
		x.total++
		if wanted {
			text, cut := shortenLine(string(bytes.ToValidUTF8(line, []byte("\uFFFD"))), maxLineRunes)
			x.lines = append(x.lines, []byte(text))
			x.shortened = x.shortened || cut
		}
		if !more {
			x.ended = true
			return x, nil
		}
	}
	x.total++ // another line begins after a newline
	return x, nil
}

// nextLine reads to the next newline. It keeps at most what a shortened line
// needs, and nothing if keep is false. more is false at the end of the stream.
func nextLine(ctx context.Context, br *bufio.Reader, keep bool) (line []byte, more bool, err error) {
	const enough = (maxLineRunes + 1) * 4 // UTF-8 needs at most four bytes
	for {
		piece, err := br.ReadSlice('\n')
		if keep && len(line) < enough {
			line = append(line, piece[:min(len(piece), enough-len(line)+1)]...)
		}
		switch {
		case err == nil:
			return bytes.TrimSuffix(line, []byte("\n")), true, nil
		case errors.Is(err, io.EOF):
			return line, false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, false, err
		case ctx.Err() != nil:
			return nil, false, context.Cause(ctx)
		}
	}
}
