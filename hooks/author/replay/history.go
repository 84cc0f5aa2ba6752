// Package replay shows past sessions to today's hooks: it fires the prompts, tool calls,
// results and answers in a session's file at the engine, one after the other. No tool and
// no model is called. What the hooks decide now is compared with what the file says about
// their decisions then.
//
//	sessions, skipped, err := replay.ReadAll(paths)
//	r := replay.Run(ctx, engine, sessions)
//	fmt.Print(r.Text(nil))
//
// It reads the files of minigem and Gemini CLI (JSON Lines, or the older single object)
// and those of Claude Code.
package replay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"minigem/hooks"
	"minigem/hooks/claude"
	"minigem/hooks/protocol"
	"minigem/internal/boundedfile"
	"minigem/llm"
	"minigem/transcript"
)

// Kind says what happened in a [Step].
type Kind string

const (
	// KindPrompt is a prompt by the user, or a hook's reason for going on.
	KindPrompt Kind = "prompt"
	// KindCall is a tool call with its result.
	KindCall Kind = "call"
	// KindAnswer is the final answer to a prompt.
	KindAnswer Kind = "answer"
)

// Step is one thing that happened in a session.
type Step struct {
	// Kind says which of the other fields are set.
	Kind Kind
	// Text is the prompt or the answer; empty for a call.
	Text string
	// Call is the tool call in Gemini CLI's names. KindCall only.
	Call llm.ToolCall
	// Response is what the tool returned; nil if it is unknown, or if a hook stopped the
	// call.
	Response *protocol.ToolResponse
	// Denied says that a hook stopped the step then, as far as the file shows it.
	Denied bool
	// Reason is the reason that the hook gave.
	Reason string
	// Retry says that the prompt was a hook's reason for sending the answer back. Only
	// files of minigem show it.
	Retry bool
}

// Session is a past session.
type Session struct {
	// Path is the file as it was named.
	Path string
	// ID is the session's id; may be empty.
	ID string
	// Steps are in the order of the file.
	Steps []Step
	// Skipped lists, in sentences, parts of the file that could not be used.
	Skipped []string
}

// maxLine limits the lines of Claude Code's files.
const maxLine = 64 << 20

// Read reads the session in the file at path. Steps of Claude Code's sessions get Gemini
// CLI's names of tools and arguments; its subagents' messages are left out. The error is
// for a file that is not a session.
func Read(path string) (*Session, error) {
	f, err := transcript.Read(path)
	if err == nil && len(f.Messages) > 0 {
		return ofGemini(path, f), nil
	}
	if errors.Is(err, transcript.ErrNoRecords) {
		return nil, fmt.Errorf("reading the session: %w", err)
	}
	data, readErr := boundedfile.ReadNamed(path, boundedfile.Recorded)
	if readErr != nil {
		return nil, fmt.Errorf("reading the session: %w", readErr)
	}
	s, claudeErr := ofClaude(path, data)
	switch {
	case claudeErr != nil:
		return nil, claudeErr
	case len(s.Steps) > 0:
		return s, nil
	case err == nil: // a session without messages
		return ofGemini(path, f), nil
	}
	return nil, fmt.Errorf("%s is not a session: it is neither Gemini CLI's nor Claude Code's", path)
}

// ofGemini returns the steps of a session of Gemini CLI or minigem. Several texts of
// the model in a row are one answer, the last.
func ofGemini(path string, f *transcript.File) *Session {
	s := &Session{Path: path, ID: f.Meta.SessionID}
	for _, w := range f.Warnings {
		s.Skipped = append(s.Skipped, w.String())
	}
	answer := ""
	flush := func() {
		if answer != "" {
			s.Steps = append(s.Steps, Step{Kind: KindAnswer, Text: answer})
		}
		answer = ""
	}
	for _, m := range f.Messages {
		switch {
		case m.ID == transcript.PreambleID:
		case m.Type == transcript.TypeUser:
			if text := promptOf(m.Content.Parts); text != "" {
				flush()
				s.Steps = append(s.Steps, Step{Kind: KindPrompt, Text: text})
			}
		case m.Type == transcript.TypeGemini:
			answer = llm.PartsText(m.Content.Parts)
			for _, c := range m.ToolCalls {
				answer = ""
				s.Steps = append(s.Steps, callOf(c))
			}
		}
	}
	flush()
	s.recall(f.Activity)
	return s
}

// promptOf returns what the user typed, without tool results and without text that
// hooks or the program added.
func promptOf(parts []llm.Part) string {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case llm.ToolResult:
			return ""
		case llm.Text:
			if !strings.HasPrefix(p.Text, "<hook_context>") && !strings.HasPrefix(p.Text, "<session_context>") {
				b.WriteString(p.Text)
			}
		}
	}
	return b.String()
}

// What the result of a call begins with if a hook refused it
// (core/scheduler/hook-utils.ts).
const (
	denied  = "Tool execution blocked: "
	stopped = "Agent execution stopped by hook: "
)

// callOf returns the step of a call. Response is nil if its result is not in the file.
func callOf(c transcript.ToolCall) Step {
	s := Step{Kind: KindCall, Call: llm.ToolCall{ID: c.ID, Name: c.Name, Args: c.Args}}
	for _, p := range c.Result.Decode() {
		r, ok := p.(llm.ToolResult)
		if !ok {
			continue
		}
		if text, failed := r.Response["error"].(string); failed {
			s.failed(text)
		} else {
			s.Response = &protocol.ToolResponse{LLMContent: r.Response["output"], ReturnDisplay: c.ResultDisplay}
		}
	}
	return s
}

// failed notes a tool's failure, which may be a hook's doing.
func (s *Step) failed(text string) {
	for _, prefix := range []string{denied, stopped} {
		if reason, ok := strings.CutPrefix(text, prefix); ok {
			s.Denied, s.Reason = true, reason
			return
		}
	}
	s.Response = &protocol.ToolResponse{LLMContent: text, ReturnDisplay: text,
		Error: &protocol.ToolError{Message: text, Type: "execution_failed"}}
}

// recall finds the answers that hooks sent back. minigem records them, and the reason
// follows as a prompt. Gemini CLI records nothing.
func (s *Session) recall(activity []transcript.Raw) {
	reasons := map[string]bool{}
	for _, raw := range activity {
		var note struct {
			Hook struct {
				Event  protocol.Event `json:"event"`
				Effect string         `json:"effect"`
				Reason string         `json:"reason"`
			} `json:"hook"`
		}
		if json.Unmarshal([]byte(raw), &note) == nil && note.Hook.Event == protocol.AfterAgent &&
			note.Hook.Effect == hooks.EffectRetry {
			reasons[note.Hook.Reason] = true
		}
	}
	for i := range s.Steps[:max(0, len(s.Steps)-1)] {
		at, next := &s.Steps[i], &s.Steps[i+1]
		if at.Kind == KindAnswer && next.Kind == KindPrompt && reasons[next.Text] {
			at.Denied, at.Reason, next.Retry = true, next.Text, true
		}
	}
}

// claudeLine is a line of Claude Code's files.
type claudeLine struct {
	Type      string `json:"type"`
	SessionID string `json:"sessionId"`
	Sidechain bool   `json:"isSidechain"`
	Meta      bool   `json:"isMeta"`
	Message   struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// claudePart is a part of a message there: a text, a call or a result.
type claudePart struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     map[string]any  `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// ofClaude returns the steps of a transcript of Claude Code, in Gemini CLI's words.
// Lines of subagents are left out.
func ofClaude(path string, data []byte) (*Session, error) {
	s := &Session{Path: path}
	calls := map[string]int{}
	answer := ""
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for n := 1; lines.Scan(); n++ {
		var l claudeLine
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			if len(bytes.TrimSpace(lines.Bytes())) > 0 {
				s.Skipped = append(s.Skipped, fmt.Sprintf("%s:%d: no JSON", path, n))
			}
			continue
		}
		if l.Sidechain || l.Meta || l.Type != "user" && l.Type != "assistant" {
			continue
		}
		if s.ID == "" {
			s.ID = l.SessionID
		}
		for _, p := range partsOf(l.Message.Content) {
			answer = s.claude(l.Type, p, answer, calls)
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return nil, fmt.Errorf("%s: a line is longer than %d bytes", path, maxLine)
		}
		return nil, fmt.Errorf("reading the session: %w", err)
	}
	if answer != "" {
		s.Steps = append(s.Steps, Step{Kind: KindAnswer, Text: answer})
	}
	return s, nil
}

// claude adds one part of a message. It takes and returns the model's last text.
func (s *Session) claude(who string, p claudePart, answer string, calls map[string]int) string {
	switch {
	case p.Type == "text" && who == "user":
		if answer != "" {
			s.Steps = append(s.Steps, Step{Kind: KindAnswer, Text: answer})
		}
		s.Steps = append(s.Steps, Step{Kind: KindPrompt, Text: p.Text})
		return ""
	case p.Type == "text":
		return p.Text
	case p.Type == "tool_use":
		calls[p.ID] = len(s.Steps)
		s.Steps = append(s.Steps, Step{Kind: KindCall, Call: ofClaudeCall(p)})
		return ""
	case p.Type == "tool_result":
		i, ok := calls[p.ToolUseID]
		if !ok {
			return answer
		}
		text := claudeText(p.Content)
		switch _, reason, hook := strings.Cut(text, "hook error:"); {
		case p.IsError && hook:
			s.Steps[i].Denied, s.Steps[i].Reason = true, strings.TrimSpace(reason)
		case p.IsError:
			s.Steps[i].failed(text)
		default:
			s.Steps[i].Response = &protocol.ToolResponse{LLMContent: text, ReturnDisplay: text}
		}
	}
	return answer
}

// ofClaudeCall converts a call to Gemini CLI's names of tools and arguments.
func ofClaudeCall(p claudePart) llm.ToolCall {
	name := p.Name
	if ours := claude.Tool(p.Name); ours != "" {
		name = ours
	}
	if server, tool, ok := strings.Cut(strings.TrimPrefix(p.Name, "mcp__"), "__"); ok &&
		strings.HasPrefix(p.Name, "mcp__") {
		name = "mcp_" + server + "_" + tool
	}
	args := map[string]any{}
	for k, v := range p.Input {
		for ours, theirs := range protocol.Claude().Args[name] {
			if theirs == k {
				k = ours
			}
		}
		args[k] = v
	}
	return llm.ToolCall{ID: p.ID, Name: name, Args: args}
}

// partsOf decodes a content that is a string or an array of parts.
func partsOf(raw json.RawMessage) []claudePart {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []claudePart{{Type: "text", Text: text}}
	}
	var parts []claudePart
	if json.Unmarshal(raw, &parts) != nil {
		return nil
	}
	return parts
}

// claudeText returns the text of a result, which is a string or a list of parts.
func claudeText(raw json.RawMessage) string {
	var b strings.Builder
	for _, p := range partsOf(raw) {
		b.WriteString(p.Text)
	}
	return b.String()
}
