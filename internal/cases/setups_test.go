package cases

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/agents"
	"minigem/e2e/agents/played"
	"minigem/e2e/testbed"
	"minigem/hooks"
	tables "minigem/hooks/agents"
	"minigem/internal/app"
	"minigem/internal/wiring"
)

// The corpus of package hooks/agents has one hook and one answer at a time. Setups test
// what it leaves out: several hooks at one event, faulty entries, and what a hook's
// process does. Their outcomes on the agents are in testdata/setups. When minigem plays
// an agent, the outcome must be the same.
//
//	MINIGEM_AGENTS_FROM=~/agents go test ./internal/cases -run TestSetupsOnAgents -setups claude,codex [-update] -v

var (
	setupAgents = flag.String("setups", "", "agents on which the setups run")
	setupUpdate = flag.Bool("update", false, "keep the outcomes")
)

// seen is the outcome of a setup.
type seen struct {
	File   string         `json:"file,omitempty"`  // written by the tool
	Facts  string         `json:"facts,omitempty"` // written by a hook about itself
	Asked  int            `json:"requests"`
	Model  []string       `json:"model,omitempty"` // the marked texts that the model read, in order
	Ran    map[string]int `json:"ran,omitempty"`   // how often each hook ran
	Cannot string         `json:"cannot,omitempty"`
}

// marked matches the texts of hooks.
var marked = regexp.MustCompile(`R-[A-Z]+`)

func seenBy(r *testbed.Record, file, facts string) seen {
	o := seen{File: strings.TrimSpace(file), Asked: len(r.Requests), Ran: map[string]int{}}
	o.Facts = strings.TrimSpace(strings.ReplaceAll(facts, r.Workspace, "$PROJECT"))
	for _, rep := range r.Reports {
		for _, run := range rep.Runs {
			if run.Skipped == "" {
				o.Ran[hookFile(run.Hook.Command)]++
			}
		}
	}
	for _, req := range r.Requests {
		text := req.System
		for _, m := range req.Messages {
			data, _ := json.Marshal(m)
			text += string(data)
		}
		for _, m := range marked.FindAllString(text, -1) {
			if !slices.Contains(o.Model, m) {
				o.Model = append(o.Model, m)
			}
		}
	}
	return o
}

var scriptFile = regexp.MustCompile(`[a-z]+\.sh`)

func hookFile(command string) string { return cmp.Or(scriptFile.FindString(command), command) }

// runSetup runs a setup on an agent, real or played.
func runSetup(t *testing.T, s setup, agent *tables.Agent, driver testbed.Driver) seen {
	t.Helper()
	text, cannot := s.text(agent)
	if cannot != "" {
		return seen{Cannot: cannot}
	}
	c, err := testbed.Parse("setup.txtar", []byte(text))
	require.NoError(t, err, text)
	var file, facts []byte
	look := func(ctx context.Context, set testbed.Setup) (testbed.Session, error) {
		session, err := driver(ctx, set)
		if err != nil {
			return nil, err
		}
		read := func() {
			file, _ = os.ReadFile(filepath.Join(set.Workspace, "f.txt"))
			facts, _ = os.ReadFile(filepath.Join(set.Workspace, "facts"))
		}
		if other, ok := session.(otherSession); ok { // what it prints is passed on
			return &lookingAtOther{otherSession: other, look: read}, nil
		}
		return &looking{session, read}, nil
	}
	res := testbed.Run(t.Context(), c, testbed.Options{Driver: look, Elsewhere: true, Timeout: 5 * time.Minute})
	require.NoError(t, res.Broken, text)
	if res.Skipped != "" {
		return seen{Cannot: res.Skipped}
	}
	for _, f := range res.Failures { // what an agent failed to do for lack of time is not an outcome
		require.NotContains(t, f.Actual, "did not end")
	}
	return seenBy(res.Record, string(file), string(facts))
}

// otherSession is another program's session.
type otherSession interface {
	testbed.Session
	testbed.Other
}

type lookingAtOther struct {
	otherSession
	look func()
}

func (l *lookingAtOther) Prompt(ctx context.Context, text string) testbed.Outcome {
	defer l.look()
	return l.otherSession.Prompt(ctx, text)
}

// scripted is a hooks.Runner that gives the answers of a setup without starting
// processes.
type scripted struct {
	said map[string]tables.Said // by file
	slow string                 // the file of the hook that ends last, as reported to the engine
	once map[string]bool        // those that answer only once

	mu sync.Mutex
}

func (s *scripted) Run(_ context.Context, h hooks.Hook, _ hooks.Payload, _ []string) hooks.Exit {
	name := hookFile(h.Command)
	took := time.Nanosecond
	if name == s.slow {
		took = time.Hour
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	said := s.said[name]
	if s.once[name] {
		s.said[name] = tables.Said{}
	}
	return hooks.Exit{Code: said.Exit, Stdout: []byte(said.Stdout), Stderr: []byte(said.Stderr), Duration: took}
}

// playSetup plays a setup.
func playSetup(t *testing.T, s setup, a played.Agent) seen {
	t.Helper()
	return runSetup(t, s, a.Agent, func(ctx context.Context, set testbed.Setup) (testbed.Session, error) {
		p, err := played.New(a, set)
		if err != nil {
			return nil, err
		}
		return openPlayed(ctx, set, p, func(_ *app.Configuration, w *wiring.Frontend) {
			if s.process != "" {
				return
			}
			r := &scripted{said: s.said(a.Agent), once: map[string]bool{}}
			for _, h := range s.hooks {
				r.once[h.name+".sh"] = h.once
				if h.slow {
					r.slow = h.name + ".sh"
				}
			}
			configure := w.Configure
			w.Configure = func(e *hooks.Engine) { configure(e); e.Runner = r }
		})
	})
}

func setupFile(id string) string { return filepath.Join("testdata", "setups", id+".json") }

func recordedSetups(t *testing.T, id string) map[string]seen {
	t.Helper()
	data, err := os.ReadFile(setupFile(id))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	var out map[string]seen
	require.NoError(t, json.Unmarshal(data, &out), id)
	return out
}

// notPlayed lists setups that are not fully played, and why. Their outcome is "cannot",
// never something that the agent did not do.
var notPlayed = []struct{ agent, name, why string }{
	{"gemini", "entry/byte order mark", "it does not start"},
	{"gemini", "entry/trailing comma", "it does not start"},
	{"qwen", "several/two with the prompt", "the event fires again for the results of tools, and what an answer does then was not measured"},
}

// TestSetups checks that several hooks, odd entries and processes have the same outcome
// when an agent is played as on the agent itself.
func TestSetups(t *testing.T) {
	t.Parallel()
	for _, id := range agents.Names() {
		recorded := recordedSetups(t, id)
		if recorded == nil {
			continue
		}
		as, err := played.Find([]string{id})
		require.NoError(t, err)
		for _, s := range setups() {
			want, ok := recorded[s.name]
			if !ok || want.Cannot != "" {
				continue
			}
			t.Run(id+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				got := playSetup(t, s, as[0])
				for _, n := range notPlayed {
					if (n.agent == id || n.agent == "") && n.name == s.name {
						assert.NotEmpty(t, got.Cannot, "it is played: %+v", got)
						return
					}
				}
				assert.Equal(t, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got))
			})
		}
	}
}

// TestSetupsOnAgents runs the setups on the agents themselves.
func TestSetupsOnAgents(t *testing.T) {
	from := os.Getenv("MINIGEM_AGENTS_FROM")
	if from == "" || *setupAgents == "" {
		t.Skip("MINIGEM_AGENTS_FROM names no folder with agents, or -setups none of them")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	cache := t.TempDir()
	search := agents.Search{From: filepath.SplitList(from), Path: os.Getenv("PATH")}
	for id := range strings.SplitSeq(*setupAgents, ",") {
		list, err := agents.Choose([]string{id})
		require.NoError(t, err)
		in := search.Find(t.Context(), list[0])
		require.Empty(t, in.Problem)
		agent, err := tables.Find(id)
		require.NoError(t, err)
		recorded := recordedSetups(t, id)
		if recorded == nil {
			recorded = map[string]seen{}
		}
		var mu sync.Mutex
		t.Run(id, func(t *testing.T) {
			for _, s := range setups() {
				t.Run(s.name, func(t *testing.T) {
					t.Parallel()
					got := runSetup(t, s, agent, in.Driver(self, cache, nil))
					mu.Lock()
					defer mu.Unlock()
					if want, ok := recorded[s.name]; ok {
						assert.Equal(t, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got))
					}
					recorded[s.name] = got
				})
			}
		})
		if *setupUpdate {
			require.NoError(t, os.WriteFile(setupFile(id), inLines(t, recorded), 0o644))
		}
	}
}

// inLines formats the outcomes, one setup per line.
func inLines(t *testing.T, all map[string]seen) []byte {
	t.Helper()
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		data, err := json.Marshal(all[name])
		require.NoError(t, err)
		lines = append(lines, fmt.Sprintf(" %q: %s", name, data))
	}
	return []byte("{\n" + strings.Join(lines, ",\n") + "\n}\n")
}
