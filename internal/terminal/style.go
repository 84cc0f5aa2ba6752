package terminal

import (
	"strconv"
	"strings"
	"sync/atomic"
)

// style colours our own text, unless the user wants no colours (NO_COLOR) or
// the terminal has none.
type style struct {
	plain, dumb bool
	many        bool         // the terminal has 256 colours
	light       *atomic.Bool // the background is light; nil means dark
}

// styleFor reads the terminal's properties from the environment. theme is "light",
// "dark" or empty. known reports whether theme or the environment gives the background.
func styleFor(getenv func(string) string, theme string) (_ style, known bool) {
	term := getenv("TERM")
	s := style{
		plain: term == "dumb" || getenv("NO_COLOR") != "",
		dumb:  term == "dumb",
		many:  strings.Contains(term, "256color") || getenv("COLORTERM") != "",
		light: &atomic.Bool{},
	}
	// COLORFGBG is "15;0" or "15;default;0": the background comes last.
	_, background, _ := strings.Cut(getenv("COLORFGBG"), ";")
	number, err := strconv.Atoi(background[strings.LastIndexByte(background, ';')+1:])
	s.light.Store(theme == "light" || theme == "" && err == nil && (number == 7 || number == 15))
	return s, theme != "" || err == nil
}

// Background returns the background that a theme is made for, "light" or "dark", given
// its name here or in Gemini CLI (cli/ui/themes/theme-manager.ts). It is empty if the
// name is empty or "auto".
func Background(theme string) string {
	name := strings.ToLower(theme)
	switch {
	case name == "google code", name == "xcode", strings.HasSuffix(name, "light"):
		return "light"
	case name == "", name == "auto":
		return ""
	}
	return "dark"
}

// Colours that differ by background. The terminal's own sixteen are made for a dark
// one: yellow and cyan vanish on white.
type colour struct{ dark, light, lightOf256 string }

var (
	red    = colour{"31", "31", "38;5;124"}
	green  = colour{"32", "32", "38;5;28"}
	yellow = colour{"33", "35", "38;5;94"}
	cyan   = colour{"36", "34", "38;5;24"}
	purple = colour{"35", "35", "38;5;90"}

	colours = []colour{red, green, yellow, cyan, purple}
)

func (s style) paint(c colour, text string) string {
	switch {
	case s.light == nil || !s.light.Load():
		return s.sgr(c.dark, "39", text)
	case s.many:
		return s.sgr(c.lightOf256, "39", text)
	}
	return s.sgr(c.light, "39", text)
}

func (s style) sgr(on, off, text string) string {
	if s.plain || text == "" {
		return text
	}
	return "\x1b[" + on + "m" + text + "\x1b[" + off + "m"
}

func (s style) bold(t string) string      { return s.sgr("1", "22", t) }
func (s style) dim(t string) string       { return s.sgr("2", "22", t) }
func (s style) italic(t string) string    { return s.sgr("3", "23", t) }
func (s style) underline(t string) string { return s.sgr("4", "24", t) }
func (s style) strike(t string) string    { return s.sgr("9", "29", t) }
func (s style) red(t string) string       { return s.paint(red, t) }
func (s style) green(t string) string     { return s.paint(green, t) }
func (s style) yellow(t string) string    { return s.paint(yellow, t) }
func (s style) cyan(t string) string      { return s.paint(cyan, t) }

// Warning styles a warning.
func (t *Terminal) Warning(text string) string { return t.style.yellow(text) }

// Bold styles a title.
func (t *Terminal) Bold(text string) string { return t.style.bold(text) }

// Dim styles less important text.
func (t *Terminal) Dim(text string) string { return t.style.dim(text) }

// Red styles an error.
func (t *Terminal) Red(text string) string { return t.style.red(text) }

// SetLight uses the colours for a light background, or for a dark one.
func (t *Terminal) SetLight(light bool) {
	t.keys.expectBackground(nil) // an answer that comes now is too late
	if t.style.light != nil {
		t.style.light.Store(light)
	}
}

// Vim reports whether vi keys are on.
func (t *Terminal) Vim() bool {
	t.edit.mu.Lock()
	defer t.edit.mu.Unlock()
	return t.edit.vim
}

// SetVim turns vi keys on or off from the next prompt on.
func (t *Terminal) SetVim(on bool) {
	t.keys.mu.Lock()
	t.keys.vim = on
	t.keys.mu.Unlock()
	t.edit.mu.Lock()
	t.edit.vim = on
	t.edit.mu.Unlock()
}
