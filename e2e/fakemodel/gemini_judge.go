package fakemodel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"minigem/llm"
)

// geminiToolName matches valid function names. It is compiled on first use, because
// otherwise every start of minigem would pay for it.
var geminiToolName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$`)
})

// GeminiProblems lists what the real API would refuse in req, one sentence each, with the
// place. It returns nil if there is nothing. req is the request as sent, with Model set
// from the URL. served holds the parts that the server has sent so far. The active turn of
// req must return their signatures.
func GeminiProblems(req llm.Request, served []llm.Part) []string {
	v := geminiJudge{req: req, served: served}
	v.roles()
	v.parts()
	v.calls()
	v.signatures()
	v.tools()
	return v.problems
}

type geminiJudge struct {
	req      llm.Request
	served   []llm.Part
	problems []string
}

func (v *geminiJudge) addf(format string, args ...any) {
	v.problems = append(v.problems, fmt.Sprintf(format, args...))
}

// roles checks that user and model alternate, and that the user's messages are first and
// last.
func (v *geminiJudge) roles() {
	ms := v.req.Messages
	if len(ms) == 0 {
		v.addf("contents is empty")
		return
	}
	for i, m := range ms {
		switch {
		case m.Role != llm.RoleUser && m.Role != llm.RoleModel:
			v.addf("contents[%d]: role %q is neither user nor model", i, m.Role)
		case i == 0 && m.Role != llm.RoleUser:
			v.addf("contents[0]: a conversation starts with the user")
		case i > 0 && m.Role == ms[i-1].Role:
			v.addf("contents[%d]: role %s twice in a row", i, m.Role)
		}
	}
	if ms[len(ms)-1].Role == llm.RoleModel {
		v.addf("contents[%d]: a request ends with the user", len(ms)-1)
	}
}

// parts checks that messages have parts and that none is empty.
func (v *geminiJudge) parts() {
	for i, m := range v.req.Messages {
		if len(m.Parts) == 0 {
			v.addf("contents[%d]: no parts", i)
		}
		for j, p := range m.Parts {
			at := fmt.Sprintf("contents[%d].parts[%d]", i, j)
			switch p := p.(type) {
			case llm.Text:
				if p.Text == "" && p.Signature == nil {
					v.addf("%s: empty text", at)
				}
			case llm.Blob:
				if len(p.Data) == 0 || p.MIMEType == "" {
					v.addf("%s: inline data without data or type", at)
				}
			case llm.ToolCall:
				if m.Role != llm.RoleModel {
					v.addf("%s: a function call of the user's", at)
				}
				if !geminiToolName().MatchString(p.Name) {
					v.addf("%s: %q cannot be a function's name", at, p.Name)
				}
			case llm.ToolResult:
				if m.Role != llm.RoleUser {
					v.addf("%s: a function response of the model's", at)
				}
			case llm.Opaque:
				if isEmptyObject(p.JSON) {
					v.addf("%s: empty part", at)
				}
			}
		}
	}
}

func isEmptyObject(data []byte) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(data, &fields) == nil && len(fields) == 0
}

// calls checks that each call is answered in the next content, and that nothing else is
// answered.
func (v *geminiJudge) calls() {
	ms := v.req.Messages
	for i, m := range ms {
		var results []llm.ToolResult
		if m.Role == llm.RoleUser {
			results = llm.PartsResults(m.Parts)
		}
		var calls []llm.ToolCall
		if i > 0 && ms[i-1].Role == llm.RoleModel {
			calls = ms[i-1].Calls()
		}
		v.answers(i, calls, results)
	}
	if last := len(ms) - 1; last >= 0 && ms[last].Role == llm.RoleModel && len(ms[last].Calls()) > 0 {
		v.addf("contents[%d]: %d function calls without a response", last, len(ms[last].Calls()))
	}
}

func (v *geminiJudge) answers(i int, calls []llm.ToolCall, results []llm.ToolResult) {
	if len(calls) == 0 && len(results) > 0 {
		v.addf("contents[%d]: function responses that follow no function call", i)
		return
	}
	if len(calls) != len(results) {
		v.addf("contents[%d]: %d function responses for %d function calls", i, len(results), len(calls))
		return
	}
	left := slices.Clone(results)
	for _, c := range calls {
		j := slices.IndexFunc(left, func(r llm.ToolResult) bool { return r.ID == c.ID && r.Name == c.Name })
		if j < 0 {
			v.addf("contents[%d]: no function response for call %s (id %q)", i, c.Name, c.ID)
			continue
		}
		left = slices.Delete(left, j, j+1)
	}
}

// signatures checks that the active turn, which starts with the last message from the
// user, returns signatures unchanged. From Gemini 3 on, the first call of each answer must
// have one. (core/core/geminiChat.ts)
func (v *geminiJudge) signatures() {
	start := 0
	for i, m := range v.req.Messages {
		if m.Role == llm.RoleUser && len(llm.PartsResults(m.Parts)) == 0 {
			start = i
		}
	}
	for i, m := range v.req.Messages[min(start, len(v.req.Messages)):] {
		if m.Role != llm.RoleModel {
			continue
		}
		for j, c := range m.Calls() {
			at := fmt.Sprintf("contents[%d]: function call %s", start+i, c.Name)
			want, known := v.given(c)
			switch {
			case known && want != nil && !bytes.Equal(c.Signature, want):
				v.addf("%s: not the thoughtSignature that it was given", at)
			case j == 0 && c.Signature == nil && v.needsSignatures():
				v.addf("%s: no thoughtSignature", at)
			}
		}
	}
}

func (v *geminiJudge) needsSignatures() bool { return strings.HasPrefix(v.req.Model, "gemini-3") }

// given returns the signature with which the server last sent the call.
func (v *geminiJudge) given(c llm.ToolCall) (signature []byte, known bool) {
	for _, p := range slices.Backward(v.served) {
		s, ok := p.(llm.ToolCall)
		if !ok || s.Name != c.Name || s.ID != "" && s.ID != c.ID {
			continue
		}
		if len(s.Args) == 0 && len(c.Args) == 0 || reflect.DeepEqual(s.Args, c.Args) {
			return s.Signature, true
		}
	}
	return nil, false
}

// tools checks that names are valid and unique, and that a tool choice only names offered
// tools.
func (v *geminiJudge) tools() {
	seen := map[string]bool{}
	for _, t := range v.req.Tools {
		if !geminiToolName().MatchString(t.Name) {
			v.addf("tools: %q cannot be a function's name", t.Name)
		}
		if seen[t.Name] {
			v.addf("tools: %s is declared twice", t.Name)
		}
		seen[t.Name] = true
		var schema object
		if t.Parameters != nil && json.Unmarshal(t.Parameters, &schema) != nil {
			v.addf("tools: the schema of %s is not an object", t.Name)
		}
	}
	choice := v.req.Choice
	if len(choice.Allowed) > 0 && choice.Mode != llm.ToolModeAny {
		v.addf("toolConfig: allowedFunctionNames with mode %q; it goes with ANY only", choice.Mode)
	}
	for _, name := range choice.Allowed {
		if !seen[name] {
			v.addf("toolConfig: %s is allowed but not declared", name)
		}
	}
}
