package testbed

import (
	"bytes"
	"fmt"
	"strings"

	"minigem/internal/boundedfile"
	"minigem/llm/script"
)

// ReadModel reads a model script from a file: a fake-responses file, or the short form,
// which is recognized by lines that are not JSON.
func ReadModel(path string) (turns []Round, short bool, err error) {
	data, err := boundedfile.ReadNamed(path, boundedfile.Kept)
	if err != nil {
		return nil, false, fmt.Errorf("opening the script: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		short = short || line != "" && line[0] != '{'
	}
	if short && int64(len(data)) > boundedfile.Written {
		return nil, true, fmt.Errorf("opening the script: %w", boundedfile.TooLarge(path, boundedfile.Written))
	}
	if short {
		turns, err = ParseModel(path, 1, string(data))
		return turns, true, err
	}
	entries, err := script.Parse(path, bytes.NewReader(data))
	for _, e := range entries {
		turns = append(turns, Round{Entry: e})
	}
	return turns, false, err
}

// heredoc is a write action whose text is being read.
type heredoc struct {
	action script.Action
	end    string // the line that ends it
	line   int    // of the write action
	text   strings.Builder
}

// act adds an action, and minigem's own call for agents that do not translate it.
func (p *modelParser) act(a script.Action) {
	if p.round.Actions == nil {
		p.round.Actions = map[int]script.Action{}
	}
	p.round.Actions[len(p.round.Chunks)] = a
	p.add(a.Call())
}

func (p *modelParser) shell(rest string) error {
	p.act(script.Action{Kind: script.DoShell, Command: unquoted(rest)})
	return want(rest != "", "shell needs a command: shell go test ./...")
}

// unquoted returns text, without its quotes if all of it is one "..." string.
func unquoted(text string) string {
	words, err := words(text)
	if strings.HasPrefix(text, `"`) && err == nil && len(words) == 1 {
		return words[0]
	}
	return text
}

func (p *modelParser) write(rest string) error {
	const usage = `write needs a path and a text: write a.txt "one\ntwo\n"; or write a.txt <<END, lines, and END alone ` +
		`on a line`
	path, text, err := firstWord(rest)
	if err != nil || path == "" {
		return want(false, usage)
	}
	a := script.Action{Kind: script.DoWrite, Path: path}
	if end, ok := strings.CutPrefix(text, "<<"); ok {
		p.heredoc = &heredoc{action: a, end: end}
		return want(end != "" && !strings.ContainsAny(end, " \t"), usage)
	}
	a.Text = unquoted(text)
	p.act(a)
	return want(text != "", usage)
}

// body parses a line of a heredoc.
func (p *modelParser) body(line string) {
	if d := p.heredoc; strings.TrimSpace(line) == d.end {
		d.action.Text = d.text.String()
		p.heredoc = nil
		p.act(d.action)
	} else {
		d.text.WriteString(line)
	}
}

func (p *modelParser) edit(rest string) error {
	w, err := words(rest)
	if err != nil || len(w) != 3 || w[0] == "" || w[1] == "" {
		return want(false, `edit needs a path, the old text and the new text: edit a.txt "x := 1" "x := 2"`)
	}
	p.act(script.Action{Kind: script.DoEdit, Path: w[0], Old: w[1], New: w[2]})
	return nil
}

func (p *modelParser) read(rest string) error {
	w, err := words(rest)
	if err != nil || len(w) != 1 || w[0] == "" {
		return want(false, "read needs a path: read a.txt")
	}
	p.act(script.Action{Kind: script.DoRead, Path: w[0]})
	return nil
}

func (p *modelParser) search(rest string) error {
	w, err := words(rest)
	if err != nil || len(w) < 1 || len(w) > 2 || w[0] == "" {
		return want(false, "search needs a pattern, and may have a path: search 'func .*Test' src")
	}
	a := script.Action{Kind: script.DoSearch, Pattern: w[0]}
	if len(w) == 2 {
		a.Path = w[1]
	}
	p.act(a)
	return nil
}

// firstWord splits text after its first word, which may be quoted.
func firstWord(text string) (word, rest string, err error) {
	if text == "" || text[0] != '"' && text[0] != '\'' {
		word, rest, _ = strings.Cut(text, " ")
		return word, strings.TrimSpace(rest), nil
	}
	var b strings.Builder
	n, err := quoted(text, &b)
	if err != nil {
		return "", "", err
	}
	return b.String(), strings.TrimSpace(text[n:]), nil
}

// neutralVerbs maps the kinds of actions to their parsers.
var neutralVerbs = map[script.ActionKind]func(p *modelParser, rest string) error{
	script.DoShell: (*modelParser).shell, script.DoWrite: (*modelParser).write, script.DoEdit: (*modelParser).edit,
	script.DoRead: (*modelParser).read, script.DoSearch: (*modelParser).search,
}
