package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"minigem/internal/trust"
	"minigem/llm"
	"minigem/session"
	"minigem/transcript"
)

func sessionsShowCommand(sys *system) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show SESSION",
		Short: "Print what was said and done in a session",
		Long: `Prints a session: who said what, and the calls of tools with how they ended.
Control characters are shown as question marks; --json leaves them in.`,
		Example: "  minigem sessions show latest\n  minigem sessions show 3 --json | jq -r '.messages[] | select(.type == \"user\") | .text'",
		Args:    withUsage(sys, cobra.ExactArgs(1), "needs the number or the id of one session, or latest"),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := openSaved(sys, &flags{})
			if err != nil {
				return err
			}
			info, err := session.Find(s.project, args[0])
			if err != nil {
				return exitf(exitInput, "showing session: %w", err)
			}
			f, err := transcript.Read(info.Path)
			if err != nil {
				return fmt.Errorf("showing session %s: %w", info.ID, err)
			}
			shown := show(info, f)
			for _, w := range f.Warnings {
				fmt.Fprintf(sys.Stderr, "[WARNING] %s\n", w)
			}
			if asJSON {
				return writeJSON(sys.Stdout, shown)
			}
			return s.write(shown)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "for programs")
	return cmd
}

// shownSession is a session for people and programs: the file itself has more.
type shownSession struct {
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
	Calls []shownCall     `json:"calls,omitempty"`
}

type shownCall struct {
	Name   string         `json:"name"`
	Args   map[string]any `json:"args"`
	Status string         `json:"status"`
}

func show(info session.Info, f *transcript.File) shownSession {
	out := shownSession{info.ID, info.Title, info.Started, info.Updated, info.Path, []shownMessage{}}
	for _, m := range f.Messages {
		one := shownMessage{Type: m.Type, Time: m.Timestamp.Time, Model: m.Model, Text: llm.PartsText(m.Content.Parts)}
		for _, c := range m.ToolCalls {
			one.Calls = append(one.Calls, shownCall{c.Name, c.Args, c.Status})
		}
		// The preamble, and messages that hold results alone, tell nothing here.
		if m.ID != transcript.PreambleID && (one.Text != "" || one.Calls != nil) {
			out.Messages = append(out.Messages, one)
		}
	}
	return out
}

func (s *savedSessions) write(shown shownSession) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s, %s\n%s\n", trust.Printable(shown.Title), shown.ID, ago(s.sys.Now().Sub(shown.Updated)), s.shorten(shown.File))
	for _, m := range shown.Messages {
		fmt.Fprintf(&b, "\n%s  %s\n", m.Type, m.Time.Local().Format(time.DateTime))
		for line := range strings.Lines(m.Text) {
			line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
			b.WriteString(strings.TrimRight("  "+trust.Printable(line), " ") + "\n")
		}
		for _, c := range m.Calls {
			args, err := json.Marshal(c.Args)
			if err != nil {
				return fmt.Errorf("showing the arguments of %s: %w", c.Name, err)
			}
			fmt.Fprintf(&b, "  * %s %s: %s\n", c.Name, trust.Printable(string(args)), c.Status)
		}
	}
	_, err := io.WriteString(s.sys.Stdout, b.String())
	return err
}
