package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
	"minigem/llm/script"
)

// answer is an answer of the model.
type answer struct {
	script.Entry
	err   *llm.Error // how the request failed; nil if it did not
	agent string     // the agent that sent the request; empty for the main agent
}

// Model wraps m to record its answers.
func (r *Recorder) Model(m llm.Provider) llm.Provider { return &tap{m, r} }

type tap struct {
	llm.Provider
	r *Recorder
}

// Stream implements llm.Model. Of a stream that is not read to its end it records what was
// read, because a case stops reading there too.
func (t *tap) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		var chunks []llm.Chunk
		var failed error
		for c, err := range t.Provider.Stream(ctx, req) {
			if failed = err; err == nil {
				chunks = append(chunks, c)
			}
			if !yield(c, err) {
				break
			}
		}
		t.r.answered(ctx, script.Streamed(chunks...), failed)
	}
}

// Generate implements llm.Generator.
func (t *tap) Generate(ctx context.Context, req llm.Request) (llm.Chunk, error) {
	c, err := t.Provider.Generate(ctx, req)
	t.r.answered(ctx, script.Answered(c), err)
	return c, err
}

// CountTokens implements llm.TokenCounter.
func (t *tap) CountTokens(ctx context.Context, req llm.Request) (int, error) {
	n, err := t.Provider.CountTokens(ctx, req)
	t.r.answered(ctx, script.Counted(n), err)
	return n, err
}

func (r *Recorder) answered(ctx context.Context, e script.Entry, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over() {
		return
	}
	if ctx.Err() != nil {
		r.interrupted = true
		return
	}
	a := answer{Entry: e, agent: hooks.SubagentOf(ctx).Type}
	if err != nil && (e.Method != script.Stream || len(e.Chunks) == 0) {
		a.err = errorOf(err)
	}
	r.answers = append(r.answers, a)
}

// errorOf converts err to an error with a status, which a case needs.
func errorOf(err error) *llm.Error {
	e := &llm.Error{Kind: llm.ErrUnknown, Message: err.Error()}
	var known *llm.Error
	if errors.As(err, &known) {
		e = &llm.Error{Kind: known.Kind, Status: known.Status, Message: known.Message}
	}
	if e.Status >= 400 && e.Status <= 599 {
		return e
	}
	e.Status = map[llm.ErrorKind]int{llm.ErrAuth: 401, llm.ErrNotFound: 404, llm.ErrRateLimit: 429, llm.ErrQuota: 429,
		llm.ErrOverloaded: 503, llm.ErrOffline: 503, llm.ErrStream: 503}[e.Kind]
	if e.Status == 0 {
		e.Status = 400
	}
	return e
}

// largePrompt is the number of prompt tokens from which on a request's usage is recorded,
// because it may trigger compression of the history.
const largePrompt = 10_000

// model formats the answers to one agent. exact keeps the chunks as they were, because
// hooks saw each of them.
func (w writer) model(agent string, exact bool) (string, error) {
	var b strings.Builder
	for _, a := range w.answers {
		if a.agent != agent {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		text, err := w.answer(a, exact)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	if w.interrupted && agent == "" {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString("# Here it was interrupted.\nerror 499 interrupted\nrepeat\n")
	}
	return b.String(), nil
}

func (w writer) answer(a answer, exact bool) (string, error) {
	if a.err != nil {
		head := ""
		if a.Method == script.Whole {
			head = "generate\n"
		}
		return fmt.Sprintf("%serror %d %s\n", head, a.err.Status, oneLine(w.clean.text(a.err.Message))), nil
	}
	e := script.Entry{Method: a.Method, Tokens: a.Tokens}
	for _, c := range script.Masked(a.Chunks, w.clean.secrets) {
		e.Chunks = append(e.Chunks, w.cleanChunk(c))
	}
	if !exact && e.Method == script.Stream {
		e.Chunks = joined(e.Chunks)
	}
	if text, ok := short(e); ok {
		return text, nil
	}
	var b bytes.Buffer
	if err := script.Write(&b, []script.Entry{e}); err != nil {
		return "", fmt.Errorf("recording an answer of the model: %w", err)
	}
	return w.clean.names(w.clean.secrets(b.String())), nil
}

// cleanChunk returns c without secrets and without what a case does not need: ids and
// signatures.
func (w writer) cleanChunk(c llm.Chunk) llm.Chunk {
	c.ModelVersion, c.ResponseID = "", ""
	parts := make([]llm.Part, len(c.Parts))
	for i, p := range c.Parts {
		switch p := p.(type) {
		case llm.Text:
			parts[i] = llm.Text{Text: w.clean.text(p.Text)}
		case llm.Thought:
			parts[i] = llm.Thought{Text: w.clean.text(p.Text)}
		case llm.ToolCall:
			args, _ := w.clean.value(p.Args).(map[string]any)
			parts[i] = llm.ToolCall{Name: p.Name, Args: args}
		default:
			parts[i] = p
		}
	}
	c.Parts = parts
	return c
}

// joined merges chunks: consecutive texts become one, and an empty chunk is merged into
// its predecessor.
func joined(chunks []llm.Chunk) []llm.Chunk {
	var out []llm.Chunk
	for _, c := range chunks {
		for i, p := range c.Parts {
			one := llm.Chunk{Parts: []llm.Part{p}, Index: c.Index}
			if i == len(c.Parts)-1 {
				one = c
				one.Parts = []llm.Part{p}
			}
			out = join(out, one)
		}
		if len(c.Parts) == 0 {
			out = join(out, c)
		}
	}
	return out
}

func join(out []llm.Chunk, c llm.Chunk) []llm.Chunk {
	if len(out) == 0 {
		return append(out, c)
	}
	last := &out[len(out)-1]
	switch {
	case last.FinishReason != "" || c.BlockReason != "" || last.BlockReason != "":
		return append(out, c)
	case len(c.Parts) == 0:
	case len(last.Parts) == 1:
		old, isText := last.Parts[0].(llm.Text)
		more, goesOn := c.Parts[0].(llm.Text)
		if !isText || !goesOn {
			return append(out, c)
		}
		c.Parts = []llm.Part{llm.Text{Text: old.Text + more.Text}}
	}
	if len(c.Parts) == 0 {
		c.Parts = last.Parts
	}
	if c.Usage == nil {
		c.Usage = last.Usage
	}
	*last = c
	return out
}

// short formats an answer in the short form. It returns false if the short form cannot
// express it.
func short(e script.Entry) (string, bool) {
	if e.Method != script.Stream && e.Method != script.Whole {
		return "", false
	}
	var b strings.Builder
	if e.Method == script.Whole {
		b.WriteString("generate\n")
	}
	for i, c := range e.Chunks {
		last := i == len(e.Chunks)-1
		if c.Index != 0 || c.Grounding != nil || c.Citations != nil || c.URLContext != nil || c.FinishMessage != "" ||
			len(c.SafetyRatings) > 0 ||
			!last && (c.FinishReason != "" || c.BlockReason != "") {
			return "", false
		}
		if len(c.Parts) != 1 && e.Method == script.Stream && !(last && len(c.Parts) == 0 && len(e.Chunks) == 1) {
			return "", false
		}
		for _, p := range c.Parts {
			line, ok := partLine(p)
			if !ok {
				return "", false
			}
			b.WriteString(line)
		}
	}
	if len(e.Chunks) == 0 {
		return "", false
	}
	tail, ok := ending(e.Chunks[len(e.Chunks)-1])
	b.WriteString(tail)
	return b.String(), ok && b.Len() > 0
}

func partLine(p llm.Part) (string, bool) {
	switch p := p.(type) {
	case llm.Text:
		return "text " + quoted(p.Text) + "\n", true
	case llm.Thought:
		return "thought " + quoted(p.Text) + "\n", true
	case llm.ToolCall:
		if p.Args == nil {
			p.Args = map[string]any{}
		}
		if line := actionLine(p); line != "" {
			return line + "\n", true
		}
		args, err := protocol.Encode(p.Args)
		return fmt.Sprintf("call %s %s\n", p.Name, args), err == nil && p.Name != "" &&
			!strings.ContainsFunc(p.Name, unicode.IsSpace)
	}
	return "", false
}

// actionLine formats a call as a portable action. It is empty if the call says more.
func actionLine(c llm.ToolCall) string {
	a, ok := script.ActionOf(c)
	if !ok || !reflect.DeepEqual(a.Call().Args, c.Args) {
		return ""
	}
	for _, v := range c.Args {
		if v == "" { // it could not be left out
			return ""
		}
	}
	line := string(a.Kind)
	for _, word := range []string{a.Command, a.Pattern, a.Path, a.Text, a.Old, a.New} {
		switch {
		case word == "":
			continue
		case a.Kind == script.DoShell && quoted(word) == word:
		case strings.ContainsAny(word, " \t\n\"'#<"):
			word = inQuotes(word)
		}
		line += " " + word
	}
	return line
}

// ending formats the end of an answer, if it is not the usual one.
func ending(c llm.Chunk) (string, bool) {
	var b strings.Builder
	switch {
	case c.BlockReason != "":
		if len(c.Parts) > 0 || c.FinishReason != "" {
			return "", false
		}
		fmt.Fprintf(&b, "block %s\n", c.BlockReason)
	case c.FinishReason == "":
		b.WriteString("finish none\n")
	case strings.ToUpper(c.FinishReason) != c.FinishReason:
		return "", false
	case c.FinishReason != "STOP" || len(c.Parts) == 0:
		fmt.Fprintf(&b, "finish %s\n", c.FinishReason)
	}
	if c.Usage != nil && c.Usage.Prompt >= largePrompt {
		fmt.Fprintf(&b, "usage %d %d\n", c.Usage.Prompt, c.Usage.Candidates)
	}
	return b.String(), true
}

// quoted returns text on one line, in quotes if it would be misread without them.
func quoted(text string) string {
	plain := text != "" && strings.TrimSpace(text) == text && !strings.HasPrefix(text, `"`) &&
		!strings.ContainsFunc(text, func(c rune) bool { return c == '\n' || !unicode.IsPrint(c) })
	if plain {
		return text
	}
	return strconv.Quote(text)
}
