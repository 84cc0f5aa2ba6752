package listing

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"minigem/internal/app"
	"minigem/internal/output"
	"minigem/internal/text"
	"minigem/llm"
	"minigem/session"
	"minigem/transcript"
)

// ListedSession is a session in the form for programs.
type ListedSession struct {
	Index    int       `json:"index"`
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Started  time.Time `json:"started"`
	Updated  time.Time `json:"updated"`
	Messages int       `json:"messages"`
	File     string    `json:"file"`
}

// TitleOf returns the title of a session for display.
func TitleOf(i session.Info) string { return text.VisibleLine(cmp.Or(i.Title, "(no text)")) }

// ShownSession is a session for people and programs. It has less than the file.
type ShownSession struct {
	ID       string         `json:"id"`
	Title    string         `json:"title"`
	Started  time.Time      `json:"started"`
	Updated  time.Time      `json:"updated"`
	File     string         `json:"file"`
	Messages []shownMessage `json:"messages"`
}

type shownMessage struct {
	Type  transcript.Type `json:"type"`
	Time  time.Time       `json:"timestamp"`
	Model string          `json:"model,omitempty"`
	Text  string          `json:"text,omitempty"`
	Calls []ShownCall     `json:"calls,omitempty"`
}

// ShownCall is a tool call in a [ShownSession].
type ShownCall struct {
	Name   string         `json:"name"`
	Args   map[string]any `json:"args"`
	Status string         `json:"status"`
}

// ShowSession extracts a ShownSession from a session and its file.
func ShowSession(info session.Info, f *transcript.File) ShownSession {
	out := ShownSession{info.ID, info.Title, info.Started, info.Updated, info.Path, []shownMessage{}}
	for _, m := range f.Messages {
		one := shownMessage{Type: m.Type, Time: m.Timestamp.Time, Model: m.Model, Text: llm.PartsText(m.Content.Parts)}
		for _, c := range m.ToolCalls {
			one.Calls = append(one.Calls, ShownCall{c.Name, c.Args, c.Status})
		}
		// The preamble, and messages with only results, are not shown.
		if m.ID != transcript.PreambleID && (one.Text != "" || one.Calls != nil) {
			out.Messages = append(out.Messages, one)
		}
	}
	return out
}

// WriteSession writes a session for people.
func WriteSession(w io.Writer, c *app.Configuration, now time.Time, shown ShownSession) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s, %s\n%s\n", text.VisibleLine(shown.Title), shown.ID, output.Ago(now.Sub(shown.Updated)),
		c.Shorten(shown.File))
	for _, m := range shown.Messages {
		fmt.Fprintf(&b, "\n%s  %s\n", m.Type, m.Time.Local().Format(time.DateTime))
		for line := range strings.Lines(m.Text) {
			line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
			b.WriteString(strings.TrimRight("  "+text.VisibleLine(line), " ") + "\n")
		}
		for _, call := range m.Calls {
			args, err := json.Marshal(call.Args)
			if err != nil {
				return fmt.Errorf("showing the arguments of %s: %w", call.Name, err)
			}
			fmt.Fprintf(&b, "  * %s %s: %s\n", call.Name, text.VisibleLine(string(args)), call.Status)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
