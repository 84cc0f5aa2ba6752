// Package toolstest is the contract of tools.Tool as a test: every implementation passes
// it. What a single tool does is for its own tests.
//
//	toolstest.Run(t, toolstest.Case{Tool: add, Args: map[string]any{"a": 2, "b": 2}})
package toolstest

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/tools"
)

// MaxText is the most bytes that the parts of a result may have: more than any tool's own
// limit, and not more than a model can be sent.
const MaxText = 32 << 20

// Case is a tool and a call that it accepts.
type Case struct {
	// Tool is checked, and its call is run.
	Tool tools.Tool
	// Args are valid arguments. They must not change.
	Args map[string]any
	// Dir is what the tool could change, with everything below it: preparing must leave
	// it as it is. Empty means nothing.
	Dir string

	// how long a tool is waited for after its context has ended; 0 means as long as go
	// test allows
	patience time.Duration
}

// kinds are all kinds that a tool may have.
var kinds = []tools.Kind{tools.KindRead, tools.KindEdit, tools.KindDelete, tools.KindMove, tools.KindSearch,
	tools.KindExecute,
	tools.KindThink, tools.KindAgent, tools.KindFetch, tools.KindCommunicate, tools.KindPlan, tools.KindSwitchMode,
	tools.KindOther}

// clauses are the contract, in the order in which it is checked.
var clauses = []struct {
	name  string
	check func(require.TestingT, Case)
}{
	{"declaration", declaration},
	{"wrong arguments", wrongArguments},
	{"preparing changes nothing", preparing},
	{"context", obeysContext},
	{"result", result},
}

// Run checks c, one subtest a clause: the declaration, wrong arguments, that preparing
// changes nothing and is safe for concurrent use, that the tool obeys its context, and
// the form of the result. The call is run once with a context that is over and once with
// a good one.
func Run(t *testing.T, c Case) {
	t.Helper()
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) { clause.check(t, c) })
	}
}

// declaration checks Spec and Info: names, descriptions, and that the schema accepts the
// call.
func declaration(t require.TestingT, c Case) {
	spec, info := c.Tool.Spec(), c.Tool.Info()
	assert.Equal(t, spec, c.Tool.Spec(), "the declaration is always the same")
	assert.Regexp(t, regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$`), spec.Name)
	assert.NotEmpty(t, spec.Description)
	assert.NotEmpty(t, info.DisplayName)
	assert.Contains(t, kinds, info.Kind)
	s := schemaOf(t, c)
	assert.Equal(t, "object", s.Type)
	for name, property := range s.Properties {
		assert.NotEmpty(t, property.Description, "the model is told what %s is", name)
	}
	resolved, err := s.Resolve(nil)
	require.NoError(t, err)
	assert.NoError(t, resolved.Validate(c.Args), "the schema accepts the call")
}

// schemaOf returns the schema of the tool's arguments, which must be one.
func schemaOf(t require.TestingT, c Case) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	require.NoError(t, json.Unmarshal(c.Tool.Spec().Parameters, s))
	return s
}

// wrongArguments leaves out what is required and gives every property values
// of other types.
func wrongArguments(t require.TestingT, c Case) {
	s := schemaOf(t, c)
	for _, name := range s.Required {
		args := maps.Clone(c.Args)
		delete(args, name)
		requireInvalid(t, c.Tool, args, "params must have required property '"+name+"'")
	}
	for name, property := range s.Properties {
		for kind, value := range map[string]any{"string": "x", "integer": 7, "boolean": true, "array": []any{},
			"object": map[string]any{}, "null": nil} {
			if kind == property.Type || kind == "integer" && property.Type == "number" || property.Type == "" {
				continue
			}
			args := maps.Clone(c.Args)
			if args == nil {
				args = map[string]any{}
			}
			args[name] = value
			requireInvalid(t, c.Tool, args, "params/"+name+" must be "+property.Type)
		}
	}
}

// requireInvalid checks that Prepare refuses args with AJV's text.
func requireInvalid(t require.TestingT, tool tools.Tool, args map[string]any, text string) {
	inv, err := tool.Prepare(args)
	var e *tools.Error
	require.ErrorAs(t, err, &e, "%v", args)
	assert.Nil(t, inv)
	assert.Equal(t, tools.ErrInvalidParams, e.Type)
	assert.Equal(t, text, e.Message)
}

// preparing is done from several goroutines: tools are safe for concurrent use.
func preparing(t require.TestingT, c Case) {
	before, args := tree(t, c.Dir), copied(t, c.Args)
	_, err := c.Tool.Prepare(c.Args)
	require.NoError(t, err)
	require.Equal(t, args, copied(t, c.Args), "the arguments are the caller's")
	var all sync.WaitGroup
	intents := make([]tools.Intent, 4)
	for i := range intents {
		all.Go(func() {
			if inv, err := c.Tool.Prepare(c.Args); assert.NoError(t, err) {
				intents[i] = inv.Intent()
				assert.Equal(t, intents[i], inv.Intent(), "an intent does not change")
			}
		})
	}
	all.Wait()
	for _, in := range intents {
		assert.Equal(t, intents[0], in)
		assert.NotEmpty(t, in.Description)
		for _, p := range in.Paths {
			assert.True(t, filepath.IsAbs(p), p)
		}
	}
	assert.Equal(t, before, tree(t, c.Dir))
}

// obeysContext runs the call with a context that is over: nothing may change.
func obeysContext(t require.TestingT, c Case) {
	before := tree(t, c.Dir)
	inv, err := c.Tool.Prepare(c.Args)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	back := make(chan error, 1)
	go func() {
		_, err := inv.Run(ctx)
		back <- err
	}()
	var late <-chan time.Time
	if c.patience > 0 {
		late = time.After(c.patience)
	}
	select {
	case err = <-back:
	case <-late:
		require.Fail(t, "the tool runs on though its context is over")
	}
	var e *tools.Error
	if err != nil && !errors.As(err, &e) {
		assert.ErrorIs(t, err, context.Canceled)
	}
	assert.Equal(t, before, tree(t, c.Dir), "nothing is done when the context is over")
}

// result runs the call and checks the form of what it returns; an Error is fine.
func result(t require.TestingT, c Case) {
	inv, err := c.Tool.Prepare(c.Args)
	require.NoError(t, err)
	res, err := inv.Run(context.Background())
	if err != nil {
		var e *tools.Error
		require.ErrorAs(t, err, &e)
		assert.NotEmpty(t, e.Type)
		assert.NotEmpty(t, e.Message)
		return
	}
	size := 0
	for _, p := range res.Parts {
		switch p := p.(type) {
		case llm.Text:
			size += len(p.Text)
		case llm.Blob:
			size += len(p.Data)
			assert.NotEmpty(t, p.MIMEType)
		default:
			t.Errorf("a result has no parts of type %T", p)
		}
	}
	assert.LessOrEqual(t, size, MaxText)
	_, err = json.Marshal(res.Display)
	assert.NoError(t, err)
	_, err = json.Marshal(res.Data)
	assert.NoError(t, err)
}

// copied returns args as JSON, to find changes.
func copied(t require.TestingT, args map[string]any) string {
	b, err := json.Marshal(args)
	require.NoError(t, err)
	return string(b)
}

// tree returns everything below dir: names, modes, contents of files.
func tree(t require.TestingT, dir string) []string {
	if dir == "" {
		return nil
	}
	var all []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		line := path + " " + info.Mode().String()
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += " " + string(b)
		}
		all = append(all, line)
		return nil
	}))
	slices.Sort(all)
	return all
}
