package shell

import (
	"errors"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Lines that parse but that a shell may read in another way than the parser. They count
// as lines that do not parse.
var (
	errControl = errors.New("it holds control characters that shells read differently")
	errComment = errors.New("a comment in it ends with a backslash, after which shells go on reading differently")
)

// Syntax parses a script in a variant of the shell's language, with the parser of
// mvdan.cc/sh. It is an error if that parser and bash would read the text differently.
func Syntax(text string, lang syntax.LangVariant) (*syntax.File, error) {
	if !utf8.ValidString(text) || strings.ContainsAny(text, "\r\x00") {
		return nil, errControl
	}
	file, err := syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, err
	}
	// For bash a comment ends with its line. The parser takes the next line for
	// more words of the command before the comment.
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok && strings.HasSuffix(c.Text, "\\\n") {
			err = errComment
		}
		return err == nil
	})
	return file, err
}
