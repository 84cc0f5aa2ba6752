package app

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Options holds the options of a run: those of Gemini CLI (cli/config/config.ts), then
// minigem's own.
type Options struct {
	Debug             bool
	Model             string
	Prompt            string
	PromptInteractive string
	ACP               bool // serve an editor
	SkipTrust         bool
	Yolo              bool
	ApprovalMode      string
	Policies          []string
	AdminPolicies     []string
	AllowedTools      []string
	AllowedMCP        []string
	Extensions        []string
	ListExtensions    bool
	OwnAgents         bool // the project's agents count as the user's, as in a test case
	OwnExtension      bool // treat the extension whose repository this folder is as installed
	Resume            string
	SessionFile       string
	SessionID         string
	Worktree          string // its name; NewWorktree names it by the time; "" means none
	ListSessions      bool
	DeleteSession     string
	IncludeDirs       []string
	ScreenReader      bool
	Sandbox           string // "" means not set
	OutputFormat      string
	RawOutput         bool
	AcceptRawRisk     bool
	Fake              string
	FakeNonStrict     string
	Record            string

	RecordCase        string
	Force             bool
	HookTrace         string
	BlockedExitCode   int // 0 means as in the settings
	IncludeHookEvents bool

	Query     []string // the positional prompt
	PromptSet bool     // -p was given, even if empty
}

// Script returns the file with the model's answers, or "" if a model gives them.
func (f *Options) Script() string { return cmp.Or(f.FakeNonStrict, f.Fake) }

// Check returns an error if options contradict each other (cli/config/config.ts).
func (f *Options) Check() error {
	switch {
	case f.PromptSet && len(f.Query) > 0:
		return fmt.Errorf("the prompt is given twice, with --prompt and without it: give it once")
	case f.PromptSet && f.PromptInteractive != "":
		return fmt.Errorf("--prompt and --prompt-interactive exclude each other")
	case f.ACP && (f.PromptSet || f.PromptInteractive != "" || len(f.Query) > 0):
		return fmt.Errorf("--acp takes its prompts from the editor: leave the prompt out")
	case f.ACP && f.Worktree != "":
		return fmt.Errorf("--acp works in the folders that the editor names: leave --worktree out")
	case f.Worktree != "" && f.Resume != "":
		return fmt.Errorf("--worktree and --resume exclude each other: to resume, run --resume in the session's worktree")
	case f.Yolo && f.ApprovalMode != "":
		return fmt.Errorf("--yolo and --approval-mode exclude each other: use --approval-mode=yolo")
	case countSet(f.Resume, f.SessionID, f.SessionFile) > 1:
		return fmt.Errorf("only one of --resume, --session-id and --session-file can be given")
	case f.ApprovalMode != "" && !slices.Contains([]string{"default", "auto_edit", "yolo", "plan"}, f.ApprovalMode):
		return fmt.Errorf("--approval-mode is %q: it must be default, auto_edit, yolo or plan", f.ApprovalMode)
	case f.OutputFormat != "" && !slices.Contains([]string{"text", "json", "stream-json"}, f.OutputFormat):
		return fmt.Errorf("--output-format is %q: it must be text, json or stream-json", f.OutputFormat)
	case f.BlockedExitCode < 0 || f.BlockedExitCode > 255:
		return fmt.Errorf("--blocked-exit-code is %d: it must be from 1 to 255", f.BlockedExitCode)
	case f.SessionID != "" && strings.Trim(f.SessionID, idCharacters) != "":
		return fmt.Errorf("--session-id is %q: it may contain letters, digits, - and _", f.SessionID)
	}
	return nil
}

const idCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

func countSet(values ...string) int {
	n := 0
	for _, v := range values {
		if v != "" {
			n++
		}
	}
	return n
}
