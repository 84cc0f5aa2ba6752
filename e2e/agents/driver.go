package agents

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/e2e/agents/shim"
	"minigem/e2e/fakemodel"
	"minigem/e2e/testbed"
	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
	"minigem/internal/confine"
	"minigem/internal/proc"
	"minigem/llm"
	"minigem/llm/script"
)

// Driver runs cases on the agent. self is minigem's own program, which is the shim. cache
// is a folder that is kept, for what agents unpack. known maps the names of events to what
// the self-test found that the agent does not do.
func (i Installed) Driver(self, cache string, known map[string]string) testbed.Driver {
	return func(_ context.Context, s testbed.Setup) (testbed.Session, error) {
		if i.Problem != "" {
			return nil, cannot("%s", i.Problem)
		}
		if s.NotRun != nil {
			return nil, cannot("%s was not started: %s", i.Adapter.Name, s.NotRun(""))
		}
		if s.Trust != testbed.TrustOn || s.Resume || s.Approver != nil {
			return nil, cannot("%s is started only for one prompt in a trusted folder, with nobody to ask",
				i.Adapter.Name)
		}
		mode, ok := i.Adapter.Start.Modes[s.Mode]
		if !ok {
			return nil, cannot("%s has no mode %s", i.Adapter.Name, s.Mode)
		}
		x := &session{in: i, a: i.Adapter, setup: s, mode: mode, known: known, cache: filepath.Join(cache, i.Adapter.Name)}
		x.records = filepath.Join(filepath.Dir(s.Home), "records")
		x.w = &wrapper{a: i.Adapter, self: self, records: x.records, ws: s.Workspace, home: s.Home}
		return x, nil
	}
}

// session is an agent that runs one prompt.
type session struct {
	in      Installed
	a       *Adapter
	setup   testbed.Setup
	mode    []string
	records string
	cache   string
	known   map[string]string // what it is known not to do
	w       *wrapper

	asked    int // requests of the conversation
	calls    []*call
	problems []string
	unsure   map[string]string // why decisions of hooks on an event are unknown
	unclear  string            // why it is unknown which tools ran; empty if it is known
}

// Prompt implements testbed.Session: it runs the program.
func (x *session) Prompt(ctx context.Context, text string) testbed.Outcome {
	server := fakemodel.New(fakemodel.Options{
		Turns: x.a.turns(x.setup.Rounds), Translate: x.a.translate(x.setup.Workspace),
		Empty: &fakemodel.Turn{
			Entry: script.Entry{
				Method: script.Stream, Chunks: []llm.Chunk{{Parts: []llm.Part{llm.Text{Text: "Done."}}, FinishReason: "STOP"}}}},
	})
	r, err := openRoom(x.in.isolation(), x.setup.Home, x.rules(), server)
	if err != nil {
		return failed(err)
	}
	defer r.close()
	r.leaves = x.a.Leaves
	values := map[string]string{"URL": r.url, "WS": x.setup.Workspace, "HOME": x.setup.Home, "CACHE": x.cache,
		"PROMPT": text}
	if err := x.prepare(values); err != nil {
		return failed(err)
	}
	res, err := r.run(ctx, x.command(values))
	if errors.Is(err, errNoRoom) {
		return failed(cannot("%v", err))
	}
	if err != nil {
		return failed(err)
	}
	if x.a.Prints {
		_, _ = x.setup.Stdout.Write(res.Stdout.Head) // in-memory buffers
		_, _ = x.setup.Stderr.Write(res.Stderr.Head)
	}
	runs, err := shim.Read(x.records)
	if err != nil {
		return failed(err)
	}
	log := server.Log()
	x.look(res, r.wanted(), log, runs)
	if why := unfit(log); why != "" {
		return failed(cannot("%s", why))
	}
	x.tell(log, runs)
	if why := x.endedEarly(res, runs); why != "" {
		return failed(cannot("%s", why))
	}
	return testbed.Outcome{Exit: res.ExitCode}
}

// endedEarly explains that the agent died, or that it exited before it had requested all
// answers of the script although no hook can have ended it. What happened until then
// proves nothing. It is empty if the agent finished.
func (x *session) endedEarly(res ended, runs []shim.Run) string {
	signal := res.SignalName
	if signal == "" && res.ExitCode > 128 && res.ExitCode < 160 { // exit code of a process in a namespace
		signal = fmt.Sprintf("signal %d", res.ExitCode-128)
	}
	answers := 0
	for _, r := range x.setup.Rounds {
		if r.Method == script.Stream && r.Agent == "" && !r.Repeat {
			answers++
		}
	}
	mayEnd := func(run shim.Run) bool {
		h, ok := x.w.find(run.Hook)
		at := x.a.event(h.event)
		return ok && !h.observer && (len(run.Stdout) > 0 || run.Exit != 0 && at != "BeforeTool" ||
			endsRun(x.a.Name, protocol.Event(at), run))
	}
	switch {
	case res.Stopped != nil: // look has reported it
		return ""
	case signal != "":
		return fmt.Sprintf("%s died in the middle of the case: %s", x.a.Name, signal)
	case len(x.problems) == 0 && x.asked < answers && !slices.ContainsFunc(runs, mayEnd):
		return fmt.Sprintf("%s ended (exit %d) after %d of the script's %d answers, and no hook can have ended it; "+
			"it last printed %q", x.a.Name, res.ExitCode, x.asked, answers, lastLine(res))
	}
	return ""
}

func failed(err error) testbed.Outcome {
	o := testbed.Outcome{Exit: -1}
	o.Err = err
	return o
}

// prepare writes what the agent needs.
func (x *session) prepare(values map[string]string) error {
	for _, dir := range []string{x.records, x.cache} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("making a folder for %s: %w", x.a.Name, err)
		}
	}
	if err := emptyRepository(x.setup.Workspace); err != nil {
		return err
	}
	if err := x.w.prepare(values, x.setup.Portable); err != nil {
		return err
	}
	if !x.w.own && !slices.ContainsFunc(x.w.hooks, func(h hook) bool { return !h.observer }) {
		return cannot("the case has no hook that %s reads: hooks are in %s, or in a section -- %s --", x.a.Name,
			strings.Join(x.a.Hooks.Native, ", "), testbed.PortableSection)
	}
	for _, n := range x.w.notes {
		x.setup.Notice(n)
	}
	return nil
}

// rules returns the case's rules, plus read access to the agent's installation.
func (x *session) rules() confine.Rules {
	r := x.in.rules()
	r.Write = append(slices.Clone(x.setup.Write), x.records, x.cache)
	r.Read = append(r.Read, x.setup.Read...)
	return r
}

// emptyRepository makes the workspace a git repository, as projects are.
func emptyRepository(ws string) error {
	git := filepath.Join(ws, ".git")
	if _, err := os.Lstat(git); err == nil {
		return nil
	}
	for _, dir := range []string{"objects", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(git, dir), 0o755); err != nil {
			return fmt.Errorf("making the workspace a repository: %w", err)
		}
	}
	return testbed.WriteInto(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/main\n"), 0o644)
}

// kept limits how much of an agent's output is kept.
const kept = 1 << 20

func (x *session) command(values map[string]string) proc.Command {
	path, args := x.in.Path, argv(x.a.Start.Args, x.mode, values)
	env := x.in.environment(x.setup.Home)
	var paths []string
	for _, e := range x.setup.Env { // the case's variables, including its temporary folder
		name, value, _ := strings.Cut(e, "=")
		switch name {
		case "HOME", "LANG":
		case "PATH":
			paths = append(paths, value)
		default:
			env = append(env, e)
		}
	}
	if n := len(paths); n > 1 { // the first is this machine's, the last the case's own
		env[slices.IndexFunc(env, func(e string) bool { return strings.HasPrefix(e, "PATH=") })] = "PATH=" + paths[n-1]
		if x.in.nodeScript() { // independent of the node in the case's PATH
			path, args = shim.LookIn(x.in.dirs, "node"), append([]string{x.in.Path}, args...)
		}
	}
	for name, value := range x.a.Start.Env {
		env = append(env, name+"="+fill(value, values))
	}
	return proc.Command{Path: path, Args: args, Dir: x.setup.Workspace, Env: env, Out: proc.Limit{Head: kept},
		Err: proc.Limit{Head: kept}}
}

// argv fills in arguments. The arguments of the mode replace {MODE}, or else are appended.
func argv(args, mode []string, values map[string]string) []string {
	var out []string
	for _, a := range args {
		if a == "{MODE}" {
			out = append(out, mode...)
			continue
		}
		out = append(out, fill(a, values))
	}
	if !slices.Contains(args, "{MODE}") {
		out = append(out, mode...)
	}
	return out
}

// turns converts a case's answers for the fake model.
func (a *Adapter) turns(rounds []testbed.Round) []testbed.Round {
	var out []testbed.Round
	for _, r := range rounds {
		t := r
		t.Actions = map[int]script.Action{}
		maps.Copy(t.Actions, r.Actions)
		for n, chunk := range r.Chunks {
			for _, p := range chunk.Parts {
				c, isCall := p.(llm.ToolCall)
				if _, known := t.Actions[n]; known || !isCall || a.Same || len(chunk.Parts) > 1 {
					continue
				}
				if act, ok := script.ActionOf(c); ok {
					t.Actions[n] = act
				}
			}
		}
		out = append(out, t)
	}
	return out
}

// unfit explains why the script does not fit the agent. It is empty if it fits.
func unfit(log []fakemodel.Request) string {
	for _, req := range log {
		if len(req.Problems) > 0 && req.Status >= 400 {
			return "the model's part does not fit: " + strings.Join(req.Problems, "; ")
		}
	}
	return ""
}

// look records what the agent did but should not have done.
func (x *session) look(res ended, wanted []string, log []fakemodel.Request, runs []shim.Run) {
	if res.Stopped != nil {
		x.problems = append(x.problems, fmt.Sprintf("%s did not end: %v; it had made %d requests; it last printed %q",
			x.a.Name, res.Stopped, len(log), lastLine(res)))
	} else if len(log) == 0 && !slices.ContainsFunc(runs, x.beforeModel) {
		x.problems = append(x.problems, fmt.Sprintf("%s made no request to the model: exit %d, it last printed %q", x.a.Name,
			res.ExitCode, lastLine(res)))
	}
	if res.ExitCode != 0 {
		x.setup.Notice(fmt.Sprintf("it last printed %q", lastLine(res)))
	}
	for _, host := range wanted {
		if !slices.ContainsFunc(x.a.Hosts, func(k string) bool { return k == host }) {
			x.problems = append(
				x.problems, fmt.Sprintf("%s tried to reach %s, which is not among the hosts of its adapter; nothing is reachable",
					x.a.Name, host))
		}
	}
	for _, name := range res.Left {
		if !containsAny(name, x.a.Leaves) {
			x.problems = append(x.problems, fmt.Sprintf("%s left a process running, which was ended: %s", x.a.Name, name))
		}
	}
}

// beforeModel reports whether a run could have kept the model from being asked.
func (x *session) beforeModel(run shim.Run) bool {
	h, ok := x.w.find(run.Hook)
	return ok && slices.Contains([]string{"SessionStart", "BeforeAgent", "BeforeModel"}, x.a.event(h.event))
}

func lastLine(res ended) string {
	text := strings.TrimSpace(res.Stdout.String() + res.Stderr.String())
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	return text[:min(len(text), 300)]
}

// Clear implements testbed.Session. It is never called.
func (x *session) Clear(context.Context) {}

// Compress implements testbed.Session. It is never called.
func (x *session) Compress(context.Context) error { return nil }

// End implements testbed.Session: the program has ended.
func (x *session) End(context.Context) {}

// Hooks implements testbed.Session.
func (x *session) Hooks() config.Loaded {
	var c config.Loaded
	for _, h := range x.w.hooks {
		if !h.observer {
			c.Hooks = append(c.Hooks, x.hook(h))
		}
	}
	return c
}

func (x *session) hook(h hook) hooks.Hook {
	return hooks.Hook{Event: protocol.Event(x.a.event(h.event)), Name: h.name, Command: h.command, Matcher: h.matcher,
		Timeout: h.timeout, Source: hooks.Source{File: h.file}, Dialect: RulesOf(x.a.Name, h.event)}
}

// Transcript implements testbed.Session. It returns the newest file that matches the
// adapter's pattern, which is in the agent's own format.
func (x *session) Transcript() string {
	if x.a.Transcript == "" {
		return ""
	}
	files, _ := filepath.Glob(x.w.path(x.a.Transcript)) // a test checks the patterns of all adapters
	if len(files) == 0 {
		return ""
	}
	return files[len(files)-1]
}

// Findings implements testbed.Other.
func (x *session) Findings() []string { return x.problems }

// Tool implements testbed.Other.
func (x *session) Tool(name string) string { return x.a.toolName(name) }

// WhyNot implements testbed.Other.
func (x *session) WhyNot(event, name string) string {
	var at []string
	for _, h := range x.Hooks().Hooks {
		if testbed.IsHook(h, name) {
			at = append(at, string(h.Event))
			if string(h.Event) == event {
				why := x.a.Name + " did not start it"
				if h.Matcher != "" {
					why += fmt.Sprintf(" (its matcher is %q)", h.Matcher)
				}
				return why
			}
		}
	}
	if len(at) > 0 {
		return fmt.Sprintf("it is configured for %s, not for %s", strings.Join(at, ", "), event)
	}
	return fmt.Sprintf("%s has no such hook in this case", x.a.Name)
}
