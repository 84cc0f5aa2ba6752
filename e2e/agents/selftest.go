package agents

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"minigem/e2e/testbed"
	"minigem/internal/atomicfile"
	"minigem/internal/boundedfile"
	"minigem/llm/script"
)

// SelfTest describes what an agent does on this machine: every action once, with a hook on
// every event.
type SelfTest struct {
	Agent   string            `json:"agent"`
	Version string            `json:"version"`
	Cannot  string            `json:"cannot,omitempty"`  // why no case can run on it
	Actions map[string]string `json:"actions,omitempty"` // actions that do not work, and why
	// events that did not fire, by the agent's name, and what that means
	Events map[string]string `json:"events,omitempty"`
	Millis int64             `json:"ms"`
	Cached bool              `json:"-"`
}

// selfTestScript is the script of the self-test. Each action is checked by the next one's
// result.
const selfTestScript = `prompt Do as you are told.

-- model --
shell echo self-test > one.txt

write two.txt self-test

read two.txt

edit two.txt self-test tested

search tested

text Done.
`

// SelfTest runs the self-test, unless cache has its result for the same program.
func (i Installed) SelfTest(ctx context.Context, self, cache string) SelfTest {
	if i.Problem != "" {
		return SelfTest{Agent: i.Adapter.Name, Version: i.Version, Cannot: i.Problem}
	}
	file := filepath.Join(cache, "self-tests", i.Adapter.Name+"-"+i.fingerprint(self)+".json")
	var st SelfTest
	if data, err := boundedfile.Read(file, boundedfile.Kept); err == nil && json.Unmarshal(data, &st) == nil &&
		st.Agent == i.Adapter.Name {
		st.Cached = true
		return st
	}
	st = i.selfTest(ctx, self, cache)
	if st.Cannot == "" && ctx.Err() == nil { // a failure may be due to a busy machine
		if data, err := json.Marshal(st); err == nil && os.MkdirAll(filepath.Dir(file), 0o700) == nil {
			_ = atomicfile.WriteFile(file, data, 0o600) // the next run tests again
		}
	}
	return st
}

// fingerprint hashes everything that can change the outcome.
func (i Installed) fingerprint(self string) string {
	adapter, err := json.Marshal(i.Adapter)
	if err != nil {
		adapter = []byte(err.Error())
	}
	state := func(path string) string {
		if at, err := filepath.EvalSymlinks(path); err == nil {
			path = at
		}
		info, err := os.Stat(path)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(path, info.Size(), info.ModTime().UnixNano())
	}
	sum := sha256.Sum256(
		[]byte(strings.Join([]string{string(adapter), i.Version, state(i.Path), state(self), i.isolation().String(),
			selfTestScript}, "\x00")))
	return fmt.Sprintf("%x", sum[:8])
}

func (i Installed) selfTest(ctx context.Context, self, cache string) SelfTest {
	st := SelfTest{Agent: i.Adapter.Name, Version: i.Version, Actions: map[string]string{}, Events: map[string]string{}}
	began := time.Now()
	c, err := testbed.Parse("self-test.txtar", []byte(i.selfTestCase()))
	if err != nil {
		st.Cannot = err.Error()
		return st
	}
	res := testbed.Run(ctx, c, testbed.Options{Driver: i.Driver(self, cache, nil), Elsewhere: true, Encloses: true,
		Timeout: i.Adapter.Limit()})
	st.Millis = time.Since(began).Milliseconds()
	st.Cannot = st.judge(i.Adapter, c, res)
	return st
}

// selfTestCase returns a case with a hook on every event that portable hooks support.
func (i Installed) selfTestCase() string {
	var b strings.Builder
	for _, event := range slices.Sorted(maps.Keys(i.Adapter.Events)) {
		if testbed.CanonicalEvent(event) == "" {
			continue
		}
		b.WriteString(event)
		if testbed.HasTools(event) {
			b.WriteString(" *")
		}
		b.WriteString(` "cat >/dev/null"` + "\n")
	}
	script, model, _ := strings.Cut(selfTestScript, "-- model --\n")
	return script + "-- hooks --\n" + b.String() + "-- model --\n" + model
}

// judge explains why no case can run. It is empty if cases can.
func (st *SelfTest) judge(a *Adapter, c *testbed.Case, res testbed.Result) string {
	switch {
	case res.Broken != nil:
		return res.Broken.Error()
	case res.Skipped != "":
		return res.Skipped
	case len(res.Failures) > 0:
		return res.Failures[len(res.Failures)-1].Actual // the last failure says what the agent did
	}
	if o := res.Record.Outcomes; len(o) == 1 && o[0].Exit != 0 {
		return fmt.Sprintf("it ended with exit %d; %s", o[0].Exit, strings.Join(res.Record.Notices, "; "))
	}
	fired := map[string]bool{}
	for _, rep := range res.Record.Reports {
		fired[string(rep.Event)] = true
	}
	if len(fired) == 0 {
		return "it ran none of the hooks that were configured"
	}
	if !fired["BeforeTool"] {
		return "no hook ran before a tool"
	}
	ran := map[string]bool{}
	for _, s := range res.Record.Started {
		ran[s.Call.Name] = true
	}
	for _, kind := range script.ActionKinds {
		if t := a.Tools[kind]; t.Cannot != "" {
			st.Actions[string(kind)] = t.Cannot
		} else if !ran[script.Action{Kind: kind}.Call().Name] {
			st.Actions[string(kind)] = "its tool was not seen to run"
		}
	}
	if why := st.Actions[string(script.DoShell)]; why != "" {
		return "it runs no commands: " + why
	}
	if n, want := len(res.Record.Requests), len(c.Rounds); n != want {
		return fmt.Sprintf("it asked its model %d times, but the script has %d answers: something consumes them", n, want)
	}
	for _, event := range slices.Sorted(maps.Keys(a.Events)) {
		if quiet := slices.Contains([]string{"PostToolUseFailure", "PreCompress", "Notification"}, event); !fired[event] &&
			!quiet {
			st.Events[a.Events[event]] = fmt.Sprintf("%s did not fire in %s %s's self-test", a.Events[event], a.Name,
				cmp.Or(st.Version, "(of no version)"))
		}
	}
	return ""
}
