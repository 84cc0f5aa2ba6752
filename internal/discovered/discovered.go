// Package discovered makes tools of the declarations that a command of the settings
// prints and that another command runs (tools.discoveryCommand and tools.callCommand,
// core/tools/tool-registry.ts). Settings, and who may call the tools, are handled
// elsewhere.
package discovered

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"minigem/internal/proc"
	"minigem/llm"
	"minigem/tools"
)

const (
	// Prefix is the prefix of these tools' names.
	Prefix = "discovered_tool_"
	// discoveryTimeout is how long the discovery command may take.
	discoveryTimeout = 30 * time.Second
	grace            = time.Second
	// kept is how many bytes of a command's output are kept.
	kept = 1 << 20
	// maxTools is how many tools are accepted.
	maxTools = 1000
)

// Commands are the two shell commands, and the directory and environment ("k=v") in
// which they run.
type Commands struct {
	Discovery string
	Call      string // gets a tool's name as its last argument, and the arguments as JSON on standard input
	Dir       string
	Env       []string
	Within    func(only []string, begin func() error) error // starts the commands confined; may be nil
	NotRun    func(command string) string                   // why a call is answered instead of run; see app.System
}

// declaration is a function declaration in the form of the Gemini API.
type declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	JSONSchema  json.RawMessage `json:"parametersJsonSchema"`
}

// plain matches names that need no quotes in any shell.
const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-"

// Discover runs the discovery command and returns the tools that it declares. problems
// describes declarations that were left out. Without a discovery command, it returns
// nothing.
func Discover(ctx context.Context, c Commands) (found []tools.Tool, problems []string, err error) {
	if c.Discovery == "" {
		return nil, nil, nil
	}
	if c.Call == "" {
		return nil, nil,
			errors.New("discovering tools: tools.discoveryCommand is set, and tools.callCommand, which would run them, is not")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, discoveryTimeout, fmt.Errorf("it took longer than %v", discoveryTimeout))
	defer cancel()
	res, err := proc.Run(ctx, c.command(c.Discovery, nil))
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("discovering tools: running %q: %w", c.Discovery, err)
	case res.Stopped != nil:
		return nil, nil, fmt.Errorf("discovering tools: %q was stopped: %w", c.Discovery, res.Stopped)
	case res.ExitCode != 0:
		return nil, nil, fmt.Errorf("discovering tools: %q exited with code %d: %s", c.Discovery, res.ExitCode,
			strings.TrimSpace(res.Stderr.String()))
	case res.Stdout.Dropped > 0:
		return nil, nil, fmt.Errorf("discovering tools: %q printed more than %d bytes", c.Discovery, kept)
	}
	declared, err := parse(res.Stdout.Bytes())
	if err != nil {
		return nil, nil, fmt.Errorf("discovering tools: reading what %q printed: %w", c.Discovery, err)
	}
	for _, d := range declared {
		t, why := c.tool(d)
		if why != "" {
			problems = append(problems, fmt.Sprintf("the discovered tool %q is left out: %s", d.Name, why))
			continue
		}
		found = append(found, t)
	}
	return found, problems, nil
}

// parse parses an array of declarations, and of objects that contain declarations.
func parse(data []byte) ([]declaration, error) {
	var entries []struct {
		declaration
		Snake []declaration `json:"function_declarations"`
		Camel []declaration `json:"functionDeclarations"`
	}
	if err := json.Unmarshal(data, &entries); err != nil {
		return nil, fmt.Errorf("it must be a JSON array of function declarations: %w", err)
	}
	var all []declaration
	for _, e := range entries {
		all = append(append(all, e.Snake...), e.Camel...)
		if e.Snake == nil && e.Camel == nil {
			all = append(all, e.declaration)
		}
	}
	if len(all) > maxTools {
		return nil, fmt.Errorf("there are %d tools; at most %d are allowed", len(all), maxTools)
	}
	return all, nil
}

// tool makes a tool from d. If it cannot, why says why.
func (c Commands) tool(d declaration) (t *tool, why string) {
	if d.Name == "" || d.Name[0] == '-' || strings.Trim(d.Name, plain) != "" {
		return nil, "its name must consist of letters, digits, and the characters _ . : and -, and not begin with -"
	}
	raw := d.JSONSchema
	if raw == nil {
		raw = d.Parameters
	}
	if raw == nil || string(raw) == "null" {
		raw = json.RawMessage(`{"type":"object"}`)
	}
	schema, err := tools.ParseSchema(raw)
	if err != nil {
		return nil, err.Error()
	}
	return &tool{c, d, raw, schema}, ""
}

func (c Commands) command(line string, stdin []byte) proc.Command {
	return proc.Command{Line: line, Dir: c.Dir, Env: c.Env, Stdin: [][]byte{stdin}, Out: proc.Limit{Head: kept},
		Err: proc.Limit{Head: kept}, Grace: grace,
		Within: c.Within}
}

type tool struct {
	commands Commands
	declared declaration
	raw      json.RawMessage
	schema   *tools.Schema
}

// Spec implements tools.Tool.
func (t *tool) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: Prefix + t.declared.Name, Description: t.declared.Description, Parameters: t.raw}
}

// Info implements tools.Tool.
func (t *tool) Info() tools.Info {
	return tools.Info{DisplayName: t.declared.Name, Kind: tools.KindOther}
}

// Prepare implements tools.Tool.
func (t *tool) Prepare(args map[string]any) (tools.Invocation, error) {
	if args == nil {
		args = map[string]any{}
	}
	if err := t.schema.Check(args); err != nil {
		return nil, err
	}
	stdin, err := json.Marshal(args)
	if err != nil {
		return nil, tools.Errorf(tools.ErrInvalidParams, "params must be JSON: %w", err)
	}
	return &call{t, stdin}, nil
}

type call struct {
	tool  *tool
	stdin []byte
}

// Intent implements tools.Invocation.
func (c *call) Intent() tools.Intent {
	return tools.Intent{Description: c.tool.declared.Name + " " + string(c.stdin)}
}

// Run implements tools.Invocation. As in Gemini CLI, output on standard error also
// makes the call a failure.
func (c *call) Run(ctx context.Context) (tools.Result, error) {
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	commands := c.tool.commands
	if commands.NotRun != nil {
		if why := commands.NotRun(c.Intent().Description); why != "" {
			return tools.Result{}, errors.New("not run: " + why)
		}
	}
	res, err := proc.Run(ctx, commands.command(commands.Call+" "+c.tool.declared.Name, c.stdin))
	if res.Stopped != nil {
		return tools.Result{}, res.Stopped
	}
	if err == nil && res.ExitCode == 0 && len(res.Stderr.Bytes()) == 0 {
		out := tools.TextResult(res.Stdout.String(), res.Stdout.String())
		out.Truncatable = true
		return out, nil
	}
	fault := "(none)"
	if err != nil {
		fault = err.Error()
	}
	text := fmt.Sprintf("Stdout: %s\nStderr: %s\nError: %s\nExit Code: %d\nSignal: %s",
		cmp.Or(res.Stdout.String(), "(empty)"), cmp.Or(res.Stderr.String(), "(empty)"), fault, res.ExitCode,
		cmp.Or(res.SignalName, "(none)"))
	return tools.Result{}, &tools.Error{Type: tools.ErrDiscoveredExecution, Message: text,
		Display: fmt.Sprintf("The discovered tool %s failed.", c.tool.declared.Name), Err: err}
}
