package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"minigem/internal/confine"
	"minigem/internal/proc"
	"minigem/internal/stage"
	"minigem/tools"
	"minigem/tools/workspace"
)

// Limits of commands (core/tools/shell.ts). Of longer output, the beginning and
// the end are kept.
const (
	shellHead         = 4 << 20
	shellTail         = 12 << 20
	shellGrace        = 200 * time.Millisecond
	defaultShellDelay = 200 // ms
	// A longer command is shown by its description.
	maxDescribed = 150
)

const shellSchema = `{
  "type": "object",
  "properties": {
    "command": {"type": "string", "description": "The command line."},
    "description": {"type": "string", "description": "What it does, for the user, in a sentence."},
    "dir_path": {"type": "string",
      "description": "The directory to run it in, absolute or relative to the project's root (the default)."},
    "is_background": {"type": "boolean",
      "description": "Leave it running and go on. Use read_background_output to see what it prints."},
    "delay_ms": {"type": "integer", "minimum": 0,
      "description": "With is_background: how many milliseconds to wait before going on; 200 if not given."}
  },
  "required": ["command"]
}`

// shellEnv is set for every command. It turns off questions and pagers, and CDPATH, so
// that cd goes only where it says.
var shellEnv = []string{
	"GEMINI_CLI=1", "TERM=xterm-256color", "PAGER=cat", "GIT_PAGER=cat",
	"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GCM_INTERACTIVE=never", "GH_PROMPT_DISABLED=1",
	"DISPLAY=", "DBUS_SESSION_BUS_ADDRESS=", "CDPATH=",
}

// ShellOptions configures run_shell_command. The zero value runs commands without a
// sandbox in a nearly empty environment.
type ShellOptions struct {
	// Env returns the environment of commands, "k=v", redacted as the settings demand.
	// The tool adds its own variables. If Env is nil, there are only those.
	Env func() []string
	// Unasked is the environment of commands that run without a question because they
	// only read, of which they get a few well-known variables, such as PATH and LANG. nil
	// means what Env returns.
	Unasked []string
	// Prelude returns what the shell does before each command, on the same line; nil adds
	// nothing. It is only used with bash.
	Prelude func() string
	// Inactivity stops a command that printed nothing for that long; 0 or less never
	// does. Gemini CLI's default is 300 s.
	Inactivity time.Duration
	// Confine starts a command in the sandbox: see proc.Command. nil means that there is
	// no sandbox, and that a command which has to run in it does not start.
	Confine func(argv []string, attr *os.ProcAttr) ([]string, error)
	// Sandbox runs all commands by Confine; otherwise only those that a rule allows in
	// the sandbox only.
	Sandbox bool
	// Created says which files commands in the sandbox created that other programs run,
	// such as hooks of git; it is called after each such command. Empty means none. nil:
	// no check.
	Created func() string
	// Within calls begin, which starts a command; nil starts it directly.
	Within func(only []string, begin func() error) error
	// NotRun, if not nil, returns why a command in a folder is not run, or "".
	NotRun func(command string) string
	// Reading returns what a command line that runs without a question, because it only
	// reads, may open when it runs in dir. nil lets it open everything.
	Reading func(line, dir string) Reading
	// Processes holds what runs on after a call. nil means that the tool has its own,
	// which cannot be closed.
	Processes *Processes
}

// Reading says which files a command may open. The zero Reading allows every file.
type Reading struct {
	// Files are the files and directories that it may read; nil means all.
	Files []string
	// Hidden are files and directories among them that it may not read.
	Hidden []string
	// Programs are those that it may execute; nil means all.
	Programs []string
	// Prelude is what the shell does before, on the same line; may be empty.
	Prelude string
	// Env holds more variables, "k=v".
	Env []string
}

// RunShellCommand returns the tool run_shell_command (core/tools/shell.ts). A command
// that fails is no error for the model: the result has output and exit code, and Data has
// exitCode, signal and isError. Of longer output the first 4 MiB and the last 12 MiB are
// kept. A line with a command substitution is not run. When ctx ends, the process group
// gets 200 ms to end. Errors: [tools.ErrShell] if it cannot be started.
func RunShellCommand(ws *workspace.Workspace, opts ShellOptions) tools.Tool {
	if opts.Processes == nil {
		opts.Processes = &Processes{}
	}
	return tool("run_shell_command", shellSchema, tools.Info{DisplayName: "Shell", Kind: tools.KindExecute},
		shellCall{ws: ws, opts: opts, made: &atomic.Value{}, Delay: defaultShellDelay})
}

type shellCall struct {
	ws   *workspace.Workspace
	opts ShellOptions
	made *atomic.Value // what Created said last
	dir  string
	read bool // the command must not change anything
	in   bool // the command must run in the sandbox

	Command     string `json:"command"`
	Description string `json:"description"`
	DirPath     string `json:"dir_path"`
	Background  bool   `json:"is_background"`
	Delay       int    `json:"delay_ms"`
}

// Complete implements tools.Completer.
func (c *shellCall) Complete(map[string]any) error {
	if strings.TrimSpace(c.Command) == "" {
		return invalid("Command cannot be empty.")
	}
	if strings.ContainsRune(c.Command, 0) {
		return invalid("Command cannot contain a NUL character.")
	}
	var err error
	if c.dir, err = resolve(c.ws, c.DirPath); err != nil {
		return err
	}
	return nil
}

// Intent implements tools.Invocation. People read the command itself, or the model's
// description of it if it is longer than 150 characters.
func (c *shellCall) Intent() tools.Intent {
	in := tools.Intent{Description: c.Command, Title: "Confirm Shell Command",
		Exec: &tools.ExecIntent{Command: c.Command, Root: rootCommand(c.Command), Dir: c.dir}}
	if len(c.Command) > maxDescribed && c.Description != "" {
		in.Description = c.Description
	}
	return in
}

// Confine implements tools.Confinable.
func (c *shellCall) Confine(onlyReads, sandbox bool) { c.read, c.in = onlyReads, sandbox }

// Run implements tools.Invocation.
func (c *shellCall) Run(ctx context.Context) (tools.Result, error) {
	return c.RunStream(ctx, nil)
}

// RunStream implements tools.Streamer. live gets the output as plain text without control
// sequences; nil shows nothing. With is_background it returns after delay_ms, or earlier
// if the command ends, and the command runs on.
func (c *shellCall) RunStream(ctx context.Context, live func(string)) (tools.Result, error) {
	if substitutes(c.Command) {
		res := tools.TextResult(errSubstitutes.Message, errSubstitutes.Display)
		res.Data = map[string]any{"isError": true}
		return res, nil
	}
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	cmd, done, err := c.Start()
	if err != nil {
		return tools.Result{}, err
	}
	if c.Background {
		return c.runBackground(ctx, cmd, done)
	}
	defer done()
	cmd.Out, cmd.Idle = proc.Limit{Head: shellHead, Tail: shellTail}, max(c.opts.Inactivity, 0)
	if live != nil {
		text := newPlainText()
		cmd.Live = func(b []byte) {
			if s := text.write(b); s != "" {
				live(s)
			}
		}
	}
	p, err := proc.Start(cmd)
	if err != nil {
		return tools.Result{}, c.cannotStart(err)
	}
	r := p.Wait(ctx)
	left := p.Members()
	if len(left) > 0 {
		c.opts.Processes.addLeft(p)
	}
	return c.result(r, left), nil
}

// Start returns the command as it is to be started, and a function to call when it has
// ended.
func (c *shellCall) Start() (cmd proc.Command, done func(), err error) {
	if err := c.notRun(); err != nil {
		return cmd, nil, err
	}
	dir, err := c.ws.Real(c.dir)
	if err != nil {
		return cmd, nil, fileError("Error entering directory", c.dir, err, tools.ErrShell)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return cmd, nil, tools.Errorf(tools.ErrShell, "Directory does not exist: %s", c.dir)
	}
	line := c.Command
	if c.opts.Prelude != nil && proc.ShellName() == "bash" {
		line = c.opts.Prelude() + line
	}
	cmd = proc.Command{Line: line, Dir: dir, Env: c.env(), Merge: true, Grace: shellGrace, Guarded: true,
		Within: c.opts.Within}
	if done, err = c.confine(&cmd); err != nil {
		return cmd, nil, c.cannotStart(err)
	}
	return cmd, done, nil
}

// confine restricts cmd: a command that runs unasked because it only reads can
// write nothing but a temporary folder, reaches no network and gets no secrets
// of the environment. done removes the folder.
func (c *shellCall) confine(cmd *proc.Command) (done func(), err error) {
	if !c.read {
		if c.in = c.in || c.opts.Sandbox; c.in {
			if cmd.Confine = c.opts.Confine; cmd.Confine == nil {
				return nil, errors.New("a rule allows this command only in the sandbox, but there is no sandbox")
			}
		}
		return func() {}, nil
	}
	if err := confine.Supported(); err != nil {
		return nil, fmt.Errorf("a command that nobody was asked about runs confined: %w", err)
	}
	temp, remove, err := stage.Temp()
	if err != nil {
		return nil, fmt.Errorf("making a temporary folder: %w", err)
	}
	cmd.Rules = &confine.Rules{Write: []string{temp}}
	var r Reading
	if c.opts.Reading != nil {
		r = c.opts.Reading(cmd.Line, cmd.Dir)
		cmd.Rules.Read, cmd.Rules.Hidden, cmd.Rules.Execute = r.Files, r.Hidden, r.Programs
		cmd.Line = r.Prelude + cmd.Line
	}
	env := cmd.Env
	if c.opts.Unasked != nil {
		env = slices.Concat(c.opts.Unasked, shellEnv)
	}
	cmd.Env = append(slices.DeleteFunc(env, private), "TMPDIR="+temp, "GIT_OPTIONAL_LOCKS=0")
	cmd.Env = append(cmd.Env, r.Env...)
	return remove, nil
}

// public names the variables that a command gets which runs unasked because it only
// reads. The model reads what it prints, and a secret may have any other name.
const public = "PATH HOME USER LOGNAME SHELL PWD LANG LANGUAGE TZ TERM COLORTERM COLUMNS LINES NO_COLOR " +
	"XDG_CONFIG_HOME SYSTEMROOT"

// private reports whether a variable, "k=v", is neither public nor the tool's own.
func private(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	return !slices.Contains(strings.Fields(public), name) && !strings.HasPrefix(name, "LC_") &&
		!slices.Contains(shellEnv, variable)
}

func (c *shellCall) env() []string {
	var env []string
	if c.opts.Env != nil {
		env = c.opts.Env()
	}
	return slices.Concat(env, shellEnv)
}

// cannotStart returns the error for a command that did not begin.
func (c *shellCall) cannotStart(err error) error {
	return &tools.Error{Type: tools.ErrShell, Message: err.Error(), Display: "Command failed: " + err.Error(), Err: err,
		Content: untrusted("Output: (empty)\nError: " + err.Error())}
}

// runBackground lets the command run on, unless it ends within the delay.
func (c *shellCall) runBackground(ctx context.Context, cmd proc.Command, done func()) (tools.Result, error) {
	cmd.Out = proc.Limit{Tail: backgroundKept}
	p, err := proc.Start(cmd)
	if err != nil {
		done()
		return tools.Result{}, c.cannotStart(err)
	}
	go func() { <-p.Done(); done() }()
	c.opts.Processes.add(&background{p, c.Command})
	select {
	case <-p.Done():
		return c.result(p.Result(), p.Members()), nil
	case <-ctx.Done():
		return c.result(p.Wait(ctx), nil), nil
	case <-time.After(time.Duration(c.Delay) * time.Millisecond):
	}
	text := fmt.Sprintf("Command moved to background (PID: %d). Its output can be read with read_background_output.",
		p.PID())
	out := tools.TextResult(untrusted(text), text)
	out.Data = map[string]any{"pid": p.PID(), "command": c.Command}
	return out, nil
}

// result says how the command ended, and which processes it left.
func (c *shellCall) result(r proc.Result, left []int) tools.Result {
	output := cleanOutput(r.Stdout.Bytes())
	lines := []string{"Output: " + cmp.Or(output, "(empty)")}
	if r.ExitCode > 0 {
		lines = append(lines, fmt.Sprintf("Exit Code: %d", r.ExitCode))
	}
	if r.Signal != 0 {
		lines = append(lines, fmt.Sprintf("Signal: %d", r.Signal))
	}
	if len(left) > 0 {
		pids := strings.Trim(fmt.Sprint(left), "[]")
		lines = append(lines, "Background PIDs: "+strings.ReplaceAll(pids, " ", ", "))
	}
	lines = append(lines, fmt.Sprintf("Process Group PGID: %d", r.PID))
	display := output
	if c.read && refused(r.ExitCode, output) {
		lines = append(lines, withoutPermission)
		display = strings.TrimPrefix(output+"\n"+withoutPermission, "\n")
	}
	if made := c.created(); made != "" {
		lines = append(lines, "Note: "+made+".")
		display = strings.TrimPrefix(display+"\n"+made, "\n")
	}
	if r.Stopped != nil {
		why := c.stopped(r.Stopped)
		lines = []string{why, "Below is what it printed before:", cmp.Or(output, "(empty)")}
		display = strings.TrimSuffix(why+"\n"+output, "\n")
	}
	res := tools.TextResult(untrusted(strings.Join(lines, "\n")), cmp.Or(display, ending(r)))
	res.Truncatable = true
	res.Data = map[string]any{"exitCode": r.ExitCode, "isError": r.ExitCode != 0}
	if r.Signal != 0 {
		res.Data["signal"] = r.Signal
	}
	return res
}

// created returns what Created says after a command in the sandbox, unless it said the
// same before.
func (c *shellCall) created() string {
	if c.read || !c.in || c.opts.Created == nil {
		return ""
	}
	made := c.opts.Created()
	if c.made.Swap(made) == made {
		return ""
	}
	return made
}

// withoutPermission explains the failure of a command that only reads, in its
// result.
const withoutPermission = "This command ran without permission to write, because nobody was asked."

// refused reports whether a confined command may have failed because of that:
// the kernel does not say so. Many commands exit with 1 for "no" or "different".
func refused(code int, output string) bool {
	return code != 0 && (strings.Contains(output, "ermission denied") || strings.Contains(output, "not permitted"))
}

// stopped says for the model why a command was ended.
func (c *shellCall) stopped(why error) string {
	if errors.Is(why, proc.ErrIdle) {
		return fmt.Sprintf("Command was automatically cancelled because it printed nothing for %.4g minutes.",
			c.opts.Inactivity.Minutes())
	}
	return "Command was cancelled by the user before it could complete."
}

// ending is the display of a command that printed nothing.
func ending(r proc.Result) string {
	switch {
	case r.Signal != 0:
		return fmt.Sprintf("Command terminated by signal: %d", r.Signal)
	case r.ExitCode != 0:
		return fmt.Sprintf("Command exited with code: %d", r.ExitCode)
	}
	return ""
}
