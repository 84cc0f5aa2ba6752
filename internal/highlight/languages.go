package highlight

import (
	_ "embed"
	"maps"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// language is one of languages.toml, which says what its fields mean.
type language struct {
	Aliases, Line                                           []string
	Block                                                   [][2]string
	Quotes                                                  []quote
	Words, Assigned, InWords                                string
	Fold, Calls, Variables, Decorators, Keys, Section, Tags bool

	keywords map[string]bool // those in Words
}

// quote is a mark that begins and ends a string.
type quote struct {
	Mark                       string
	Escape, Lines, Char, Value bool
}

//go:embed languages.toml
var source []byte

// languages returns the languages by name and alias. They are read on first use.
var languages = sync.OnceValue(func() map[string]*language {
	named := map[string]*language{}
	if err := toml.Unmarshal(source, &named); err != nil {
		panic(err) // unreachable: tests read it
	}
	all := maps.Clone(named)
	for _, l := range named {
		l.keywords = map[string]bool{}
		for word := range strings.FieldsSeq(l.Words) {
			l.keywords[word] = true
		}
		for _, alias := range l.Aliases {
			all[alias] = l
		}
	}
	return all
})
