package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"minigem/internal/text"
)

// Form is what a server asks the user for while one of its tools runs.
type Form struct {
	Server  string
	Message string
	Fields  []Field // required fields first
}

// Field is one value of a form.
type Field struct {
	Name        string
	Title       string
	Description string
	Type        string   // "string", "number", "integer", "boolean", or "array" of values from Choices
	Choices     []string // nil allows any value
	Labels      []string // displayed names of Choices
	Default     string   // the meaning of an empty answer; may be empty
	Required    bool
	Least, Most int // how many Choices a non-empty array holds; Most 0 means all
}

// Reply is the user's reply to a form.
type Reply struct {
	Action string // Accept, Decline or Cancel
	Values map[string]any
}

// The actions of a [Reply].
const (
	Accept  = "accept"
	Decline = "decline"
	Cancel  = "cancel"
)

// Limits of a form.
const (
	maxFields  = 20
	maxChoices = 50
	maxLine    = 200
)

// during records that a call of the server is running. A server may ask the user only
// during a call.
func (s *Session) during(ctx context.Context) (over func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.callers = append(s.callers, &ctx)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.callers = slices.DeleteFunc(s.callers, func(c *context.Context) bool { return c == &ctx })
	}
}

func (s *Session) caller() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.callers) == 0 {
		return nil
	}
	return *s.callers[len(s.callers)-1]
}

// elicited answers a server's request for user input. A server may ask while it works
// on a call, and the question ends with that call.
func (s *Session) elicited(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	caller := s.caller()
	if s.server.Elicit == nil || caller == nil || req.Params == nil || req.Params.Mode == "url" {
		return &mcp.ElicitResult{Action: Decline}, nil
	}
	s.asking.Lock() // one question at a time
	defer s.asking.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(caller, cancel)()
	reply := s.server.Elicit(ctx, s.form(req.Params))
	if reply.Action != Accept {
		reply.Values = nil
	}
	return &mcp.ElicitResult{Action: reply.Action, Content: reply.Values}, nil
}

// titled is a choice and its displayed title.
type titled struct{ Const, Title string }

// form converts a request to a form, cleaned and bounded.
func (s *Session) form(p *mcp.ElicitParams) Form {
	var schema struct {
		Properties map[string]struct {
			Type, Title, Description string
			Enum, EnumNames          []string
			OneOf                    []titled
			Items                    struct {
				Enum  []string
				AnyOf []titled
			}
			MinItems, MaxItems int
			Default            any
		}
		Required []string
	}
	if b, err := json.Marshal(p.RequestedSchema); err == nil {
		_ = json.Unmarshal(b, &schema) // the library has checked it
	}
	form := Form{Server: s.server.Name, Message: clip(text.Clean(p.Message), maxDescription)}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		d := schema.Properties[name]
		f := Field{
			Name: name, Title: clip(text.Line(cmp.Or(d.Title, name)), maxLine),
			Description: clip(text.Line(d.Description), maxDescription),
			Type:        d.Type, Choices: append(d.Enum, d.Items.Enum...), Labels: d.EnumNames,
			Required: slices.Contains(schema.Required, name),
			Least:    d.MinItems, Most: d.MaxItems,
		}
		for _, one := range append(d.OneOf, d.Items.AnyOf...) {
			f.Choices, f.Labels = append(f.Choices, one.Const), append(f.Labels, one.Title)
		}
		f.Choices = f.Choices[:min(len(f.Choices), maxChoices)]
		switch words := d.Default.(type) {
		case nil:
		case string:
			f.Default = clip(text.Line(words), maxLine)
		case []any:
			var all []string
			for _, one := range words {
				all = append(all, fmt.Sprint(one))
			}
			f.Default = clip(text.Line(strings.Join(all, ", ")), maxLine)
		default:
			b, _ := json.Marshal(words) // it was decoded from JSON
			f.Default = clip(string(b), maxLine)
		}
		form.Fields = append(form.Fields, f)
	}
	slices.SortStableFunc(form.Fields, func(a, b Field) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		}
		return 1
	})
	form.Fields = form.Fields[:min(len(form.Fields), maxFields)]
	return form
}
