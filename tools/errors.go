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
	ErrExecutionFailed ErrorType = "execution_failed"
	// the file to read or change does not exist
	ErrFileNotFound ErrorType = "file_not_found"
	// writing failed, or the file changed since the call was prepared
	ErrFileWrite ErrorType = "file_write_failure"
	// the file exists but cannot be read
	ErrReadContent ErrorType = "read_content_failure"
	// replace was to create a file that exists
	ErrCreateExisting ErrorType = "attempt_to_create_existing_file"
	// the file has more bytes than the tool reads
	ErrFileTooLarge ErrorType = "file_too_large"
	// the system refused access to the file
	ErrPermissionDenied ErrorType = "permission_denied"
	// the disk is full; the only type that is fatal in Gemini CLI (exit code 54)
	ErrNoSpace ErrorType = "no_space_left"
	// the path of a file names a directory
	ErrTargetIsDirectory ErrorType = "target_is_directory"
	// the path leads out of the workspace or to a protected name
	ErrPathNotInWorkspace ErrorType = "path_not_in_workspace"
	// the place to search does not exist; nothing here returns it
	ErrSearchPathNotFound ErrorType = "search_path_not_found"
	// the place to search is not a directory; nothing here returns it
	ErrSearchPathNotDir ErrorType = "search_path_not_a_directory"
	// the file to change cannot be read, or not without damage
	ErrEditPreparation ErrorType = "edit_preparation_failure"
	// the text to replace does not occur
	ErrEditNoOccurrence ErrorType = "edit_no_occurrence_found"
	// the text to replace occurs more than once
	ErrEditMismatch ErrorType = "edit_expected_occurrence_mismatch"
	// the edit would leave the file as it is
	ErrEditNoChange ErrorType = "edit_no_change"
	// looking for files by a pattern failed
	ErrGlob ErrorType = "glob_execution_error"
	// searching failed, or took too long
	ErrGrep ErrorType = "grep_execution_error"
	// the directory cannot be listed
	ErrLs ErrorType = "ls_execution_error"
	// what is to be listed is not a directory
	ErrPathNotDirectory ErrorType = "path_is_not_a_directory"
	// an MCP server reported an error, or its answer was not usable
	ErrMCP ErrorType = "mcp_tool_error"
	// an MCP server does not have the resource
	ErrMCPResource ErrorType = "mcp_resource_not_found"
	// read_many_files could not look for its files
	ErrReadManySearch ErrorType = "read_many_files_search_error"
	// a command could not be started; one that fails is no error
	ErrShell ErrorType = "shell_execute_error"
	// the prompt names no address; nothing here returns it
	ErrFetchNoURL ErrorType = "web_fetch_no_url_in_prompt"
	// neither the provider nor this machine could fetch the pages
	ErrFetchFallback ErrorType = "web_fetch_fallback_failed"
	// all addresses were skipped
	ErrFetchProcessing ErrorType = "web_fetch_processing_error"
	// the provider could not search
	ErrWebSearch ErrorType = "web_search_failed"
	// a hook ended the run
	ErrStopExecution ErrorType = "stop_execution"
	// a tool that a command of the settings declares failed
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
