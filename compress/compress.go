// Package compress shortens a history that has grown too long: large old tool
// outputs are moved to files, and the older part is replaced by a summary that
// the model writes. (core/context/chatCompressionService.ts) Old outputs are
// masked even before that; see mask.go.
//
// The newest part, about 30 %, stays word for word, and a call is never
// separated from its result. If anything fails, the history stays as it was.
// The package knows no session and no screen: it is given a [History], a model
// and functions.
package compress

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"slices"
	"strings"

	"minigem/llm"
)

// Triggers of PreCompress.
const (
	TriggerAuto   = "auto"
	TriggerManual = "manual"
)

// Status is how an attempt ended, in Gemini CLI's numbers.
type Status int

const (
	Compressed       Status = iota + 1
	FailedInflated          // the result would not be smaller
	FailedTokenCount        // Gemini CLI's; not used here
	FailedEmpty             // the model gave no summary; Err says why if it was an error
	Noop                    // nothing to do
	ContentTruncated        // moving old tool outputs to files was enough
)

// Result describes an attempt. Before and After are the tokens of the next
// request; they are equal unless the history changed.
type Result struct {
	Status        Status
	Trigger       string
	Before, After int
	Usage         llm.Usage // cost of writing the summary
	Err           error     // why there is no summary; nil: no error
}

// Changed reports whether the attempt changed the history.
func (r Result) Changed() bool { return r.Status == Compressed || r.Status == ContentTruncated }

// History is the conversation to shorten. Messages that it has returned are
// never overwritten; see [llm.Extends].
type History interface {
	Messages() []llm.Message
	Replace(ms []llm.Message)
}

// Hooks fires the events of a compression. What PreCompress returns is for the
// instructions of the summary; what PostCompact does stands behind it in the
// history. There is no summary where moving old outputs to files was enough.
type Hooks interface {
	PreCompress(ctx context.Context, trigger string) (instructions string)
	PostCompact(ctx context.Context, trigger, summary string) (context string)
}

// Compressor shortens one History. History and Model are required. It is not
// safe for concurrent use.
type Compressor struct {
	History   History
	Model     llm.Generator
	ModelName string
	// number of messages at the start that always stay; nil: none
	Preamble func() int
	Limit    int // tokens that the model accepts; 0: Limit(ModelName)
	// asks the server the same, once the history is worth it; 0: it does not say; may be nil
	Ask       func(ctx context.Context) int
	Threshold float64                                            // fraction of the limit at which Fit compresses; 0: 0.5
	Hooks     Hooks                                              // nil: none
	Save      func(callID, text string) (path string, err error) // saves a long output to a file; nil: what is cut is lost
	// called after every attempt that had something to do; may be nil
	Report func(Result)

	ReportMasked func(Masked) // called after outputs were masked; may be nil

	failedAt int // tokens when an automatic attempt failed or left too many; 0: none did
	stale    int // the provider's count from before a compression
	asked    struct {
		model string
		limit int
	}
	estimate runningEstimate

	outputs    maskableCount
	unmaskable bool // an output could not be saved
}

// Limit returns how many tokens a model accepts (core/core/tokenLimits.ts). For
// a model of another server, whose name has a slash, it is a guess.
func Limit(model string) int {
	if strings.Contains(model, "/") {
		return 128_000
	}
	if strings.HasPrefix(model, "gemma") {
		return 256_000
	}
	return 1_048_576
}

const (
	defaultThreshold = 0.5
	keptPart         = 0.3
	// After a failure the model is asked again once the history has grown by
	// this fraction of the limit; until then outputs are truncated only.
	growthToRetry = 0.1
	// Truncation is enough if it leaves less than this fraction of the
	// threshold.
	enough = 0.7
	// No server that can work with tools accepts so little.
	worthAsking = 2_000
)

// Fit compresses the history if it exceeds the threshold, and masks old tool
// outputs. promptTokens is the provider's count of the last request; 0: none
// yet. It implements agent.Compressor.
func (c *Compressor) Fit(ctx context.Context, promptTokens int) {
	c.fit(ctx, promptTokens)
	c.mask()
}

func (c *Compressor) fit(ctx context.Context, promptTokens int) {
	if promptTokens == c.stale {
		promptTokens = 0
	}
	all := c.History.Messages()
	before := max(promptTokens, c.estimate.of(all))
	if c.Ask != nil && c.asked.model != c.ModelName && before >= worthAsking {
		c.asked.model, c.asked.limit = c.ModelName, c.Ask(ctx)
	}
	if float64(before) < c.threshold() {
		return
	}
	r := c.attempt(ctx, TriggerAuto, all, before)
	switch r.Status {
	case FailedInflated, FailedEmpty:
		c.failedAt = before
	case Compressed:
		if c.failedAt = 0; float64(r.After) >= c.threshold() {
			c.failedAt = r.After // else the next request would compress again
		}
	}
	if r.Changed() {
		c.stale = promptTokens
	}
	c.report(r)
}

// Compress compresses the history whatever its size, because the user asked for
// it.
func (c *Compressor) Compress(ctx context.Context, promptTokens int) Result {
	all := c.History.Messages()
	r := c.attempt(ctx, TriggerManual, all, max(promptTokens, Estimate(all)))
	if r.Status == Compressed {
		c.failedAt, c.stale = 0, promptTokens
	}
	c.report(r)
	return r
}

func (c *Compressor) report(r Result) {
	if c.Report != nil && r.Status != Noop {
		c.Report(r)
	}
}

func (c *Compressor) limit() int {
	asked := 0
	if c.asked.model == c.ModelName {
		asked = c.asked.limit
	}
	return cmp.Or(c.Limit, asked, Limit(c.ModelName))
}

func (c *Compressor) threshold() float64 {
	return cmp.Or(c.Threshold, defaultThreshold) * float64(c.limit())
}

func (c *Compressor) head(all []llm.Message) int {
	if c.Preamble == nil {
		return 0
	}
	return min(c.Preamble(), len(all))
}

// attempt fires PreCompress only if there is something to compress.
func (c *Compressor) attempt(ctx context.Context, trigger string, all []llm.Message, before int) Result {
	r := Result{Status: Noop, Trigger: trigger, Before: before, After: before}
	head := c.head(all)
	body := all[head:]
	cut := split(body)
	if trigger == TriggerAuto && c.failedAt > 0 && float64(before-c.failedAt) < growthToRetry*float64(c.limit()) {
		cut = 0
	}
	long := longOutputs(body)
	if cut == 0 && (len(long) == 0 || trigger == TriggerManual) {
		return r
	}
	instructions := ""
	if c.Hooks != nil {
		instructions = c.Hooks.PreCompress(ctx, trigger)
	}
	// The provider also counts system instruction and tools: they stay.
	beside := before - Estimate(all)
	short := c.shorten(body, long)
	if trigger == TriggerAuto && len(long) > 0 {
		next := slices.Concat(all[:head], short)
		if after := beside + Estimate(next); cut == 0 && after < before || float64(after) < enough*c.threshold() {
			c.History.Replace(next)
			r.Status, r.After = ContentTruncated, after
			if c.Hooks != nil {
				c.Hooks.PostCompact(ctx, trigger, "")
			}
			return r
		}
	}
	if cut == 0 {
		return r
	}
	return c.summarize(ctx, r, instructions, all[:head], body, short, cut, beside)
}

// summarize replaces body[:cut] with a summary. short is body with long outputs
// cut.
func (c *Compressor) summarize(ctx context.Context, r Result, instructions string, head, body, short []llm.Message, cut,
	beside int) Result {
	w := writer{model: c.Model, name: c.ModelName, instructions: instructions}
	old := body[:cut]
	if room := c.limit() * 9 / 10; Estimate(old) > room {
		old = newest(short[:cut], room)
	}
	text, err := w.snapshot(ctx, old)
	r.Usage, r.Err = w.usage, err
	if text == "" {
		r.Status = FailedEmpty
		return r
	}
	next := slices.Concat(head, []llm.Message{llm.UserText(text)})
	// A tail that begins in the middle of a prompt begins with the model.
	if cut == len(body) || body[cut].Role == llm.RoleUser {
		next = append(next, llm.ModelText(acknowledgement))
	}
	next = append(next, body[cut:]...)
	after := beside + Estimate(next)
	if after >= r.Before {
		r.Status = FailedInflated
		return r
	}
	c.History.Replace(next)
	r.Status, r.After = Compressed, after
	if c.Hooks == nil {
		return r
	}
	if added := c.Hooks.PostCompact(ctx, r.Trigger, text); added != "" {
		next = slices.Clone(next)
		next[len(head)] = llm.UserText(text + "\n\n" + added)
		c.History.Replace(next)
		r.After = beside + Estimate(next)
	}
	return r
}

const acknowledgement = "Understood. I will continue from this state."

//go:embed system.md
var systemText string

//go:embed instruction.md
var instructionText string

//go:embed merge.md
var mergeText string

//go:embed verify.md
var verifyText string

// writer asks the model for a summary.
type writer struct {
	model        llm.Generator
	name         string
	instructions string // of hooks
	usage        llm.Usage
}

var errNoSummary = errors.New("the model gave no summary")

// snapshot asks for a summary of old, then for a corrected one. If the second
// answer is empty the first one counts.
func (w *writer) snapshot(ctx context.Context, old []llm.Message) (string, error) {
	ask := strings.TrimSpace(instructionText)
	if hasSnapshot(old) {
		ask = strings.TrimSpace(mergeText) + "\n\n" + ask
	}
	if w.instructions != "" {
		ask += "\n\nAdditional instructions:\n" + w.instructions
	}
	asked := appendMessage(old, llm.UserText(ask))
	first, err := w.generate(ctx, asked)
	if err != nil {
		return "", err
	}
	if first == "" {
		return "", errNoSummary
	}
	second, err := w.generate(
		ctx, appendMessage(appendMessage(asked, llm.ModelText(first)), llm.UserText(strings.TrimSpace(verifyText))))
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err == nil && second != "" {
		return extract(second), nil
	}
	return extract(first), nil
}

func (w *writer) generate(ctx context.Context, messages []llm.Message) (string, error) {
	answer, err := w.model.Generate(
		ctx, llm.Request{Model: w.name, System: systemText, Messages: messages, Role: "utility_compressor"})
	if err != nil {
		return "", err
	}
	if u := answer.Usage; u != nil {
		w.usage.Prompt += u.Prompt
		w.usage.Candidates += u.Candidates
		w.usage.Total += u.Total
		w.usage.Cached += u.Cached
		w.usage.Thoughts += u.Thoughts
		w.usage.ToolUse += u.ToolUse
	}
	return strings.TrimSpace(answer.Text()), nil
}

// appendMessage adds m to all; neighbouring messages of one role are joined.
func appendMessage(messages []llm.Message, m llm.Message) []llm.Message {
	out := slices.Clone(messages)
	if n := len(out) - 1; n >= 0 && out[n].Role == m.Role {
		out[n].Parts = slices.Concat(out[n].Parts, m.Parts)
		return out
	}
	return append(out, m)
}

const openTag, closeTag = "<state_snapshot>", "</state_snapshot>"

// extract returns the summary without the scratchpad.
func extract(text string) string {
	from, to := strings.Index(text, openTag), strings.LastIndex(text, closeTag)
	if from < 0 || to < from {
		return text
	}
	return text[from : to+len(closeTag)]
}

func hasSnapshot(messages []llm.Message) bool {
	return slices.ContainsFunc(messages, func(m llm.Message) bool {
		return m.Role == llm.RoleUser && strings.HasPrefix(m.Text(), openTag)
	})
}
