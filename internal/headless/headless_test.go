package headless

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent"
	"minigem/internal/exit"
)

// TestEveryEndingIsDecided checks that a run that ended before its answer was complete
// never succeeds. A new ending must be decided here before it is used.
func TestEveryEndingIsDecided(t *testing.T) {
	t.Parallel()
	codes := map[string]int{
		"Answered": exit.OK, "Blocked": exit.OK, "Stopped": exit.OK, // or --blocked-exit-code
		"MaxTurns": exit.TurnLimit, "MaxRounds": exit.TurnLimit, "Loop": exit.TurnLimit,
		"Cancelled": exit.Interrupted, "InvalidStream": exit.Failed, "Failed": exit.Failed,
	}
	endings := map[string]agent.Ending{}
	file, err := parser.ParseFile(token.NewFileSet(), "../../agent/ports.go", nil, 0)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			if typ, ok := v.Type.(*ast.Ident); ok && typ.Name == "Ending" {
				text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				require.NoError(t, err)
				endings[v.Names[0].Name] = agent.Ending(text)
			}
		}
		return true
	})
	require.Len(t, endings, len(codes))
	for name, ending := range endings {
		require.Contains(t, codes, name)
		err := EndingError(t.Context(), agent.Result{Ending: ending, Reason: "the reason", Err: errors.New("the cause")})
		failure, code := FailureOf(err)
		assert.Equal(t, codes[name], code, name)
		if code != exit.OK {
			require.NotNil(t, failure, name)
			assert.NotEmpty(t, failure.Message, name)
		}
	}
}
