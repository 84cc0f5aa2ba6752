package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// Func makes a [Tool] of a Go function. Args is a struct: the JSON names of its fields
// are the arguments, a field without omitempty is required, and a tag `jsonschema:"..."`
// is the description that the model reads. The text that run returns is the result, for
// the model and for people; its error is for the model, as [ErrExecutionFailed]. run may
// be called concurrently. kind tells policies what the tool does; the zero Kind is
// [KindOther]. The error says why there is no schema for Args.
func Func[Args any](name, description string, kind Kind, run func(ctx context.Context, args Args) (string, error)) (
	Tool, error) {
	if kind == "" {
		kind = KindOther
	}
	inferred, err := jsonschema.For[Args](nil)
	if err != nil {
		return nil, fmt.Errorf("making the tool %s: %w", name, err)
	}
	raw, err := json.Marshal(inferred)
	if err != nil {
		return nil, fmt.Errorf("making the tool %s: %w", name, err)
	}
	schema, err := ParseSchema(raw)
	if err != nil {
		return nil, fmt.Errorf("making the tool %s: %w", name, err)
	}
	if inferred.Type != "object" {
		return nil, fmt.Errorf("making the tool %s: its arguments must be a struct, not %s", name, inferred.Type)
	}
	return New(name, description, schema, Info{DisplayName: name, Kind: kind},
		functionCall[Args]{name: name, run: run}), nil
}

// functionCall is a call of a Go function.
type functionCall[Args any] struct {
	name string
	run  func(context.Context, Args) (string, error)
	args Args
}

// UnmarshalJSON implements [json.Unmarshaler]: the function gets all arguments.
func (c *functionCall[Args]) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &c.args) }

// Intent implements [Invocation]. People read the name and the arguments as JSON.
func (c *functionCall[Args]) Intent() Intent {
	b, err := json.Marshal(c.args)
	if err != nil {
		return Intent{Description: c.name}
	}
	return Intent{Description: c.name + " " + string(b)}
}

// Run implements [Invocation]. The error of the function is found with [errors.Is] and
// [errors.As].
func (c *functionCall[Args]) Run(ctx context.Context) (Result, error) {
	text, err := c.run(ctx, c.args)
	if err != nil {
		return Result{}, Errorf(ErrExecutionFailed, "%w", err)
	}
	return TextResult(text, text), nil
}
