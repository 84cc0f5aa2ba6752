package llm

import (
	"bytes"
	"encoding/base64"
)

// skipSignature is what the API accepts instead of a signature that is unknown or lost.
// It is written as this word, which is also valid base64url.
const skipSignature = "skip_thought_signature_validator"

// SkipSignature returns a signature for a [ToolCall] without a known one: one that was
// made up, or that comes from a session file. With it the API skips its check of thought
// signatures. The caller may keep and change the slice. (core/core/geminiChat.ts)
func SkipSignature() []byte {
	b, err := base64.URLEncoding.DecodeString(skipSignature)
	if err != nil {
		panic("unreachable: " + err.Error())
	}
	return b
}

// IsSkipSignature reports whether sig is what [SkipSignature] returns. It is written to
// JSON as a word and not as base64.
func IsSkipSignature(sig []byte) bool { return bytes.Equal(sig, SkipSignature()) }
