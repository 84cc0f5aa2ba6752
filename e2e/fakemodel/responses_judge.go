package fakemodel

import (
	"encoding/json"
	"slices"
)

// responsesJudge reports what the API would refuse.
type responsesJudge struct {
	*reading
	w     responsesRequest
	calls []string        // ids of all calls, in order
	done  map[string]bool // ids of calls with results
}

func (j *responsesJudge) head() {
	j.done = map[string]bool{}
	if j.w.Model == "" {
		j.problem("missing required parameter: 'model'")
	}
	if present(j.w.Input) == nil {
		j.problem("missing required parameter: 'input'")
	}
	if j.w.Previous != "" {
		j.problem("previous response with id %q not found: the fake model keeps none", j.w.Previous)
	}
	if choice := present(j.w.Choice); choice != nil {
		j.choice(choice)
	}
	j.checkTools(Responses)
}

// item checks one item. Items must be checked in order.
func (j *responsesJudge) item(i int, item responsesItem) {
	kind := item.kind()
	switch {
	case kind == "":
		j.problem("input[%d]: missing required parameter: 'type'", i)
	case kind == "message":
		if !slices.Contains([]string{"user", "assistant", "system", "developer"}, item.Role) {
			j.problem("input[%d]: role %q is not user, assistant, system or developer", i, item.Role)
		}
		if present(item.Content) == nil {
			j.problem("input[%d]: a message needs content", i)
		}
	case kind == "function_call" && !isText(item.Arguments):
		j.problem("input[%d]: the arguments of a function_call are a text", i)
	case (kind == "function_call" || kind == "custom_tool_call") && (item.CallID == "" || item.Name == ""):
		j.problem("input[%d]: a %s needs call_id and name", i, kind)
	}
	switch {
	case item.isCall():
		if slices.Contains(j.calls, item.CallID) {
			j.problem("input[%d]: a second call with the id %s", i, item.CallID)
		}
		j.calls = append(j.calls, item.CallID)
	case item.isOutput():
		switch {
		case !slices.Contains(j.calls, item.CallID):
			j.problem("input[%d]: no tool call found for function call output with call_id %s", i, item.CallID)
		case j.done[item.CallID]:
			j.problem("input[%d]: a second output for the call %s", i, item.CallID)
		}
		j.done[item.CallID] = true
	}
}

func isText(data json.RawMessage) bool {
	var text string
	return json.Unmarshal(data, &text) == nil
}

func (j *responsesJudge) end() {
	for _, id := range j.calls {
		if !j.done[id] {
			j.problem("no tool output found for function call %s", id)
		}
	}
}
