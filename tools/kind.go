package tools

import "minigem/llm"

// CallOf is the type of the calls of a tool: a pointer to a C.
type CallOf[C any] interface {
	*C
	Invocation
}

// kind is a [Tool] whose calls are of the type P.
type kind[C any, P CallOf[C]] struct {
	name, description string
	schema            *Schema
	info              Info
	begin             C
}

// New makes a [Tool] of a type of calls. Each call is a copy of begin, which holds what
// the tool works with and the defaults, and into which the arguments are decoded by their
// json tags. If *C is a [Completer], it has a say in what is valid. What arguments must
// not set belongs into fields that are not exported.
func New[C any, P CallOf[C]](name, description string, schema *Schema, info Info, begin C) Tool {
	return &kind[C, P]{name, description, schema, info, begin}
}

// Completer is an [Invocation] of a tool that [New] made.
type Completer interface {
	// Complete is called with the arguments once they are decoded. It checks what the
	// schema cannot say, and works out what Run needs. Its error is that of Prepare.
	Complete(args map[string]any) error
}

// Spec implements [Tool].
func (k *kind[C, P]) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: k.name, Description: k.description, Parameters: k.schema.JSON()}
}

// Info implements [Tool].
func (k *kind[C, P]) Info() Info { return k.info }

// Prepare implements [Tool].
func (k *kind[C, P]) Prepare(args map[string]any) (Invocation, error) {
	begun := k.begin
	call := P(&begun)
	err := k.schema.Decode(args, call)
	if c, ok := any(call).(Completer); ok && err == nil {
		err = c.Complete(args)
	}
	if err != nil {
		return nil, err
	}
	return call, nil
}
