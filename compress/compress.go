// Package compress makes a history that has grown too long shorter: large old
// tool outputs go to files, and what is left of the older part becomes a
// summary that the model writes. (core/context/chatCompressionService.ts) Old
// outputs go to files before that too; see mask.go.
//
// The newest part, about 30 %, stays word for word, and a call is never parted
// from its result. Whatever fails, the history stays as it was. The package
// knows no session and no screen: a History, a model and functions are given
// to it.
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

// The triggers of PreCompress.
const (
	TriggerAuto   = "auto"
	TriggerManual = "manual"
)

// Status is how an attempt ended, in Gemini CLI's numbers.
type Status int

const (
	Compressed       Status = iota + 1
	FailedInflated          // the result would not have been smaller
	FailedTokenCount        // Gemini CLI's; never given here
	FailedEmpty             // the model gave no summary; Err says why if it was an error
	Noop                    // nothing to do
	ContentTruncated        // old tool outputs went to files, and that was enough
)

// Result is how an attempt ended. Before and After are tokens of the next
// request; they are equal unless the history changed.
type Result struct {
	Status        Status
	Trigger       string
	Before, After int
	Usage         llm.Usage // of the model's work on the summary
	Err           error     // why there is no summary; nil otherwise
}

// Changed reports whether the history is another one now.
func (r Result) Changed() bool { return r.Status == Compressed || r.Status == ContentTruncated }

// History is what is made shorter. Messages that it has returned are never
// written over; see llm.Extends.
type History interface {
	Messages() []llm.Message
	Replace(ms []llm.Message)
}

// Hooks is the event that a compression fires.
type Hooks interface {
	PreCompress(ctx context.Context, trigger string)
}

// Compressor shortens one History. History and Model are required. It is not
// safe for concurrent use.
type Compressor struct {
	History   History
	Model     llm.Generator
	ModelName string
	Preamble  func() int                                         // messages at the start that always stay; nil: none
	Limit     int                                                // tokens that the model takes; 0: Limit(ModelName)
	Threshold float64                                            // part of the limit at which Fit acts; 0: 0.5
	Hooks     Hooks                                              // nil: none
	Save      func(callID, text string) (path string, err error) // keeps a long output; nil: it is lost
	Report    func(Result)                                       // hears of every attempt that was more than a look; nil: nobody does

	ReportMasked func(Masked) // hears of old outputs that were masked; nil: nobody does

	failedAt int // tokens at which an automatic attempt failed or left too much; 0: none did
	stale    int // a count of the provider's from before a compression
	tally    tally

	outputs    outputTally
	unmaskable bool // an output could not be kept in a file
}

// Limit returns how many tokens a model takes. (core/core/tokenLimits.ts)
func Limit(model string) int {
	if strings.HasPrefix(model, "gemma") {
		return 256_000
	}
	return 1_048_576
}

const (
	defaultThreshold = 0.5
	keptPart         = 0.3
	// After a failure the model is asked again when the history has grown by
	// this part of the limit; until then outputs are truncated only.
	growthToRetry = 0.1
	// Truncation alone is enough where it leaves this part of the threshold.
	enough = 0.7
)

// Fit compresses the history if it has outgrown the threshold, and masks old
// tool outputs. promptTokens is what the provider counted for the last request;
// 0: nothing yet. It implements agent.Compressor.
func (c *Compressor) Fit(ctx context.Context, promptTokens int) {
	c.fit(ctx, promptTokens)
	c.mask()
}

func (c *Compressor) fit(ctx context.Context, promptTokens int) {
	if promptTokens == c.stale {
		promptTokens = 0
	}
	all := c.History.Messages()
	before := max(promptTokens, c.tally.of(all))
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

// Compress compresses the history whatever its size: the user asked.
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

func (c *Compressor) limit() int { return cmp.Or(c.Limit, Limit(c.ModelName)) }

func (c *Compressor) threshold() float64 {
	return cmp.Or(c.Threshold, defaultThreshold) * float64(c.limit())
}

func (c *Compressor) head(all []llm.Message) int {
	if c.Preamble == nil {
		return 0
	}
	return min(c.Preamble(), len(all))
}

// attempt fires PreCompress only once it is certain that something will be
// tried.
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
	if c.Hooks != nil {
		c.Hooks.PreCompress(ctx, trigger)
	}
	// What the provider counts beside the messages stays: instruction and tools.
	beside := before - Estimate(all)
	short := c.shorten(body, long)
	if trigger == TriggerAuto && len(long) > 0 {
		next := slices.Concat(all[:head], short)
		if after := beside + Estimate(next); cut == 0 && after < before || float64(after) < enough*c.threshold() {
			c.History.Replace(next)
			r.Status, r.After = ContentTruncated, after
			return r
		}
	}
	if cut == 0 {
		return r
	}
	return c.summarize(ctx, r, all[:head], body, short, cut, beside)
}

// summarize puts a summary in the place of body[:cut]. short is body with its
// long outputs cut.
func (c *Compressor) summarize(ctx context.Context, r Result, head, body, short []llm.Message, cut, beside int) Result {
	w := writer{model: c.Model, name: c.ModelName}
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

// writer lets the model write a summary.
type writer struct {
	model llm.Generator
	name  string
	usage llm.Usage
}

var errNoSummary = errors.New("the model gave no summary")

// snapshot asks for a summary of old, then for a second look at it. Where the
// second look gives nothing the first answer counts.
func (w *writer) snapshot(ctx context.Context, old []llm.Message) (string, error) {
	ask := strings.TrimSpace(instructionText)
	if hasSnapshot(old) {
		ask = strings.TrimSpace(mergeText) + "\n\n" + ask
	}
	asked := say(old, llm.UserText(ask))
	first, err := w.generate(ctx, asked)
	if err != nil {
		return "", err
	}
	if first == "" {
		return "", errNoSummary
	}
	second, err := w.generate(ctx, say(say(asked, llm.ModelText(first)), llm.UserText(strings.TrimSpace(verifyText))))
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err == nil && second != "" {
		return extract(second), nil
	}
	return extract(first), nil
}

func (w *writer) generate(ctx context.Context, messages []llm.Message) (string, error) {
	answer, err := w.model.Generate(ctx, llm.Request{Model: w.name, System: systemText, Messages: messages, Role: "utility_compressor"})
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

// say adds m; messages of one role in a row become one.
func say(messages []llm.Message, m llm.Message) []llm.Message {
	out := slices.Clone(messages)
	if n := len(out) - 1; n >= 0 && out[n].Role == m.Role {
		out[n].Parts = slices.Concat(out[n].Parts, m.Parts)
		return out
	}
	return append(out, m)
}

const openTag, closeTag = "<state_snapshot>", "</state_snapshot>"

// extract leaves the scratchpad out.
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
