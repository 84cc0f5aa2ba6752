package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"minigem/internal/boundedfile"
)

// File is the content of a session's file after all records have been applied. It does
// not change when the file does.
type File struct {
	// Meta is the metadata; fields that the file lacks are zero.
	Meta Meta
	// Messages is the conversation, oldest first, including messages that were never
	// sent, such as warnings.
	Messages []Message
	// Finished are calls that were answered while others of their message were running.
	Finished []Finished
	// Activity is what hooks did, oldest first, as Session.Note of package session
	// wrote it.
	Activity []Raw
	// Warnings name the lines that are not usable.
	Warnings []Warning
	// Size is how many bytes were read.
	Size int64

	replaced func() [][]Message // nil if there are none
}

// Replaced returns the lists of messages that updates replaced, oldest first, each as
// it was then. Each call reads them from the file again; nil if it is gone, or if the
// File comes from [Scan]. The caller may change the result.
func (f *File) Replaced() [][]Message {
	if f.replaced == nil {
		return nil
	}
	return f.replaced()
}

// Warning names something in a file that is not usable and was skipped.
type Warning struct {
	// Path is the file.
	Path string
	// Line counts from 1.
	Line int
	// Text says what is wrong, without the path.
	Text string
}

// String returns "path:line: text".
func (w Warning) String() string { return fmt.Sprintf("%s:%d: %s", w.Path, w.Line, w.Text) }

// ErrNotSession is the error for a file that contains nothing of a session file.
var ErrNotSession = errors.New("not a session file")

// ErrNoRecords is a reason for [ErrNotSession]: the file has more than 8 MiB of lines
// that are no records. It is not read into memory then.
var ErrNoRecords = errors.New("no records")

// Read reads a session's file: JSON Lines, or the older form of one JSON object. What is
// not usable is skipped with a [Warning]; the file is not changed, and it may be open for
// writing. An error means that there is no such file, that it is not a session file
// ([ErrNotSession]), or that it is too large. A [File] keeps the results and displays of
// all calls in memory, but of no record that a later one replaced.
func Read(path string) (*File, error) { return read(path, nil) }

// Scan is [Read] for those who need little of a session. It calls keep with each message
// in the order of the file, also with those that later records replace. The File has the
// metadata, the warnings, and of a message its id, its type and the text that keep
// returned; "" leaves it without content. Memory never holds more than one record in
// addition to these.
func Scan(path string, keep func(Message) string) (*File, error) { return read(path, keep) }

// read reads a file for [Read] and [Scan].
func read(path string, keep func(Message) string) (*File, error) {
	f, size, err := openSession(path)
	if err != nil {
		return nil, fmt.Errorf("reading session file: %w", err)
	}
	defer func() { _ = f.Close() }()
	l := loader{path: path, source: f, keep: keep}
	if err := l.load(size); err != nil {
		return nil, fmt.Errorf("reading session file: %w", err)
	}
	if !l.found {
		return nil, fmt.Errorf("reading session file %s: %w", path, ErrNotSession)
	}
	return l.file(), nil
}

// ReadMeta reads the first line of a session's file. It reads the whole file only if
// that line is not metadata. Errors are those of [Read]. A file whose first line is
// whole is not read further, so that its last change and title may be older than those
// of [Read].
func ReadMeta(path string) (Meta, error) {
	f, err := boundedfile.Open(path)
	if err != nil {
		return Meta{}, fmt.Errorf("reading session file: %w", err)
	}
	line, err := bufio.NewReader(io.LimitReader(f, boundedfile.Written)).ReadString('\n')
	_ = f.Close()
	if o := parse(line); err == nil && valid(line) && o.Get("sessionId").Exists() {
		var l loader
		l.setMeta(o)
		return l.meta, nil
	}
	whole, err := Scan(path, func(Message) string { return "" })
	if err != nil {
		return Meta{}, err
	}
	return whole.Meta, nil
}

// openSession opens a file that may be a session's, at its beginning.
func openSession(path string) (f *os.File, size int64, err error) {
	if f, err = boundedfile.Open(path); err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil {
		if size = info.Size(); size > boundedfile.Recorded {
			err = boundedfile.TooLarge(path, boundedfile.Recorded)
		}
	}
	if err == nil {
		if err = checkFormat(f, size); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, size, nil
}

// maxBroken is how many bytes of a file may be in lines that are not records:
// enough for a line that was cut short by a crash. A file with more is of
// another kind and should not be read into memory.
const maxBroken = 8 << 20

// checkFormat returns an error if a file of that size is large and not a
// session file. The file is at its beginning before and after.
func checkFormat(f *os.File, size int64) error {
	if size <= maxBroken {
		return nil
	}
	r := bufio.NewReaderSize(f, 256<<10)
	broken, inLine := 0, 0 // bytes
	first, last := byte(0), byte(0)
	older := false // it may be one object in many lines
	for n := 0; ; {
		piece, err := r.ReadSlice('\n')
		inLine += len(piece)
		if text := bytes.TrimSpace(piece); len(text) > 0 {
			if last = text[len(text)-1]; first == 0 {
				first = text[0]
			}
		}
		if whole := err == nil || err == io.EOF; whole && (first != '{' || last != '}') || !whole && first != '{' {
			broken += inLine
			inLine = 0
		}
		older = older || n == 0 && err == nil && last != '}' && first == '{'
		switch {
		case broken > maxBroken && older:
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				return err
			}
			return boundedfile.LookAtJSON(f, size)
		case broken > maxBroken:
			return fmt.Errorf("%w: %d MiB of it are %w", ErrNotSession, broken>>20, ErrNoRecords)
		case err == io.EOF:
			_, err := f.Seek(0, io.SeekStart)
			return err
		case err == nil:
			n, inLine, first, last = n+1, 0, 0, 0
		case err != bufio.ErrBufferFull:
			return err
		}
	}
}
