// Package tools defines what a tool is: a declaration for the model, arguments that can
// be prepared without side effects, an intent that policy and user decide about, and a
// run. A tool does not know who calls it: permission, hooks and limits are applied around
// it, in tools/toolcall.
//
// [Func] makes a tool of a Go function:
//
//	add, err := tools.Func("add", "Adds two numbers.", tools.KindRead,
//		func(ctx context.Context, in struct{ A, B int }) (string, error) {
//			return fmt.Sprint(in.A + in.B), nil
//		})
//
// A tool that shows a diff, streams output or has its own errors implements [Tool] and
// [Invocation]. tools/toolstest is the contract as a test, tools/builtin has the tools
// that come with minigem.
package tools

import (
	"context"

	"minigem/llm"
)

// Tool is something that a model can call. Implementations are safe for concurrent use.
type Tool interface {
	// Spec returns the declaration for the model. Its name must not change; description
	// and parameters may, between requests.
	Spec() llm.ToolSpec
	// Info describes the tool for people, policy and scheduler.
	Info() Info
	// Prepare checks args, which it must not change, and changes nothing else either. Its
	// error is an [*Error] of type [ErrInvalidParams] (or a more precise one); the text
	// goes to the model. It may be called several times for one call, when hooks or the
	// user change arguments.
	Prepare(args map[string]any) (Invocation, error)
}

// Invocation is a call whose arguments are valid. It is run at most once. It may also
// implement [Streamer], [Answerable], [Modifiable], [Checkable] and [Confinable].
type Invocation interface {
	// Intent says what Run would do. It may read (to show a diff) but changes nothing;
	// what it cannot find out it leaves empty. Description is never empty.
	Intent() Intent
	// Run executes the call. An expected failure is an [*Error]; any other error is
	// reported to the model as an unhandled one, and so is a panic. Run returns soon
	// after ctx has ended, and does nothing if it has ended before.
	Run(ctx context.Context) (Result, error)
}

// Streamer is an [Invocation] that shows output while it runs.
type Streamer interface {
	// RunStream is called instead of Run. It may call live from any goroutine until it
	// returns; the Result has to repeat what the model should read.
	RunStream(ctx context.Context, live func(text string)) (Result, error)
}

// Kind classifies tools for policy, icons and statistics
// (core/tools/tool-registry.ts).
type Kind string

// The kinds of tools.
const (
	// reads files or other local state
	KindRead Kind = "read"
	// changes the content of files
	KindEdit Kind = "edit"
	// removes files
	KindDelete Kind = "delete"
	// renames files
	KindMove Kind = "move"
	// finds files or text
	KindSearch Kind = "search"
	// runs commands
	KindExecute Kind = "execute"
	// keeps notes and titles
	KindThink Kind = "think"
	// starts another agent
	KindAgent Kind = "agent"
	// reads from the network
	KindFetch Kind = "fetch"
	// asks or tells the user something
	KindCommunicate Kind = "communicate"
	// enters or leaves plan mode
	KindPlan Kind = "plan"
	// changes the approval mode; no tool of minigem has it
	KindSwitchMode Kind = "switch_mode"
	// anything else
	KindOther Kind = "other"
)

// Info describes a tool beyond its declaration.
type Info struct {
	// DisplayName is what people see, such as "ReadFile". It must not be empty.
	DisplayName string
	// Kind is one of the constants above.
	Kind Kind
	// Markdown says that a display that is a string is Markdown.
	Markdown bool
	// Sequential says that a call never runs in parallel with another call of the same
	// batch.
	Sequential bool
	// First says that a call runs before the other calls of its batch.
	First bool
	// Aliases are older names by which it is still found. They are not declared to the
	// model.
	Aliases []string
	// MCP is set for a tool of an MCP server.
	MCP *MCPOrigin
	// Annotations are MCP hints such as readOnlyHint; may be nil.
	Annotations map[string]any
}

// MCPOrigin says which server a tool comes from. Hooks get it as mcp_context. A server
// that is a process has Command, Args and Cwd, one in the network URL or TCP.
type MCPOrigin struct {
	// Server is its name in the settings.
	Server string
	// Tool is the tool's name at the server.
	Tool string
	// Command is the program of a server that is a process.
	Command string
	// Args are the program's arguments; nil if it has none.
	Args []string
	// Cwd is the directory in which it runs; empty if the settings name none.
	Cwd string
	// URL is the address of a server that is reached by HTTP.
	URL string
	// TCP is the address of a web socket server, which minigem does not support.
	TCP string
	// Trusted is "trust": true in the server's settings: in a trusted folder and outside
	// plan mode its tools need no confirmation.
	Trusted bool
}

// Intent is what a call is about to do, for the policy, the user and alerts. At most one
// of Edit, Exec, Info, MCP and Plan is set; it decides how the permission prompt looks.
type Intent struct {
	// Description is one line for people: "notes.txt: hello => goodbye".
	Description string
	// Title is the title of the permission prompt: "Confirm Edit: notes.txt". Empty means
	// one made from the other fields.
	Title string
	// Edit is the change of one file, with its diff.
	Edit *EditIntent
	// Exec is the command line of a shell call.
	Exec *ExecIntent
	// Info is what a request to the internet asks for.
	Info *InfoIntent
	// MCP is the server and the tool that are called.
	MCP *MCPOrigin
	// Plan is the plan to approve, with its text.
	Plan *PlanIntent
	// Paths are the absolute paths that the call reads or changes.
	Paths []string
}

// EditIntent is a change of one file. The user may edit New before it is applied, see
// [Modifiable].
type EditIntent struct {
	// FileName is the last part of FilePath.
	FileName string
	// FilePath is absolute.
	FilePath string
	// Diff is a unified diff, for people.
	Diff string
	// Original is the whole content now; empty if IsNew.
	Original string
	// New is the whole content after the call.
	New string
	// IsNew says that the file does not exist yet.
	IsNew bool
}

// ExecIntent is a command line.
type ExecIntent struct {
	// Command is the whole line, as the shell gets it.
	Command string
	// Root is the name of the first command, such as "git".
	Root string
	// Dir is the absolute directory that it runs in.
	Dir string
}

// InfoIntent is a request to the internet, or another call that is best described by a
// text.
type InfoIntent struct {
	// Prompt is shown as it is.
	Prompt string
	// URLs are shown below it; may be nil.
	URLs []string
}

// PlanIntent is a plan that the user is asked to approve.
type PlanIntent struct {
	// Path is the absolute path of the plan's file.
	Path string
	// Text is its content, Markdown.
	Text string
}

// Answerable is an [Invocation] that runs in another way depending on the answer to the
// question about it. Such an answer is for one call: no lasting rule is made from it.
type Answerable interface {
	// Answered is called before Run: the user allowed the call, for more than this one,
	// or said no, with words for the model (feedback, may be empty). It reports whether a
	// call that was not allowed runs all the same, to tell the model so.
	Answered(allowed, always bool, feedback string) (runs bool)
}

// Modifiable is an [Invocation] whose new content the user may edit before it runs.
type Modifiable interface {
	// WithContent returns the arguments that write content to the file, for another
	// Prepare. It changes nothing.
	WithContent(content string) map[string]any
}

// Checkable is an [Invocation] that knows before it runs that it cannot: the user is not
// asked about a call that would fail.
type Checkable interface {
	// Check returns why Run would fail as things stand; nil if it may succeed. It changes
	// nothing.
	Check() error
}

// Confinable is an [Invocation] that the system can restrict.
type Confinable interface {
	// Confine is called before Run of an allowed call. With onlyReads, Run changes
	// nothing; with sandbox, it may do what the sandbox allows. If the system cannot
	// enforce that, Run fails.
	Confine(onlyReads, sandbox bool)
}

// Result is the result of a call.
type Result struct {
	// Parts go to the model: [llm.Text] and [llm.Blob], at most 32 MiB. Text parts are
	// joined by newlines into response.output; blobs go next to it.
	Parts []llm.Part
	// Display is for people: a string, or a value that marshals to the object that Gemini
	// CLI shows ([FileDiff], [Listing], [Matches], ...). nil means the model's text.
	Display any
	// Data is for statistics and must marshal to JSON; may be nil. The keys exitCode (an
	// int) and isError are read by hooks and outputs.
	Data map[string]any
	// Truncatable means that a long text may be cut and saved to a file.
	Truncatable bool
}

// TextResult makes a [Result] of one text for the model, and display for people; nil
// shows the text.
func TextResult(text string, display any) Result {
	return Result{Parts: []llm.Part{llm.Text{Text: text}}, Display: display}
}

// FileDiff is the display of an edit, in Gemini CLI's shape (core/tools/write-file.ts).
type FileDiff struct {
	// FileDiff is a unified diff.
	FileDiff string `json:"fileDiff"`
	// FileName is the last part of FilePath, which is absolute.
	FileName string `json:"fileName"`
	// FilePath is absolute.
	FilePath string `json:"filePath"`
	// OriginalContent and NewContent are whole files, decoded. Session files hold them.
	OriginalContent string `json:"originalContent"`
	// NewContent is what the file has now, or would have.
	NewContent string `json:"newContent"`
	// DiffStat counts what changed.
	DiffStat DiffStat `json:"diffStat"`
	// IsNewFile says that the file was created.
	IsNewFile bool `json:"isNewFile"`
	// IsBuildFile is what [IsBuildFile] says about the file.
	IsBuildFile bool `json:"isBuildFile"`
}

// DiffStat counts changed lines and characters, without newlines: what the model changed,
// and what the user changed in the model's version.
type DiffStat struct {
	// ModelAddedLines and the next three count what the model proposed.
	ModelAddedLines   int `json:"model_added_lines"`
	ModelRemovedLines int `json:"model_removed_lines"`
	ModelAddedChars   int `json:"model_added_chars"`
	ModelRemovedChars int `json:"model_removed_chars"`
	// UserAddedLines and the next three count what the user changed in that; they are 0
	// if the user left it as it was.
	UserAddedLines   int `json:"user_added_lines"`
	UserRemovedLines int `json:"user_removed_lines"`
	UserAddedChars   int `json:"user_added_chars"`
	UserRemovedChars int `json:"user_removed_chars"`
}

// Listing is the display of list_directory and read_many_files.
type Listing struct {
	// Summary is one line, such as "Found 3 item(s)."
	Summary string `json:"summary"`
	// Files are one entry each; may be empty.
	Files []string `json:"files"`
}

// Matches is the display of grep_search.
type Matches struct {
	// Summary is one line with the number of matches.
	Summary string `json:"summary"`
	// Matches are in the order of the model's text.
	Matches []Match `json:"matches"`
}

// Match is one line that a search found.
type Match struct {
	// FilePath is relative to the directory searched.
	FilePath string `json:"filePath"`
	// AbsolutePath is the same file for programs.
	AbsolutePath string `json:"absolutePath"`
	// LineNumber counts from 1.
	LineNumber int `json:"lineNumber"`
	// Line is without its end.
	Line string `json:"line"`
}
