package output

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// stripper takes control sequences out of streamed text. A sequence may be
// split over calls.
type stripper struct {
	parser *ansi.Parser
	out    strings.Builder
}

func newStripper() *stripper {
	s := &stripper{parser: ansi.NewParser()}
	s.parser.SetHandler(ansi.Handler{
		Print: func(r rune) { s.out.WriteRune(r) },
		Execute: func(b byte) {
			if b == '\n' || b == '\t' || b == '\r' {
				s.out.WriteByte(b)
			}
		},
	})
	return s
}

func (s *stripper) strip(text string) string {
	if !strings.ContainsFunc(text, control) && s.parser.State() == 0 {
		return text
	}
	s.out.Reset()
	s.parser.Parse([]byte(text))
	return s.out.String()
}

func control(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f || r >= 0x80 && r < 0xa0
}
