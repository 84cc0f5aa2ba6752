package tools_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools"
	"minigem/tools/toolstest"
)

type greeting struct {
	Name  string `json:"name" jsonschema:"whom to greet"`
	Loud  bool   `json:"loud,omitempty" jsonschema:"shout"`
	Again int    `json:"again,omitempty" jsonschema:"how often"`
}

func TestFunc(t *testing.T) {
	t.Parallel()
	greet := func(_ context.Context, g greeting) (string, error) {
		if g.Loud {
			return "", errors.New("not so loud")
		}
		return "Hello, " + g.Name, nil
	}
	tool, err := tools.Func("greet", "Greets.", "", greet)
	require.NoError(t, err)
	assert.Equal(t, tools.KindOther, tool.Info().Kind)
	assert.Contains(t, string(tool.Spec().Parameters), "whom to greet")
	toolstest.Run(t, toolstest.Case{Tool: tool, Args: map[string]any{"name": "Ada"}, Dir: t.TempDir()})

	_, err = tool.Prepare(map[string]any{})
	require.ErrorContains(t, err, "'name'")
	inv, err := tool.Prepare(map[string]any{"name": "Ada", "loud": true})
	require.NoError(t, err)
	assert.Equal(t, `greet {"name":"Ada","loud":true}`, inv.Intent().Description)
	_, err = inv.Run(t.Context())
	var e *tools.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, tools.ErrExecutionFailed, e.Type)

	_, err = tools.Func("f", "", "", func(context.Context, string) (string, error) { return "", nil })
	require.ErrorContains(t, err, "must be a struct")
	_, err = tools.Func("f", "", "", func(context.Context, struct{ F func() }) (string, error) { return "", nil })
	require.Error(t, err)
}
