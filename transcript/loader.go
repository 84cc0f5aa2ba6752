package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"minigem/internal/boundedfile"
	"minigem/llm"
)

// span is the position of a JSON value in a file.
type span struct {
	at   int64
	size int
}

// entry is a message that is not decoded yet, or what keep left of it.
type entry struct {
	id   string
	at   span
	kind Type
	text string
}

// loader applies records in order. It decodes messages at the end, because
// later records replace most messages of a long session.
type loader struct {
	path   string
	source io.ReaderAt
	keep   func(Message) string // see [Scan]; nil keeps everything

	// offset of the current record
	base     int64
	found    bool
	meta     Meta
	entries  []entry
	index    map[string]int
	exact    map[string]span
	replaced [][]entry
	finished []Finished
	activity []Raw
	warnings []Warning
	size     int64
}

// load reads so many bytes of the source.
func (l *loader) load(size int64) error {
	l.index, l.exact, l.size = map[string]int{}, map[string]span{}, size
	older := strings.HasSuffix(l.path, ".json") && l.loadWhole()
	if older {
		return nil
	}
	err := l.lines()
	if err == nil && !l.found {
		warnings := l.warnings
		if l.warnings = nil; !l.loadWhole() {
			l.warnings = warnings
		}
	}
	return err
}

// lines reads JSON Lines.
func (l *loader) lines() error {
	r := bufio.NewReaderSize(io.NewSectionReader(l.source, 0, l.size), 256<<10)
	var whole []byte // reused
	for n, next := 1, int64(0); next < l.size; n++ {
		whole = whole[:0]
		err := bufio.ErrBufferFull
		for errors.Is(err, bufio.ErrBufferFull) {
			var piece []byte
			piece, err = r.ReadSlice('\n')
			whole = append(whole, piece...)
		}
		if err != nil && err != io.EOF {
			return err
		}
		text := string(bytes.TrimSpace(whole))
		l.base = next + int64(len(whole)-len(bytes.TrimLeftFunc(whole, unicode.IsSpace)))
		next += int64(len(whole))
		switch {
		case text == "":
		case !valid(text) && next == l.size:
			l.warn(n, "the last record was cut short, skipped")
		case !valid(text):
			l.warn(n, "broken record, skipped")
		case text[0] != '{':
			l.warn(n, "not a JSON object, skipped")
		default:
			l.record(n, text)
		}
	}
	return nil
}

// warn notes that a line, counted from 1, is not usable.
func (l *loader) warn(line int, text string) {
	l.warnings = append(l.warnings, Warning{l.path, line, text})
}

// loadWhole reads the older form: the whole file is one object.
func (l *loader) loadWhole() bool {
	l.base = 0
	o := parse(new(decoder).read(l.source, span{0, int(l.size)}))
	if !o.Get("messages").IsArray() {
		return false
	}
	l.setMeta(o)
	l.replaceAll(1, o.Get("messages"))
	return true
}

// record applies one line, by the key that tells its kind.
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

// put adds a message, or replaces the one with its id at its place.
func (l *loader) put(n int, id string, o gjson.Result) {
	if t := o.Get("type"); t.Type != gjson.String {
		l.warn(n, "message without a type, skipped")
		return
	}
	l.found = true
	e := entry{id: strings.Clone(id), at: l.span(o)} // the id alone, not its line
	id = e.id
	if l.keep != nil {
		m := decodeMessage(o.Raw)
		m.ID = id
		e.kind, e.text = m.Type, l.keep(m)
	}
	if i, ok := l.index[id]; ok {
		l.entries[i] = e
		return
	}
	l.index[id] = len(l.entries)
	l.entries = append(l.entries, e)
}

// span returns where r is, a value of the current record.
func (l *loader) span(r gjson.Result) span { return span{l.base + int64(r.Index), len(r.Raw)} }

// replaceAll replaces the list of messages.
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

// update applies a Set: metadata first, then the list of messages.
func (l *loader) update(n int, set gjson.Result) {
	l.setMeta(set)
	if m := set.Get("messages"); m.IsArray() {
		if len(l.entries) > 0 && l.keep == nil {
			l.replaced = append(l.replaced, l.entries)
		}
		l.replaceAll(n, m)
	} else if m.Exists() {
		l.warn(n, `"messages" is not a list, skipped`)
	}
}

// rewind drops the message with the id and all after it.
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

// ours applies a record that only minigem writes.
func (l *loader) ours(n int, o gjson.Result) {
	switch {
	case l.keep != nil:
	case o.Get("message").IsObject():
		l.exact[strings.Clone(o.Get("message.id").String())] = l.span(o.Get("message.parts"))
	case o.Get("toolCall.call").IsObject():
		l.finished = append(l.finished, Finished{text(o.Get("toolCall.id")), decodeCall(o.Get("toolCall.call").Raw)})
	case o.Get("hook").Exists():
		l.activity = append(l.activity, Raw(strings.Clone(o.Get("hook").Raw)))
	default:
		l.warn(n, "unknown record of minigem's, skipped")
	}
}

// file returns the result of all records, with the messages decoded.
func (l *loader) file() *File {
	f := &File{
		Meta: l.meta, Messages: l.messages(l.source, l.entries), Finished: l.finished, Activity: l.activity,
		Warnings: l.warnings, Size: l.size,
	}
	if len(l.replaced) > 0 {
		f.replaced = l.replacedLists
	}
	if f.Meta.SessionID == "" {
		f.Warnings = append(f.Warnings, Warning{l.path, 1, "the session's id is missing"})
	}
	return f
}

// replacedLists opens the file again.
func (l *loader) replacedLists() (out [][]Message) {
	f, err := boundedfile.Open(l.path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	for _, entries := range l.replaced {
		out = append(out, l.messages(f, entries))
	}
	return out
}

// messages decodes entries.
func (l *loader) messages(source io.ReaderAt, entries []entry) []Message {
	if len(entries) == 0 {
		return nil
	}
	out := make([]Message, len(entries))
	const batch = 64
	parallel((len(out)+batch-1)/batch, func() func(int) {
		var d decoder
		return func(n int) {
			for i := n * batch; i < min((n+1)*batch, len(out)); i++ {
				out[i] = l.message(&d, source, entries[i])
			}
		}
	})
	return out
}

// message decodes the message at e, or returns what keep left of it.
func (l *loader) message(d *decoder, source io.ReaderAt, e entry) Message {
	m := Message{Type: e.kind}
	if e.text != "" {
		m.Content.Parts = []llm.Part{llm.Text{Text: e.text}}
	}
	if l.keep != nil {
		m.ID = e.id
		return m
	}
	if raw := d.read(source, e.at); strings.HasPrefix(raw, "{") {
		m = decodeMessage(raw)
	}
	m.ID = e.id // the first one, if a record has two
	if at, ok := l.exact[e.id]; ok {
		m.Exact = decodeContent(d.read(source, at))
	}
	return m
}

// decoder reads values of a file again. It is not safe for concurrent use; the zero
// decoder is ready.
type decoder struct {
	buf []byte // reused
}

// read returns the value at s; "" if it is not JSON any more, because the file was
// changed meanwhile.
func (d *decoder) read(source io.ReaderAt, s span) string {
	if cap(d.buf) < s.size {
		d.buf = make([]byte, s.size)
	}
	n, _ := source.ReadAt(d.buf[:s.size], s.at)
	if text := string(d.buf[:n]); n == s.size && valid(text) {
		return text
	}
	return ""
}
