package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"minigem/internal/boundedfile"

	"github.com/tidwall/gjson"
)

// File is the content of a session's file after all records have been applied.
type File struct {
	Meta     Meta
	Messages []Message
	Finished []Finished // calls that were answered while others of their message were running
	Activity []Raw      // activity of hooks, oldest first
	Warnings []Warning
	Size     int64 // bytes read

	replaced [][]entry
	exact    map[string]string
}

// Replaced are the lists of messages that updates replaced, oldest first, each as
// it was then. They are decoded anew at each call.
func (f *File) Replaced() [][]Message {
	out := make([][]Message, len(f.replaced))
	for i, entries := range f.replaced {
		out[i] = (&loader{entries: entries, exact: f.exact}).messages()
	}
	return out
}

// Warning names something in a file that is not usable.
type Warning struct {
	Path string
	Line int // from 1
	Text string
}

func (w Warning) String() string { return fmt.Sprintf("%s:%d: %s", w.Path, w.Line, w.Text) }

// ErrNotSession: the file contains nothing of a session file.
var ErrNotSession = errors.New("not a session file")

// ErrNoRecords: besides, the file is large and holds lines of nobody's session.
var ErrNoRecords = errors.New("no records")

// Read reads a session's file: JSON Lines, or the older form of one JSON
// object. What is not usable is skipped with a [Warning]; the file is not
// changed. An error means that there is no file, or that it is not a session
// file ([ErrNotSession]). A [File] may keep the whole file in memory, because
// results and displays are decoded only when asked for.
func Read(path string) (*File, error) {
	text, err := slurp(path)
	if err != nil {
		return nil, fmt.Errorf("reading session file: %w", err)
	}
	l := loader{path: path}
	l.load(text)
	if !l.found {
		return nil, fmt.Errorf("reading session file %s: %w", path, ErrNotSession)
	}
	file := l.file()
	file.Size = int64(len(text))
	return file, nil
}

// ReadMeta reads the first line of a session's file. Only if that line is not
// metadata it reads the whole file.
func ReadMeta(path string) (Meta, error) {
	f, err := boundedfile.Open(path)
	if err != nil {
		return Meta{}, fmt.Errorf("reading session file: %w", err)
	}
	line, err := bufio.NewReader(io.LimitReader(f, boundedfile.Written)).ReadString('\n')
	_ = f.Close()
	if o := parse(line); err == nil && new(checker).valid(line) && o.Get("sessionId").Exists() {
		var l loader
		l.setMeta(o)
		return l.meta, nil
	}
	whole, err := Read(path)
	if err != nil {
		return Meta{}, err
	}
	return whole.Meta, nil
}

// slurp reads a file into a string without copying it twice.
func slurp(path string) (string, error) {
	f, err := boundedfile.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err == nil && info.Size() > boundedfile.Recorded {
		err = boundedfile.TooLarge(path, boundedfile.Recorded)
	}
	if err == nil {
		if err = checkFormat(f, info.Size()); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.Grow(int(info.Size()) + 1)
	// This buffer fits into the processor's cache. os.File would use a small
	// one of its own.
	if _, err := io.CopyBuffer(&b, struct{ io.Reader }{io.LimitReader(f, boundedfile.Recorded)},
		make([]byte, 256<<10)); err != nil {
		return "", err
	}
	return b.String(), nil
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
		switch {
		case n == 0 && err == nil && last != '}' && first == '{': // the older form, one object in many lines
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

// entry is a message that is not decoded yet.
type entry struct {
	id  string
	raw string
}

// loader applies records in order. It decodes messages at the end, because
// later records replace most messages of a long session.
type loader struct {
	path     string
	found    bool
	meta     Meta
	entries  []entry
	index    map[string]int
	exact    map[string]string
	replaced [][]entry
	finished []Finished
	activity []Raw
	warnings []Warning
}

func (l *loader) load(text string) {
	l.index, l.exact = map[string]int{}, map[string]string{}
	if l.loadWhole(text) {
		return
	}
	n := 0
	for _, piece := range checkLines(text) {
		for _, line := range piece {
			n++
			switch line.fault {
			case blank:
			case sound:
				l.record(n, line.text)
			default:
				l.warn(n, faultTexts[line.fault])
			}
		}
	}
}

func (l *loader) warn(line int, text string) {
	l.warnings = append(l.warnings, Warning{l.path, line, text})
}

// loadWhole reads the older form: the whole file is one object.
func (l *loader) loadWhole(text string) bool {
	var c checker
	first, _, _ := strings.Cut(text, "\n")
	if c.valid(first) && strings.TrimSpace(first) != "" && !strings.HasSuffix(l.path, ".json") {
		return false
	}
	if !c.valid(text) {
		return false
	}
	o := parse(text)
	if !o.Get("messages").IsArray() {
		return false
	}
	l.setMeta(o)
	l.replaceAll(1, o.Get("messages"))
	return true
}

func (l *loader) record(n int, line string) {
	o := parse(line)
	var id, set, rewind, ours gjson.Result
	isMeta := false
	o.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "id":
			id = value
		case "$set":
			set = value
		case "$rewindTo":
			rewind = value
		case "sessionId":
			isMeta = true
		case "minigem":
			ours = value
		}
		// The id comes first in a message: its large values are not read.
		return id.Str == ""
	})
	switch {
	case id.Str != "":
		l.put(n, id.Str, o)
	case set.IsObject():
		l.update(n, set)
	case rewind.Type == gjson.String:
		l.rewind(n, rewind.Str)
	case isMeta:
		l.setMeta(o)
	case ours.IsObject():
		l.ours(n, ours)
	default:
		l.warn(n, "unknown record, skipped")
	}
}

func (l *loader) put(n int, id string, o gjson.Result) {
	if t := o.Get("type"); t.Type != gjson.String {
		l.warn(n, "message without a type, skipped")
		return
	}
	l.found = true
	if i, ok := l.index[id]; ok {
		l.entries[i].raw = o.Raw
		return
	}
	l.index[id] = len(l.entries)
	l.entries = append(l.entries, entry{id: id, raw: o.Raw})
}

func (l *loader) replaceAll(n int, messages gjson.Result) {
	l.entries, l.index = nil, map[string]int{}
	messages.ForEach(func(_, m gjson.Result) bool {
		if id := m.Get("id"); id.Type == gjson.String && id.Str != "" {
			l.put(n, id.Str, m)
		} else {
			l.warn(n, "message without an id, skipped")
		}
		return true
	})
	l.found = true
}

func (l *loader) update(n int, set gjson.Result) {
	l.setMeta(set)
	if m := set.Get("messages"); m.IsArray() {
		if len(l.entries) > 0 {
			l.replaced = append(l.replaced, l.entries)
		}
		l.replaceAll(n, m)
	} else if m.Exists() {
		l.warn(n, `"messages" is not a list, skipped`)
	}
}

func (l *loader) rewind(n int, id string) {
	i, ok := l.index[id]
	if !ok {
		l.warn(n, "rewinds to a message that is not there, skipped")
		return
	}
	for _, e := range l.entries[i:] {
		delete(l.index, e.id)
	}
	l.entries = l.entries[:i]
}

// setMeta applies the metadata in o. The first start time stays: Gemini CLI
// writes another metadata record when it resumes within the same minute.
func (l *loader) setMeta(o gjson.Result) {
	o.ForEach(func(key, v gjson.Result) bool {
		l.found = l.found || key.Str == "sessionId"
		switch key.Str {
		case "sessionId":
			l.meta.SessionID = text(v)
		case "projectHash":
			l.meta.ProjectHash = text(v)
		case "startTime":
			if l.meta.StartTime.IsZero() {
				l.meta.StartTime = parseTime(v.Str)
			}
		case "lastUpdated":
			l.meta.LastUpdated = parseTime(v.Str)
		case "kind":
			l.meta.Kind = text(v)
		case "summary":
			l.meta.Summary = text(v)
		case "directories":
			l.meta.Directories = nil
			for _, d := range v.Array() {
				l.meta.Directories = append(l.meta.Directories, text(d))
			}
		}
		return true
	})
}

func (l *loader) ours(n int, o gjson.Result) {
	switch {
	case o.Get("message").IsObject():
		l.exact[o.Get("message.id").String()] = o.Get("message.parts").Raw
	case o.Get("toolCall.call").IsObject():
		l.finished = append(l.finished, Finished{text(o.Get("toolCall.id")), decodeCall(o.Get("toolCall.call").Raw)})
	case o.Get("hook").Exists():
		l.activity = append(l.activity, Raw(o.Get("hook").Raw))
	default:
		l.warn(n, "unknown record of minigem's, skipped")
	}
}

func (l *loader) file() *File {
	f := &File{Meta: l.meta, Messages: l.messages(), Finished: l.finished, Activity: l.activity, Warnings: l.warnings}
	if len(l.replaced) > 0 {
		f.replaced, f.exact = l.replaced, l.exact
	}
	if f.Meta.SessionID == "" {
		f.Warnings = append(f.Warnings, Warning{l.path, 1, "the session's id is missing"})
	}
	return f
}

// messages decodes the entries.
func (l *loader) messages() []Message {
	if len(l.entries) == 0 {
		return nil
	}
	out := make([]Message, len(l.entries))
	const batch = 64
	parallel((len(out)+batch-1)/batch, func() func(int) {
		return func(n int) {
			for i := n * batch; i < min((n+1)*batch, len(out)); i++ {
				out[i] = l.message(l.entries[i])
			}
		}
	})
	return out
}

func (l *loader) message(e entry) Message {
	m := decodeMessage(e.raw)
	m.ID = e.id // the first one, if a record has two
	if raw, ok := l.exact[e.id]; ok {
		m.Exact = decodeContent(raw)
	}
	return m
}
