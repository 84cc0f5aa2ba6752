package tools

import "fmt"

// ErrorType is one of Gemini CLI's type strings (core/tools/tool-error.ts), which hooks,
// transcripts and telemetry contain.
type ErrorType string

// The types of errors. Tools of others may use any of them.
const (
	// the policy, the user or a hook refused the call
	ErrPolicyViolation ErrorType = "policy_violation"
	// the arguments do not meet the schema
	ErrInvalidParams ErrorType = "invalid_tool_params"
	// nothing more is known
	ErrUnknown ErrorType = "unknown"
	// the tool returned an error that is not an [*Error], or it crashed
	ErrUnhandled ErrorType = "unhandled_exception"
	// there is no such tool, or it is not offered now
	ErrNotRegistered ErrorType = "tool_not_registered"
	// the tool failed, or an AfterTool hook refused its result
	ErrExecutionFailed    ErrorType = "execution_failed"
	ErrFileNotFound       ErrorType = "file_not_found"
	ErrFileWrite          ErrorType = "file_write_failure"
	ErrReadContent        ErrorType = "read_content_failure"
	ErrCreateExisting     ErrorType = "attempt_to_create_existing_file"
	ErrFileTooLarge       ErrorType = "file_too_large"
	ErrPermissionDenied   ErrorType = "permission_denied"
	ErrNoSpace            ErrorType = "no_space_left" // the only fatal one: exit 54
	ErrTargetIsDirectory  ErrorType = "target_is_directory"
	ErrPathNotInWorkspace ErrorType = "path_not_in_workspace"
	ErrSearchPathNotFound ErrorType = "search_path_not_found"
	ErrSearchPathNotDir   ErrorType = "search_path_not_a_directory"
	ErrEditPreparation    ErrorType = "edit_preparation_failure"
	ErrEditNoOccurrence   ErrorType = "edit_no_occurrence_found"
	ErrEditMismatch       ErrorType = "edit_expected_occurrence_mismatch"
	ErrEditNoChange       ErrorType = "edit_no_change"
	ErrGlob               ErrorType = "glob_execution_error"
	ErrGrep               ErrorType = "grep_execution_error"
	ErrLs                 ErrorType = "ls_execution_error"
	ErrPathNotDirectory   ErrorType = "path_is_not_a_directory"
	ErrMCP                ErrorType = "mcp_tool_error"
	ErrMCPResource        ErrorType = "mcp_resource_not_found"
	ErrReadManySearch     ErrorType = "read_many_files_search_error"
	ErrShell              ErrorType = "shell_execute_error"
	ErrFetchNoURL         ErrorType = "web_fetch_no_url_in_prompt"
	ErrFetchFallback      ErrorType = "web_fetch_fallback_failed"
	ErrFetchProcessing    ErrorType = "web_fetch_processing_error"
	ErrWebSearch          ErrorType = "web_search_failed"
	// a hook ended the run
	ErrStopExecution       ErrorType = "stop_execution"
	ErrDiscoveredExecution ErrorType = "discovered_tool_execution_error"
)

// ErrorTypes are all types of errors. It must not be changed.
var ErrorTypes = []ErrorType{
	ErrPolicyViolation, ErrInvalidParams, ErrUnknown, ErrUnhandled, ErrNotRegistered,
	ErrExecutionFailed, ErrFileNotFound, ErrFileWrite, ErrReadContent, ErrCreateExisting,
	ErrFileTooLarge, ErrPermissionDenied, ErrNoSpace, ErrTargetIsDirectory, ErrPathNotInWorkspace,
	ErrSearchPathNotFound, ErrSearchPathNotDir, ErrEditPreparation, ErrEditNoOccurrence,
	ErrEditMismatch, ErrEditNoChange, ErrGlob, ErrGrep, ErrLs, ErrPathNotDirectory, ErrMCP,
	ErrMCPResource, ErrReadManySearch, ErrShell, ErrFetchNoURL, ErrFetchFallback, ErrFetchProcessing,
	ErrWebSearch, ErrStopExecution, ErrDiscoveredExecution,
}

// Error is an expected failure of a tool. It is found with errors.As.
type Error struct {
	// Type may be empty; toolcall fills in [ErrInvalidParams] for Prepare and
	// [ErrUnhandled] for Run then.
	Type ErrorType
	// Message is what the model reads, as {"error": Message}. It says what to do about
	// it.
	Message string
	// Display is for the user; empty means Message.
	Display string
	// Content is llmContent for AfterTool hooks; empty means Message.
	Content string
	// Err is the cause; may be nil.
	Err error
}

// Error returns Message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an [Error] of the given type with a Message as by [fmt.Errorf], whose
// error becomes its cause, so that %w works.
func Errorf(t ErrorType, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Type: t, Message: err.Error(), Err: err}
}
