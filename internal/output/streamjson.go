package output

import (
	"io"
	"sync"
	"time"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/protocol"
)

// StreamJSON writes one event per line (core/output/types.ts). It is an [event.Sink].
// The last line is always a result.
type StreamJSON struct {
	Out   io.Writer
	Stats *Stats
	Now   func() time.Time // nil means time.Now
	// Broken is called once when Out can no longer be written. May be nil.
	Broken func(error)

	mu      sync.Mutex
	started time.Time
	broken  bool
}

const stampFormat = "2006-01-02T15:04:05.000Z"

type stamped struct {
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"`
}

type (
	streamInit struct {
		stamped
		SessionID string `json:"session_id"`
		Model     string `json:"model"`
	}
	streamMessage struct {
		stamped
		Role    string `json:"role"`
		Content string `json:"content"`
		Delta   bool   `json:"delta,omitempty"`
	}
	streamToolUse struct {
		stamped
		ToolName   string         `json:"tool_name"`
		ToolID     string         `json:"tool_id"`
		Parameters map[string]any `json:"parameters"`
	}
	streamToolResult struct {
		stamped
		ToolID string   `json:"tool_id"`
		Status string   `json:"status"`
		Output *string  `json:"output,omitempty"`
		Error  *Failure `json:"error,omitempty"`
	}
	streamError struct {
		stamped
		Severity string `json:"severity"`
		Message  string `json:"message"`
	}
	// streamHook is minigem's own, for --include-hook-events.
	streamHook struct {
		stamped
		Event      protocol.Event `json:"hook_event_name"`
		Subject    string         `json:"subject,omitempty"`
		Hooks      []string       `json:"hooks"`
		Effect     string         `json:"effect"`
		Reason     string         `json:"reason,omitempty"`
		DurationMS int64          `json:"duration_ms"`
	}
	streamResult struct {
		stamped
		Status string      `json:"status"`
		Finish string      `json:"finish_reason,omitempty"` // set if the answer is incomplete
		Error  *Failure    `json:"error,omitempty"`
		Stats  streamStats `json:"stats"`
	}
	streamStats struct {
		streamTokens
		DurationMS int64                  `json:"duration_ms"`
		ToolCalls  int                    `json:"tool_calls"`
		Models     ordered[*streamTokens] `json:"models"`
	}
	streamTokens struct {
		Total  int `json:"total_tokens"`
		Input  int `json:"input_tokens"`
		Output int `json:"output_tokens"`
		Cached int `json:"cached"`
		Fresh  int `json:"input"`
	}
)

// Begin writes the first two lines.
func (s *StreamJSON) Begin(sessionID, model, prompt string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started = s.now()
	s.line(streamInit{s.stamp("init"), sessionID, model})
	s.line(streamMessage{s.stamp("message"), "user", prompt, false})
}

// Emit implements event.Sink.
func (s *StreamJSON) Emit(e event.Event) {
	s.Stats.Emit(e)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := e.(type) {
	case event.TextDelta:
		s.line(streamMessage{s.stamp("message"), "assistant", e.Text, true})
	case event.ToolRequested:
		s.line(streamToolUse{s.stamp("tool_use"), e.Call.Name, e.Call.ID, e.Call.Args})
	case event.ToolFinished:
		s.line(s.toolResult(e.Record))
	case event.RoundDiscarded:
		s.problem("warning", e.Reason+"; asking again")
	case event.Waiting:
		s.problem("warning", e.Reason+"; trying again"+in(e.Delay))
	case event.Stopped:
		s.problem("warning", "Agent execution stopped: "+e.Reason)
	case event.Blocked:
		s.problem("warning", "Agent execution blocked: "+e.Reason)
	case event.LoopDetected:
		s.problem("warning", "Loop detected: "+e.Detail)
	case event.Notice:
		s.problem(e.Severity, e.Text)
	}
}

func (s *StreamJSON) toolResult(r event.ToolRecord) streamToolResult {
	out := streamToolResult{stamped: s.stamp("tool_result"), ToolID: r.Call.ID, Status: "success"}
	if text, ok := r.Display.(string); ok {
		out.Output = &text
	}
	switch r.Status {
	case event.ToolError:
		out.Status, out.Error = "error", &Failure{Type: r.ErrorType, Message: r.ErrorMessage}
	case event.ToolCancelled:
		out.Status, out.Error = "error", &Failure{Type: "cancelled", Message: r.ErrorMessage}
	}
	return out
}

// Hook writes what a hook event did.
func (s *StreamJSON) Hook(r hooks.Report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := streamHook{stamped: s.stamp("hook"), Event: r.Event, Subject: r.Subject, Effect: r.Effect.Kind,
		Reason: r.Verdict.Reason, DurationMS: r.Duration.Milliseconds()}
	for _, run := range r.Runs {
		if run.Ran() {
			h.Hooks = append(h.Hooks, run.Hook.ID())
		}
	}
	if h.Hooks != nil && !r.Late {
		s.line(h)
	}
}

// Warn writes a warning.
func (s *StreamJSON) Warn(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problem("warning", text)
}

func (s *StreamJSON) problem(severity, message string) {
	if severity != "error" {
		severity = "warning"
	}
	s.line(streamError{s.stamp("error"), severity, message})
}

// Finish writes the result. unfinished is the finish reason of an incomplete answer. A
// nil failure means success.
func (s *StreamJSON) Finish(unfinished string, failure *Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := streamResult{stamped: s.stamp("result"), Status: "success", Finish: unfinished, Error: failure}
	if failure != nil {
		r.Status = "error"
	}
	counts := s.Stats.Snapshot()
	r.Stats.ToolCalls = counts.Tools.TotalCalls
	if !s.started.IsZero() {
		r.Stats.DurationMS = s.now().Sub(s.started).Milliseconds()
	}
	for _, name := range counts.Models.Names {
		t := counts.Models.Get(name).Tokens
		one := &streamTokens{t.Total, t.Prompt, t.Candidates, t.Cached, t.Input}
		r.Stats.Models.at(name, func() *streamTokens { return one })
		r.Stats.Total += one.Total
		r.Stats.Input += one.Input
		r.Stats.Output += one.Output
		r.Stats.Cached += one.Cached
		r.Stats.Fresh += one.Fresh
	}
	s.line(r)
}

func (s *StreamJSON) stamp(kind string) stamped {
	return stamped{kind, s.now().UTC().Format(stampFormat)}
}

func (s *StreamJSON) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

func (s *StreamJSON) line(v any) {
	if s.broken {
		return
	}
	data, err := marshalPlain(v, "")
	if err == nil {
		_, err = s.Out.Write(append(data, '\n'))
	}
	if err != nil {
		s.broken = true
		if s.Broken != nil {
			s.Broken(err)
		}
	}
}
