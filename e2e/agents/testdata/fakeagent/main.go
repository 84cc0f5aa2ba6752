// fakeagent is a small coding agent with hooks in Claude Code's form, that
// speaks chat completions, and can misbehave. It is its own shim, too.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	_ "minigem/e2e/agents/shim" // runs hooks where it is asked to
)

func main() { os.Exit((&fakeAgent{how: os.Getenv("FAKE_AGENT")}).run(os.Args[1:])) }

// fakeAgent is a small coding agent with hooks in Claude Code's form, that
// speaks chat completions, and can misbehave.
type fakeAgent struct {
	how      string
	messages []map[string]any
}

func (f *fakeAgent) run(args []string) int {
	if slices.Contains(args, "--version") {
		fmt.Println("fake agent 1.2.3")
		return 0
	}
	switch f.how {
	case "hangs":
		time.Sleep(time.Hour)
	case "login":
		fmt.Println("Please log in: open the browser")
		return 1
	case "floods":
		for {
			fmt.Println(strings.Repeat("and on and on ", 1000))
		}
	case "daemon":
		d := exec.Command("sleep", "1000")
		leave(d)
		if err := d.Start(); err != nil {
			panic(err)
		}
	case "asks a proxy":
		if res, err := http.Get("https://telemetry.example/v1/events"); err == nil {
			res.Body.Close()
		}
	case "calls home":
		if conn, err := net.DialTimeout("tcp", "telemetry.example:443", 5*time.Second); err == nil {
			conn.Close()
		}
	}
	f.die("starting")
	f.fire("SessionStart", "", nil)
	f.messages = []map[string]any{{"role": "user", "content": args[len(args)-1]}}
	for {
		text, calls := f.ask()
		f.die("answered")
		if f.how == "crashes" {
			panic("on purpose")
		}
		if len(calls) == 0 {
			fmt.Println(text)
			if err := os.WriteFile(filepath.Join(os.Getenv("HOME"), ".fake", "session.jsonl"), []byte(`{"answer": "`+text+`"}`),
				0o600); err != nil {
				panic(err)
			}
			f.fire("Stop", "", nil)
			if f.how == "eats turns" {
				f.ask()
			}
			return 0
		}
		for _, c := range calls {
			f.call(c)
		}
	}
}

type fakeCall struct {
	ID       string `json:"id"`
	Function struct{ Name, Arguments string }
}

// ask sends the conversation, and returns the answer.
func (f *fakeAgent) ask() (string, []fakeCall) {
	tool := "Bash"
	if f.how == "no shell" {
		tool = "Poem"
	}
	body, err := json.Marshal(map[string]any{"model": "m", "messages": f.messages, "tools": []any{map[string]any{
		"type": "function", "function": map[string]any{"name": tool, "parameters": map[string]any{"type": "object"}}}}})
	if err != nil {
		panic(err)
	}
	res, err := http.Post(os.Getenv("MODEL_URL")+"/v1/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		panic(string(data))
	}
	var answer struct {
		Choices []struct {
			Message struct {
				Content string     `json:"content"`
				Calls   []fakeCall `json:"tool_calls"`
			}
		}
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		panic(err)
	}
	m := answer.Choices[0].Message
	f.messages = append(f.messages, map[string]any{"role": "assistant", "content": m.Content, "tool_calls": m.Calls})
	return m.Content, m.Calls
}

func (f *fakeAgent) call(c fakeCall) {
	var args map[string]any
	if err := json.Unmarshal([]byte(c.Function.Arguments), &args); err != nil {
		panic(err)
	}
	payload := map[string]any{"tool_name": c.Function.Name, "tool_input": args, "tool_use_id": c.ID}
	refused, why := f.fire("PreToolUse", c.Function.Name, payload)
	f.die("hooked")
	result := "refused by a hook: " + why
	if !refused {
		out, err := exec.Command("sh", "-c", args["command"].(string)).CombinedOutput()
		if result = string(out); err != nil {
			result += err.Error()
		}
		f.fire("PostToolUse", c.Function.Name, payload)
	}
	f.messages = append(f.messages, map[string]any{"role": "tool", "tool_call_id": c.ID, "content": result})
	f.die("ran")
}

// die ends the agent at a step, if that is how it misbehaves: "STEP killed", "STEP stalls",
// or "STEP CODE" for an exit code.
func (f *fakeAgent) die(step string) {
	at, how, _ := strings.Cut(f.how, " ")
	switch {
	case at != step:
	case how == "stalls":
		time.Sleep(time.Hour)
	case how == "killed":
		if p, err := os.FindProcess(os.Getpid()); err == nil {
			_ = p.Kill()
		}
		time.Sleep(time.Hour)
	default:
		code, _ := strconv.Atoi(how)
		os.Exit(code)
	}
}

// fire runs the hooks of an event; exit 2 refuses.
func (f *fakeAgent) fire(event, tool string, payload map[string]any) (refused bool, why string) {
	if f.how == "fires nothing" {
		return false, ""
	}
	if payload == nil {
		payload = map[string]any{}
	}
	payload["hook_event_name"] = event
	stdin, err := json.Marshal(payload)
	if err != nil {
		panic(err)
	}
	for _, dir := range []string{".", os.Getenv("HOME")} {
		var config struct {
			Hooks map[string][]struct {
				Matcher string
				Hooks   []struct{ Command string }
			}
		}
		data, err := os.ReadFile(filepath.Join(dir, ".fake", "hooks.json"))
		if err != nil || json.Unmarshal(data, &config) != nil {
			continue
		}
		for _, group := range config.Hooks[event] {
			if group.Matcher != "" && !slices.Contains(strings.Split(group.Matcher, "|"), tool) {
				continue
			}
			for _, h := range group.Hooks {
				cmd := exec.Command("sh", "-c", h.Command)
				cmd.Stdin = bytes.NewReader(stdin)
				var stderr strings.Builder
				cmd.Stderr = &stderr
				if err := cmd.Run(); err != nil && cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 2 {
					refused, why = true, stderr.String()
				}
			}
		}
	}
	return refused, why
}
