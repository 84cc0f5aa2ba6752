package output

import (
	"bytes"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"minigem/agent/event"
	"minigem/llm"
	"minigem/tools"
)

// Stats counts what happens in a session, in the form of the json output
// (core/output/types.ts). It is an [event.Sink]. Snapshot may be called at any time.
type Stats struct {
	mu     sync.Mutex
	counts Counts
}

// Reset restarts counting.
func (s *Stats) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts = Counts{}
}

// Counts are the numbers of a session.
type Counts struct {
	Models ordered[*ModelCounts] `json:"models"`
	Tools  ToolCounts            `json:"tools"`
	Files  FileCounts            `json:"files"`
}

// ModelCounts are the counts of one model.
type ModelCounts struct {
	API    APICounts            `json:"api"`
	Tokens TokenCounts          `json:"tokens"`
	Roles  ordered[*RoleCounts] `json:"roles"`
}

// APICounts counts requests and their results.
type APICounts struct {
	TotalRequests  int            `json:"totalRequests"`
	TotalErrors    int            `json:"totalErrors"`
	TotalLatencyMS int64          `json:"totalLatencyMs"`
	ErrorsByType   map[string]int `json:"errorsByType"`
}

// TokenCounts counts tokens the way the provider does. Input is Prompt without Cached.
type TokenCounts struct {
	Input      int `json:"input"`
	Prompt     int `json:"prompt"`
	Candidates int `json:"candidates"`
	Total      int `json:"total"`
	Cached     int `json:"cached"`
	Thoughts   int `json:"thoughts"`
	Tool       int `json:"tool"`
}

// RoleCounts counts the use of a model in one role.
type RoleCounts struct {
	TotalRequests  int         `json:"totalRequests"`
	TotalErrors    int         `json:"totalErrors"`
	TotalLatencyMS int64       `json:"totalLatencyMs"`
	Tokens         TokenCounts `json:"tokens"`
}

// ToolCounts counts the calls of all tools.
type ToolCounts struct {
	TotalCalls      int                  `json:"totalCalls"`
	TotalSuccess    int                  `json:"totalSuccess"`
	TotalFail       int                  `json:"totalFail"`
	TotalDurationMS int64                `json:"totalDurationMs"`
	TotalDecisions  DecisionCounts       `json:"totalDecisions"`
	ByName          ordered[*CallCounts] `json:"byName"`
}

// CallCounts counts the calls of one tool.
type CallCounts struct {
	Count      int            `json:"count"`
	Success    int            `json:"success"`
	Fail       int            `json:"fail"`
	DurationMS int64          `json:"durationMs"`
	Decisions  DecisionCounts `json:"decisions"`
}

// DecisionCounts counts who allowed calls.
type DecisionCounts struct {
	Accept     int `json:"accept"`
	Reject     int `json:"reject"`
	Modify     int `json:"modify"`
	AutoAccept int `json:"auto_accept"`
}

// FileCounts counts the lines that edits changed.
type FileCounts struct {
	TotalLinesAdded   int `json:"totalLinesAdded"`
	TotalLinesRemoved int `json:"totalLinesRemoved"`
}

const mainRole = "main"

// Emit implements event.Sink.
func (s *Stats) Emit(e event.Event) {
	role := mainRole
	if n, ok := e.(event.Nested); ok {
		e, role = n.Event, "subagent"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := e.(type) {
	case event.RoundFinished:
		if !e.Synthetic {
			s.request(role, e.Model, e.Latency, e.Usage, nil)
		}
	case event.RoundFailed:
		s.request(role, e.Model, e.Latency, e.Usage, e.Err)
	case event.RoundDiscarded: // it cost tokens, and another round follows
		if e.Model != "" {
			s.request(role, e.Model, e.Latency, e.Usage, nil)
		}
	case event.SideRequest:
		s.request(e.Role, e.Model, e.Latency, e.Usage, e.Err)
	case event.ToolFinished:
		s.call(e.Record)
	}
}

// Snapshot returns the numbers so far.
func (s *Stats) Snapshot() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts.clone()
}

func (s *Stats) request(as, model string, took time.Duration, u *llm.Usage, failure error) {
	ms := took.Milliseconds()
	m := s.counts.Models.at(model, func() *ModelCounts {
		return &ModelCounts{API: APICounts{ErrorsByType: map[string]int{}}}
	})
	role := m.Roles.at(as, func() *RoleCounts { return &RoleCounts{} })
	m.API.TotalRequests++
	m.API.TotalLatencyMS += ms
	role.TotalRequests++
	role.TotalLatencyMS += ms
	if failure != nil {
		m.API.TotalErrors++
		m.API.ErrorsByType[errorName(failure)]++
		role.TotalErrors++
	}
	if u != nil {
		m.Tokens.add(*u)
		role.Tokens.add(*u)
	}
}

func (t *TokenCounts) add(u llm.Usage) {
	t.Input += max(0, u.Prompt-u.Cached)
	t.Prompt += u.Prompt
	t.Candidates += u.Candidates
	t.Total += u.Total
	t.Cached += u.Cached
	t.Thoughts += u.Thoughts
	t.Tool += u.ToolUse
}

func (s *Stats) call(r event.ToolRecord) {
	t := &s.counts.Tools
	c := t.ByName.at(r.Call.Name, func() *CallCounts { return &CallCounts{} })
	ms := r.Finished.Sub(r.Started).Milliseconds()
	t.TotalCalls++
	t.TotalDurationMS += ms
	c.Count++
	c.DurationMS += ms
	if r.Status == event.ToolSuccess {
		t.TotalSuccess++
		c.Success++
	} else {
		t.TotalFail++
		c.Fail++
	}
	t.TotalDecisions.add(r.Decision)
	c.Decisions.add(r.Decision)
	if d, ok := r.Display.(tools.FileDiff); ok && r.Status == event.ToolSuccess {
		s.counts.Files.TotalLinesAdded += d.DiffStat.ModelAddedLines + d.DiffStat.UserAddedLines
		s.counts.Files.TotalLinesRemoved += d.DiffStat.ModelRemovedLines + d.DiffStat.UserRemovedLines
	}
}

func (d *DecisionCounts) add(who event.ToolDecision) {
	switch who {
	case event.DecisionAccept:
		d.Accept++
	case event.DecisionReject:
		d.Reject++
	case event.DecisionModify:
		d.Modify++
	case event.DecisionAutoAccept:
		d.AutoAccept++
	}
}

// clone copies c, so that it can be read while the session continues.
func (c Counts) clone() Counts {
	out := c
	out.Models, out.Tools.ByName = ordered[*ModelCounts]{}, ordered[*CallCounts]{}
	for _, name := range c.Models.Names {
		m := *c.Models.values[name]
		m.API.ErrorsByType = maps.Clone(m.API.ErrorsByType)
		m.Roles = ordered[*RoleCounts]{}
		for _, role := range c.Models.values[name].Roles.Names {
			r := *c.Models.values[name].Roles.values[role]
			m.Roles.at(role, func() *RoleCounts { return &r })
		}
		out.Models.at(name, func() *ModelCounts { return &m })
	}
	for _, name := range c.Tools.ByName.Names {
		t := *c.Tools.ByName.values[name]
		out.Tools.ByName.at(name, func() *CallCounts { return &t })
	}
	return out
}

// ordered is a JSON object whose members are in the order of their first use.
type ordered[V any] struct {
	Names  []string
	values map[string]V
}

// Get returns the value of name, or the zero V.
func (o ordered[V]) Get(name string) V { return o.values[name] }

func (o *ordered[V]) at(name string, make func() V) V {
	if v, ok := o.values[name]; ok {
		return v
	}
	if o.values == nil {
		o.values = map[string]V{}
	}
	o.values[name] = make()
	o.Names = append(o.Names, name)
	return o.values[name]
}

// MarshalJSON implements json.Marshaler.
func (o ordered[V]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range o.Names {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(o.values[name])
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
