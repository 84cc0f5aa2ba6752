package agents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
	tables "minigem/hooks/agents"
	"minigem/internal/text"
	"minigem/internal/waittest"
)

// The corpus of hooks/agents, run on the agents themselves:
//
//	MINIGEM_AGENTS_FROM=~/agents MINIGEM_CORPUS=claude,codex go test -run TestCorpusOnAgents -v ./e2e/agents
//
// MINIGEM_CORPUS_RUNS=20 repeats it so many times. MINIGEM_CORPUS_NAMES=pre/ selects
// cases by name. MINIGEM_CORPUS_RECORD=FILE records the outcome of each case and
// continues where an earlier run ended.

// corpusEvents maps the points of the corpus to portable names of events.
var corpusEvents = map[tables.Point]string{
	tables.SessionStart: "session-start", tables.BeforePrompt: "prompt", tables.BeforeTool: "before-tool", tables.AfterTool: "after-tool", tables.AgentStop: "stop",
}

// adapterOf returns the name of the adapter for an agent of hooks/agents, which lists a
// program twice if it has two formats of hooks.
func adapterOf(id string) string { return strings.Replace(id, "copilotc", "copilot", 1) }

// corpusCase turns an answer of the corpus into a case: a hook that gives the answer, and
// assertions for what was observed on the agent.
func corpusCase(id, name string) string {
	agent, err := tables.Find(id)
	if err != nil {
		panic(err)
	}
	c, saw := tables.Corpus()[name], tables.Observed()[id][name]
	script := "cat >/dev/null\n"
	if c.Times == 1 {
		script += "mkdir .answered 2>/dev/null || exit 0\n"
	}
	own, _ := agent.Event(c.Event)
	stdout := c.Stdout
	if v, ok := c.Variants[id]; ok {
		stdout = v
	}
	stdout = strings.ReplaceAll(stdout, "{{event}}", own.Native)
	printing := "printf '%s' " + text.Word(stdout) + "\nprintf '%s' " + text.Word(c.Stderr) + " >&2\n"
	switch c.Late {
	case "before":
		printing = "sleep 4\n"
	case "after":
		printing += "sleep 4\n"
	}
	script += printing + fmt.Sprintf("exit %d\n", c.Exit)
	var b strings.Builder
	if c.Mode != "" {
		fmt.Fprintf(&b, "mode %s\n", c.Mode)
	}
	b.WriteString("prompt Do as you are told.\n" + expectations(c, saw, stdout))
	b.WriteString(corpusHooks(id, c))
	b.WriteString("-- answer.sh --\n" + script + "-- model --\n")
	if c.Event == tables.BeforeTool || c.Event == tables.AfterTool {
		b.WriteString("shell echo ORIG > f.txt; echo TOOL-OUTPUT\n\n")
	}
	return b.String() + "text Done.\n"
}

// corpusHooks returns the hook of the case: portable if possible, otherwise in the agent's
// own format.
func corpusHooks(id string, c tables.Case) string {
	limit := ""
	if c.Late != "" {
		limit = " timeout=1s"
	}
	if c.Matcher == "" && id != "copilotc" {
		word := corpusEvents[c.Event]
		if word == "before-tool" || word == "after-tool" {
			word += " *"
		}
		return "-- hooks --\n" + word + " answer.sh" + limit + "\n"
	}
	a := findAdapter(adapterOf(id))
	agent, _ := tables.Find(id)
	event, _ := agent.Event(c.Event)
	switch a.Hooks.Form {
	case "toml":
		return fmt.Sprintf("-- %s --\n[[hooks]]\nevent = %q\ncommand = \"./answer.sh\"\nmatcher = %q\n", a.Hooks.File, event.Native, c.Matcher)
	case "flat":
		entry := map[string]any{"type": "command", "bash": "./answer.sh"}
		if c.Matcher != "" {
			entry["matcher"] = c.Matcher
		}
		if c.Late != "" {
			entry["timeoutSec"] = 1
		}
		return nativeFile(a.Hooks.File, map[string]any{"version": 1, "hooks": map[string]any{event.Native: []any{entry}}})
	}
	group := map[string]any{"matcher": c.Matcher, "hooks": []any{map[string]any{"type": "command", "command": "./answer.sh"}}}
	return nativeFile(a.Hooks.File, map[string]any{"hooks": map[string]any{event.Native: []any{group}}})
}

func nativeFile(path string, v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return "-- " + path + " --\n" + string(data) + "\n"
}

// noEventIn reports whether the event does not fire in the kind of run that cases use.
func (a *Adapter) noEventIn(name string) bool {
	agent, err := tables.Find(a.Name)
	if err != nil {
		return false
	}
	event, _ := agent.Event(tables.Corpus()[name].Event)
	return event.Fires == "no"
}

func findAdapter(name string) *Adapter {
	i := slices.IndexFunc(Adapters(), func(a *Adapter) bool { return a.Name == name })
	return Adapters()[i]
}

// expectations returns assertions for an observation.
func expectations(c tables.Case, saw tables.Observation, stdout string) string {
	requests := 1
	var lines []string
	switch c.Event {
	case tables.BeforeTool, tables.AfterTool:
		requests = 2
		file := "file f.txt ~ORIG"
		switch {
		case saw.Effect == "refused", saw.Effect == "run-ended" && !saw.Ran && c.Event == tables.BeforeTool:
			file = "! exists f.txt"
		case saw.Effect == "rewritten":
			file = "file f.txt ~NEW"
		}
		lines = append(lines, file)
	case tables.AgentStop:
		if saw.Effect == "retry" {
			requests = 1 + max(saw.Retries, 1)
		}
	}
	switch saw.Effect {
	case "run-ended":
		requests--
	case "prompt-blocked", "answered":
		requests = 0
	case "fired":
		lines = append(lines, "fired before-tool *")
	case "not-fired":
		lines = append(lines, "not-fired before-tool *")
	}
	lines = append(lines, fmt.Sprintf("model-requests %d", requests))
	for _, m := range tables.Markers(stdout + " " + c.Stderr) {
		if requests == 0 {
			break
		}
		not := "! "
		if slices.Contains(saw.Model, m) {
			not = ""
		}
		where := ""
		if saw.System {
			where = "system"
		}
		lines = append(lines, fmt.Sprintf("%smodel-saw any %s~'%s([^A-Z0-9-]|$)'", not, where, m))
	}
	return strings.Join(lines, "\n") + "\n"
}

// tried is the outcome of a case and its assertions.
type tried struct {
	name, outcome string
	cell          Cell
}

// TestCorpusOnAgents repeats what was observed on the installed agents, as often as
// wanted. Each run must reproduce the record and leave nothing running.
func TestCorpusOnAgents(t *testing.T) {
	ids := os.Getenv("MINIGEM_CORPUS")
	if ids == "" {
		t.Skip("it takes hours and the agents: MINIGEM_CORPUS names some, MINIGEM_AGENTS_FROM their folder")
	}
	runs, err := strconv.Atoi(os.Getenv("MINIGEM_CORPUS_RUNS"))
	if err != nil {
		runs = 1
	}
	match := regexp.MustCompile(os.Getenv("MINIGEM_CORPUS_NAMES"))
	self, err := os.Executable()
	require.NoError(t, err)
	temp, err := os.MkdirTemp("", "mg")
	require.NoError(t, err)
	defer os.RemoveAll(temp)
	t.Setenv("TMPDIR", temp)
	search := Search{From: filepath.SplitList(os.Getenv("MINIGEM_AGENTS_FROM")), Path: os.Getenv("PATH")}
	cache := Tester{}.cache()
	rec, err := openCorpusRecord(os.Getenv("MINIGEM_CORPUS_RECORD"))
	require.NoError(t, err)
	first := rec.first // the outcomes of the first run, by agent and name
	for run := 1; run <= runs; run++ {
		for id := range strings.SplitSeq(ids, ",") {
			t.Run(fmt.Sprintf("%s/%d", id, run), func(t *testing.T) {
				in := search.Find(t.Context(), findAdapter(adapterOf(id)))
				require.Empty(t, in.Problem)
				st := in.SelfTest(t.Context(), self, cache)
				require.Empty(t, st.Cannot)
				var names []string
				done := 0
				for _, name := range tables.Names() {
					saw, ok := tables.Observed()[id][name]
					if !ok || saw.Endless || !match.MatchString(name) || findAdapter(adapterOf(id)).noEventIn(name) {
						continue
					}
					if rec.has(id, in.Version, run, name) {
						done++
						continue
					}
					names = append(names, name)
				}
				agrees := 0
				runCorpus(t, in, id, names, in.Driver(self, cache, st.Events), func(o tried) {
					key := id + " " + o.name
					switch {
					case o.cell.State == Pass:
						agrees++
					case run == 1 || first[key] != o.outcome:
						fmt.Printf("%s: %s %s\n%s", key, o.cell.State, o.cell.Why, o.cell.explain(""))
					}
					if first[key] == "" {
						first[key] = o.outcome
					}
					assert.NoError(t, rec.add(corpusLine{id, in.Version, run, o.name, o.cell.State, o.outcome, o.cell.Took.Milliseconds()}))
					assert.Equal(t, first[key], o.outcome, "run %d of %s: another result than in the first", run, key)
				})
				nothingLeft(t)
				fmt.Printf("%s %s run %d: %d of %d as recorded, %d were there already\n", id, in.Version, run, agrees, len(names), done)
			})
		}
	}
}

// runCorpus runs cases and calls done for each finished one, one call at a time.
func runCorpus(t *testing.T, in Installed, id string, names []string, driver testbed.Driver, done func(tried)) {
	var mu sync.Mutex
	slots := make(chan struct{}, Jobs)
	var wg sync.WaitGroup
	for _, name := range names {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			c, err := testbed.Parse(strings.NewReplacer("/", "_", "[", "_").Replace(name)+".txtar", []byte(corpusCase(id, name)))
			if !assert.NoError(t, err) {
				return
			}
			cell := Cell{Case: name, Agent: id}
			cell.judge(testbed.Run(t.Context(), c, testbed.Options{Driver: driver, Elsewhere: true, Timeout: 2 * in.Adapter.Limit()}))
			mu.Lock()
			defer mu.Unlock()
			done(tried{name, outcome(cell), cell})
		})
	}
	wg.Wait()
}

// outcome describes everything about a run of a case that must not change from run to run.
func outcome(c Cell) string {
	line := string(c.State) + " " + c.Why
	for _, check := range c.Result.Checks {
		line += fmt.Sprintf("\n%s: %v %s", check.Command, check.Passed, check.Unasked)
	}
	if c.Result.Record != nil {
		for _, rep := range c.Result.Record.Reports {
			line += "\n" + string(rep.Event) + " " + rep.Subject
		}
	}
	return line
}

// nothingLeft waits until no process uses the home of a case and this process has no
// connections.
func nothingLeft(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	waittest.Until(t, func() bool { return len(homesBelow(os.TempDir())) == 0 }, "a process of an agent is left")
	waittest.Until(t, func() bool { return connections() == 0 }, "a connection is left")
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	assert.Empty(t, left, "files are left")
}

// homesBelow returns the command lines of processes whose HOME is below dir.
func homesBelow(dir string) []string {
	entries, _ := os.ReadDir("/proc")
	var names []string
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, _ := os.ReadFile("/proc/" + e.Name() + "/environ")
		if strings.Contains("\x00"+string(env), "\x00HOME="+dir+"/") {
			names = append(names, nameOf(pid))
		}
	}
	return names
}

// connections returns the number of sockets of this process.
func connections() int {
	entries, _ := os.ReadDir("/proc/self/fd")
	n := 0
	for _, e := range entries {
		if at, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(at, "socket:") {
			n++
		}
	}
	return n
}
