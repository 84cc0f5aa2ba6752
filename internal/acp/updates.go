package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"minigem/agent/event"
	"minigem/internal/text"
	"minigem/llm"
	"minigem/tools"
	"minigem/tools/builtin"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
)

// Emit implements event.Sink.
func (c *conversation) Emit(e event.Event) {
	if c.r == nil || c.id == "" {
		return // the session is not open yet
	}
	switch e := e.(type) {
	case event.TextDelta:
		c.update(acp.UpdateAgentMessageText(text.Clean(e.Text)))
	case event.ThoughtDelta:
		c.think(strings.TrimSpace("**" + e.Subject + "**\n" + e.Description))
	case event.RoundDiscarded:
		c.think("The answer so far does not count, and the model is asked again: " + e.Reason)
	case event.Waiting:
		c.think(fmt.Sprintf("%s (attempt %d of %d); trying again", e.Reason, e.Attempt, e.Max))
	case event.ToolStarted:
		c.start(e.Call, e.Description, acp.ToolCallStatusInProgress)
	case event.ToolOutput:
		c.output(e)
	case event.ToolFinished:
		c.finish(e.Record)
		c.tellMode()
	case event.Stopped:
		c.update(acp.UpdateAgentMessageText("Agent execution stopped: " + text.Clean(e.Reason)))
	case event.Blocked:
		c.update(acp.UpdateAgentMessageText("Agent execution blocked: " + text.Clean(e.Reason)))
	case event.LoopDetected:
		c.update(acp.UpdateAgentMessageText("The model repeats itself and was stopped: " + text.Clean(e.Detail)))
	case event.Notice:
		c.think(e.Text)
	}
}

func (c *conversation) think(said string) { c.update(acp.UpdateAgentThoughtText(text.Clean(said))) }

// start shows a new call, or updates the status of one already shown.
func (c *conversation) start(call llm.ToolCall, title string, status acp.ToolCallStatus) {
	c.mu.Lock()
	known := c.shown[call.ID]
	c.shown[call.ID] = true
	c.mu.Unlock()
	if known {
		c.update(acp.UpdateToolCall(acp.ToolCallId(call.ID), acp.WithUpdateStatus(status)))
		return
	}
	c.update(acp.SessionUpdate{ToolCall: &acp.SessionUpdateToolCall{
		ToolCallId: acp.ToolCallId(call.ID), Title: text.VisibleLine(cmp.Or(title, call.Name)), Status: status,
		Kind: c.kind(call.Name), Locations: c.locations(call.Args), RawInput: call.Args,
	}})
}

// finish shows how a call ended. A call that never began, because a hook or the policy
// refused it, is shown as well.
func (c *conversation) finish(r event.ToolRecord) {
	c.mu.Lock()
	known := c.shown[r.Call.ID]
	c.mu.Unlock()
	if !known {
		c.start(r.Call, r.DisplayName, acp.ToolCallStatusPending)
	}
	c.mu.Lock()
	delete(c.shown, r.Call.ID)
	c.mu.Unlock()
	status := acp.ToolCallStatusCompleted
	if r.Status != event.ToolSuccess {
		status = acp.ToolCallStatusFailed
	}
	if todos, ok := r.Display.(builtin.Todos); ok && r.Status == event.ToolSuccess {
		c.update(acp.UpdatePlan(entries(todos)...))
	}
	c.forgetPrinted(r.Call.ID)
	c.update(acp.UpdateToolCall(acp.ToolCallId(r.Call.ID), acp.WithUpdateStatus(status),
		acp.WithUpdateContent(content(r))))
}

// mostText limits the text of one update.
const mostText = 64 << 10

// texts converts text to the content of a call.
func texts(said string) []acp.ToolCallContent {
	if said = text.Clean(said); len(said) > mostText {
		said = strings.ToValidUTF8(said[:mostText], "") + "\n[...]"
	}
	if strings.TrimSpace(said) == "" {
		return []acp.ToolCallContent{}
	}
	return []acp.ToolCallContent{acp.ToolContent(acp.TextBlock(said))}
}

// content returns what the user sees of a result.
func content(r event.ToolRecord) []acp.ToolCallContent {
	if r.Status != event.ToolSuccess {
		return texts(cmp.Or(r.ErrorMessage, fmt.Sprint(r.Result.Response["error"])))
	}
	switch d := r.Display.(type) {
	case tools.FileDiff:
		return []acp.ToolCallContent{diff(d.FilePath, d.OriginalContent, d.NewContent, d.IsNewFile)}
	case string:
		return texts(d)
	case tools.Listing:
		return texts(strings.Join(append([]string{d.Summary}, d.Files...), "\n"))
	case tools.Matches:
		return texts(d.Summary)
	case nil:
		return texts(fmt.Sprint(r.Result.Response["output"]))
	}
	if b, err := json.Marshal(r.Display); err == nil {
		return texts(string(b))
	}
	return texts("")
}

func diff(path, before, after string, created bool) acp.ToolCallContent {
	d := &acp.ToolCallContentDiff{Path: path, NewText: after, OldText: &before, Type: "diff",
		Meta: map[string]any{"kind": "modify"}}
	if created {
		d.OldText, d.Meta["kind"] = nil, "add"
	}
	return acp.ToolCallContent{Diff: d}
}

// entries converts the tasks of write_todos to the entries of an editor's plan.
func entries(todos builtin.Todos) []acp.PlanEntry {
	out := []acp.PlanEntry{}
	for _, t := range todos.Todos {
		e := acp.PlanEntry{Content: text.VisibleLine(t.Description), Priority: acp.PlanEntryPriorityMedium,
			Status: acp.PlanEntryStatusPending}
		switch t.Status {
		case "in_progress":
			e.Status = acp.PlanEntryStatusInProgress
		case "completed":
			e.Status = acp.PlanEntryStatusCompleted
		case "cancelled":
			continue
		}
		out = append(out, e)
	}
	return out
}

// kind returns the protocol's kind for a tool.
func (c *conversation) kind(name string) acp.ToolKind {
	t := c.r.Registry.Lookup(name)
	if t == nil {
		return acp.ToolKindOther
	}
	switch k := t.Info().Kind; k {
	case tools.KindAgent:
		return acp.ToolKindThink
	case tools.KindPlan, tools.KindCommunicate, "":
		return acp.ToolKindOther
	default:
		return acp.ToolKind(k)
	}
}

// locations returns the files that the arguments name.
func (c *conversation) locations(args map[string]any) []acp.ToolCallLocation {
	var out []acp.ToolCallLocation
	for _, key := range []string{"file_path", "dir_path", "path"} {
		if path, ok := args[key].(string); ok && path != "" {
			if abs, err := c.r.Workspace.Resolve(path); err == nil {
				out = append(out, acp.ToolCallLocation{Path: abs})
			}
		}
	}
	return out
}

// approver asks the editor. It is a toolcall.Approver.
type approver struct{ c *conversation }

// Approve implements toolcall.Approver. Any answer that was not offered is a no.
func (a approver) Approve(ctx context.Context, q toolcall.Question) toolcall.Answer {
	no := toolcall.Answer{Outcome: policy.Cancel}
	options := a.c.options(q)
	title, status, kind := cmp.Or(q.Intent.Title, q.Intent.Description, q.Call.Name), acp.ToolCallStatusPending,
		a.c.kind(q.Call.Name)
	if run := q.Intent.Exec; run != nil {
		title = run.Command
	}
	title = text.VisibleLine(title)
	a.c.start(q.Call, title, status)
	res, err := a.c.server.conn.RequestPermission(ctx, acp.RequestPermissionRequest{
		SessionId: a.c.id, Options: options,
		ToolCall: acp.ToolCallUpdate{
			ToolCallId: acp.ToolCallId(q.Call.ID), Title: &title, Status: &status, Kind: &kind,
			Content: asked(q), Locations: a.c.locations(q.Call.Args), RawInput: q.Call.Args,
		},
	})
	if err != nil || res.Outcome.Selected == nil {
		return no
	}
	chosen := res.Outcome.Selected.OptionId
	if !slices.ContainsFunc(options, func(o acp.PermissionOption) bool { return o.OptionId == chosen }) {
		return toolcall.Answer{Outcome: policy.Cancel, GoOn: true}
	}
	return toolcall.Answer{Outcome: policy.Outcome(chosen), GoOn: true}
}

// options returns the possible answers to a question (cli/acp/acpUtils.ts).
func (c *conversation) options(q toolcall.Question) []acp.PermissionOption {
	var out []acp.PermissionOption
	always := func(id policy.Outcome, name string) {
		if !c.r.Config.Settings.Security.DisableAlwaysAllow && (q.Intent.Plan != nil || slices.Contains(q.Lasting, id)) {
			out = append(out, acp.PermissionOption{OptionId: acp.PermissionOptionId(id), Name: text.VisibleLine(name),
				Kind: acp.PermissionOptionKindAllowAlways})
		}
	}
	yes := "Allow"
	switch in := q.Intent; {
	case in.Plan != nil:
		always(policy.ProceedAlways, "Carry it out, edit without asking")
		yes = "Carry it out, and ask about each edit"
	case in.MCP != nil:
		always(policy.ProceedAlwaysServer, "Allow all tools of "+in.MCP.Server+" for this session")
		always(policy.ProceedAlwaysTool, "Allow "+in.MCP.Tool+" for this session")
	case in.Exec != nil:
		label := "Allow " + strings.Join(policy.RootCommands(in.Exec.Command), ", ") + " for this session, "
		always(policy.ProceedAlways, label+"whatever it does")
		always(policy.ProceedAlwaysSandbox, label+"in the sandbox")
	case in.Edit != nil:
		always(policy.ProceedAlways, "Allow all edits for this session")
	default:
		always(policy.ProceedAlways, "Allow for this session")
	}
	return append(out, acp.PermissionOption{OptionId: acp.PermissionOptionId(policy.ProceedOnce), Name: yes,
		Kind: acp.PermissionOptionKindAllowOnce},
		acp.PermissionOption{OptionId: acp.PermissionOptionId(policy.Cancel), Name: "Reject",
			Kind: acp.PermissionOptionKindRejectOnce})
}

// asked returns what a question is about: the change or the command, and why the user
// is asked.
func asked(q toolcall.Question) []acp.ToolCallContent {
	var out []acp.ToolCallContent
	var said []string
	switch in := q.Intent; {
	case in.Edit != nil:
		out = append(out, diff(in.Edit.FilePath, in.Edit.Original, in.Edit.New, in.Edit.IsNew))
	case in.Exec != nil:
		said = append(said, in.Exec.Command)
	case in.Plan != nil:
		said = append(said, in.Plan.Text)
	case in.Info != nil:
		said = append(said, strings.Join(append([]string{in.Info.Prompt}, in.Info.URLs...), "\n"))
	default:
		said = append(said, in.Description)
	}
	if q.Why != "" {
		said = append(said, "Asked because "+q.Why)
	}
	if q.Forced {
		said = append(said, strings.TrimSpace("A hook wants you to be asked. "+q.HookMessage+" "+q.HookReason))
	}
	return append(out, texts(strings.Join(said, "\n\n"))...)
}
