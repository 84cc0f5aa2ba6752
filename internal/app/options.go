package app

import "cmp"

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
