package protocol

import (
	"fmt"
	"slices"
	"strings"
)

// toolConfig reads a restriction of the tools.
func (r *reader) toolConfig(path string, v any) { r.out.ToolConfig = r.values.readToolConfig(path, v) }

// readToolConfig accepts the flat form and the API's, under
// functionCallingConfig; nil if nothing in it can be used.
func (vs *values) readToolConfig(path string, v any) *ToolConfig {
	m := vs.obj(path, v)
	if m == nil {
		return nil
	}
	if inner, ok := m["functionCallingConfig"]; ok {
		vs.rest(path, m, "functionCallingConfig")
		path += ".functionCallingConfig"
		if m = vs.obj(path, inner); m == nil {
			return nil
		}
	}
	c := ToolConfig{Mode: vs.toolMode(path+".mode", m["mode"])}
	if list, ok := m["allowedFunctionNames"]; ok && list != nil {
		c.AllowedFunctionNames = vs.stringList(path+".allowedFunctionNames", list)
	}
	vs.rest(path, m, "mode", "allowedFunctionNames")
	if c.Mode == "" && c.AllowedFunctionNames == nil {
		return nil
	}
	return &c
}

// toolMode reads a mode in any case; "" if it is absent or unknown.
func (vs *values) toolMode(path string, v any) string {
	if v == nil {
		return ""
	}
	s, ok := v.(string)
	if up := strings.ToUpper(s); ok && slices.Contains([]string{"AUTO", "ANY", "NONE"}, up) {
		if up != s {
			vs.warn("%s %q is taken as %q", path, s, up)
		}
		return up
	}
	vs.wrong(path, "AUTO, ANY or NONE", v)
	return ""
}

// stringList reads an array of strings. Other elements are left out with a warning. It
// returns nil only if v is not an array.
func (vs *values) stringList(path string, v any) []string {
	list, ok := v.([]any)
	if !ok {
		vs.wrong(path, "an array of strings", v)
		return nil
	}
	out := []string{}
	for i, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		} else {
			vs.wrong(fmt.Sprintf("%s[%d]", path, i), "a string", e)
		}
	}
	return out
}

// llmRequest reads a change of the request, in our form or in that of Gemini's API
// ("contents", "generationConfig").
func (r *reader) llmRequest(path string, v any) {
	m := r.values.obj(path, v)
	if m == nil {
		return
	}
	c := &LLMRequestChange{}
	if model, ok := m["model"]; ok && model != nil {
		c.Model = strings.TrimPrefix(r.values.str(path+".model", model), "models/")
	}
	for _, key := range []string{"messages", "contents"} {
		if list, ok := m[key]; ok && list != nil {
			c.Messages = r.values.messages(path+"."+key, list)
		}
	}
	for _, key := range []string{"config", "generationConfig"} {
		if config, ok := m[key]; ok && config != nil {
			r.values.config(path+"."+key, config, c)
		}
	}
	if t, ok := m["toolConfig"]; ok && t != nil {
		c.ToolConfig = r.values.readToolConfig(path+".toolConfig", t)
	}
	if t, ok := m["tools"]; ok && t != nil {
		c.Tools = r.values.stringList(path+".tools", t)
	}
	r.values.rest(path, m, "model", "messages", "contents", "config", "generationConfig", "toolConfig", "tools")
	r.out.LLMRequest = c
}

// config reads the generation settings into c. Wrong values are ignored one by one.
func (vs *values) config(path string, v any, c *LLMRequestChange) {
	m := vs.obj(path, v)
	number := func(key string) *float64 {
		v, ok := m[key]
		if !ok || v == nil {
			return nil
		}
		f, ok := v.(float64)
		if !ok {
			vs.wrong(path+"."+key, "a number", v)
			return nil
		}
		return &f
	}
	set := func(to **float64, key string) {
		if f := number(key); f != nil {
			*to = f
		}
	}
	set(&c.Temperature, "temperature")
	set(&c.TopP, "topP")
	set(&c.TopK, "topK")
	if f := number("maxOutputTokens"); f != nil {
		if n := int(*f); float64(n) == *f && n > 0 {
			c.MaxTokens = &n
		} else {
			vs.wrong(path+".maxOutputTokens", "a whole number from 1", *f)
		}
	}
	vs.rest(path, m, "temperature", "topP", "topK", "maxOutputTokens")
}

// messages reads a list of messages. One wrong message voids the list, because a message
// that is left out counts as removed.
func (vs *values) messages(path string, v any) []LLMMessage {
	list, ok := v.([]any)
	if !ok {
		vs.wrong(path, "an array", v)
		return nil
	}
	out := make([]LLMMessage, 0, len(list))
	for i, e := range list {
		m, ok := vs.message(fmt.Sprintf("%s[%d]", path, i), e)
		if !ok {
			vs.warn("%s ignored as a whole, because of %s[%d]", path, path, i)
			return nil
		}
		out = append(out, m)
	}
	return out
}

// message reads one message. The roles of other APIs are translated: "assistant" is the
// model, and "tool" and "function" are the user.
func (vs *values) message(path string, v any) (LLMMessage, bool) {
	m := vs.obj(path, v)
	if m == nil {
		return LLMMessage{}, false
	}
	role, ok := m["role"].(string)
	switch role {
	case "user", "model", "system":
	case "assistant":
		role = "model"
	case "tool", "function":
		role = "user"
	default:
		ok = false
	}
	if !ok {
		vs.wrong(path+".role", `"user", "model" or "system"`, m["role"])
		return LLMMessage{}, false
	}
	content, key := m["content"], "content"
	if _, ok := m["content"]; !ok {
		content, key = m["parts"], "parts"
	}
	vs.rest(path, m, "role", "content", "parts")
	switch content := content.(type) {
	case string:
		return LLMMessage{Role: role, Text: content}, true
	case []any:
		parts, ok := vs.parts(path+"."+key, content)
		return LLMMessage{Role: role, Parts: parts}, ok
	}
	vs.wrong(path+".content", "a string or an array of parts", content)
	return LLMMessage{}, false
}

// parts reads the parts of a message; ok is false if one of them is wrong.
func (vs *values) parts(path string, list []any) ([]LLMPart, bool) {
	out := make([]LLMPart, 0, len(list))
	for i, e := range list {
		p, ok := vs.part(fmt.Sprintf("%s[%d]", path, i), e)
		if !ok {
			return nil, false
		}
		out = append(out, p)
	}
	return out, true
}

// part reads a string, {"type", ...}, or a part in the form of Gemini's API.
func (vs *values) part(path string, v any) (LLMPart, bool) {
	if s, ok := v.(string); ok {
		return LLMPart{Type: PartText, Text: s}, true
	}
	m := vs.obj(path, v)
	if m == nil {
		return LLMPart{}, false
	}
	if inner, ok := m["functionCall"].(map[string]any); ok {
		return call(PartFunctionCall, inner), true
	}
	if inner, ok := m["functionResponse"].(map[string]any); ok {
		return call(PartFunctionResponse, inner), true
	}
	kind, _ := m["type"].(string)
	text, isText := m["text"].(string)
	switch {
	case kind == PartText && m["text"] == nil, isText && (kind == PartText || kind == ""):
		return LLMPart{Type: PartText, Text: text}, true
	case kind == PartFunctionCall, kind == PartFunctionResponse:
		return call(kind, m), true
	case kind == PartInlineData, kind == PartFileData:
		mime, _ := m["mimeType"].(string)
		uri, _ := m["fileUri"].(string)
		size, _ := m["bytes"].(float64)
		return LLMPart{Type: kind, MIMEType: mime, FileURI: uri, Bytes: int(size)}, true
	}
	vs.wrong(path, `a part such as {"type": "text", "text": "..."}`, v)
	return LLMPart{}, false
}

// call reads the fields of a call or a result.
func call(kind string, m map[string]any) LLMPart {
	p := LLMPart{Type: kind}
	p.Name, _ = m["name"].(string)
	p.ID, _ = m["id"].(string)
	p.Args, _ = m["args"].(map[string]any)
	p.Response, _ = m["response"].(map[string]any)
	return p
}

// content reads an older field of AfterModel, which replaces the visible text.
func (r *reader) content(path string, v any) {
	if s, ok := v.(string); ok {
		r.out.LLMResponse = &LLMResponse{Parts: []string{s}, VisibleOnly: true}
		return
	}
	r.values.wrong(path, "a string", v)
	r.malformed(path)
}

// malformed makes the run fail: the hook meant to answer for the model, and its answer
// cannot be used.
func (r *reader) malformed(path string) {
	r.garbled = true
	if r.failed == "" {
		r.failed = path + " is malformed"
	}
}

// llmResponse accepts candidates[], candidate, or text. The first that exists counts.
func (r *reader) llmResponse(path string, v any) {
	m := r.values.obj(path, v)
	if m == nil {
		r.malformed(path)
		return
	}
	resp, ok := r.values.candidate(path, m)
	if !ok {
		r.malformed(path)
		return
	}
	if u, ok := m["usageMetadata"].(map[string]any); ok {
		resp.Usage = &LLMUsage{count(u, "promptTokenCount"), count(u, "candidatesTokenCount"), count(u, "totalTokenCount")}
	}
	if list, ok := m["functionCalls"].([]any); ok {
		for i, e := range list {
			if c, ok := e.(map[string]any); ok {
				resp.addCall(call(PartFunctionCall, c))
			} else {
				r.values.wrong(fmt.Sprintf("%s.functionCalls[%d]", path, i), "an object", e)
			}
		}
	}
	r.values.rest(path, m, "candidates", "candidate", "text", "usageMetadata", "functionCalls")
	r.out.LLMResponse = resp
}

// count reads a number of tokens; 0 if it is missing or not a number.
func count(m map[string]any, key string) int {
	f, _ := m[key].(float64)
	return int(f)
}

// candidate reads the first form of an answer that exists in m.
func (vs *values) candidate(path string, m map[string]any) (*LLMResponse, bool) {
	if list, ok := m["candidates"]; ok && list != nil {
		candidates, ok := list.([]any)
		if !ok || len(candidates) == 0 {
			vs.wrong(path+".candidates", "an array of one candidate", list)
			return nil, false
		}
		if len(candidates) > 1 {
			vs.warn("%s.candidates: only the first counts", path)
		}
		return vs.oneCandidate(path+".candidates[0]", candidates[0])
	}
	if c, ok := m["candidate"]; ok && c != nil {
		return vs.oneCandidate(path+".candidate", c)
	}
	if text, ok := m["text"].(string); ok {
		return &LLMResponse{Parts: []string{text}, VisibleOnly: true}, true
	}
	vs.warn("%s ignored: it has neither candidates, nor candidate, nor text", path)
	return nil, false
}

// oneCandidate reads a candidate whose content is a text, or an object with parts.
func (vs *values) oneCandidate(path string, v any) (*LLMResponse, bool) {
	m := vs.obj(path, v)
	if m == nil {
		return nil, false
	}
	resp := &LLMResponse{}
	resp.FinishReason, _ = m["finishReason"].(string)
	vs.rest(path, m, "content", "finishReason", "index", "safetyRatings")
	switch content := m["content"].(type) {
	case string:
		resp.Parts = []string{content}
		return resp, true
	case map[string]any:
		vs.rest(path+".content", content, "role", "parts")
		switch parts := content["parts"].(type) {
		case string:
			resp.Parts = []string{parts}
			return resp, true
		case []any:
			return resp, vs.responseParts(path+".content.parts", parts, resp)
		}
		vs.wrong(path+".content.parts", "an array of strings", content["parts"])
		return nil, false
	}
	vs.wrong(path+".content", "an object with parts", m["content"])
	return nil, false
}

// responseParts reads texts and function calls into resp. Other parts are ignored with a
// warning.
func (vs *values) responseParts(path string, list []any, resp *LLMResponse) bool {
	resp.Parts = []string{}
	parts, ok := vs.parts(path, list)
	if !ok {
		return false
	}
	for i, p := range parts {
		switch p.Type {
		case PartText:
			resp.Parts = append(resp.Parts, p.Text)
		case PartFunctionCall:
			resp.addCall(p)
		default:
			vs.warn("%s[%d] ignored: a response is made of texts and function calls", path, i)
		}
	}
	return true
}

// addCall adds a call, with {} for missing arguments.
func (r *LLMResponse) addCall(p LLMPart) {
	if p.Args == nil {
		p.Args = map[string]any{}
	}
	r.Calls = append(r.Calls, LLMCall{Name: p.Name, Args: p.Args, ID: p.ID})
}
