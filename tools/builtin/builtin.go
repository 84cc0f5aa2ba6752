// Package builtin contains the tools that need no server, one file each, with the
// descriptions that the model reads, and [All], which lists them. A tool reaches files
// only through tools/workspace and processes only through internal/proc; permissions and
// hooks belong to tools/toolcall.
//
//	ws, err := workspace.New(root)
//	all, err := builtin.All(builtin.Options{Workspace: ws})
//	registry := tools.NewRegistry(all...)
//
// Each constructor says what its tool returns to the model and shows to people, its
// limits, and which types of [tools.Error] it has in addition to those of Prepare
// ([tools.ErrInvalidParams]) and of the file system: [tools.ErrPathNotInWorkspace],
// [tools.ErrFileNotFound], [tools.ErrTargetIsDirectory], [tools.ErrPermissionDenied] and
// [tools.ErrNoSpace].
package builtin

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"minigem/tools"
	"minigem/tools/workspace"
)

// Options configures the tools. Only Workspace is required. Tools whose options are
// missing are left out.
type Options struct {
	// Workspace confines all file tools.
	Workspace *workspace.Workspace
	// Ignore hides files from reading and searching; the zero value hides none.
	Ignore workspace.Ignore
	// Shell configures run_shell_command.
	Shell ShellOptions
	// Web configures web_fetch and google_web_search; without a Generator they are left
	// out.
	Web WebOptions
	// Skills configures activate_skill; without List it is left out.
	Skills Skills
	// Plans configures plan mode; without Dir there is none.
	Plans Plans
	// Session returns the id of the session, for update_topic; nil leaves that out.
	Session func() string
	// Asker asks the user; nil leaves ask_user out.
	Asker Asker
	// Memory says where save_memory writes; without User it is left out.
	Memory MemoryFiles
	// Now is the clock that decides which files are recent; nil means [time.Now].
	Now func() time.Time
	// Nearby returns what to add to a result because a call touched path, such as context
	// files of its directory. It is called concurrently. nil adds nothing.
	Nearby func(path string) string
}

// All returns the tools in the order in which the model gets them
// (core/tools/tool-registry.ts). get_internal_docs is not among them, see
// [InternalDocs]. The error says what o lacks. To stop background commands at the end
// of a session, set Options.Shell.Processes and call its Close. The slice is the
// caller's. Tools that share Options share its functions, which are called
// concurrently.
func All(o Options) ([]tools.Tool, error) {
	if o.Workspace == nil {
		return nil, errors.New("making the built-in tools: Options.Workspace is missing; workspace.New opens one")
	}
	ws, shell, now := o.Workspace, o.Shell, o.Now
	if shell.Processes == nil {
		shell.Processes = &Processes{}
	}
	if now == nil {
		now = time.Now
	}
	only := func(when bool, ts ...tools.Tool) []tools.Tool {
		if !when {
			return nil
		}
		return ts
	}
	near := func(t tools.Tool) tools.Tool { return withNearby(t, o.Nearby) }
	web := o.Web.Generator != nil
	return slices.Concat(
		only(o.Session != nil, UpdateTopic(o.Session)),
		only(true, near(ListDirectory(ws, o.Ignore)), near(ReadFile(ws, o.Ignore)), GrepSearch(ws, o.Ignore),
			Glob(ws, o.Ignore, now), near(forPlans(Replace(ws), o.Plans)), near(forPlans(WriteFile(ws), o.Plans))),
		only(web, WebFetch(o.Web)),
		only(true, RunShellCommand(ws, shell), ListBackgroundProcesses(shell.Processes),
			ReadBackgroundOutput(shell.Processes)),
		only(web, GoogleWebSearch(o.Web)),
		only(o.Plans.Dir != nil, EnterPlanMode(o.Plans), ExitPlanMode(ws, o.Plans)),
		// Gemini CLI offers these under certain conditions only, or once did.
		only(o.Skills.List != nil, ActivateSkill(o.Skills)),
		only(o.Asker != nil, AskUser(o.Asker)),
		only(true, WriteTodos(), ReadManyFiles(ws, o.Ignore)),
		only(o.Memory.User != "", SaveMemory(o.Memory)),
	), nil
}

//go:embed *.md
var descriptions embed.FS

// tool makes the tool called name, whose description for the model is in name.md.
func tool[C any, P tools.CallOf[C]](name, schema string, info tools.Info, begin C) tools.Tool {
	text, _ := descriptions.ReadFile(name + ".md") // a test wants a description of every tool
	return tools.New[C, P](name, string(text), tools.MustSchema(schema), info, begin)
}

// invalid returns an error for arguments that the schema allows but the tool does not.
func invalid(format string, args ...any) error {
	return tools.Errorf(tools.ErrInvalidParams, format, args...)
}

// files is what a call works with that reads files of a workspace, except those that
// ignore hides.
type files struct {
	ws     *workspace.Workspace
	ignore workspace.Ignore
}

// resolve returns the absolute name of path, or an error for Prepare if it is outside
// the workspace. Its message is for the model, and names the folders that may be used.
func resolve(ws *workspace.Workspace, path string) (string, error) {
	abs, err := ws.Resolve(path)
	if err != nil {
		return "", &tools.Error{Type: tools.ErrInvalidParams, Message: err.Error(), Err: err}
	}
	return abs, nil
}

// required returns an error if an argument is missing or blank, else nil.
func required(param, value string) error {
	if strings.TrimSpace(value) == "" {
		return invalid("The '%s' parameter must be non-empty.", param)
	}
	return nil
}

// fileError gives an error of the file system its type, or the most general
// one. doing says what failed, for the model.
func fileError(doing, abs string, err error, otherwise tools.ErrorType) *tools.Error {
	e := &tools.Error{Type: otherwise, Message: fmt.Sprintf("%s '%s': %v", doing, abs, plainCause(err)), Err: err}
	switch {
	case errors.Is(err, workspace.ErrOutside):
		e.Type, e.Message, e.Display = tools.ErrPathNotInWorkspace, err.Error(), "Error: Path not in workspace."
	case errors.Is(err, fs.ErrNotExist):
		e.Type, e.Message, e.Display = tools.ErrFileNotFound, "File not found: "+abs, "File not found."
	case errors.Is(err, workspace.ErrIsDirectory):
		e.Type, e.Message = tools.ErrTargetIsDirectory, "Path is a directory, not a file: "+abs
	case errors.Is(err, fs.ErrPermission):
		e.Type = tools.ErrPermissionDenied
	case errors.Is(err, syscall.ENOSPC):
		e.Type = tools.ErrNoSpace
	}
	return e
}

// plainCause removes file names from err; the text around it has the name that the
// model knows. Errors that are not about a path are returned as they are.
func plainCause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// shortPath shortens rel for display: at most 35 characters, the middle left
// out.
func shortPath(rel string) string {
	const limit = 35
	r := []rune(filepath.ToSlash(rel))
	if len(r) <= limit {
		return string(r)
	}
	const head, tail = 12, limit - 12 - 3
	return string(r[:head]) + "..." + string(r[len(r)-tail:])
}
