package toolstest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/tools"
)

// note is a correct tool, which appends a line to a file, until a fault replaces a part
// of it.
type note struct {
	file    string
	spec    func() llm.ToolSpec
	info    tools.Info
	prepare func(args map[string]any) (tools.Invocation, error)
	intent  func() tools.Intent
	run     func(ctx context.Context) (tools.Result, error)
}

const noteSchema = `{"type": "object", "required": ["text"], "properties": {
  "text": {"type": "string", "description": "The line."},
  "times": {"type": "integer", "description": "How often."}}}`

func newNote(dir string) *note {
	n := &note{file: filepath.Join(dir, "notes"), info: tools.Info{DisplayName: "Note", Kind: tools.KindEdit}}
	n.spec = func() llm.ToolSpec {
		return llm.ToolSpec{Name: "note", Description: "Notes a line.", Parameters: []byte(noteSchema)}
	}
	schema := tools.MustSchema(noteSchema)
	n.prepare = func(args map[string]any) (tools.Invocation, error) {
		if err := schema.Decode(args, &struct{ Text string }{}); err != nil {
			return nil, err
		}
		return noted{n}, nil
	}
	n.intent = func() tools.Intent { return tools.Intent{Description: "a note", Paths: []string{n.file}} }
	n.run = func(ctx context.Context) (tools.Result, error) {
		if ctx.Err() != nil {
			return tools.Result{}, context.Cause(ctx)
		}
		return tools.TextResult("noted", nil), n.write()
	}
	return n
}

func (n *note) write() error { return os.WriteFile(n.file, []byte("more"), 0o600) }

func (n *note) Spec() llm.ToolSpec                                    { return n.spec() }
func (n *note) Info() tools.Info                                      { return n.info }
func (n *note) Prepare(args map[string]any) (tools.Invocation, error) { return n.prepare(args) }

type noted struct{ *note }

func (n noted) Intent() tools.Intent                          { return n.intent() }
func (n noted) Run(ctx context.Context) (tools.Result, error) { return n.run(ctx) }

// recorder records failures instead of a testing.T.
type recorder struct {
	mu       sync.Mutex
	failures []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) FailNow() { runtime.Goexit() }

// failed returns the clauses that the tool breaks.
func failed(c Case) []string {
	var names []string
	for _, clause := range clauses {
		r := &recorder{}
		done := make(chan struct{})
		go func() { // FailNow ends this goroutine
			defer close(done)
			clause.check(r, c)
		}()
		<-done
		if len(r.failures) > 0 {
			names = append(names, clause.name)
		}
	}
	return names
}

// TestFaultsAreCaught checks that a correct tool passes, and that each fault breaks the
// expected clauses.
func TestFaultsAreCaught(t *testing.T) {
	t.Parallel()
	spec := func(change func(*llm.ToolSpec)) func(*note) {
		return func(n *note) {
			s := n.spec()
			change(&s)
			n.spec = func() llm.ToolSpec { return s }
		}
	}
	schema := func(old, new string) func(*note) {
		return spec(func(s *llm.ToolSpec) { s.Parameters = []byte(strings.Replace(noteSchema, old, new, 1)) })
	}
	prepared := func(change func(n *note, args map[string]any) error) func(*note) {
		return func(n *note) {
			sound := n.prepare
			n.prepare = func(args map[string]any) (tools.Invocation, error) {
				inv, err := sound(args)
				if err == nil {
					err = change(n, args)
				}
				if err != nil {
					return nil, err
				}
				return inv, nil
			}
		}
	}
	runs := func(res tools.Result, err error) func(*note) {
		return func(n *note) { n.run = func(context.Context) (tools.Result, error) { return res, err } }
	}
	for _, tt := range []struct {
		name  string
		fault func(*note)
		want  string
	}{
		{"none", func(*note) {}, ""},
		{"a failure with a type", runs(tools.Result{}, tools.Errorf(tools.ErrShell, "no")), ""},
		// The declaration
		{"no name", spec(func(s *llm.ToolSpec) { s.Name = "" }), "declaration"},
		{"a name that the API refuses", spec(func(s *llm.ToolSpec) { s.Name = "my note" }), "declaration"},
		{"no description", spec(func(s *llm.ToolSpec) { s.Description = "" }), "declaration"},
		{"no display name", func(n *note) { n.info.DisplayName = "" }, "declaration"},
		{"an unknown kind", func(n *note) { n.info.Kind = "writing" }, "declaration"},
		{"a declaration that changes", func(n *note) {
			var calls atomic.Int64
			n.spec = func() llm.ToolSpec {
				return llm.ToolSpec{Name: "note", Description: fmt.Sprint(calls.Add(1)), Parameters: []byte(noteSchema)}
			}
		}, "declaration"},
		{"a property that is not described", schema("The line.", ""), "declaration"},
		{"a schema that refuses the call", schema(`"string"`, `"integer"`), "declaration, wrong arguments"},
		{"a schema of no object", schema(`"object"`, `"array"`), "declaration"},
		{"no JSON", schema("{", ""), "declaration, wrong arguments"},
		// Wrong arguments
		{"arguments that are not checked", func(n *note) {
			n.prepare = func(map[string]any) (tools.Invocation, error) { return noted{n}, nil }
		}, "wrong arguments"},
		{"an error without a type", func(n *note) {
			sound := n.prepare
			n.prepare = func(args map[string]any) (tools.Invocation, error) {
				if _, err := sound(args); err != nil {
					return nil, errors.New(err.Error())
				}
				return noted{n}, nil
			}
		}, "wrong arguments"},
		{"a call next to the error", func(n *note) {
			sound := n.prepare
			n.prepare = func(args map[string]any) (tools.Invocation, error) { _, err := sound(args); return noted{n}, err }
		}, "wrong arguments"},
		// Preparing
		{"preparing that writes", prepared(func(n *note, _ map[string]any) error { return n.write() }), "preparing changes nothing"},
		{"preparing that changes a mode", prepared(func(n *note, _ map[string]any) error { return os.Chmod(filepath.Dir(n.file), 0o750) }), "preparing changes nothing"},
		{"preparing that changes the arguments", prepared(func(_ *note, args map[string]any) error { args["text"] = "y"; return nil }), "preparing changes nothing"},
		{"an intent that writes", func(n *note) {
			n.intent = func() tools.Intent { _ = n.write(); return tools.Intent{Description: "d"} }
		}, "preparing changes nothing"},
		{"an intent that changes", func(n *note) {
			var calls atomic.Int64
			n.intent = func() tools.Intent { return tools.Intent{Description: fmt.Sprint(calls.Add(1))} }
		}, "preparing changes nothing"},
		{"an intent without a word", func(n *note) { n.intent = func() tools.Intent { return tools.Intent{} } }, "preparing changes nothing"},
		{"a relative path", func(n *note) {
			n.intent = func() tools.Intent { return tools.Intent{Description: "d", Paths: []string{"notes"}} }
		}, "preparing changes nothing"},
		{"a call that is refused", prepared(func(*note, map[string]any) error { return tools.Errorf(tools.ErrInvalidParams, "no") }),
			"preparing changes nothing, context, result"},
		// The context
		{"deaf to its context", func(n *note) {
			n.run = func(context.Context) (tools.Result, error) { return tools.Result{}, n.write() }
		}, "context"},
		{"runs on", func(n *note) {
			sound := n.run
			n.run = func(ctx context.Context) (tools.Result, error) {
				if ctx.Err() != nil {
					select {}
				}
				return sound(ctx)
			}
		}, "context"},
		{"another error when its context is over", func(n *note) {
			n.run = func(ctx context.Context) (tools.Result, error) {
				if ctx.Err() != nil {
					return tools.Result{}, errors.New("broken pipe")
				}
				return tools.Result{}, nil
			}
		}, "context"},
		// The result
		{"a failure without a type", runs(tools.Result{}, os.ErrNotExist), "context, result"},
		{"a failure without words", runs(tools.Result{}, &tools.Error{Type: tools.ErrShell}), "result"},
		{"too much", runs(tools.TextResult(strings.Repeat("x", MaxText+1), nil), nil), "result"},
		{"a blob of no type", runs(tools.Result{Parts: []llm.Part{llm.Blob{Data: []byte("x")}}}, nil), "result"},
		{"a call for a result", runs(tools.Result{Parts: []llm.Part{llm.ToolCall{Name: "x"}}}, nil), "result"},
		{"a display that is not JSON", runs(tools.TextResult("x", make(chan int)), nil), "result"},
		{"data that are not JSON", runs(tools.Result{Data: map[string]any{"f": func() {}}}, nil), "result"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "notes"), nil, 0o600))
			n := newNote(dir)
			tt.fault(n)
			c := Case{Tool: n, Args: map[string]any{"text": "x"}, Dir: dir}
			if tt.name == "runs on" {
				c.patience = 100 * time.Millisecond
			}
			assert.Equal(t, tt.want, strings.Join(failed(c), ", "))
		})
	}
}
