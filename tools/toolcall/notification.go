package toolcall

import (
	"cmp"

	"minigem/tools"
)

// Details of a Notification of type ToolPermission
// (core/hooks/hookEventHandler.ts).
type (
	plainDetails struct {
		Type  string `json:"type"`
		Title string `json:"title"`
	}
	editDetails struct {
		plainDetails
		FileName        string  `json:"fileName"`
		FilePath        string  `json:"filePath"`
		FileDiff        string  `json:"fileDiff"`
		OriginalContent *string `json:"originalContent"` // null for a new file
		NewContent      string  `json:"newContent"`
	}
	execDetails struct {
		plainDetails
		Command     string `json:"command"`
		RootCommand string `json:"rootCommand"`
	}
	mcpDetails struct {
		plainDetails
		ServerName      string `json:"serverName"`
		ToolName        string `json:"toolName"`
		ToolDisplayName string `json:"toolDisplayName"`
	}
	infoDetails struct {
		plainDetails
		Prompt string   `json:"prompt"`
		URLs   []string `json:"urls,omitempty"`
	}
)

// notification returns the message and the details of the event for a question.
func notification(q Question) (message string, details any) {
	in := q.Intent
	plain := func(kind, title string) plainDetails { return plainDetails{kind, cmp.Or(in.Title, title)} }
	requires := func(p plainDetails, what string) string { return "Tool " + p.Title + " requires " + what }
	switch {
	case in.Edit != nil:
		p := plain("edit", "Confirm Edit: "+in.Edit.FileName)
		return requires(p, "editing"), editDetails{p, in.Edit.FileName, in.Edit.FilePath, in.Edit.Diff, original(in.Edit),
			in.Edit.New}
	case in.Exec != nil:
		p := plain("exec", "Confirm Shell Command")
		return requires(p, "execution"), execDetails{p, in.Exec.Command, in.Exec.Root}
	case in.MCP != nil:
		p := plain("mcp", "Confirm MCP Tool Execution")
		return requires(p, "MCP"), mcpDetails{p, in.MCP.Server, in.MCP.Tool, cmp.Or(q.Info.DisplayName, in.MCP.Tool)}
	case in.Plan != nil: // as of everything else, the type and the title alone
		return "Tool requires confirmation", plain("exit_plan_mode", "Plan Approval")
	}
	// Without further details the description is the prompt, as in Gemini CLI.
	p := plain("info", "Confirm: "+cmp.Or(q.Info.DisplayName, q.Call.Name))
	info := tools.InfoIntent{Prompt: in.Description}
	if in.Info != nil {
		info = *in.Info
	}
	return requires(p, "information"), infoDetails{p, info.Prompt, info.URLs}
}

// original returns the content before an edit; nil, which JSON writes as null, if there
// is none.
func original(e *tools.EditIntent) *string {
	if e.IsNew {
		return nil
	}
	return &e.Original
}
