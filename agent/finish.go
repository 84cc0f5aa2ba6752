package agent

import (
	"cmp"
	"fmt"
	"strings"

	"minigem/agent/event"
)

const finishStop = "STOP"

// finishes says what is to be thought of an answer that ended otherwise than
// with STOP. A reason that is not here is treated like OTHER.
var finishes = map[string]struct {
	kind  StreamKind // what it is without text
	never bool       // with text too: the answer cannot be used
	text  string     // what happened to an answer with text, a clause
}{
	"MALFORMED_FUNCTION_CALL":  {kind: MalformedFunctionCall, never: true},
	"UNEXPECTED_TOOL_CALL":     {kind: UnexpectedToolCall, never: true},
	"MAX_TOKENS":               {kind: MaxTokensExceeded, text: "it used up its output tokens; ask it to go on, or for less at once"},
	"SAFETY":                   {kind: SafetyBlocked, text: heldBySafety},
	"PROHIBITED_CONTENT":       {kind: SafetyBlocked, text: heldBySafety},
	"BLOCKLIST":                {kind: SafetyBlocked, text: heldBySafety},
	"SPII":                     {kind: SafetyBlocked, text: "the provider held the rest back as personal data"},
	"IMAGE_SAFETY":             {kind: SafetyBlocked, text: heldBySafety},
	"IMAGE_PROHIBITED_CONTENT": {kind: OtherBlocked, text: heldBySafety},
	"RECITATION":               {kind: RecitationBlocked, text: "the provider held the rest back because it would quote protected text"},
	"IMAGE_RECITATION":         {kind: OtherBlocked, text: "the provider held an image back because it would copy a protected one"},
	"LANGUAGE":                 {kind: OtherBlocked, text: "the provider does not support its language"},
	"OTHER":                    {kind: OtherBlocked, text: endedEarly},
	"IMAGE_OTHER":              {kind: OtherBlocked, text: endedEarly},
	"NO_IMAGE":                 {kind: OtherBlocked, text: "the image that was asked for was not made"},
	"TOO_MANY_TOOL_CALLS":      {kind: OtherBlocked, text: "it asked for too many tools in a row"},
	"CONTINUATION":             {kind: OtherBlocked, text: "the rest was to come in another answer; ask it to go on"},
}

const (
	heldBySafety = "the provider's safety filter held the rest back; rephrase the prompt"
	endedEarly   = "the provider ended it early"
)

// Unfinished says that an answer with text is not whole, for the finish reason
// of a Result.
func Unfinished(reason string) string {
	if reason == string(NoFinishReason) {
		return "The answer is not whole: it broke off without an end."
	}
	return fmt.Sprintf("The answer is not whole (%s): %s.", reason, cmp.Or(finishes[reason].text, endedEarly))
}

// warnUnfinished tells that an answer with text is not whole, and returns the
// reason; empty where it is.
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
