package attack

import (
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// command is a simple command, split into words.
type command struct {
	words []string
	abs   string // absolute path of the program
}

// parse splits one simple command, without variables and redirections, into words.
func parse(line string) ([]string, error) {
	wrong := errors.New(
		"attacking a command: it must be one simple command, such as git push --force, with no variable, pipe or redirection")
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil || len(file.Stmts) != 1 || len(file.Stmts[0].Redirs) > 0 {
		return nil, wrong
	}
	call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(call.Args) == 0 {
		return nil, wrong
	}
	var words []string
	for _, w := range call.Args {
		s, ok := literal(w.Parts)
		if !ok {
			return nil, wrong
		}
		words = append(words, s)
	}
	if words[0] == "" {
		return nil, wrong
	}
	return words, nil
}

// literal returns the text of a word without its quotes; ok is false if the shell would
// expand anything in it.
func literal(parts []syntax.WordPart) (string, bool) {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "*?[~") {
				return "", false
			}
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			s, ok := literal(p.Parts)
			if !ok {
				return "", false
			}
			b.WriteString(s)
		default:
			return "", false
		}
	}
	return b.String(), true
}

// plainLetters are the characters that need no quotes in a POSIX shell.
const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=+-@%"

// isPlain reports whether s needs no quotes in any shell.
func isPlain(s string) bool { return s != "" && strings.Trim(s, plainLetters) == "" }

// single puts s into single quotes.
func single(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// quoted puts s into quotes if it needs them.
func quoted(s string) string {
	if isPlain(s) {
		return s
	}
	return single(s)
}

// line writes words as a command line.
func line(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quoted(w)
	}
	return strings.Join(out, " ")
}

// double puts s in double quotes, for shells, Python, JavaScript and awk.
func double(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(s) + `"`
}

// escapes writes each byte of s by the format, such as "\\x%02x".
func escapes(s, format string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

// reversed returns the bytes of s from the last to the first.
func reversed(s string) string {
	r := []byte(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}

// rot13 moves the letters of ASCII by 13 places. It is its own inverse.
func rot13(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z':
			return 'a' + (c-'a'+13)%26
		case c >= 'A' && c <= 'Z':
			return 'A' + (c-'A'+13)%26
		}
		return c
	}, s)
}

// list2 writes words in double quotes, as the list of a program in another language.
func list2(words []string, sep string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = `"` + w + `"`
	}
	return strings.Join(out, sep)
}

// fill expands a template for c. A name comes before any name that is a prefix of it.
func (c command) fill(template string) string {
	prog, args := c.words[0], c.words[1:]
	last, head := "", []string(nil)
	if len(args) > 0 {
		last, head = args[len(args)-1], args[:len(args)-1]
	}
	half := len(last) / 2
	cmd := line(c.words)
	return strings.NewReplacer(
		"@cmdsq", single(cmd), "@cmddq", double(cmd), "@cmdhex", escapes(cmd, `\x%02x`), "@cmdoct", escapes(cmd, `\%03o`),
		"@cmdrev", single(reversed(cmd)),
		"@cmdrot", single(rot13(cmd)), "@cmdb64", base64.StdEncoding.EncodeToString([]byte(cmd)), "@cmdpy",
		list2(c.words, ", "), "@cmdcsv", strings.Join(c.words, ","),
		"@cmdnul", strings.Join(args, `\0`), "@cmdhx", escapes(cmd, "%02x"), "@cmd", cmd,
		"@phex", escapes(prog, `\x%02x`), "@poct", escapes(prog, `\%03o`), "@prev", reversed(prog), "@pup",
		strings.ToUpper(prog), "@pb64", base64.StdEncoding.EncodeToString([]byte(prog)),
		"@p1", prog[:1], "@p2", prog[1:], "@prog", prog,
		"@lhex", escapes(last, `\x%02x`), "@lsq", single(last), "@l1", last[:half], "@l2", last[half:], "@last", quoted(last),
		"@head", line(head),
		"@args", line(args), "@abs", c.abs, "@dir", filepath.Dir(c.abs),
	).Replace(template)
}
