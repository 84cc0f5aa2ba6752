package compress

import (
	"encoding/json"

	"minigem/llm"
)

// How Gemini CLI estimates tokens that the provider has not counted.
// (core/utils/tokenCalculation.ts)
const (
	charsPerToken   = 4
	tokensPerRune   = 1.5 // outside ASCII
	scannedChars    = 100_000
	tokensPerImage  = 3_000
	tokensPerPDF    = 25_800
	mimePDF         = "application/pdf"
	partOverheadLen = 40 // keys and braces
)

// Estimate estimates the tokens of messages without asking a model: four ASCII characters
// a token, one and a half tokens for any other character, 3,000 for an image, 25,800 for
// a PDF. (core/utils/tokenCalculation.ts)
func Estimate(messages []llm.Message) int {
	n := 0
	for _, m := range messages {
		n += messageTokens(m)
	}
	return n
}

// runningEstimate is [Estimate] for a history that grows: it counts only what
// was added. The zero value is ready.
type runningEstimate struct {
	from   []llm.Message
	tokens int
}

// of returns the estimate for messages. It costs as much as the messages that were
// added since the last call, or as much as all if they do not extend those.
func (t *runningEstimate) of(messages []llm.Message) int {
	if !llm.Extends(messages, t.from) {
		*t = runningEstimate{}
	}
	t.tokens += Estimate(messages[len(t.from):])
	t.from = messages
	return t.tokens
}

// messageTokens rounds down once for each message, so that estimates of a part and of
// the rest add up to the whole.
func messageTokens(m llm.Message) int {
	n := 0.0
	for _, p := range m.Parts {
		n += partTokens(p)
	}
	return int(n)
}

// partTokens estimates one part. Parts of a kind that is not sent count too.
func partTokens(p llm.Part) float64 {
	switch p := p.(type) {
	case llm.Text:
		return textTokens(p.Text)
	case llm.Thought:
		return textTokens(p.Text)
	case llm.Blob:
		return mediaTokens(p.MIMEType)
	case llm.FileRef:
		return mediaTokens(p.MIMEType)
	case llm.ToolCall:
		return textTokens(p.Name) + valueTokens(p.Args)
	case llm.ToolResult:
		n := textTokens(p.Name) + valueTokens(p.Response)
		for _, q := range p.Parts {
			n += partTokens(q)
		}
		return n
	case llm.Opaque:
		return textTokens(string(p.JSON))
	}
	return 0
}

// mediaTokens returns the flat estimate for an image or a PDF; other media count as an
// image.
func mediaTokens(mime string) float64 {
	if mime == mimePDF {
		return tokensPerPDF
	}
	return tokensPerImage
}

// textTokens estimates a text by its characters. A long one is not scanned: it counts as
// ASCII.
func textTokens(s string) float64 {
	if len(s) > scannedChars {
		return float64(len(s)) / charsPerToken
	}
	plain := asciiPrefix(s)
	wide := 0
	for _, r := range s[plain:] {
		if r < 0x80 {
			plain++
		} else {
			wide++
		}
	}
	return float64(plain)/charsPerToken + float64(wide)*tokensPerRune
}

// asciiPrefix returns how many bytes at the beginning of s are ASCII, rounded
// down to a multiple of eight.
func asciiPrefix(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		b := s[i : i+8]
		if (b[0]|b[1]|b[2]|b[3]|b[4]|b[5]|b[6]|b[7])&0x80 != 0 {
			break
		}
	}
	return i
}

// valueTokens estimates a JSON value: its strings, and one token for anything
// else.
func valueTokens(v any) float64 {
	switch v := v.(type) {
	case string:
		return textTokens(v)
	case map[string]any:
		n := 0.0
		for k, w := range v {
			n += textTokens(k) + valueTokens(w)
		}
		return n
	case []any:
		n := 0.0
		for _, w := range v {
			n += valueTokens(w)
		}
		return n
	}
	return 1
}

// messageSize approximates the length of m as JSON.
func messageSize(m llm.Message) int {
	n := 0
	for _, p := range m.Parts {
		n += partOverheadLen
		switch p := p.(type) {
		case llm.Text:
			n += len(p.Text)
		case llm.ToolResult:
			n += responseSize(p.Response)
		default:
			if data, err := llm.MarshalPart(p); err == nil {
				n += len(data)
			}
		}
	}
	return n
}

// responseSize approximates the length of a response as JSON.
func responseSize(response map[string]any) int {
	if text, ok := response["output"].(string); ok && len(response) == 1 {
		return len(text)
	}
	data, err := json.Marshal(response)
	if err != nil {
		return 0
	}
	return len(data)
}
