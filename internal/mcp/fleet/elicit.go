package fleet

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"minigem/internal/mcp"
	"minigem/tools/builtin"
)

// elicit answers a server's request for user input by asking the user. If no user can
// be asked, it declines and warns.
func (o *Offer) elicit(ctx context.Context, f mcp.Form) mcp.Reply {
	if o.Asker == nil {
		o.Warn(fmt.Sprintf("the MCP server %s asks for an answer, and there is nobody to give one, so it was "+
			"declined: %s", f.Server, strings.Join(strings.Fields(f.Message), " ")))
		return mcp.Reply{Action: mcp.Decline}
	}
	var reply mcp.Reply
	builtin.Together(o.Asker, func(asker builtin.Asker) { reply = fillIn(ctx, asker, f) })
	return reply
}

const (
	answerIt  = "Answer"
	declineIt = "Decline"
)

// fillIn asks the user to fill in a form. Esc cancels it.
func fillIn(ctx context.Context, asker builtin.Asker, f mcp.Form) mcp.Reply {
	said, ok := builtin.AskOne(ctx, asker, builtin.Question{
		Header: "The MCP server " + f.Server + " asks", Question: f.Message +
			"\n  What you answer goes to this server; give it no passwords.", Type: "choice",
		Options: []builtin.Option{{Label: answerIt, Description: asksFor(f)},
			{Label: declineIt, Description: "it gets nothing"}},
	})
	switch {
	case !ok:
		return mcp.Reply{Action: mcp.Cancel}
	case said != answerIt:
		return mcp.Reply{Action: mcp.Decline}
	}
	values := map[string]any{}
	for _, field := range f.Fields {
		v, ok := valueOf(ctx, asker, f.Server, field)
		if !ok {
			return mcp.Reply{Action: mcp.Cancel}
		}
		if v != nil {
			values[field.Name] = v
		}
	}
	return mcp.Reply{Action: mcp.Accept, Values: values}
}

// asksFor lists the fields.
func asksFor(f mcp.Form) string {
	var names []string
	for _, field := range f.Fields {
		names = append(names, field.Title)
	}
	return cmp.Or(strings.Join(names, ", "), "yes")
}

// valueOf asks until the answer is valid for the field. A nil value leaves the field
// empty.
func valueOf(ctx context.Context, asker builtin.Asker, server string, f mcp.Field) (value any, ok bool) {
	q := builtin.Question{Header: server + ": " + f.Title, Question: cmp.Or(f.Description, f.Title), Type: "text",
		Placeholder: hint(f)}
	switch {
	case f.Type == "boolean" && f.Default == "false": // Enter takes the first option
		q.Type, q.Options = "choice", []builtin.Option{{Label: "No"}, {Label: "Yes"}}
	case f.Type == "boolean":
		q.Type = "yesno"
	case len(f.Choices) > 0:
		q.Type, q.MultiSelect = "choice", f.Type == "array"
		if q.MultiSelect && f.Default != "" {
			q.Question += "\n  Choose none for " + f.Default + "."
		}
		for i, c := range f.Choices {
			o := builtin.Option{Label: c}
			if i < len(f.Labels) && f.Labels[i] != c {
				o.Description = f.Labels[i]
			}
			if c == f.Default { // Enter takes the first option
				q.Options = slices.Insert(q.Options, 0, o)
			} else {
				q.Options = append(q.Options, o)
			}
		}
	}
	for about := q.Question; ; {
		said, ok := builtin.AskOne(ctx, asker, q)
		if !ok {
			return nil, false
		}
		v, wrong := read(f, said)
		if wrong == "" {
			return v, true
		}
		q.Question = wrong + ". " + about
	}
}

func hint(f mcp.Field) string {
	switch {
	case f.Default != "":
		return f.Default
	case !f.Required:
		return "may stay empty"
	}
	return ""
}

// read converts the user's answer to a value of f, or says what is wrong with it.
func read(f mcp.Field, said string) (value any, wrong string) {
	said = cmp.Or(strings.TrimSpace(said), f.Default)
	switch {
	case f.Type == "boolean" && (said == "Yes" || said == "true"):
		return true, ""
	case f.Type == "boolean" && (said == "No" || said == "false"):
		return false, ""
	case f.Type == "boolean":
		return nil, "It takes Yes or No"
	case said == "" && f.Required:
		return nil, "It needs an answer"
	case said == "":
		return nil, ""
	case f.Type == "array":
		return several(f, said)
	case len(f.Choices) > 0 && !slices.Contains(f.Choices, said):
		return nil, "It takes only one of those"
	case f.Type == "integer":
		if n, err := strconv.ParseInt(said, 10, 64); err == nil {
			return n, ""
		}
		return nil, "It takes a whole number"
	case f.Type == "number":
		if n, err := strconv.ParseFloat(said, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
			return n, ""
		}
		return nil, "It takes a number"
	}
	return said, ""
}

// several returns the choices that said names, separated by commas.
func several(f mcp.Field, said string) (value any, wrong string) {
	var taken []string
	for rest := said; rest != ""; {
		i := slices.IndexFunc(f.Choices, func(c string) bool { return strings.HasPrefix(rest+", ", c+", ") })
		if i < 0 {
			return nil, "It takes some of those alone"
		}
		if !slices.Contains(taken, f.Choices[i]) {
			taken = append(taken, f.Choices[i])
		}
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, f.Choices[i]), ", ")
	}
	switch {
	case len(taken) < f.Least:
		return nil, fmt.Sprintf("It takes at least %d", f.Least)
	case f.Most > 0 && len(taken) > f.Most:
		return nil, fmt.Sprintf("It takes %d at most", f.Most)
	}
	return taken, ""
}
