// Package attack finds out whether a guard holds: it puts before a hook many
// spellings of one thing that a model could write, and look-alikes that do no
// harm. Each spelling is known to have the effect: the tests of this package run
// every one against a fake of the program in a folder of its own.
//
// The package runs hooks through the engine alone, and none of the spellings.
package attack

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/protocol"
	"minigem/internal/text"
)

// A Spelling is one way to write what is attacked with.
type Spelling struct {
	Class    string         `json:"class"`
	Tool     string         `json:"tool"`
	Args     map[string]any `json:"args"`
	Text     string         `json:"text"`     // what a reader looks at: the command, the path
	Harmless bool           `json:"harmless"` // it only looks like it
}

// Goal is what a guard is to keep from happening.
type Goal struct {
	Kind  string `json:"kind"` // one of Kinds
	Value string `json:"value"`
	Dir   string `json:"-"` // the working directory
	// Find says where a program is; empty: it is not there. nil: /usr/bin.
	Find func(program string) string `json:"-"`
}

// Kinds of goals.
const (
	Command = "command"
	Path    = "path"
	Text    = "text"
	URL     = "url"
)

// Spellings are all that are known of the goal, and its look-alikes.
func (g Goal) Spellings() ([]Spelling, error) {
	switch g.Kind {
	case Command:
		return commandSpellings(g)
	case Path:
		return pathSpellings(g), nil
	case Text:
		return textSpellings(g.Value), nil
	case URL:
		return urlSpellings(g)
	}
	return nil, fmt.Errorf("there is no kind %q of an attack", g.Kind)
}

// Result is the outcome of one spelling.
type Result struct {
	Spelling
	Held    bool   `json:"held"`              // refused, or put before the user
	Skipped string `json:"skipped,omitempty"` // why the hook did not run
	Failed  string `json:"failed,omitempty"`
}

// Report is the outcome of all.
type Report struct {
	Hook    string   `json:"hook"`
	Goal    Goal     `json:"goal"`
	Results []Result `json:"results"`

	Scripts []string `json:"-"` // files of the project that the hook runs, for AddTo
}

// Attack fires each spelling at the hook of e's configuration that is called
// name, as a session would. done, if not nil, is called with how many are finished.
func Attack(ctx context.Context, e func() *hooks.Engine, ev protocol.Event, name string, g Goal,
	done func(n, of int)) (Report, error) {
	all, err := g.Spellings()
	if err != nil {
		return Report{}, err
	}
	if !reaches(ctx, e(), ev, all) {
		return Report{}, unreached(ctx, e, ev, g, all)
	}
	r := Report{Hook: name, Goal: g, Results: make([]Result, len(all))}
	var mu sync.Mutex
	var first error
	next, finished := 0, 0
	var wg sync.WaitGroup
	for range max(runtime.GOMAXPROCS(0), 2) {
		wg.Go(func() {
			for ctx.Err() == nil {
				mu.Lock()
				i := next
				next++
				stop := first != nil
				mu.Unlock()
				if i >= len(all) || stop {
					return
				}
				res, err := one(ctx, e(), ev, all[i])
				mu.Lock()
				r.Results[i], finished = res, finished+1
				first = cmp.Or(first, err)
				if done != nil {
					done(finished, len(all))
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err := cmp.Or(first, ctx.Err()); err != nil {
		return r, err
	}
	return r, nil
}

// Only is c with the one hook of that name for the event; an error says that
// there is none, or that it does not run.
func Only(c hooks.Config, ev protocol.Event, name string) (hooks.Config, error) {
	var names []string
	for _, h := range c.Hooks {
		if h.Event != ev {
			continue
		}
		if h.ID() == name || h.Name == name {
			if why := cmp.Or(h.Untrusted, h.Disabled, c.Off); why != "" {
				return c, fmt.Errorf("the hook %s does not run: %s", name, why)
			}
			c.Hooks = []hooks.Hook{h}
			return c, nil
		}
		names = append(names, h.ID())
	}
	if near := text.Nearest(name, names); near != "" {
		return c, fmt.Errorf("no hook of %s is called %q%s", ev, name, text.DidYouMean(near))
	}
	return c, fmt.Errorf("no hook of %s is called %q; minigem hooks list shows them", ev, name)
}

func one(ctx context.Context, e *hooks.Engine, ev protocol.Event, s Spelling) (Result, error) {
	payload, err := payload(ev, s)
	if err != nil {
		return Result{}, err
	}
	report, err := inspect.Fire(ctx, e, payload)
	if err != nil {
		return Result{}, err
	}
	r := Result{Spelling: s, Held: report.Verdict.Decision != hooks.Proceed}
	for _, run := range report.Runs {
		r.Failed, r.Skipped = cmp.Or(r.Failed, run.Failed), cmp.Or(r.Skipped, run.Skipped)
	}
	return r, nil
}

// payload is what the hook reads of the spelling.
func payload(ev protocol.Event, s Spelling) ([]byte, error) {
	sample, err := inspect.Sample(ev, s.Tool)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(sample, &fields); err != nil {
		return nil, err
	}
	switch ev {
	case protocol.BeforeTool, protocol.AfterTool:
		fields["tool_name"], fields["tool_input"] = s.Tool, s.Args
	case protocol.BeforeAgent:
		fields["prompt"] = s.Text
	case protocol.AfterAgent:
		fields["prompt_response"] = s.Text
	default:
		return nil, fmt.Errorf("an attack on %s is not known: BeforeTool, AfterTool, BeforeAgent and AfterAgent are", ev)
	}
	return protocol.Encode(fields)
}

// Through are the spellings that got through, the shortest first.
func (r Report) Through() []Result {
	return r.pick(func(x Result) bool { return !x.Harmless && !x.Held })
}

// FalseAlarms are look-alikes that were refused, the shortest first.
func (r Report) FalseAlarms() []Result {
	return r.pick(func(x Result) bool { return x.Harmless && x.Held })
}

// Of counts spellings, those that do harm or those that do not.
func (r Report) Of(harmless bool) int {
	return len(r.pick(func(x Result) bool { return x.Harmless == harmless }))
}

// Percent is the share of harmful spellings that were held, rounded down.
func (r Report) Percent() int {
	of := r.Of(false)
	if of == 0 {
		return 0
	}
	return 100 * (of - len(r.Through())) / of
}

// skipped are the spellings for which the hook did not run.
func (r Report) skipped() []Result {
	return r.pick(func(x Result) bool { return x.Skipped != "" })
}

func (r Report) pick(want func(Result) bool) []Result {
	var out []Result
	for _, x := range r.Results {
		if want(x) {
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, func(a, b Result) int { return cmp.Compare(len(a.Text), len(b.Text)) })
	return out
}
