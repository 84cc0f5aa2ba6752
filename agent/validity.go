package agent

import (
	"cmp"
	"errors"
	"regexp"
	"strings"
	"time"

	"minigem/llm"
)

// When an answer is valid (core/core/geminiChat.ts): a stream with a tool call
// always is. Any other stream must have a finish reason, must not end with a
// malformed call, and must have visible text; after tool results it may be
// empty.

// StreamKind says what is wrong with a stream, in Gemini CLI's words.
type StreamKind string

// The kinds of a [StreamError].
const (
	// The stream ended without saying that it was complete.
	NoFinishReason StreamKind = "NO_FINISH_REASON"
	// The model called a tool in a form that the provider could not read.
	MalformedFunctionCall StreamKind = "MALFORMED_FUNCTION_CALL"
	// The model called a tool although none was declared.
	UnexpectedToolCall StreamKind = "UNEXPECTED_TOOL_CALL"
	// The output tokens were used up before there was any text.
	MaxTokensExceeded StreamKind = "MAX_TOKENS_EXCEEDED"
	// The provider's safety filter held prompt or answer back.
	SafetyBlocked StreamKind = "SAFETY_BLOCKED"
	// The answer would have quoted protected text.
	RecitationBlocked StreamKind = "RECITATION_BLOCKED"
	// The provider gave another reason, see [StreamError.Detail].
	OtherBlocked StreamKind = "OTHER_BLOCKED"
	// There were thoughts and no text.
	ThinkingOnly StreamKind = "THINKING_ONLY_RESPONSE"
	// There was neither text nor a thought.
	NoResponseText StreamKind = "NO_RESPONSE_TEXT"
)

// StreamError says that an answer cannot be used, and why. The agent repeats such a
// request up to three times before a run ends with it as [InvalidStream].
type StreamError struct {
	// Kind says what is wrong.
	Kind StreamKind
	// Detail is what the provider said about it; may be empty.
	Detail string
}

// streamTexts says what each kind means, for people, with advice if they can do
// something about it.
var streamTexts = map[StreamKind]string{
	NoFinishReason:        "the model's answer broke off without an end",
	MalformedFunctionCall: "the model asked for a tool in a form that cannot be read",
	UnexpectedToolCall:    "the model asked for a tool although none was offered",
	MaxTokensExceeded: "the model used up its output tokens before it said anything; raise maxOutputTokens or ask " +
		"for less at once",
	SafetyBlocked:     "the provider's safety filter held the answer back; rephrase the prompt",
	RecitationBlocked: "the provider held the answer back because it would quote protected text; rephrase the prompt",
	OtherBlocked:      "the provider held the answer back",
	ThinkingOnly:      "the model thought but gave no answer",
	NoResponseText:    "the model's answer was empty",
}

// Error returns one sentence for people, with advice if there is any.
func (e *StreamError) Error() string {
	text := streamTexts[e.Kind]
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// received describes the stream's content before hooks changed it.
type received struct {
	text    strings.Builder
	called  bool
	thought bool
	finish  string
	detail  string
	block   string
}

// add notes what the chunk contains. Of several finish reasons the last one counts.
func (h *received) add(c llm.Chunk) {
	h.text.WriteString(c.Text())
	for _, p := range c.Parts {
		switch p.(type) {
		case llm.ToolCall:
			h.called = true
		case llm.Thought:
			h.thought = true
		}
	}
	if c.FinishReason != "" {
		h.finish, h.detail = c.FinishReason, c.FinishMessage
	}
	if c.BlockReason != "" {
		h.block = c.BlockReason
	}
}

// invisible matches what nobody sees in an answer: white space, characters without
// width, and HTML comments.
var invisible = regexp.MustCompile("<!--(?s:.*?)-->|[\\s\u200B-\u200D\u2060\uFEFF]+")

// check returns what is wrong with the stream, or nil. afterTools says that the
// request contained tool results.
func (h *received) check(afterTools bool) error {
	kind := h.kind()
	visible := invisible.ReplaceAllString(h.text.String(), "") != ""
	if kind == "" || afterTools && (kind == NoResponseText || kind == NoFinishReason && visible) {
		return nil // the model may have nothing to add to what it did, but only if it says that it has ended
	}
	detail := h.detail
	if h.block != "" {
		detail = h.block
	}
	return &StreamError{Kind: kind, Detail: detail}
}

// kind returns the fault of the stream, or "" if it is valid.
func (h *received) kind() StreamKind {
	switch {
	case h.called:
		return ""
	case h.block == "SAFETY":
		return SafetyBlocked
	case h.block != "":
		return OtherBlocked
	case h.finish == "":
		return NoFinishReason
	case finishes[h.finish].never:
		return finishes[h.finish].kind
	case invisible.ReplaceAllString(h.text.String(), "") != "":
		return ""
	}
	if h.finish != finishStop {
		return cmp.Or(finishes[h.finish].kind, OtherBlocked)
	}
	if h.thought {
		return ThinkingOnly
	}
	return NoResponseText
}

// The request is repeated if its stream was invalid or broke off
// (core/core/geminiChat.ts).
const maxStreamAttempts = 4

// retryDelay returns 1, 2 and 4 s for the first three attempts.
func retryDelay(attempt int) time.Duration { return time.Second << (attempt - 1) }

// retryable reports whether repeating the request may help. An error from
// before the stream opened is final: connecting was retried already.
func retryable(err error) bool {
	var invalid *StreamError
	if errors.As(err, &invalid) {
		return true
	}
	var e *llm.Error
	if !errors.As(err, &e) || !e.Opened {
		return false
	}
	return e.Kind == llm.ErrStream || e.Kind == llm.ErrOffline || e.Kind == llm.ErrOverloaded
}

// whatHappened is err without its advice, which minigem is following itself.
func whatHappened(err error) string {
	var e *llm.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// retryInstruction is added to the system instruction of the next attempt if
// the model gave no visible text.
func retryInstruction(err error) string {
	var invalid *StreamError
	if errors.As(err, &invalid) && (invalid.Kind == ThinkingOnly || invalid.Kind == NoResponseText) {
		return "Your last reply had no visible text. Reply now with text for the user or with a tool call."
	}
	return ""
}
