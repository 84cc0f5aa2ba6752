package agent

import (
	"cmp"
	"fmt"
	"strings"

	"minigem/agent/event"
)

// finishStop is the Gemini API's word for an answer that ended by itself.
const finishStop = "STOP"

// finishes says what a finish reason other than STOP means. A reason that is
// not listed is treated like OTHER.
var finishes = map[string]struct {
	kind  StreamKind // kind of the error if there is no text
	never bool       // also with text: the answer cannot be used
	text  string     // clause that says what happened to an answer with text
}{
	"MALFORMED_FUNCTION_CALL": {kind: MalformedFunctionCall, never: true},
	"UNEXPECTED_TOOL_CALL":    {kind: UnexpectedToolCall, never: true},
	"MAX_TOKENS": {
		kind: MaxTokensExceeded, text: "it used up its output tokens; ask it to go on, or for less at once"},
	"SAFETY":                   {kind: SafetyBlocked, text: heldBySafety},
	"PROHIBITED_CONTENT":       {kind: SafetyBlocked, text: heldBySafety},
	"BLOCKLIST":                {kind: SafetyBlocked, text: heldBySafety},
	"SPII":                     {kind: SafetyBlocked, text: "the provider held the rest back as personal data"},
	"IMAGE_SAFETY":             {kind: SafetyBlocked, text: heldBySafety},
	"IMAGE_PROHIBITED_CONTENT": {kind: OtherBlocked, text: heldBySafety},
	"RECITATION": {
		kind: RecitationBlocked, text: "the provider held the rest back because it would quote protected text"},
	"IMAGE_RECITATION": {
		kind: OtherBlocked, text: "the provider held an image back because it would copy a protected one"},
	"LANGUAGE":            {kind: OtherBlocked, text: "the provider does not support its language"},
	"OTHER":               {kind: OtherBlocked, text: endedEarly},
	"IMAGE_OTHER":         {kind: OtherBlocked, text: endedEarly},
	"NO_IMAGE":            {kind: OtherBlocked, text: "the image that was asked for was not made"},
	"TOO_MANY_TOOL_CALLS": {kind: OtherBlocked, text: "it asked for too many tools in a row"},
	"CONTINUATION":        {kind: OtherBlocked, text: "the rest was to come in another answer; ask it to go on"},
}

// What is said about several reasons.
const (
	heldBySafety = "the provider's safety filter held the rest back; rephrase the prompt"
	endedEarly   = "the provider ended it early"
)

// Unfinished returns one sentence for people that says why an answer with text is
// incomplete. reason is a [Result.Unfinished] that is not empty; a word that is not known
// counts as OTHER.
func Unfinished(reason string) string {
	if reason == string(NoFinishReason) {
		return "The answer is incomplete: it broke off without an end."
	}
	return fmt.Sprintf("The answer is incomplete (%s): %s.", reason, cmp.Or(finishes[reason].text, endedEarly))
}

// warnUnfinished warns that an answer with text is incomplete, and returns the
// reason; empty if it is complete.
func (r *run) warnUnfinished(ans *reply) string {
	reason := ans.finish
	if reason == "" && ans.brokeOff {
		reason = string(NoFinishReason)
	}
	if reason == "" || reason == finishStop || strings.TrimSpace(ans.text()) == "" {
		return ""
	}
	r.emit(event.Notice{Severity: "warning", Text: Unfinished(reason)})
	return reason
}
