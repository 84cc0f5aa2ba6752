package testbed

import (
	"fmt"
	"strings"

	"minigem/hooks"
	"minigem/hooks/agents"
	"minigem/hooks/elsewhere"
)

func checkAgents(args []string) error {
	_, err := agents.List(args[0])
	return err
}

func judgePortable(r *Record, c Command) verdict {
	others, err := agents.List(c.Args[0])
	if err != nil {
		return verdict{invalid: true, actual: err.Error()} // unreachable: checked when the case was read
	}
	var names, faults []string
	for _, a := range others {
		names = append(names, a.Title())
	}
	ran := 0
	for rep, run := range started(r) {
		if run.Left {
			continue
		}
		ran++
		for _, fault := range faultsOf(rep, run, others) {
			faults = insert(faults, fault)
		}
	}
	v := verdict{ok: len(faults) == 0 && ran > 0, expected: "the hooks' answers hold on " + strings.Join(names, ", ")}
	switch {
	case ran == 0:
		v.actual, v.invalid = "no hook ran", true
	case v.ok:
		v.actual = "it holds there"
	default:
		v.actual = strings.Join(faults, "\n")
	}
	return v
}

// faultsOf returns a line for each agent on which the result of a run does not hold.
func faultsOf(rep hooks.Report, run hooks.Run, others []*agents.Agent) []string {
	var out []string
	for _, a := range others {
		if why := elsewhere.Portable(run, rep.Event, a); why != "" {
			out = append(out, fmt.Sprintf("%s %s, %s: %s", rep.Event, run.Hook.ID(), exitOf(run), why))
		}
	}
	return out
}
