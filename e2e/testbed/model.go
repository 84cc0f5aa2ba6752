package testbed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"minigem/e2e/fakemodel"
	"minigem/llm"
	"minigem/llm/script"
)

// Round is one answer of the model. The chunk of an action has minigem's call for it.
type Round = fakemodel.Turn

// ModelSyntax documents the short form of the model section.
const ModelSyntax = `One paragraph is one answer; a blank line or --- ends it. Its lines:
  text HELLO             a chunk of text; "..." for one with \n in it
  thought **Plan** ...   a chunk that is a thought
  shell COMMAND          a chunk that calls the agent's tool for this
  write PATH TEXT        ... TEXT to the line's end; "..." for one with \n;
                         <<END: the lines that follow, up to one that is END
  edit PATH OLD NEW      ... "..." or '...' around what has blanks in it
  read PATH
  search PATTERN [PATH]
  call TOOL {"a": 1}     a chunk that calls a tool of this agent by its name;
                         minigem hooks schema --tools lists what they take
  finish MAX_TOKENS      how it ends, instead of STOP; none: it breaks off
  usage 1000 [20]        tokens of the request, and of the answer
  block SAFETY           the provider refuses the prompt
  error 429 WORDS        the request fails, as when retries are used up
  generate               this answers generateContent: summaries, web searches
  repeat                 every further request gets this answer again
  {"method": ...}        the whole answer, as a line of a fake-responses file
  # a comment`

// modelParser parses the short form.
type modelParser struct {
	file   string
	rounds []Round
	round  *Round // nil between two answers
	finish string
	whole  bool
	usage  *llm.Usage

	heredoc *heredoc // nil unless one is being read
	at      int      // the current line, or the first line of the current heredoc
}

// ParseModel parses text, a script in the short form. It begins at the given line of
// file, which errors and Entry.Line count from.
func ParseModel(file string, line int, text string) ([]Round, error) {
	p := &modelParser{file: file}
	for l := range strings.Lines(text) {
		if p.heredoc != nil {
			p.body(l)
			line++
			continue
		}
		l = strings.TrimSpace(l)
		var err error
		switch {
		case l == "" || l == "---":
			err = p.end()
		case strings.HasPrefix(l, "{"):
			if err := p.response(line, l); err != nil {
				return nil, err // the error says where
			}
		case strings.HasPrefix(l, "#"):
		default:
			p.begin(line)
			p.at = line
			verb, rest, _ := strings.Cut(l, " ")
			err = p.line(verb, strings.TrimSpace(rest))
			if p.heredoc != nil {
				p.heredoc.line = line
			}
		}
		if err != nil {
			return nil, &SyntaxError{file, line, err.Error()}
		}
		line++
	}
	if err := p.end(); err != nil {
		return nil, &SyntaxError{file, max(line-1, 1), err.Error()}
	}
	return p.rounds, nil
}

// response parses a line of a fake-responses file, which is a whole answer.
func (p *modelParser) response(line int, text string) error {
	if p.round != nil {
		return fmt.Errorf("%s:%d: an answer that is a line of a fake-responses file must be a paragraph of its own: put a "+
			"blank line before it", p.file, line)
	}
	rounds, err := parseResponses(p.file, line, text)
	p.rounds = append(p.rounds, rounds...)
	return err
}

func (p *modelParser) begin(line int) {
	if p.round == nil {
		p.round = &Round{Entry: script.Entry{Method: script.Stream, File: p.file, Line: line}}
		p.finish, p.usage, p.whole = "STOP", &llm.Usage{Prompt: 100, Candidates: 10, Total: 110}, false
	}
}

// modelVerbs maps the first word of a line of the short form to its parser.
var modelVerbs = map[string]func(p *modelParser, rest string) error{
	"text": func(p *modelParser, rest string) error {
		return p.text(rest, func(s string) llm.Part { return llm.Text{Text: s} })
	},
	"thought": func(p *modelParser, rest string) error {
		return p.text(rest, func(s string) llm.Part { return llm.Thought{Text: s} })
	},
	"call":  (*modelParser).call,
	"usage": (*modelParser).tokens,
	"error": (*modelParser).fail,
	"finish": func(p *modelParser, rest string) error {
		p.finish = rest
		return want(rest != "" && strings.ToUpper(rest) == rest || rest == "none",
			"finish needs a reason such as MAX_TOKENS, or none")
	},
	"block": func(p *modelParser, rest string) error {
		p.round.Chunks = append(p.round.Chunks, llm.Chunk{BlockReason: rest})
		return want(rest != "", "block needs a reason such as SAFETY")
	},
	"generate": func(p *modelParser, rest string) error {
		p.whole = true
		return want(rest == "", "generate must be alone on its line")
	},
	"repeat": func(p *modelParser, rest string) error {
		p.round.Repeat = true
		return want(rest == "", "repeat must be alone on its line")
	},
}

func want(ok bool, text string) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%s", text)
}

func (p *modelParser) line(verb, rest string) error {
	if f, ok := modelVerbs[verb]; ok {
		return f(p, rest)
	}
	if f, ok := neutralVerbs[script.ActionKind(verb)]; ok {
		return f(p, rest)
	}
	known := slices.Sorted(maps.Keys(modelVerbs))
	for _, kind := range script.ActionKinds {
		known = append(known, string(kind))
	}
	return fmt.Errorf("%q is not a line of a model's answer%s", verb, meant(verb, known))
}

func (p *modelParser) text(rest string, part func(string) llm.Part) error {
	if strings.HasPrefix(rest, `"`) {
		s, err := strconv.Unquote(rest)
		if err != nil {
			return fmt.Errorf("%s is not quoted text: expected \"...\" with \\n, \\t, \\\" and \\\\ in it", rest)
		}
		rest = s
	}
	p.add(part(rest))
	return nil
}

func (p *modelParser) add(part llm.Part) {
	if _, ok := part.(llm.ToolCall); ok {
		if p.round.Lines == nil {
			p.round.Lines = map[int]int{}
		}
		p.round.Lines[len(p.round.Chunks)] = p.at
	}
	p.round.Chunks = append(p.round.Chunks, llm.Chunk{Parts: []llm.Part{part}})
}

func (p *modelParser) call(rest string) error {
	name, args, _ := strings.Cut(rest, " ")
	if name == "" {
		return fmt.Errorf(`call needs a tool and its arguments: call read_file {"file_path": "a.txt"}`)
	}
	c := llm.ToolCall{Name: name, Args: map[string]any{}}
	if args = strings.TrimSpace(args); args != "" {
		d := json.NewDecoder(bytes.NewReader([]byte(args)))
		if err := d.Decode(&c.Args); err != nil || d.More() {
			return fmt.Errorf("the arguments of %s are not one JSON object on one line: %s%s", name, args, because(err))
		}
	}
	p.add(c)
	return nil
}

func because(err error) string {
	if err == nil {
		return ""
	}
	return " (" + err.Error() + ")"
}

func (p *modelParser) tokens(rest string) error {
	var n [2]int
	fields := strings.Fields(rest)
	for i, f := range fields {
		var err error
		if i > 1 {
			return fmt.Errorf("usage has one or two numbers, not %q", rest)
		}
		if n[i], err = strconv.Atoi(f); err != nil || n[i] < 0 {
			return fmt.Errorf("usage needs a number of tokens, not %q", f)
		}
	}
	p.usage = &llm.Usage{Prompt: n[0], Candidates: n[1], Total: n[0] + n[1]}
	return want(len(fields) > 0, "usage needs a number of tokens: usage 1000")
}

func (p *modelParser) fail(rest string) error {
	code, text, _ := strings.Cut(rest, " ")
	status, err := strconv.Atoi(code)
	if err != nil || status < 400 || status > 599 {
		return fmt.Errorf("error needs an HTTP status from 400 to 599, not %q: error 429 slow down", code)
	}
	if text == "" {
		text = "the model answered with status " + code
	}
	p.round.Err = &llm.Error{Kind: kindOf(status), Status: status, Message: text}
	return nil
}

func kindOf(status int) llm.ErrorKind {
	switch {
	case status == 401 || status == 403:
		return llm.ErrAuth
	case status == 404:
		return llm.ErrNotFound
	case status == 429:
		return llm.ErrRateLimit
	case status >= 500:
		return llm.ErrOverloaded
	}
	return llm.ErrInvalid
}

// end finishes the current answer, if there is one.
func (p *modelParser) end() error {
	r := p.round
	if r == nil {
		return nil
	}
	p.round = nil
	switch n := len(r.Chunks); {
	case p.heredoc != nil:
		return fmt.Errorf("the text of the write on line %d has no end: add a line that is just %s", p.heredoc.line,
			p.heredoc.end)
	case p.whole && len(r.Actions) > 0:
		return fmt.Errorf("an answer to generateContent runs no tools: remove generate, or the actions")
	case r.Err != nil && n > 0:
		return fmt.Errorf("an answer that is an error can have no other chunks")
	case r.Err == nil && n == 0 && p.whole:
		return fmt.Errorf("the answer has no text: add a text line")
	case r.Err == nil && n == 0:
		r.Chunks = []llm.Chunk{{}}
	}
	if p.whole {
		r.Method = script.Whole
		r.Chunks = joined(r.Chunks)
	}
	if n := len(r.Chunks); n > 0 && r.Chunks[n-1].BlockReason == "" {
		last := &r.Chunks[n-1]
		last.Usage = p.usage
		if p.finish != "none" {
			last.FinishReason = p.finish
		}
	}
	p.rounds = append(p.rounds, *r)
	return nil
}

// joined merges chunks into one.
func joined(chunks []llm.Chunk) []llm.Chunk {
	var all llm.Chunk
	for _, c := range chunks {
		all.Parts = append(all.Parts, c.Parts...)
	}
	return []llm.Chunk{all}
}

// parseResponses parses a model section in the format of fake-responses files.
func parseResponses(file string, line int, text string) ([]Round, error) {
	// Leading blank lines keep the line numbers right.
	entries, err := script.Parse(file, strings.NewReader(strings.Repeat("\n", line-1)+text))
	if err != nil {
		return nil, err
	}
	rounds := make([]Round, len(entries))
	for i, e := range entries {
		if e.Fault != nil {
			return nil, fmt.Errorf(
				`%s:%d: faults need minigem fake-api; in a case, "error 503" in the -- model -- section makes a request fail`, file,
				e.Line)
		}
		rounds[i] = Round{Entry: e}
	}
	return rounds, nil
}
