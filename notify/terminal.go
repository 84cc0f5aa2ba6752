package notify

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"minigem/internal/text"
)

// Method is how to notify a terminal, spelled as in the setting
// "general.notificationMethod".
type Method string

// The methods.
const (
	// Auto is chosen by the kind of terminal, see [Detect]. The zero Method means the
	// same.
	Auto Method = "auto"
	// OSC9 is iTerm2's escape sequence; it has one text.
	OSC9 Method = "osc9"
	// OSC777 is the sequence of rxvt, Ghostty and others; it has a title and a text.
	OSC777 Method = "osc777"
	// Bell is the control character BEL, without a text.
	Bell Method = "bell"
)

// ParseMethod reads a [Method]; the empty string is [Auto]. The error lists the methods.
func ParseMethod(s string) (Method, error) {
	switch m := Method(s); m {
	case "":
		return Auto, nil
	case Auto, OSC9, OSC777, Bell:
		return m, nil
	}
	return "", fmt.Errorf("unknown notification method %q: use auto, osc9, osc777 or bell", s)
}

// Multiplexer is a program between minigem and the terminal that swallows sequences it
// does not know, unless they are wrapped.
type Multiplexer string

// The multiplexers that are known.
const (
	// sequences are written as they are
	NoMultiplexer Multiplexer = ""
	// sequences are wrapped in a DCS of tmux, which needs its option allow-passthrough
	Tmux Multiplexer = "tmux"
	// sequences are wrapped in a DCS of GNU screen
	Screen Multiplexer = "screen"
)

// Detect reads from the environment which method the terminal supports, and which
// multiplexer it runs in. lookup is [os.LookupEnv] or like it. A terminal that is not
// known gets [OSC777], which most ignore if they do not support it. It never returns
// [Auto].
func Detect(lookup func(name string) (string, bool)) (Method, Multiplexer) {
	get := func(name string) string { v, _ := lookup(name); return v }
	through := NoMultiplexer
	switch {
	case get("TMUX") != "":
		through = Tmux
	case get("STY") != "":
		through = Screen
	}
	program := get("TERM_PROGRAM")
	switch {
	case program == "iTerm.app", get("LC_TERMINAL") == "iTerm2":
		return OSC9, through
	case program == "Apple_Terminal", program == "vscode", get("WT_SESSION") != "",
		get("ALACRITTY_WINDOW_ID") != "", strings.HasPrefix(get("TERM"), "alacritty"):
		return Bell, through
	}
	return OSC777, through
}

// Widths in columns (cli/utils/terminalNotifications.ts).
const (
	titleWidth    = 48
	subtitleWidth = 64
	bodyWidth     = 180
)

// Terminal is a [Sink] that writes to a terminal. It is as safe for concurrent use as
// Out: each alert is one Write.
type Terminal struct {
	// Out is the terminal; required.
	Out io.Writer
	// Method says which sequence to write. [Auto] is not detected here but means
	// [OSC777].
	Method Method
	// Through is the multiplexer to pass.
	Through Multiplexer
}

// NewTerminal returns a [Terminal] of the given method; it detects the multiplexer, and
// the method for [Auto]. lookup reads the environment, as [os.LookupEnv] does.
func NewTerminal(out io.Writer, m Method, lookup func(name string) (string, bool)) *Terminal {
	detected, through := Detect(lookup)
	if m == Auto || m == "" {
		m = detected
	}
	return &Terminal{Out: out, Method: m, Through: through}
}

// Alert writes one sequence in a single Write. Errors are ignored. Alert does not look
// at ctx: it blocks while the terminal takes nothing.
func (t *Terminal) Alert(_ context.Context, a Alert) {
	_, _ = io.WriteString(t.Out, t.sequence(a))
}

// sequence returns what to write for a. A semicolon would begin the next field of OSC
// 777, so it becomes a colon there.
func (t *Terminal) sequence(a Alert) string {
	title, subtitle, body := clean(a.Title, titleWidth), clean(a.Subtitle, subtitleWidth), clean(a.Body, bodyWidth)
	switch t.Method {
	case Bell:
		return "\a" // multiplexers pass it on unchanged
	case OSC9:
		text := joined(title, subtitle, body)
		if text != "" && text[0] >= '0' && text[0] <= '9' {
			text = " " + text // some terminals take a leading number for another command
		}
		return t.wrap("\x1b]9;" + text + "\a")
	}
	field := func(s string) string { return strings.ReplaceAll(s, ";", ":") }
	return t.wrap("\x1b]777;notify;" + field(title) + ";" + field(joined(subtitle, body)) + "\a")
}

// joined joins the texts that are not empty with a bar.
func joined(texts ...string) string {
	var parts []string
	for _, s := range texts {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " | ")
}

// wrap wraps a sequence so that the multiplexer passes it on.
func (t *Terminal) wrap(s string) string {
	switch t.Through {
	case Tmux:
		return "\x1bPtmux;" + strings.ReplaceAll(s, "\x1b", "\x1b\x1b") + "\x1b\\"
	case Screen:
		return "\x1bP" + s + "\x1b\\"
	}
	return s
}

// clean makes one line of a text that may contain anything, cut to a width.
func clean(s string, width int) string {
	return ansi.Truncate(text.Line(s), width, "…")
}
