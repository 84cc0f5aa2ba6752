package llm

import (
	"bytes"
	"encoding/base64"
)

// MergeParts joins neighbouring Text parts into one, as the history keeps
// them: of several signatures the last one stays, and a Text that has neither
// text nor signature is dropped. Other parts stay as they are. parts is not
// changed; nil gives nil. (core/core/geminiChat.ts)
func MergeParts(parts []Part) []Part {
	var out []Part
	for _, p := range parts {
		t, ok := p.(Text)
		if !ok {
			out = append(out, p)
			continue
		}
		if t.Text == "" && t.Signature == nil {
			continue
		}
		if n := len(out); n > 0 {
			if last, ok := out[n-1].(Text); ok {
				out[n-1] = joinText(last, t)
				continue
			}
		}
		out = append(out, t)
	}
	return out
}

func joinText(a, b Text) Text {
	if b.Signature == nil {
		b.Signature = a.Signature
	}
	return Text{Text: a.Text + b.Text, Signature: b.Signature}
}

// skipSignature is what the API takes in place of a signature that is not
// known (any more). It is written as this word, which is base64url too.
const skipSignature = "skip_thought_signature_validator"

// SkipSignature returns the signature for a ToolCall whose own is not known:
// one that was made up, or that comes from a session file.
// (core/core/geminiChat.ts)
func SkipSignature() []byte {
	b, err := base64.URLEncoding.DecodeString(skipSignature)
	if err != nil {
		panic("unreachable: " + err.Error())
	}
	return b
}

// IsSkipSignature tells whether sig is SkipSignature.
func IsSkipSignature(sig []byte) bool { return bytes.Equal(sig, SkipSignature()) }
