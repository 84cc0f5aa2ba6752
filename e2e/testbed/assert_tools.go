package testbed

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/internal/text"
	"minigem/llm"
	"minigem/llm/script"
)

func checkRequest(args []string) error {
	if args[0] == "last" || args[0] == "any" {
		return nil
	}
	if n, err := strconv.Atoi(args[0]); err != nil || n < 1 {
		return fmt.Errorf("%q is not a request: expected a number from 1, last or any", args[0])
	}
	return nil
}

func checkDiff(args []string) error {
	if n, err := strconv.Atoi(args[0]); err != nil || n < 1 {
		return fmt.Errorf("%q is not the number of a request", args[0])
	}
	return nil
}

func judgeToolRan(r *Record, c Command) verdict {
	conds, want := c.others(), c.times()
	c.Args = []string{r.tool(c.Args[0])}
	n := 0
	var seen list
	for _, s := range r.Started {
		if s.Call.Name != c.Args[0] && c.Args[0] != "*" {
			continue
		}
		value := func(key string) string { return toolValue(r, s, key) }
		if all(conds, value) {
			n++
		}
		seen.add(func() string { return c.Args[0] + " " + oneLine(r.shorten(compact(s.Call.Args)), 200) })
	}
	v := verdict{ok: want.allow(n), expected: fmt.Sprintf("%s runs %s%s", c.Args[0], want, with(conds)),
		more: r.callList}
	if c.Negated {
		v.more = func() string {
			return r.callList() + r.eventsOf("BeforeTool", nil, func(rep hooks.Report) bool { return rep.Subject == c.Args[0] })
		}
	}
	unknown := r.noArgument(c.Args[0], conds)
	switch {
	case unknown != "":
		v.actual, v.invalid = unknown, true
	case seen.n == 0:
		v.actual, v.invalid = "it did not run"+r.whyNoTool(c.Args[0]), r.noTool(c.Args[0])
	case len(conds) > 0:
		v.actual = "it ran as " + seen.String()
	default:
		v.actual = "it ran " + often(seen.n)
		if !slices.ContainsFunc(r.Finished, func(f event.ToolRecord) bool {
			return (f.Call.Name == c.Args[0] || c.Args[0] == "*") && f.Status != event.ToolError
		}) {
			v.actual += " (and failed)"
		}
	}
	if c.Negated && n > 0 && len(r.Config.Hooks) == 0 {
		v.actual += "; the case configures no hooks"
	}
	return v
}

// list collects what an assertion looked at and shows the first three of n.
type list struct {
	n     int
	shown []string
}

func (l *list) add(text func() string) {
	if l.n++; l.n <= 3 {
		l.shown = append(l.shown, text())
	}
}

func (l *list) String() string {
	shown := l.shown
	if more := l.n - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("%d more", more))
	}
	return strings.Join(shown, ", then ")
}

// noTool reports whether no request offered a tool of that name and no answer called it.
// The name is then most likely misspelled. The requests of other agents may have their
// own names for tools, and some of them search or read only with commands.
func (r *Record) noTool(name string) bool {
	offered := false
	for _, req := range r.Requests {
		offered = offered || len(req.Tools) > 0
		if slices.ContainsFunc(toolNames(req), func(n string) bool { return n == name || r.tool(n) == name }) {
			return false
		}
	}
	does := func(k script.ActionKind) bool { return r.tool(string(k)) == name }
	if r.other != nil && slices.ContainsFunc(script.ActionKinds, does) {
		return false
	}
	return offered && name != "*" &&
		!slices.ContainsFunc(r.Finished, func(f event.ToolRecord) bool { return f.Call.Name == name })
}

// whyNoTool explains what happened to calls that did not run.
func (r *Record) whyNoTool(name string) string {
	var called []string
	for _, f := range r.Finished {
		if f.Call.Name == name {
			return ": the model got " + oneLine(ResultText(f.Result), 200)
		}
		called = append(called, f.Call.Name)
	}
	if r.noTool(name) {
		if r.other != nil {
			return ": there is no such tool, or it is used for several actions: name the action, such as write"
		}
		var offered []string
		for _, req := range r.Requests {
			offered = append(offered, toolNames(req)...)
		}
		return ": there is no such tool" + didYouMean(cmp.Or(config.ToolAlias(name), name), append(called, offered...))
	}
	if len(called) == 0 {
		return ": the model called no tool" + r.opened()
	}
	return fmt.Sprintf(": the model called %s only%s", strings.Join(slices.Compact(called), ", "),
		didYouMean(name, called))
}

func toolValue(r *Record, s event.ToolStarted, key string) string {
	switch {
	case key == "args":
		return compact(s.Call.Args)
	case key == "status":
		for _, f := range r.Finished {
			if f.Call.ID == s.Call.ID {
				return string(f.Status)
			}
		}
		return ""
	}
	return argument(s.Call.Args, strings.TrimPrefix(key, "arg."))
}

// argument returns the value at a dotted path: strings as they are, anything else as JSON.
func argument(args map[string]any, path string) string {
	if s, ok := args[path].(string); ok { // most are, and then nothing is allocated
		return s
	}
	data, _ := json.Marshal(args) // they were decoded from JSON
	return gjson.GetBytes(data, path).String()
}

// ResultText returns the part of a result that the model reads.
func ResultText(res llm.ToolResult) string {
	for _, key := range []string{"output", "error"} {
		if s, ok := res.Response[key].(string); ok {
			return s
		}
	}
	return compact(res.Response)
}

func judgeToolResult(r *Record, c Command) verdict {
	conds, want := c.others(), c.times()
	c.Args = []string{r.tool(c.Args[0])}
	n := 0
	var seen list
	for _, f := range r.Finished {
		if f.Call.Name != c.Args[0] {
			continue
		}
		if all(conds, resultValue(f)) {
			n++
		}
		seen.add(func() string {
			return fmt.Sprintf("%s %q", f.Status, oneLine(r.shorten(ResultText(f.Result)), 200))
		})
	}
	v := verdict{ok: want.allow(n), expected: fmt.Sprintf("the model gets a result of %s %s%s", c.Args[0], want,
		with(conds)), more: r.callList}
	v.actual = "it got " + seen.String()
	if seen.n == 0 {
		v.actual, v.invalid = "it got none"+r.whyNoTool(c.Args[0]), r.noTool(c.Args[0])
	}
	return v
}

// resultValue returns the value that a condition on a call's result tests.
func resultValue(f event.ToolRecord) func(key string) string {
	return func(key string) string {
		switch key {
		case "status":
			return string(f.Status)
		case "error":
			return f.ErrorType
		}
		return ResultText(f.Result)
	}
}

func judgeAsked(r *Record, c Command) verdict {
	conds, want := c.others(), c.times()
	c.Args = []string{r.tool(c.Args[0])}
	n := 0
	var seen list
	for _, q := range r.Questions {
		seen.add(func() string { return fmt.Sprintf("%s (reason %q)", q.Call.Name, q.HookReason) })
		value := func(key string) string {
			if key == "reason" {
				return q.HookReason
			}
			return q.HookMessage
		}
		if all(conds, value) && (q.Call.Name == c.Args[0] || c.Args[0] == "*") {
			n++
		}
	}
	v := verdict{ok: want.allow(n), expected: fmt.Sprintf("the user is asked about %s %s%s", c.Args[0], want, with(conds)),
		more: r.callList}
	v.actual = "they were asked about " + seen.String()
	if seen.n == 0 {
		v.actual = "they were never asked"
	}
	v.invalid = r.noTool(c.Args[0])
	return v
}

// callList describes what happened to each call.
func (r *Record) callList() string {
	if len(r.Finished) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("calls:\n")
	for _, f := range r.inOrder() {
		fmt.Fprintf(&b, "  %s %s\n    %s: %s\n", f.Call.Name, oneLine(r.shorten(compact(f.Args)), 200), f.Status,
			oneLine(r.shorten(ResultText(f.Result)), 300))
	}
	return b.String()
}

func judgeRequests(r *Record, c Command) verdict {
	n, _ := strconv.Atoi(c.Args[0])
	return verdict{
		ok: len(r.Requests) == n, expected: "the model gets " + text.Plural(n, "request"),
		actual: fmt.Sprintf("it got %d", len(r.Requests)), more: r.requestList,
	}
}

func judgeModelSaw(r *Record, c Command) verdict {
	v := verdict{expected: fmt.Sprintf("request %s%s", c.Args[0], with(c.Conds)), more: r.requestList}
	for _, cond := range c.Conds {
		if _, known := config.ToolMeant(cond.Value); cond.Key == "tool" && cond.re == nil && !known && r.noTool(cond.Value) {
			v.invalid, v.actual = true, cond.Value+" is not offered"+r.whyNoTool(cond.Value)
			return v
		}
	}
	requests, first := r.Requests, 1
	if c.Args[0] != "any" {
		n := len(requests)
		if c.Args[0] != "last" {
			n, _ = strconv.Atoi(c.Args[0])
		}
		if n < 1 || n > len(requests) {
			v.actual, v.invalid = fmt.Sprintf("there is no request %s: the model got %s", c.Args[0],
				text.Plural(len(requests), "request")), true
			return v
		}
		requests, first = requests[n-1:n], n
	}
	for i, req := range requests {
		ok, failed := requestHas(req, c.Conds)
		if ok {
			v.ok, v.actual = true, fmt.Sprintf("request %d matches", first+i)
			for _, cond := range c.Conds {
				if c.Negated && cond.re != nil && cond.Key != "tool" {
					v.actual += ": " + cond.Key + " has " + around(r.shorten(requestValue(req, cond.Key)), cond.re, 200)
				}
			}
			return v
		}
		if c.Args[0] != "any" {
			v.actual = fmt.Sprintf("%s is\n%s", failed.Key, indent(clip(r.shorten(requestValue(req, key(failed))), 3000)))
			return v
		}
	}
	v.actual = fmt.Sprintf("none of %s matches", text.Plural(len(requests), "request"))
	return v
}

// key returns the key under which a failed condition is shown: tools for a condition on
// one tool.
func key(c Cond) string {
	if c.Key == "tool" {
		return "tools"
	}
	return c.Key
}

func requestHas(req Request, conds []Cond) (bool, Cond) {
	for _, c := range conds {
		ok := c.matches(requestValue(req, c.Key))
		if c.Key == "tool" {
			ok = slices.ContainsFunc(toolNames(req), c.matches)
		}
		if !ok {
			return false, c
		}
	}
	return true, Cond{}
}

// clip shows the end of a long text, where the newest output is.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return "...\n" + strings.ToValidUTF8(text[len(text)-n:], "")
}
