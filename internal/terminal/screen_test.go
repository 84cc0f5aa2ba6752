package terminal

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"

	"minigem/agent/event"
)

// sized makes a screen of the given size that writes to out.
func sized(out *strings.Builder, columns, rows *int) *screen {
	return &screen{out: out, size: func() (int, int) { return *columns, *rows }, reflows: true}
}

func fixed(f frame) drawing { return func(int, int) frame { return f } }

// TestScreenWrites checks that text goes above the frame, and that a change of the
// frame writes only the difference.
func TestScreenWrites(t *testing.T) {
	t.Parallel()
	columns, rows := 40, 10
	for _, c := range []struct {
		name string
		do   func(s *screen)
		want string // after a frame of "one" and "two", with the cursor after "one"
	}{
		{"nothing new", func(s *screen) { s.show(fixed(frame{rows: []string{"one", "two"}, col: 3})) }, ""},
		{"the cursor", func(s *screen) { s.show(fixed(frame{rows: []string{"one", "two"}, row: 1, col: 1})) }, "\r\x1b[1B\x1b[1C"},
		{"one row", func(s *screen) { s.show(fixed(frame{rows: []string{"one", "2"}, row: 0, col: 3})) }, "\r\x1b[1B2\x1b[K\r\x1b[1A\x1b[3C"},
		{"a row more", func(s *screen) { s.show(fixed(frame{rows: []string{"one", "two", "six"}, row: 2, col: 3})) }, "\r\x1b[1B\n\rsix\r\x1b[3C"},
		{"a row less", func(s *screen) { s.show(fixed(frame{rows: []string{"one"}, col: 3})) }, "\r\x1b[1B\x1b[J\r\x1b[1A\x1b[3C"},
		{"no frame", func(s *screen) { s.show(nil) }, "\r\x1b[J"},
		{"text above", func(s *screen) { s.lines("text") }, "\r\x1b[Jtext\n\rone\x1b[K\n\rtwo\r\x1b[1A\x1b[3C"},
		{"half a line above", func(s *screen) { s.write("text") }, "\r\x1b[Jtext"},
		{"the rest of it", func(s *screen) { s.write("te"); s.write("xt\n") }, "\r\x1b[Jtext\n\rone\x1b[K\n\rtwo\r\x1b[1A\x1b[3C"},
		{"it stays as text", func(s *screen) { s.commit("one two\n") }, "\r\x1b[Jone two\n"},
		{"another program", func(s *screen) { s.yield(true); s.redraw(); s.yield(false) }, "\r\x1b[J\rone\x1b[K\n\rtwo\r\x1b[1A\x1b[3C"},
	} {
		var out strings.Builder
		s := sized(&out, &columns, &rows)
		s.show(fixed(frame{rows: []string{"one", "two"}, col: 3}))
		out.Reset()
		c.do(s)
		assert.Equal(t, c.want, out.String(), c.name)
	}
}

// TestScreenAfterAResize checks that all rows of a frame are erased on a terminal that
// rewraps it into more rows.
func TestScreenAfterAResize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reflows bool
		want    string
	}{{true, "\r\x1b[4A\x1b[J\rnew\x1b[K\r\x1b[3C"}, {false, "\r\x1b[1A\x1b[J\rnew\x1b[K\r\x1b[3C"}} {
		var out strings.Builder
		columns, rows := 40, 10
		s := sized(&out, &columns, &rows)
		s.reflows = c.reflows
		s.show(fixed(frame{rows: []string{strings.Repeat("x", 30), strings.Repeat("y", 15)}, row: 1, col: 15}))
		out.Reset()
		columns = 12 // three rows of x, two of y, the cursor in the last one
		s.live = fixed(frame{rows: []string{"new"}, col: 3})
		s.redraw()
		assert.Equal(t, c.want, out.String())
	}
}

// TestTypewriter checks that a dumb terminal is sent no sequences.
func TestTypewriter(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	columns, rows := 40, 10
	s := sized(&out, &columns, &rows)
	s.dumb = true
	for _, flat := range []string{"> ", "> h", "> hi 漢", "> hi", "> hello"} {
		s.show(fixed(frame{rows: []string{"not this"}, flat: flat}))
	}
	s.lines("printed meanwhile") // ^O at the prompt
	s.show(fixed(frame{flat: "> hello!"}))
	s.lines("\nand more")
	s.commit("> hello!\n")
	s.lines("text")
	assert.Equal(t, "> hi 漢\b\b\b   \b\b\b\n> hello\nprinted meanwhile\n> hello!\nand more\n> hello!\ntext\n", out.String())
}

// TestDrafts checks where the text breaks and where the cursor is. In the wanted text
// the cursor is a bar.
func TestDrafts(t *testing.T) {
	t.Parallel()
	label := func(rune) string { return "[pasted]" }
	for _, c := range []struct {
		name, line string
		cursor     int
		width      int
		want       string
	}{
		{"empty", "", 0, 20, "> |"},
		{"short", "hello", 5, 20, "> hello|"},
		{"in the middle", "hello", 2, 20, "> he|llo"},
		{"as wide as there is room", "1234567", 7, 10, "> 1234567|"},
		{"one more", "12345678", 8, 10, "> 1234567\n8|"},
		{"the cursor at the break", "12345678", 7, 10, "> 1234567\n|8"},
		{"wide characters", "漢字漢字", 12, 10, "> 漢字漢\n字|"},
		{"letters of several characters", "👩\u200d💻x", 11, 20, "> 👩\u200d💻|x"},
		{"marks without a width", "e\u0301x", 3, 20, "> e\u0301|x"},
		{"lines", "one" + string(newlineMark) + "two", 6, 20, "> one\n… |two"},
		{"a paste", "see " + string(firstPaste) + "!", 8, 20, "> see [pasted]|!"},
		{"a paste that breaks", "1234567" + string(firstPaste), 11, 10, "> 1234567\n[pasted]|"},
	} {
		f := draft{mark: promptMark, more: moreMark, line: c.line, cursor: c.cursor, label: label}.frame(c.width, 10)
		at := f.rows[f.row]
		left := ansi.Truncate(at, f.col, "")
		f.rows[f.row] = left + "|" + strings.TrimPrefix(at, left)
		assert.Equal(t, c.want, strings.Join(f.rows, "\n"), c.name)
		for _, row := range f.rows {
			assert.LessOrEqual(t, ansi.StringWidth(strings.ReplaceAll(row, "|", "")), c.width-1, c.name)
		}
	}
}

// TestMemoryIsFlat checks that nothing shown is kept except the answer itself, which
// /copy needs, and that streaming does not slow down as an answer grows.
func TestMemoryIsFlat(t *testing.T) { // not parallel: it measures memory
	for _, c := range []struct{ name, line string }{
		{"paragraphs", "This is line %d, which is a paragraph of its own.\n\n"},
		{"one paragraph", "This is line %d of one paragraph.\n"},
		{"code", "    x := call(%d)\n"},
		{"a table", "| a cell | %d |\n"},
	} {
		written := 0
		terminal := &Terminal{keys: newKeyboard(nil, false)}
		terminal.screen = &screen{out: counting{&written}, size: func() (int, int) { return 80, 24 }}
		v := NewView(terminal, true)
		v.answer.width = func() int { return 80 }
		heap := func() int64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc)
		}
		if c.name == "code" {
			v.Emit(event.TextDelta{Text: "```go\n"})
		}
		var after [2]int64
		for i := range 10_000 {
			v.Emit(event.TextDelta{Text: fmt.Sprintf(c.line, i)})
			if i == 999 {
				after[0] = heap()
			}
		}
		after[1] = heap()
		t.Logf("%s: %d KiB more after 10,000 lines than after 1,000, of an answer of %d KiB", c.name, (after[1]-after[0])>>10, v.round.Len()>>10)
		answer := int64(10_000 * (len(c.line) + 2))
		assert.Less(t, after[1]-after[0], 4*answer+256<<10, c.name)
		if c.name != "a table" { // a table's widths are only known at its end
			assert.Greater(t, written, 10_000*10, c.name)
		}
		runtime.KeepAlive(v)
	}
}

type counting struct{ n *int }

func (c counting) Write(b []byte) (int, error) {
	*c.n += len(b)
	return len(b), nil
}
