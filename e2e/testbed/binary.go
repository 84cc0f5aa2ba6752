package testbed

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/internal/boundedfile"
	"minigem/internal/proc"
	"minigem/llm"
	"minigem/llm/script"
)

// Binary returns a Driver that runs cases on another program: Gemini CLI, or
// one that takes its flags. What its hooks, tools and requests did is read from
// its telemetry (core/telemetry/types.ts). It takes one prompt;
// Options.Elsewhere keeps out what it cannot be asked.
func Binary(program string) Driver {
	return func(_ context.Context, s Setup) (Session, error) {
		path, err := proc.Look(program)
		if err != nil {
			return nil, fmt.Errorf("looking for the program: %w", err)
		}
		return &foreign{path: path, setup: s}, nil
	}
}

// repeats is how often an answer is given that repeats itself.
const repeats = 40

// foreign is a session of another program.
type foreign struct {
	path  string
	setup Setup
	calls int // hooks that ran so far

	pending []event.ToolRecord // calls whose results are not known yet
	results []llm.ToolResult   // those that stand in requests, each once
	known   map[string]bool    // ids of results
}

// Prompt implements Session: it runs the program.
func (f *foreign) Prompt(ctx context.Context, text string) Outcome {
	answers := filepath.Join(f.setup.Home, ".answers.jsonl")
	telemetry := filepath.Join(f.setup.Home, ".telemetry.json")
	if err := writeAnswers(answers, f.setup.Rounds); err != nil {
		return f.failed(err)
	}
	res, err := proc.Run(ctx, proc.Command{
		Path: f.path, Dir: f.setup.Workspace, Grace: time.Second,
		Args: []string{"--approval-mode", f.setup.Mode, "--model", "gemini-2.5-flash", "--fake-responses", answers, "--prompt", text},
		Env: append(slices.Clone(f.setup.Env), "TERM=xterm-256color", "GEMINI_API_KEY=none", "GEMINI_CLI_NO_RELAUNCH=true",
			"GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_TELEMETRY_ENABLED=true", "GEMINI_TELEMETRY_TARGET=local",
			"GEMINI_TELEMETRY_OUTFILE="+telemetry, "GEMINI_TELEMETRY_LOG_PROMPTS=true", "GEMINI_TELEMETRY_OTLP_ENDPOINT="),
	})
	if err != nil {
		return f.failed(err)
	}
	_, _ = f.setup.Stdout.Write(res.Stdout.Head) // buffers of ours
	_, _ = f.setup.Stderr.Write(res.Stderr.Head)
	if err := f.readTelemetry(telemetry); err != nil {
		return f.failed(err)
	}
	return Outcome{Exit: res.ExitCode}
}

func (f *foreign) failed(err error) Outcome {
	o := Outcome{Exit: -1}
	o.Err = err
	f.setup.Notice(err.Error())
	return o
}

func writeAnswers(path string, rounds []Round) error {
	var entries []script.Entry
	for _, r := range rounds {
		entries = append(entries, r.Entry)
		if r.Repeat {
			entries = append(entries, slices.Repeat([]script.Entry{r.Entry}, repeats)...)
		}
	}
	var b bytes.Buffer
	if err := script.Write(&b, entries); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o600)
}

// foreignRecord is what is needed of a record of Gemini CLI's telemetry.
type foreignRecord struct {
	Attributes struct {
		Name     string  `json:"event.name"`
		Hook     string  `json:"hook_name"`
		Event    string  `json:"hook_event_name"`
		Exit     int     `json:"exit_code"`
		Input    string  `json:"hook_input"`
		Output   string  `json:"hook_output"`
		Stdout   string  `json:"stdout"`
		Stderr   string  `json:"stderr"`
		Millis   float64 `json:"duration_ms"`
		Tool     string  `json:"function_name"`
		Args     string  `json:"function_args"`
		Success  bool    `json:"success"`
		Error    string  `json:"error"`
		ErrorIs  string  `json:"error_type"`
		Model    string  `json:"model"`
		Messages string  `json:"request_text"`
	} `json:"attributes"`
}

// readTelemetry tells what the program wrote down.
func (f *foreign) readTelemetry(path string) error {
	file, err := boundedfile.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // it ended before anything happened
	}
	if err != nil {
		return fmt.Errorf("reading telemetry: %w", err)
	}
	defer file.Close()
	d := json.NewDecoder(io.LimitReader(file, boundedfile.Recorded))
	for {
		var r foreignRecord
		err := d.Decode(&r)
		var other *json.UnmarshalTypeError
		switch {
		case errors.Is(err, io.EOF):
			f.finishCalls()
			return nil
		case errors.As(err, &other):
			continue // metrics have other shapes
		case err != nil:
			return fmt.Errorf("reading telemetry: %w", err)
		}
		f.tell(r)
	}
}

func (f *foreign) tell(r foreignRecord) {
	switch r.Attributes.Name {
	case "gemini_cli.hook_call":
		f.hookCall(r)
	case "gemini_cli.tool_call":
		f.toolCall(r)
	case "gemini_cli.api_request":
		var messages []llm.Message
		if err := json.Unmarshal([]byte(r.Attributes.Messages), &messages); err != nil {
			f.setup.Notice("a request in the telemetry cannot be read: " + err.Error())
		}
		f.noteResults(messages)
		f.setup.Request(Request{llm.Request{Model: r.Attributes.Model, Messages: messages}, script.Stream})
	}
}

// hookCall makes a report of one hook's run. How several of an event were merged
// is not told.
func (f *foreign) hookCall(r foreignRecord) {
	a := r.Attributes
	f.calls++
	compacted := compactJSON(a.Input)
	run := hooks.Run{
		Hook: hooks.Hook{Event: hooks.Event(a.Event), Name: a.Hook, Command: a.Hook}, Matched: true, Stdin: hooks.Payload{compacted},
		Exit: hooks.Exit{Code: a.Exit, Stdout: []byte(a.Stdout), Stderr: []byte(a.Stderr), Duration: time.Duration(a.Millis) * time.Millisecond},
	}
	if a.Output != "" { // its own reading, in the canonical spelling
		run.Reading = protocol.Parse(hooks.Event(a.Event), protocol.Ran{Stdout: []byte(a.Output)})
	}
	switch o := run.Reading.Output; {
	case o.Stop:
		run.Decision = hooks.Stop
	case o.Decision == protocol.Deny:
		run.Decision = hooks.Deny
	case o.Decision == protocol.Ask:
		run.Decision = hooks.Ask
	}
	f.setup.Report(hooks.Report{
		Seq: f.calls, Event: hooks.Event(a.Event), Subject: subjectIn(compacted), Input: hooks.Payload{compacted}, Runs: []hooks.Run{run},
		Verdict: hooks.Verdict{Decision: run.Decision},
	})
}

func compactJSON(text string) []byte {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return []byte(text)
	}
	return b.Bytes()
}

// subjectIn is what matchers saw.
func subjectIn(input []byte) string {
	var in struct {
		Tool         string `json:"tool_name"`
		Source       string `json:"source"`
		Reason       string `json:"reason"`
		Trigger      string `json:"trigger"`
		Notification string `json:"notification_type"`
	}
	_ = json.Unmarshal(input, &in) // what is not JSON has no subject
	return cmp.Or(in.Tool, in.Source, in.Reason, in.Trigger, in.Notification)
}

// toolCall tells of a call. One that was refused did not run.
func (f *foreign) toolCall(r foreignRecord) {
	a := r.Attributes
	call := llm.ToolCall{ID: fmt.Sprintf("%s-%d", a.Tool, f.calls), Name: a.Tool}
	_ = json.Unmarshal([]byte(a.Args), &call.Args) // then it has none
	record := event.ToolRecord{Call: call, Args: call.Args, Status: event.ToolSuccess, ErrorType: a.ErrorIs, ErrorMessage: a.Error}
	record.Result = llm.ToolResult{Name: a.Tool, Response: map[string]any{"output": ""}}
	if !a.Success {
		record.Status = event.ToolError
		record.Result.Response = map[string]any{"error": a.Error}
	}
	refused := slices.Contains([]string{"policy_violation", "stop_execution", "invalid_tool_params", "tool_not_registered"}, a.ErrorIs)
	if !refused && !strings.HasPrefix(a.Error, "[Operation Cancelled]") {
		f.setup.Sink.Emit(event.ToolStarted{Call: call})
	}
	f.pending = append(f.pending, record)
}

// noteResults takes the results of tools out of a request.
func (f *foreign) noteResults(messages []llm.Message) {
	if f.known == nil {
		f.known = map[string]bool{}
	}
	for _, m := range messages {
		for _, p := range m.Parts {
			if res, ok := p.(llm.ToolResult); ok && !f.known[res.ID] {
				f.known[res.ID] = true
				f.results = append(f.results, res)
			}
		}
	}
}

// finishCalls tells of all calls, with the results that the model was sent.
func (f *foreign) finishCalls() {
	for _, record := range f.pending {
		i := slices.IndexFunc(f.results, func(res llm.ToolResult) bool { return res.Name == record.Call.Name })
		if i >= 0 {
			record.Result = f.results[i]
			f.results = slices.Delete(f.results, i, i+1)
		}
		f.setup.Sink.Emit(event.ToolFinished{Record: record})
	}
	f.pending = nil
}

// Clear implements Session; it is never called: see Options.Elsewhere.
func (f *foreign) Clear(context.Context) {}

// Compress implements Session; it is never called.
func (f *foreign) Compress(context.Context) error { return nil }

// End implements Session: the program has ended.
func (f *foreign) End(context.Context) {}

// Hooks implements Session. The program does not tell.
func (f *foreign) Hooks() hooks.Config { return hooks.Config{} }

// Transcript implements Session.
func (f *foreign) Transcript() string {
	files, _ := filepath.Glob(filepath.Join(f.setup.Home, ".gemini", "tmp", "*", "chats", "*.jsonl")) // the pattern is valid
	if len(files) == 0 {
		return ""
	}
	return files[len(files)-1]
}
