package terminal

// style colours our own text, unless the user wants no colours (NO_COLOR) or
// the terminal has none.
type style struct{ plain, dumb bool }

func styleFor(getenv func(string) string) style {
	dumb := getenv("TERM") == "dumb"
	return style{plain: dumb || getenv("NO_COLOR") != "", dumb: dumb}
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
func (s style) red(t string) string       { return s.sgr("31", "39", t) }
func (s style) green(t string) string     { return s.sgr("32", "39", t) }
func (s style) yellow(t string) string    { return s.sgr("33", "39", t) }
func (s style) cyan(t string) string      { return s.sgr("36", "39", t) }

// Warning styles a warning.
func (t *Terminal) Warning(text string) string { return t.style.yellow(text) }

// Bold styles a title.
func (t *Terminal) Bold(text string) string { return t.style.bold(text) }

// Dim styles less important text.
func (t *Terminal) Dim(text string) string { return t.style.dim(text) }

// Red styles an error.
func (t *Terminal) Red(text string) string { return t.style.red(text) }
