package builtin

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"minigem/tools/workspace"
)

// textSearch searches the lines of the files of one directory. Memory is
// limited by the results: only the first limit matches in the order of their
// paths are kept, and once there are that many, files that come later are not
// opened. The result does not depend on the number of workers.
type textSearch struct {
	pattern *linePattern
	perFile int // maximum number of matches per file; 0 means no limit
	limit   int // maximum number of matches in all; 0 means no limit
	// wanted reports whether to open a file. path is relative to the directory and
	// slash-separated. If wanted is nil, all files are opened.
	wanted func(path string) bool

	buffers sync.Pool

	mu    sync.Mutex
	files []fileHits // sorted by path
	count int
	bound atomic.Pointer[string] // the last path within the limit; nil means that all are
}

// fileHits are the matches of one file.
type fileHits struct {
	path string
	hits []lineHit
}

// lineHit is one line of a file, without its newline and already cut to
// maxLineRunes characters.
type lineHit struct {
	number int // from 1
	text   string
}

// maxPiece limits a line in the file: a longer one is searched in pieces.
const maxPiece = 4 << 20

// run searches dir. more reports whether there are matches beyond the limit. Files that
// cannot be opened are skipped. A textSearch can be run only once. files belongs to the
// caller. err is the error of the walk, such as the cause for which ctx ended.
func (s *textSearch) run(ctx context.Context, w *workspace.Workspace, dir string,
	how workspace.Walk) (files []fileHits, more bool, err error) {
	s.buffers.New = func() any { b := make([]byte, 256<<10); return &b }
	how.Enter = func(rel string) bool { return !s.beyond(rel + "/") }
	err = w.Walk(ctx, dir, how, func(e *workspace.Entry) error {
		if e.Type == os.ModeSymlink || s.beyond(e.Path) || (s.wanted != nil && !s.wanted(e.Path)) {
			return nil
		}
		f, size, err := e.Open()
		if err != nil {
			return nil // deleted, or not readable
		}
		defer f.Close()
		s.keep(e.Path, s.file(ctx, f, size))
		return nil
	})
	if s.limit > 0 && s.count > s.limit {
		s.cut()
		more = true
	}
	return s.files, more, err
}

// beyond reports whether path comes after the last one that can count.
func (s *textSearch) beyond(path string) bool {
	b := s.bound.Load()
	return b != nil && path > *b
}

// keep adds the matches of a file and drops those beyond the limit, except one,
// which shows that there are more.
func (s *textSearch) keep(path string, hits []lineHit) {
	if len(hits) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i, _ := slices.BinarySearchFunc(s.files, path, func(f fileHits, p string) int { return strings.Compare(f.path, p) })
	s.files = slices.Insert(s.files, i, fileHits{path, hits})
	s.count += len(hits)
	if s.limit == 0 {
		return
	}
	for last := len(s.files) - 1; s.count-len(s.files[last].hits) > s.limit; last-- {
		s.count -= len(s.files[last].hits)
		s.files = slices.Delete(s.files, last, last+1)
	}
	if s.count > s.limit {
		last := s.files[len(s.files)-1].path
		s.bound.Store(&last)
	}
}

// cut reduces the matches to the limit.
func (s *textSearch) cut() {
	for extra := s.count - s.limit; extra > 0; {
		last := &s.files[len(s.files)-1]
		n := min(extra, len(last.hits))
		last.hits = last.hits[:len(last.hits)-n]
		if extra -= n; len(last.hits) == 0 {
			s.files = s.files[:len(s.files)-1]
		}
	}
	s.count = s.limit
}

// most returns how many matches of one file can count.
func (s *textSearch) most() int {
	most := s.perFile
	if s.limit > 0 && (most == 0 || s.limit+1 < most) {
		most = s.limit + 1
	}
	return most
}

// file searches one file of about size bytes; a binary file has no matches. A file is
// binary if there is a NUL in its first 8 KiB, or in the piece in which something is
// found first. If ctx ends, the matches so far are returned.
func (s *textSearch) file(ctx context.Context, f io.Reader, size int64) []lineHit {
	pooled := s.buffers.Get().(*[]byte)
	defer s.buffers.Put(pooled)
	c := chunks{src: f, buf: *pooled, size: size}
	defer func() { *pooled = c.buf }()
	var hits []lineHit
	line, most := 1, s.most()
	for first := true; ctx.Err() == nil; first = false {
		chunk, last := c.next()
		if first && bytes.IndexByte(chunk[:min(len(chunk), 8<<10)], 0) >= 0 {
			return nil
		}
		counted, before := 0, len(hits)
		s.pattern.scan(chunk, func(start, end int) bool {
			line += bytes.Count(chunk[counted:start], newline)
			counted = start
			hits = append(hits, lineHit{line, cutLine(chunk[start:end])})
			return most == 0 || len(hits) < most
		})
		if len(hits) > before && bytes.IndexByte(chunk, 0) >= 0 {
			return nil
		}
		if last || (most > 0 && len(hits) >= most) {
			break
		}
		line += bytes.Count(chunk[counted:], newline)
	}
	return hits
}

// newline is the separator for [bytes.Count], made once.
var newline = []byte("\n")

// cutLine shortens a line for display. Invalid UTF-8 becomes U+FFFD, and the carriage
// return of a CRLF is left out.
func cutLine(line []byte) string {
	line = bytes.TrimSuffix(line, []byte("\r"))
	text, _ := shortenLine(strings.ToValidUTF8(string(line[:min(len(line), 4*maxLineRunes+4)]), "\ufffd"), maxLineRunes)
	return text
}

// chunks reads a file in pieces that end with a line.
type chunks struct {
	src  io.Reader
	buf  []byte
	size int64 // bytes still expected; a file that grows meanwhile may be cut
	rest []byte
}

// next returns the next piece, which is valid until the next call, and whether
// it is the last.
func (c *chunks) next() (chunk []byte, last bool) {
	n := copy(c.buf, c.rest)
	for {
		if n == len(c.buf) {
			if n >= maxPiece {
				c.rest = nil
				return c.buf, false
			}
			c.buf = append(c.buf, make([]byte, len(c.buf))...)
		}
		got, err := c.src.Read(c.buf[n:])
		n, c.size = n+got, c.size-int64(got)
		if err != nil || c.size <= 0 {
			return c.buf[:n], true
		}
		if n < len(c.buf) {
			continue
		}
		if end := bytes.LastIndexByte(c.buf, '\n') + 1; end > 0 {
			c.rest = c.buf[end:]
			return c.buf[:end], false
		}
	}
}
