// Package tools defines what a tool is: a declaration for the model, arguments
// that can be prepared without side effects, an intent that policy and user
// decide about, and a run. A tool does not know who calls it: permission, hooks
// and limits are applied around it, in tools/toolcall.
package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"minigem/internal/text"
	"minigem/llm"
)

// Tool is something that a model can call. Implementations are safe for
// concurrent use.
type Tool interface {
	Spec() llm.ToolSpec
	Info() Info
	// Prepare checks args and changes nothing. Its error is an [*Error] of type
	// ErrInvalidParams (or a more precise one); the text goes to the model.
	Prepare(args map[string]any) (Invocation, error)
}

// Invocation is a call whose arguments are valid. It is run at most once.
type Invocation interface {
	// Intent says what Run would do. It may read (to show a diff) but changes
	// nothing; what it cannot find out it leaves empty.
	Intent() Intent
	// Run executes the call. An expected failure is an [*Error]; any other
	// error is reported to the model as an unhandled one. Run obeys ctx.
	Run(ctx context.Context) (Result, error)
}

// Streamer is an [Invocation] that shows output while it runs. RunStream is
// called instead of Run; it may call live from any goroutine until it returns.
type Streamer interface {
	RunStream(ctx context.Context, live func(text string)) (Result, error)
}

// Kind classifies tools for policy, icons and statistics
// (core/tools/tool-registry.ts).
type Kind string

const (
	KindRead        Kind = "read"
	KindEdit        Kind = "edit"
	KindDelete      Kind = "delete"
	KindMove        Kind = "move"
	KindSearch      Kind = "search"
	KindExecute     Kind = "execute"
	KindThink       Kind = "think"
	KindAgent       Kind = "agent"
	KindFetch       Kind = "fetch"
	KindCommunicate Kind = "communicate"
	KindPlan        Kind = "plan"
	KindSwitchMode  Kind = "switch_mode"
	KindOther       Kind = "other"
)

// Info describes a tool beyond its declaration.
type Info struct {
	DisplayName string // "ReadFile"
	Kind        Kind
	Markdown    bool     // its display is Markdown
	Sequential  bool     // never runs in parallel with another call of the same batch
	First       bool     // runs before the other calls of its batch
	Aliases     []string // older names by which it is still found
	MCP         *MCPOrigin
	Annotations map[string]any // MCP hints such as readOnlyHint; may be nil
}

// MCPOrigin says which server a tool comes from. Hooks get it as mcp_context.
type MCPOrigin struct {
	Server  string
	Tool    string // the name at the server
	Command string
	Args    []string
	Cwd     string
	URL     string
	TCP     string
	Trusted bool // "trust": true in the server's settings
}

// Intent is what a call is about to do, for the policy, the user and alerts.
type Intent struct {
	Description string // one line for people: "notes.txt: hello => goodbye"
	Title       string // title of the permission prompt: "Confirm Edit: notes.txt"
	// At most one of the following is set.
	Edit *EditIntent
	Exec *ExecIntent
	Info *InfoIntent
	MCP  *MCPOrigin
	Plan *PlanIntent
	// Paths are the absolute paths that the call reads or changes.
	Paths []string
}

// EditIntent is a change of one file. The user may edit NewContent before it is
// applied, see [Modifiable].
type EditIntent struct {
	FileName string // base name
	FilePath string // absolute
	Diff     string // unified diff
	Original string
	New      string
	IsNew    bool
}

// ExecIntent is a command line.
type ExecIntent struct {
	Command string
	Root    string // the first command's name: "git"
	Dir     string // absolute
}

// InfoIntent is a request to the internet.
type InfoIntent struct {
	Prompt string
	URLs   []string
}

// PlanIntent is a plan that the user is to agree to.
type PlanIntent struct {
	Path string // absolute
	Text string
}

// Answerable is an [Invocation] that runs in another way depending on the answer to
// the question about it. Such an answer is for one call: no rule comes of it.
type Answerable interface {
	// Answered is called before Run: the user allowed the call, for more than this
	// one, or said no, with words for the model. It reports whether a call that was
	// not allowed runs all the same, to tell the model so.
	Answered(allowed, always bool, feedback string) (runs bool)
}

// Modifiable is an [Invocation] whose new content the user may edit before it
// runs.
type Modifiable interface {
	// WithContent returns the arguments that write content to the file.
	WithContent(content string) map[string]any
}

// Checkable is an [Invocation] that knows before it runs that it cannot: nobody
// is asked about a call that would fail.
type Checkable interface {
	// Check returns why Run would fail as things stand; nil: it is not known to.
	Check() error
}

// Confinable is an [Invocation] that the system can restrict.
type Confinable interface {
	// Confine is called before Run. With onlyReads, Run changes nothing; with
	// sandbox, it may do what the sandbox allows. If the system cannot enforce
	// that, Run fails.
	Confine(onlyReads, sandbox bool)
}

// Result is the result of a call.
type Result struct {
	// Parts go to the model. Text parts are joined by newlines into
	// response.output; blobs go beside it.
	Parts []llm.Part
	// Display is for people: a string, or a value that marshals to the object
	// that Gemini CLI shows (FileDiff, Listing, Matches, ...). nil: the model's
	// text.
	Display any
	// Data is for statistics; may be nil.
	Data map[string]any
	// Truncatable means that a long text may be cut and saved to a file.
	Truncatable bool
}

// TextResult makes a [Result] of one text for the model and one for people.
func TextResult(text string, display any) Result {
	return Result{Parts: []llm.Part{llm.Text{Text: text}}, Display: display}
}

// FileDiff is the display of an edit, in Gemini CLI's shape
// (core/tools/write-file.ts).
type FileDiff struct {
	FileDiff        string   `json:"fileDiff"`
	FileName        string   `json:"fileName"`
	FilePath        string   `json:"filePath"`
	OriginalContent string   `json:"originalContent"`
	NewContent      string   `json:"newContent"`
	DiffStat        DiffStat `json:"diffStat"`
	IsNewFile       bool     `json:"isNewFile"`
	IsBuildFile     bool     `json:"isBuildFile"`
}

// DiffStat counts changed lines and characters, without newlines.
type DiffStat struct {
	ModelAddedLines   int `json:"model_added_lines"`
	ModelRemovedLines int `json:"model_removed_lines"`
	ModelAddedChars   int `json:"model_added_chars"`
	ModelRemovedChars int `json:"model_removed_chars"`
	UserAddedLines    int `json:"user_added_lines"`
	UserRemovedLines  int `json:"user_removed_lines"`
	UserAddedChars    int `json:"user_added_chars"`
	UserRemovedChars  int `json:"user_removed_chars"`
}

// Listing is the display of list_directory and read_many_files.
type Listing struct {
	Summary string   `json:"summary"`
	Files   []string `json:"files"`
}

// Matches is the display of grep_search.
type Matches struct {
	Summary string  `json:"summary"`
	Matches []Match `json:"matches"`
}

// Match is one line that a search found.
type Match struct {
	FilePath     string `json:"filePath"` // relative to the directory searched
	AbsolutePath string `json:"absolutePath"`
	LineNumber   int    `json:"lineNumber"` // from 1
	Line         string `json:"line"`
}

// ErrorType is one of Gemini CLI's type strings.
type ErrorType string

const (
	ErrPolicyViolation     ErrorType = "policy_violation"
	ErrInvalidParams       ErrorType = "invalid_tool_params"
	ErrUnknown             ErrorType = "unknown"
	ErrUnhandled           ErrorType = "unhandled_exception"
	ErrNotRegistered       ErrorType = "tool_not_registered"
	ErrExecutionFailed     ErrorType = "execution_failed"
	ErrFileNotFound        ErrorType = "file_not_found"
	ErrFileWrite           ErrorType = "file_write_failure"
	ErrReadContent         ErrorType = "read_content_failure"
	ErrCreateExisting      ErrorType = "attempt_to_create_existing_file"
	ErrFileTooLarge        ErrorType = "file_too_large"
	ErrPermissionDenied    ErrorType = "permission_denied"
	ErrNoSpace             ErrorType = "no_space_left" // the only fatal one: exit 54
	ErrTargetIsDirectory   ErrorType = "target_is_directory"
	ErrPathNotInWorkspace  ErrorType = "path_not_in_workspace"
	ErrSearchPathNotFound  ErrorType = "search_path_not_found"
	ErrSearchPathNotDir    ErrorType = "search_path_not_a_directory"
	ErrEditPreparation     ErrorType = "edit_preparation_failure"
	ErrEditNoOccurrence    ErrorType = "edit_no_occurrence_found"
	ErrEditMismatch        ErrorType = "edit_expected_occurrence_mismatch"
	ErrEditNoChange        ErrorType = "edit_no_change"
	ErrGlob                ErrorType = "glob_execution_error"
	ErrGrep                ErrorType = "grep_execution_error"
	ErrLs                  ErrorType = "ls_execution_error"
	ErrPathNotDirectory    ErrorType = "path_is_not_a_directory"
	ErrMCP                 ErrorType = "mcp_tool_error"
	ErrMCPResource         ErrorType = "mcp_resource_not_found"
	ErrReadManySearch      ErrorType = "read_many_files_search_error"
	ErrShell               ErrorType = "shell_execute_error"
	ErrFetchNoURL          ErrorType = "web_fetch_no_url_in_prompt"
	ErrFetchFallback       ErrorType = "web_fetch_fallback_failed"
	ErrFetchProcessing     ErrorType = "web_fetch_processing_error"
	ErrWebSearch           ErrorType = "web_search_failed"
	ErrStopExecution       ErrorType = "stop_execution"
	ErrDiscoveredExecution ErrorType = "discovered_tool_execution_error"
)

// ErrorTypes are all types of errors.
var ErrorTypes = []ErrorType{
	ErrPolicyViolation, ErrInvalidParams, ErrUnknown, ErrUnhandled, ErrNotRegistered,
	ErrExecutionFailed, ErrFileNotFound, ErrFileWrite, ErrReadContent, ErrCreateExisting,
	ErrFileTooLarge, ErrPermissionDenied, ErrNoSpace, ErrTargetIsDirectory, ErrPathNotInWorkspace,
	ErrSearchPathNotFound, ErrSearchPathNotDir, ErrEditPreparation, ErrEditNoOccurrence,
	ErrEditMismatch, ErrEditNoChange, ErrGlob, ErrGrep, ErrLs, ErrPathNotDirectory, ErrMCP,
	ErrMCPResource, ErrReadManySearch, ErrShell, ErrFetchNoURL, ErrFetchFallback, ErrFetchProcessing,
	ErrWebSearch, ErrStopExecution, ErrDiscoveredExecution,
}

// Error is an expected failure of a tool.
type Error struct {
	Type    ErrorType
	Message string // for the model, as {"error": Message}
	Display string // for the user; empty: Message
	Content string // for AfterTool hooks, as llmContent; empty: Message
	Err     error  // the cause; may be nil
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error of the given type.
func Errorf(t ErrorType, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Type: t, Message: err.Error(), Err: err}
}

// Registry holds tools in the order in which they are offered. The zero value
// is empty, and so is a nil one, to which nothing can be added. It must not be
// changed while an agent runs.
type Registry struct {
	order []Tool
	names map[string]Tool // by name and alias
}

// NewRegistry makes a [Registry] of ts.
func NewRegistry(ts ...Tool) *Registry {
	r := &Registry{}
	r.Add(ts...)
	return r
}

// Add registers tools; a later one replaces an earlier one of the same name.
func (r *Registry) Add(ts ...Tool) {
	if r.names == nil {
		r.names = map[string]Tool{}
	}
	for _, t := range ts {
		name := t.Spec().Name
		if i := slices.IndexFunc(r.order, func(o Tool) bool { return o.Spec().Name == name }); i >= 0 {
			r.order[i] = t
		} else {
			r.order = append(r.order, t)
		}
		r.names[name] = t
		for _, a := range t.Info().Aliases {
			if _, taken := r.names[a]; !taken {
				r.names[a] = t
			}
		}
	}
}

// Lookup finds a tool by its name or one of its aliases; nil: there is none.
func (r *Registry) Lookup(name string) Tool {
	if r == nil {
		return nil
	}
	return r.names[name]
}

// All returns the tools in order.
func (r *Registry) All() []Tool {
	if r == nil {
		return nil
	}
	return slices.Clone(r.order)
}

// Names returns the tools' names in order.
func (r *Registry) Names() []string {
	all := r.All()
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = t.Spec().Name
	}
	return names
}

// Filter returns a [Registry] of the tools for which keep returns true.
func (r *Registry) Filter(keep func(Tool) bool) *Registry {
	out := &Registry{}
	for _, t := range r.All() {
		if keep(t) {
			out.Add(t)
		}
	}
	return out
}

// Suggest returns up to three names nearest to name, nearest first.
func (r *Registry) Suggest(name string) []string {
	names := r.Names()
	slices.SortStableFunc(names, func(a, b string) int {
		return text.Distance(name, a) - text.Distance(name, b)
	})
	return names[:min(3, len(names))]
}

// NotFound returns the error for a call to a tool that does not exist.
func (r *Registry) NotFound(name string) *Error {
	msg := fmt.Sprintf("Tool %q not found.", name)
	switch s := r.Suggest(name); len(s) {
	case 0:
	case 1:
		msg += fmt.Sprintf(" Did you mean %q?", s[0])
	default:
		msg += ` Did you mean one of: "` + strings.Join(s, `", "`) + `"?`
	}
	return &Error{Type: ErrNotRegistered, Message: msg}
}
