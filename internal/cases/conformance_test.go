package cases

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/agents/played"
	"minigem/e2e/testbed"
	"minigem/hooks"
	tables "minigem/hooks/agents"
	"minigem/internal/app"
	"minigem/internal/wiring"
)

// answers is a hooks.Runner that gives one answer of the corpus without starting a
// process.
type answers struct {
	tables.Answer
	times int // 0 means always

	mu   sync.Mutex
	runs int
}

func (a *answers) Run(context.Context, hooks.Hook, hooks.Payload, []string) hooks.Exit {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.runs++
	if a.times > 0 && a.runs > a.times {
		return hooks.Exit{}
	}
	x := hooks.Exit{Code: a.Exit, Stdout: []byte(a.Stdout), Stderr: []byte(a.Stderr)}
	if a.TimedOut {
		x.Err = context.DeadlineExceeded
	}
	return x
}

// points maps points to the event words of portable hooks.
var points = map[tables.Point]string{
	tables.BeforeTool: "before-tool shell", tables.AfterTool: "after-tool shell", tables.BeforePrompt: "prompt", tables.AgentStop: "stop",
	tables.SessionStart: "session-start",
}

// corpusCase converts an answer of the corpus to a case.
func corpusCase(a *tables.Agent, c tables.Case) string {
	var b strings.Builder
	if c.Mode != "" {
		fmt.Fprintf(&b, "mode %s\n", c.Mode)
	}
	b.WriteString("prompt Make f.txt\n! model-requests 999\n\n")
	native, _ := a.Event(c.Event)
	entry := map[string]any{"type": "command", "command": "./hook.sh"}
	if c.Matcher != "" {
		entry["matcher"] = c.Matcher
	}
	switch {
	case a.ID == "copilotc", a.ID == "copilot" && c.Matcher != "":
		data, _ := json.Marshal(map[string]any{"version": 1, "hooks": map[string]any{native.Native: []any{entry}}})
		fmt.Fprintf(&b, "-- .github/hooks/h.json --\n%s\n", data)
	case a.ID == "kimi" && c.Matcher != "":
		fmt.Fprintf(&b, "-- home/.kimi-code/config.toml --\n[[hooks]]\nevent = %q\nmatcher = %q\ncommand = \"./hook.sh\"\n", native.Native, c.Matcher)
	case c.Matcher != "":
		delete(entry, "matcher")
		data, _ := json.Marshal(map[string]any{"hooks": map[string]any{native.Native: []any{map[string]any{"matcher": c.Matcher, "hooks": []any{entry}}}}})
		file := map[string]string{"codex": ".codex/hooks.json", "droid": ".factory/settings.json"}[a.ID]
		if file == "" {
			file = "." + a.ID + "/settings.json"
		}
		fmt.Fprintf(&b, "-- %s --\n%s\n", file, data)
	default:
		fmt.Fprintf(&b, "-- hooks --\n%s hook.sh\n", points[c.Event])
	}
	b.WriteString("-- hook.sh --\n-- model --\n")
	if c.Event == tables.BeforeTool || c.Event == tables.AfterTool {
		b.WriteString("shell echo ORIG > f.txt\n\n")
	}
	b.WriteString("text Done.\nrepeat\n")
	return b.String()
}

// observe plays a case of the corpus in the whole loop, and describes its outcome in
// the terms in which the agent itself was observed.
func observe(t *testing.T, a played.Agent, table *tables.Agent, c tables.Case) (o tables.Observation, cannot string) {
	t.Helper()
	tc, err := testbed.Parse("corpus.txtar", []byte(corpusCase(table, c)))
	require.NoError(t, err)
	runner := &answers{Answer: c.Answer(table), times: c.Times}
	file := ""
	driver := func(ctx context.Context, s testbed.Setup) (testbed.Session, error) {
		file = filepath.Join(s.Workspace, "f.txt")
		p, err := played.New(a, s)
		if err != nil {
			return nil, err
		}
		return openPlayed(ctx, s, p, func(_ *app.Configuration, w *wiring.Frontend) {
			configure := w.Configure
			w.Configure = func(e *hooks.Engine) { configure(e); e.Runner = runner }
		})
	}
	var made []byte
	look := func(ctx context.Context, s testbed.Setup) (testbed.Session, error) {
		session, err := driver(ctx, s)
		if err != nil {
			return nil, err
		}
		return &looking{session, func() { made, _ = os.ReadFile(file) }}, nil
	}
	res := testbed.Run(t.Context(), tc, testbed.Options{Driver: look, Elsewhere: true})
	require.NoError(t, res.Broken)
	if res.Skipped != "" {
		return o, res.Skipped
	}
	require.NotNil(t, res.Record)
	return seenOf(c, res.Record, strings.TrimSpace(string(made)), runner.runs), ""
}

// looking is a session that calls look after its prompt, to inspect the files.
type looking struct {
	testbed.Session
	look func()
}

func (l *looking) Prompt(ctx context.Context, text string) testbed.Outcome {
	defer l.look()
	return l.Session.Prompt(ctx, text)
}

func seenOf(c tables.Case, r *testbed.Record, file string, runs int) tables.Observation {
	var o tables.Observation
	var told, system strings.Builder
	result := ""
	for _, req := range r.Requests {
		system.WriteString(req.System)
		for _, m := range req.Messages {
			data, _ := json.Marshal(m)
			told.Write(data)
		}
	}
	for _, rec := range r.Finished {
		data, _ := json.Marshal(rec.Result.Response)
		result = string(data)
	}
	o.Model = tables.Markers(told.String())
	if o.System = tables.Markers(system.String()) != nil; o.System {
		o.Model = append(o.Model, tables.Markers(system.String())...)
	}
	o.Effect = string(tables.Allowed)
	n := len(r.Requests)
	switch c.Event {
	case tables.BeforeTool:
		switch {
		case c.Matcher != "" && runs > 0:
			o.Effect = tables.Fired
		case c.Matcher != "":
			o.Effect = tables.NotFired
		case n < 2:
			o.Effect, o.Ran = string(tables.RunEnded), file != ""
		case file == "":
			o.Effect = string(tables.Refused)
		case file != "ORIG":
			o.Effect = string(tables.Rewritten)
		case o.Model != nil:
			o.Effect = string(tables.Context)
		}
	case tables.AfterTool:
		switch {
		case n < 2:
			o.Effect = string(tables.RunEnded)
		case !strings.Contains(result, "(empty)"):
			o.Effect = string(tables.Replaced)
		case o.Model != nil:
			o.Effect = string(tables.Appended)
		}
	case tables.BeforePrompt:
		switch {
		case n == 0:
			o.Effect = string(tables.PromptBlocked)
		case o.Model != nil:
			o.Effect = string(tables.Context)
		}
	case tables.AgentStop:
		if n > 1 {
			o.Effect = string(tables.Retry)
			if c.Times == 0 {
				o.Retries = n - 1
			}
		}
	case tables.SessionStart:
		switch {
		case n == 0:
			o.Effect = string(tables.RunEnded)
		case o.Model != nil:
			o.Effect = string(tables.Context)
		}
	}
	return o
}

// TestConformance checks that each answer given to an agent has the same effect when
// minigem plays that agent, through the whole loop.
func TestConformance(t *testing.T) {
	t.Parallel()
	for _, id := range tables.IDs() {
		observed := tables.Observed()[id]
		if observed == nil {
			continue
		}
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			table, err := tables.Find(id)
			require.NoError(t, err)
			player := id
			if id == "copilotc" { // the same program with different event names
				player = "copilot"
			}
			as, err := played.Find([]string{player})
			require.NoError(t, err)
			agree, elsewhere := 0, 0
			for _, name := range tables.Names() {
				want, ran := observed[name]
				if !ran {
					continue
				}
				if event, _ := table.Event(tables.Corpus()[name].Event); event.Fires == "no" {
					elsewhere++ // it was observed in a kind of run that is not played
					continue
				}
				got, cannot := observe(t, as[0], table, tables.Corpus()[name])
				if want.Endless {
					got.Endless, want.Retries, got.Retries = got.Retries > 40, 0, 0
				}
				if want.Effect == string(tables.Answered) && got.Effect == string(tables.PromptBlocked) {
					got.Effect = want.Effect // no request is made
				}
				slices.Sort(want.Model)
				if cannot != "" || fmt.Sprint(want) != fmt.Sprint(got) {
					t.Errorf("%s: %s gave %+v, played it gives %+v %s", name, table.Title(), want, got, cannot)
					continue
				}
				agree++
			}
			t.Logf("%s: %d of %d answers", table.Title(), agree, len(observed)-elsewhere)
			assert.Equal(t, len(observed)-elsewhere, agree)
		})
	}
}
