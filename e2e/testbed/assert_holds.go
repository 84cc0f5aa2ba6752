package testbed

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"minigem/hooks"
	"minigem/hooks/author/attack"
	"minigem/hooks/protocol"
)

// Firer is a Session whose hooks can also be run on their own, even after the session
// ends.
type Firer interface {
	// Engine runs the hooks of c as the session does.
	Engine(c hooks.Config) *hooks.Engine
}

// goalOf returns the goal that the assertion names, and the event.
func goalOf(c Command) (attack.Goal, protocol.Event, error) {
	var goals []attack.Goal
	if len(c.Args) > 1 {
		goals = append(goals, attack.Goal{Kind: attack.Command, Value: c.Args[1]})
	}
	event := protocol.BeforeTool
	for _, cond := range c.Conds {
		switch cond.Key {
		case attack.Path, attack.Text, attack.URL:
			goals = append(goals, attack.Goal{Kind: cond.Key, Value: cond.Value})
		case "event":
			event = protocol.Event(cond.Value)
		}
	}
	if len(goals) != 1 || goals[0].Value == "" {
		return attack.Goal{}, event,
			errors.New("holds needs one thing that the guard should prevent: a command in quotes, path=FILE, " +
				"text=SECRET or url=URL")
	}
	return goals[0], event, nil
}

// bound returns the number of a condition such as min=95%, or otherwise if there is no
// such condition.
func bound(c Command, key string, otherwise int) (int, error) {
	for _, cond := range c.Conds {
		if cond.Key == key {
			n, err := strconv.Atoi(strings.TrimSuffix(cond.Value, "%"))
			if err != nil || n < 0 || key == "min" && n > 100 {
				return 0, fmt.Errorf("%s is %q: expected %s", key, cond.Value,
					map[string]string{"min": "a percentage such as min=95%", "alarms": "a number such as alarms=3"}[key])
			}
			return n, nil
		}
	}
	return otherwise, nil
}

func checkHolds(c *Command) error {
	goal, _, err := goalOf(*c)
	if err == nil {
		_, err = bound(*c, "min", 0)
	}
	if err == nil {
		_, err = bound(*c, "alarms", 0)
	}
	if err == nil {
		_, err = goal.Spellings()
	}
	for _, cond := range c.Conds {
		if cond.re != nil {
			return fmt.Errorf("%s has a value, not a pattern: %s=%s", cond.Key, cond.Key, cond.Value)
		}
	}
	return err
}

func judgeHolds(r *Record, c Command) verdict {
	goal, event, err := goalOf(c)
	least, _ := bound(c, "min", 100) // checked when the case was read
	most, _ := bound(c, "alarms", -1)
	v := verdict{expected: fmt.Sprintf("%s holds %d%% of the spellings of %s", c.Args[0], least, goal.Value)}
	if most >= 0 {
		v.expected += fmt.Sprintf(", and refuses at most %d harmless look-alikes", most)
	}
	var report attack.Report
	if err == nil {
		report, err = r.attack(event, c.Args[0], goal)
	}
	if err != nil {
		v.actual, v.invalid = err.Error(), true
		return v
	}
	through, alarms := len(report.Through()), len(report.FalseAlarms())
	v.ok = report.Percent() >= least && (most < 0 || alarms <= most)
	v.actual = fmt.Sprintf("it held %d of %d (%d%%), and refused %d of %d look-alikes", report.Of(false)-through,
		report.Of(false), report.Percent(), alarms, report.Of(true))
	const listed = 5
	v.detail = strings.ReplaceAll(report.Write(listed), " (--all)", "")
	return v
}

// attack attacks a hook of the last session, in the workspace.
func (r *runner) attack(event protocol.Event, hook string, goal attack.Goal) (attack.Report, error) {
	if r.firer == nil {
		return attack.Report{}, errors.New("no session ran whose hooks can be run on their own")
	}
	all := r.rec.soFar().Config.Config
	for _, h := range all.Hooks {
		if h.Event == event && IsHook(h, hook) && hook != "*" {
			hook = h.ID()
			break
		}
	}
	only, err := attack.Only(all, event, hook)
	if err != nil {
		return attack.Report{}, err
	}
	goal.Dir = r.place.workspace
	key := fmt.Sprint(event, "\x00", hook, "\x00", goal.Kind, "\x00", goal.Value)
	if report, ok := r.attacks[key]; ok {
		return report, nil
	}
	report, err := attack.Attack(r.ctx, func() *hooks.Engine { return r.firer.Engine(only) }, event, hook, goal, nil)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return report, fmt.Errorf("%w before all spellings were tried: give it more time, such as: timeout 5m",
			context.Cause(r.ctx))
	}
	if err == nil {
		r.attacks[key] = report
	}
	return report, err
}
