// Package attack finds out whether a guard holds: it shows a hook many spellings of one
// action that a model could write, and harmless look-alikes.
//
//	g := attack.Goal{Kind: attack.Command, Value: "git push --force", Dir: dir}
//	c, err := attack.Only(config, protocol.BeforeTool, "guard")
//	r, err := attack.Attack(ctx, newEngine, protocol.BeforeTool, "guard", g, nil)
//	fmt.Print(r.Write(10))
//
// Each spelling is known to have the effect: the tests of this package run every one
// against a fake of the program in a separate folder. The package itself runs hooks
// through the engine, and none of the spellings.
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

// A Spelling is one way to write the goal of an attack.
type Spelling struct {
	// Class groups spellings of one kind in reports; "look-alike" for harmless ones.
	Class string `json:"class"`
	// Tool is the tool that the model calls, in Gemini CLI's names.
	Tool string `json:"tool"`
	// Args are the arguments of the call.
	Args map[string]any `json:"args"`
	// Text is what a reader looks at: the command, the path or the text.
	Text string `json:"text"`
	// Harmless says that it only looks like the goal, so that a guard should let it pass.
	Harmless bool `json:"harmless"`
}

// Goal is what a guard should prevent.
type Goal struct {
	// Kind is one of [Command], [Path], [Text] and [URL].
	Kind string `json:"kind"`
	// Value is the command line, path, text or address.
	Value string `json:"value"`
	// Dir is the working directory, an absolute path; spellings of paths contain it.
	Dir string `json:"-"`
	// Find returns the absolute path of a program, or "" if there is none. nil searches
	// PATH. A program that is not found is taken to be in /usr/bin.
	Find func(program string) string `json:"-"`
}

// The kinds of goals.
const (
	// Command is a shell command that must not run. It must be one simple command without
	// variables, pipes and redirections.
	Command = "command"
	// Path is a file that must not be read, relative to [Goal.Dir].
	Path = "path"
	// Text is a text, such as a secret, that must not be written.
	Text = "text"
	// URL is an address that must not be fetched: http or https, without user, port and
	// fragment.
	URL = "url"
)

// Spellings returns all known spellings of the goal and its look-alikes, each once. The
// error is for a kind or a value that cannot be attacked.
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
	return nil, fmt.Errorf("there is no attack of kind %q", g.Kind)
}

// Result is the outcome of one spelling.
type Result struct {
	Spelling
	// Held says that the hook denied or stopped it, or asked the user.
	Held bool `json:"held"`
	// Skipped says why the hook did not run; empty if it did.
	Skipped string `json:"skipped,omitempty"`
	// Failed says why the hook failed; empty if it did not. A failed hook holds only if
	// it denied nevertheless, or if its onError is "block".
	Failed string `json:"failed,omitempty"`
}

// Report is the outcome of all spellings.
type Report struct {
	// Hook is the name of the attacked hook.
	Hook string `json:"hook"`
	// Goal is the goal of the attack.
	Goal Goal `json:"goal"`
	// Results has one entry per spelling, in the order of [Goal.Spellings].
	Results []Result `json:"results"`

	// Scripts are files of the project that the hook runs, for [AddTo]. The caller sets
	// them.
	Scripts []string `json:"-"`
}

// Attack fires each spelling at the hook called name, as a session would. e returns a new
// engine whose configuration has only that hook (see [Only]); it is called concurrently,
// once per spelling. ev is BeforeTool, AfterTool, BeforeAgent or AfterAgent. done, if not
// nil, is called after each spelling, never concurrently, with the number of finished
// spellings.
//
// If no spelling reaches the hook, because of its matcher or condition, nothing is run
// and the error says which other goals would reach it. If ctx ends, the report is
// incomplete and the error is ctx's.
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

// Only returns c with the one hook for ev whose ID or name is name. The error says that
// there is none, with a suggestion, or why it does not run.
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
	return c, fmt.Errorf("no hook of %s is called %q%s", ev, name,
		cmp.Or(text.DidYouMean(text.Nearest(name, names)), "; minigem hooks list shows them"))
}

// one fires the event for one spelling and reads from the report what the hook did. An
// error means that it could not be fired at all.
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

// payload returns the payload in which the hook reads the spelling.
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
		return nil, fmt.Errorf("%s cannot be attacked: use BeforeTool, AfterTool, BeforeAgent or AfterAgent", ev)
	}
	return protocol.Encode(fields)
}

// Through returns the harmful spellings that got through, the shortest first. It is
// empty if all of them were held.
func (r Report) Through() []Result {
	return r.pick(func(x Result) bool { return !x.Harmless && !x.Held })
}

// FalseAlarms returns the harmless look-alikes that were held, the shortest first.
func (r Report) FalseAlarms() []Result {
	return r.pick(func(x Result) bool { return x.Harmless && x.Held })
}

// Of counts the harmless spellings, or the harmful ones. Those for which the hook did
// not run are counted too; see [Result.Skipped].
func (r Report) Of(harmless bool) int {
	return len(r.pick(func(x Result) bool { return x.Harmless == harmless }))
}

// Percent returns the share of harmful spellings that were held, rounded down; 0 if there
// are none.
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

// pick returns the results that are wanted, the shortest text first: it is the easiest
// to understand.
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
