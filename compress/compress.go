// Package compress shortens a history that has grown too long: large old tool outputs are
// moved to files, and the older part is replaced by a summary that the model writes.
// (core/context/chatCompressionService.ts) Old outputs are masked even before that; see
// mask.go.
//
//	c := &compress.Compressor{History: history, Model: model, ModelName: "gemini-2.5-flash"}
//	a := &agent.Agent{Model: model, History: history, Compressor: c}
//
// The newest part, about 30 %, stays word for word, and a call is never separated from
// its result. If anything fails, the history stays as it was. The package knows no
// session and no screen: it is given a [History], a model and functions.
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

// Triggers of PreCompress and PostCompact: [Compressor.Fit] and [Compressor.Compress].
const (
	TriggerAuto   = "auto"
	TriggerManual = "manual"
)

// Status is how an attempt ended, in Gemini CLI's numbers (core/core/turn.ts).
type Status int

// The statuses of a [Result].
const (
	// a summary replaces the older messages
	Compressed       Status = iota + 1
	FailedInflated          // the result would not be smaller
	FailedTokenCount        // Gemini CLI's; not used here
	FailedEmpty             // the model gave no summary; Err says why if it was an error
	Noop                    // nothing to do
	ContentTruncated        // moving old tool outputs to files was enough
)

// Result describes an attempt to shorten the history. Status and Trigger are constants of
// this package.
type Result struct {
	Status  Status
	Trigger string
	// Before and After are the tokens of the next request, partly estimated. They are
	// equal unless the history changed.
	Before, After int
	// Usage is what it cost to write the summary, in up to two requests.
	Usage llm.Usage
	// Err says why there is no summary: the model's error, or that its answer was empty.
	// nil unless Status is [FailedEmpty].
	Err error
}

// Changed reports whether the attempt changed the history: [Compressed] and
// [ContentTruncated].
func (r Result) Changed() bool { return r.Status == Compressed || r.Status == ContentTruncated }

// History is the conversation to shorten. Messages that it has returned are never
// overwritten; see [llm.Extends].
type History interface {
	// Messages returns all messages, oldest first. They are not changed by this package.
	Messages() []llm.Message
	// Replace replaces all messages. It is called at most twice in an attempt.
	Replace(ms []llm.Message)
}

// Hooks fires the events of a compression. Both methods may be called with nothing to
// add.
type Hooks interface {
	// PreCompress fires before an attempt that has something to do. What it returns is
	// added to the instructions for the summary; "" adds nothing.
	PreCompress(ctx context.Context, trigger string) (instructions string)
	// PostCompact fires after the history changed. What it returns is put after the
	// summary in the history; "" adds nothing. summary is empty where moving old outputs
	// to files was enough, and then what it returns is ignored.
	PostCompact(ctx context.Context, trigger, summary string) (context string)
}

// Compressor shortens one History. History and Model are required; Hooks may be nil. It
// remembers what it counted, so it must not be copied. It is not safe for concurrent use.
type Compressor struct {
	History History
	// Model writes the summary.
	Model llm.Generator
	// ModelName is the model of the summary and of the conversation, whose limit counts.
	ModelName string
	// Preamble returns how many messages at the start always stay; nil means none.
	Preamble func() int
	// Limit is how many tokens the model accepts. 0 means what Ask says, else the
	// function [Limit] of ModelName.
	Limit int
	// Ask asks the server for that limit, once for each ModelName and not before the
	// history has 2,000 tokens. 0 means that the server does not say. May be nil.
	Ask func(ctx context.Context) int
	// Threshold is the fraction of the limit at which Fit compresses; 0 means 0.5.
	Threshold float64
	Hooks     Hooks
	// Save stores a long output in a file. If it is nil or fails, the part that is cut
	// from an output is lost, and masking does not happen.
	Save func(callID, text string) (path string, err error)
	// Report is called after every attempt that had something to do; may be nil.
	Report func(Result)

	// ReportMasked is called after outputs were masked; may be nil.
	ReportMasked func(Masked)

	// tokens when an automatic attempt failed or left too many; 0: none did
	failedAt int
	stale    int // the provider's count from before a compression
	asked    struct {
		model string
		limit int
	}
	estimate runningEstimate

	outputs    maskableCount
	unmaskable bool // an output could not be saved
}

// Limit returns how many tokens a model accepts: 1,048,576, or 256,000 for one whose name
// begins with "gemma" (core/core/tokenLimits.ts). A name with a slash is a model of
// another server; 128,000 is a guess then.
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

// Fit compresses the history if it exceeds the threshold, and masks old tool outputs.
// promptTokens is the provider's count of the last request; 0 means that there is none
// yet. It implements agent.Compressor. After a failure the model is asked again once the
// history has grown by a tenth of the limit.
func (c *Compressor) Fit(ctx context.Context, promptTokens int) {
	c.fit(ctx, promptTokens)
	c.mask()
}

// fit compresses the history if it exceeds the threshold.
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

// Compress compresses the history whatever its size, because the user asked for it. The
// Result has the Status [Noop] if there is nothing to summarize. promptTokens is as for
// [Compressor.Fit]. Old outputs are not masked.
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

// Window returns how many tokens the model accepts, or a guess until Fit asks the server.
func (c *Compressor) Window() int {
	asked := 0
	if c.asked.model == c.ModelName {
		asked = c.asked.limit
	}
	return cmp.Or(c.Limit, asked, Limit(c.ModelName))
}

func (c *Compressor) threshold() float64 {
	return cmp.Or(c.Threshold, defaultThreshold) * float64(c.Window())
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
	if trigger == TriggerAuto && c.failedAt > 0 && float64(before-c.failedAt) < growthToRetry*float64(c.Window()) {
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
	if room := c.Window() * 9 / 10; Estimate(old) > room {
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
