// Package runner is "minigem hooks run": it runs a script that is written in one dialect
// as the hook of whatever agent started it.
//
//	os.Exit(runner.Start(ctx, runner.Options{
//		Command: []string{"./guard.sh"}, Dialect: "gemini", OnError: runner.BlockAll,
//		Dir: dir, Env: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
//	}, true))
//
// Translating payloads and answers is left to hooks/portable; this package starts the
// script and decides what its failures mean.
package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"time"

	"minigem/hooks/agents"
	"minigem/hooks/dotenv"
	"minigem/hooks/portable"
	"minigem/hooks/protocol"
	"minigem/internal/proc"
)

// The values of [Options.OnError].
const (
	// BlockUnfinished refuses if the script did not start or did not end. Any other
	// failure is a warning. This is the default.
	BlockUnfinished = ""
	// BlockAll refuses at every failure.
	BlockAll = "block"
	// BlockNone refuses at no failure.
	BlockNone = "allow"
)

// Options say what to run, and for whom.
type Options struct {
	// Command is the program and its arguments. No shell is involved.
	Command []string
	// Agent is an id of hooks/agents; empty recognizes the agent.
	Agent string
	// Event is the event as the agent calls it; empty recognizes it.
	Event string
	// Dialect is the script's: "gemini" or "claude".
	Dialect string
	// OnError is [BlockUnfinished], [BlockAll] or [BlockNone]. It counts at events that
	// hold something back; see [portable.Call.Holds].
	OnError string
	// Match is a matcher for tools in the script's dialect. Other tools pass without the
	// script. Empty matches all.
	Match string
	// Timeout ends the script, which then refuses unless OnError is BlockNone; 0 means
	// none.
	Timeout time.Duration

	// Dir is the working directory of the script.
	Dir string
	// Env is the agent's environment, "NAME=value". The script gets it, with
	// GEMINI_PROJECT_DIR and CLAUDE_PROJECT_DIR added if they are missing.
	Env []string
	// Stdin has the agent's payload, at most 64 MiB.
	Stdin io.Reader
	// Stdout and Stderr go to the agent. Of the script's streams at most 4 MiB each are kept.
	Stdout, Stderr io.Writer
}

// Limits of a script's streams, in bytes.
const (
	mostInput  = 64 << 20
	mostOutput = 4 << 20
	grace      = 200 * time.Millisecond // how long a script may take to end after it was asked to
)

// Start is [Run] after checking the options. Wrong options refuse, because agents do not
// take any other exit for a refusal. portable is the flag --portable, without which it
// refuses. A nil ctx is the background.
func Start(ctx context.Context, o Options, portable bool) int {
	if ctx == nil {
		ctx = context.Background()
	}
	switch {
	case !portable:
		return o.Refuse("add --portable: hooks run does nothing else")
	case len(o.Command) == 0:
		return o.Refuse("say which program to run, after --")
	case !slices.Contains([]string{"gemini", "claude"}, o.Dialect):
		return o.Refuse(fmt.Sprintf("--dialect is %q: it must be gemini or claude", o.Dialect))
	case !slices.Contains([]string{BlockUnfinished, BlockAll, BlockNone}, o.OnError):
		return o.Refuse(fmt.Sprintf("--on-error is %q: it must be block or allow", o.OnError))
	}
	return Run(ctx, o)
}

// Run runs the script once for each thing that the event is about, prints its answer for
// the agent, and returns the exit code. If the payload cannot be read, it refuses. What a
// failure of the script does is up to [Options.OnError]. An event that Gemini CLI does not
// have is passed on untranslated.
func Run(ctx context.Context, o Options) int {
	payload, err := io.ReadAll(io.LimitReader(o.Stdin, mostInput+1))
	if err == nil && len(payload) > mostInput {
		err = fmt.Errorf("it is longer than %d bytes", mostInput)
	}
	if err != nil {
		return o.Refuse("reading what the agent says: " + err.Error())
	}
	c, err := portable.Read(payload, portable.Options{Agent: o.Agent, Event: o.Event, Env: o.getenv})
	if err != nil {
		return o.Refuse(err.Error())
	}
	d := protocol.DialectOf(o.Dialect)
	if c.Event == "" {
		return o.passOn(ctx, c)
	}
	var outs []protocol.Output
	for i, payload := range c.Payloads(d) {
		if c.Event.IsTool() && !o.matches(d, c.Tool(i)) {
			outs = append(outs, protocol.Output{})
			continue
		}
		out, failed := o.ask(ctx, c, d, payload, c.Tool(i))
		if failed != "" {
			fmt.Fprintln(o.Stderr, "minigem:", failed)
		}
		outs = append(outs, out)
	}
	return portable.Print(c.Answer(outs...), o.Stdout, o.Stderr)
}

// Refuse prints a refusal that every agent obeys, and returns its exit code.
func (o Options) Refuse(why string) int {
	return portable.Print(agents.Refusal("minigem hooks run: "+why), o.Stdout, o.Stderr)
}

// matches reports whether the script handles a tool, by its own agent's matching rules
// and name for the tool.
func (o Options) matches(d *protocol.Dialect, tool string) bool {
	a, err := agents.Find(d.Name)
	if err != nil {
		return true // unreachable: the table has both dialects
	}
	fires, _ := a.Fires(o.Match, d.ToolName(tool, nil))
	return fires
}

// getenv returns the value of a variable that the script gets.
func (o Options) getenv(name string) string {
	value, _ := dotenv.Lookup(o.Env, name)
	return value
}

// ask runs the script once. failed is a message for stderr: a failure that is no reason
// to refuse, or what a successful script wrote there.
func (o Options) ask(ctx context.Context, c *portable.Call, d *protocol.Dialect, payload []byte,
	tool string) (out protocol.Output, failed string) {
	ran := o.start(ctx, c, payload)
	unfinished := ran.Failed != "" || ran.Code == 126 || ran.Code == 127
	ran.Tool = tool
	reading := d.Parse(c.Event, ran)
	out = reading.Output
	if reading.Failed == "" || out.Decision == protocol.Deny || out.Stop {
		if text := strings.TrimSpace(string(ran.Stderr)); ran.Code == 0 && reading.From != "stderr" &&
			!strings.Contains(text, "{") {
			failed = text // nothing failed; the text is for the log
		}
		return out, failed
	}
	why := fmt.Sprintf("the hook %s failed: %s", o.Command[0], reading.Failed)
	if c.Holds() && (o.OnError == BlockAll || unfinished && o.OnError == BlockUnfinished) {
		return protocol.DenyBecause(why), ""
	}
	return out, why
}

// start runs the script until it ends.
func (o Options) start(ctx context.Context, c *portable.Call, payload []byte) protocol.Ran {
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("took longer than %v", o.Timeout))
		defer cancel()
	}
	res, err := proc.Run(ctx, proc.Command{
		Path: o.Command[0], Args: o.Command[1:], Dir: o.Dir, Env: o.environment(c), Stdin: [][]byte{payload},
		Out: proc.Limit{Head: mostOutput}, Err: proc.Limit{Head: mostOutput}, Grace: grace, Guarded: true,
	})
	ran := protocol.Ran{Code: res.ExitCode, Stdout: res.Stdout.Head, Stderr: res.Stderr.Head,
		Cut: protocol.CutStreams(res.Stdout.Dropped > 0, res.Stderr.Dropped > 0)}
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		ran.Failed = "the system cannot start it: its first line must name the interpreter, such as #!/bin/sh"
	case err != nil:
		ran.Failed = err.Error()
	case res.Stopped != nil:
		ran.Failed = res.Stopped.Error()
	case res.Signal != 0:
		ran.Failed = "it ended by " + res.SignalName
	}
	return ran
}

// environment returns the agent's environment with the project folder's variables that
// scripts for Gemini CLI and Claude Code read.
func (o Options) environment(c *portable.Call) []string {
	env := slices.Clone(o.Env)
	dir := o.getenv("CLAUDE_PROJECT_DIR")
	for _, other := range []string{o.getenv("GEMINI_PROJECT_DIR"), o.getenv("COPILOT_PROJECT_DIR"),
		o.getenv("QWEN_PROJECT_DIR"), c.Dir(), o.Dir} {
		if dir == "" {
			dir = other
		}
	}
	for _, name := range []string{"GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"} {
		if o.getenv(name) == "" {
			env = append(env, name+"="+dir)
		}
	}
	return env
}

// passOn handles events that Gemini CLI does not have. Payload and output pass through
// unchanged.
func (o Options) passOn(ctx context.Context, c *portable.Call) int {
	ran := o.start(ctx, c, c.Raw)
	_, _ = o.Stdout.Write(ran.Stdout) // the agent may have closed stdout
	_, _ = o.Stderr.Write(ran.Stderr)
	if ran.Failed != "" {
		fmt.Fprintln(o.Stderr, "minigem: the hook failed:", ran.Failed)
		return 1
	}
	fmt.Fprintf(o.Stderr, "minigem: %s of %s has no counterpart; what the hook says is passed on as it is\n", c.Native,
		c.Agent.Name)
	return ran.Code
}
