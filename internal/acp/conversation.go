package acp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	acp "github.com/coder/acp-go-sdk"

	"minigem/agent"
	"minigem/hooks"
	"minigem/internal/app"
	"minigem/internal/models"
	"minigem/internal/text"
	"minigem/internal/wiring"
	"minigem/llm"
	"minigem/tools/policy"
)

// conversation is one session of the editor.
type conversation struct {
	server *server

	id acp.SessionId
	r  *wiring.Runtime

	life    context.Context // ends its prompts
	end     context.CancelFunc
	used    int        // sequence number of its last use: the highest was used last
	running sync.Mutex // held by the running prompt
	before  string     // from SessionStart hooks, for the first prompt

	mu    sync.Mutex
	shown map[string]bool // calls that the editor knows of
	mode  policy.Mode     // as known to the editor
	now   context.Context // the running prompt's context; the server's between prompts

	live printed
}

// build opens what a session needs and begins it.
func (s *server) build(ctx context.Context, dir, resume string, given []acp.McpServer) (*conversation, error) {
	sys, flags := *s.sys, *s.flags
	sys.Dir, flags.Resume = dir, resume
	if resume != "" && (strings.Trim(resume, "abcdefABCDEF0123456789-") != "" || len(resume) < 8) {
		return nil, wrong("there is no session %q in %s", resume, dir) // neither a number nor "latest": those may change
	}
	c := &conversation{server: s, now: s.ctx, shown: map[string]bool{}}
	c.life, c.end = context.WithCancel(s.ctx)
	config, err := app.Configure(&sys, &flags)
	if err != nil {
		return nil, err
	}
	if err := config.Trust.RequireTrusted(); err != nil {
		return nil, err
	}
	servers, err := serversOf(given)
	if err != nil {
		return nil, err
	}
	config.AddMCPServers(servers)
	warn := func(said string) { fmt.Fprintf(s.sys.Stderr, "[WARNING] %s\n", strings.TrimRight(said, "\n")) }
	w := wiring.Frontend{Interactive: true, Sink: c, Approver: approver{c}, Reports: c.report, Warn: warn, Notice: warn}
	r, err := wiring.Open(s.ctx, &sys, &flags, config, w.Debugging(flags.Debug, s.sys.Stderr))
	if err != nil {
		return nil, err
	}
	c.r, c.id, c.mode = r, acp.SessionId(r.Session.ID()), r.Policy.Mode()
	c.shareFiles()
	c.before = r.Session.Begin(ctx)
	return c, nil
}

// close ends the session once the running prompt has ended.
func (c *conversation) close() {
	c.end()
	c.running.Lock()
	defer c.running.Unlock()
	c.r.Session.End(context.WithoutCancel(c.server.ctx), "exit")
	c.r.Close()
}

// prompt runs one prompt, after waiting for the previous one.
func (c *conversation) prompt(ctx context.Context, blocks []acp.ContentBlock) (acp.PromptResponse, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.life, func() { cancel(context.Cause(c.life)) })()
	c.running.Lock()
	defer c.running.Unlock()
	if ctx.Err() != nil { // cancelled before it began
		return acp.PromptResponse{StopReason: acp.StopReasonCancelled}, nil
	}
	c.asks(ctx)
	defer c.asks(c.server.ctx)
	p, err := c.read(ctx, blocks)
	if err != nil {
		return acp.PromptResponse{}, failed(err)
	}
	if p.Parts == nil { // a command has answered
		return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, nil
	}
	res := c.r.Agent.Run(ctx, p)
	c.tellMode()
	select {
	case <-c.server.conn.Done():
		c.server.cut.Store(true)
	default:
	}
	return c.ended(res)
}

// asks makes requests to the editor end with ctx.
func (c *conversation) asks(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = ctx
}

// ended converts the result of a prompt.
func (c *conversation) ended(res agent.Result) (acp.PromptResponse, error) {
	out := acp.PromptResponse{StopReason: acp.StopReasonEndTurn, Meta: map[string]any{"quota": map[string]any{
		"token_count": map[string]any{"input_tokens": res.Usage.Prompt, "output_tokens": res.Usage.Candidates},
	}}}
	switch res.Ending {
	case agent.Cancelled:
		out.StopReason = acp.StopReasonCancelled
	case agent.MaxTurns, agent.MaxRounds, agent.Loop:
		out.StopReason = acp.StopReasonMaxTurnRequests
	case agent.Failed, agent.InvalidStream:
		return out, failed(res.Err)
	case agent.Blocked, agent.Stopped:
		out.StopReason = acp.StopReasonRefusal
	default:
		switch res.Unfinished {
		case "":
		case "MAX_TOKENS":
			out.StopReason = acp.StopReasonMaxTokens
		default:
			out.StopReason = acp.StopReasonRefusal
		}
	}
	return out, nil
}

// update sends an update to the editor, which may be gone.
func (c *conversation) update(u acp.SessionUpdate) {
	_ = c.server.conn.SessionUpdate(context.WithoutCancel(c.server.ctx),
		acp.SessionNotification{SessionId: c.id, Update: u})
}

// modeNames holds the displayed names and descriptions of modes (cli/acp/acpUtils.ts).
var modeNames = map[string][2]string{
	"default":  {"Default", "Asks before it changes or runs anything"},
	"autoEdit": {"Auto Edit", "Edits files of the project without asking"},
	"yolo":     {"YOLO", "Runs everything without asking"},
	"plan":     {"Plan", "Changes nothing but a plan"},
}

func (c *conversation) modes() *acp.SessionModeState {
	out := &acp.SessionModeState{CurrentModeId: acp.SessionModeId(c.r.Policy.Mode())}
	for _, id := range c.r.Plans.Modes() {
		about := modeNames[id][1]
		out.AvailableModes = append(out.AvailableModes, acp.SessionMode{Id: acp.SessionModeId(id), Name: modeNames[id][0],
			Description: &about})
	}
	return out
}

func (c *conversation) changeMode(id string) error {
	if !slices.Contains(c.r.Plans.Modes(), id) {
		return wrong("there is no mode %q: use one of %s", id, strings.Join(c.r.Plans.Modes(), ", "))
	}
	if err := c.r.Plans.Change(id); err != nil {
		return failed(err)
	}
	c.mu.Lock()
	c.mode = c.r.Policy.Mode()
	c.mu.Unlock()
	return nil
}

// tellMode tells the editor about a mode that it did not set itself.
func (c *conversation) tellMode() {
	now := c.r.Policy.Mode()
	c.mu.Lock()
	changed := now != c.mode
	c.mode = now
	c.mu.Unlock()
	if changed {
		c.update(acp.SessionUpdate{CurrentModeUpdate: &acp.SessionCurrentModeUpdate{CurrentModeId: acp.SessionModeId(now)}})
	}
}

func (c *conversation) models() *acp.SessionModelState {
	now := c.r.Models.Name
	out := &acp.SessionModelState{CurrentModelId: acp.ModelId(now)}
	names := []string{"gemini-3-pro-preview", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"}
	if !slices.Contains(names, now) {
		names = append([]string{now}, names...)
	}
	for _, n := range names {
		if models.SameServer(n, now) {
			out.AvailableModels = append(out.AvailableModels, acp.ModelInfo{ModelId: acp.ModelId(n), Name: n})
		}
	}
	return out
}

func (c *conversation) useModel(name string) error {
	if !c.running.TryLock() {
		return wrong("a prompt is running: the model can be changed when it has ended")
	}
	defer c.running.Unlock()
	if err := c.r.Models.Use(name); err != nil {
		return wrong("%s", err)
	}
	return nil
}

// report shows the user the messages of hooks.
func (c *conversation) report(r hooks.Report) {
	for _, m := range r.Messages {
		switch {
		case m.Suppressed || m.Kind == hooks.MessageNote:
		case m.Kind == hooks.MessageSystem && c.r != nil:
			c.update(acp.UpdateAgentThoughtText(text.Clean(m.Hook + ": " + m.Text)))
		default:
			fmt.Fprintf(c.server.sys.Stderr, "[WARNING] %s: %s\n", m.Hook, m.Text)
		}
	}
}

// replay sends the conversation so far.
func (c *conversation) replay() {
	all := c.r.Session.Messages()
	results := map[string]llm.ToolResult{}
	for _, m := range all {
		for _, r := range llm.PartsResults(m.Parts) {
			results[r.ID] = r
		}
	}
	for _, m := range all[min(c.r.Session.Preamble(), len(all)):] {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				if said := text.Clean(p.Text); m.Role == llm.RoleUser {
					c.update(acp.UpdateUserMessageText(said))
				} else {
					c.update(acp.UpdateAgentMessageText(said))
				}
			case llm.ToolCall:
				c.again(p, results[p.ID])
			}
		}
	}
}

// again shows a call from an earlier session.
func (c *conversation) again(call llm.ToolCall, res llm.ToolResult) {
	c.start(call, call.Name, acp.ToolCallStatusInProgress)
	status, said := acp.ToolCallStatusCompleted, fmt.Sprint(res.Response["output"])
	if failure, ok := res.Response["error"]; ok {
		status, said = acp.ToolCallStatusFailed, fmt.Sprint(failure)
	}
	c.update(acp.UpdateToolCall(acp.ToolCallId(call.ID), acp.WithUpdateStatus(status), acp.WithUpdateContent(texts(said))))
}
