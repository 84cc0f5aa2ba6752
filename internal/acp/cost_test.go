package acp

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	acp "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/costtest"
	"minigem/internal/thorough"
	"minigem/internal/waittest"
)

// TestSessionsCostTheSame checks that a chunk, a prompt and a message of a loaded
// session allocate as much in a long session as in a short one.
func TestSessionsCostTheSame(t *testing.T) { // not parallel: it counts what the process allocates
	chunked := func(n int) string {
		chunk := func(text, finish string) map[string]any {
			return map[string]any{"candidates": []any{map[string]any{"finishReason": finish,
				"content": map[string]any{"role": "model", "parts": []any{map[string]any{"text": text}}}}}}
		}
		var all []any
		for i := range n {
			all = append(all, chunk(fmt.Sprintf("%d is word %d; ", i*7919, i), ""))
		}
		b, err := json.Marshal(map[string]any{"method": "generateContentStream", "response": append(all, chunk("end", "STOP"))})
		require.NoError(t, err)
		return string(b)
	}
	t.Run("chunks", func(t *testing.T) {
		costtest.Linear(t, func(n int) {
			e := startEditor(t, `{}`, chunked(n))
			assert.Equal(t, acp.StopReasonEndTurn, e.prompt(e.session(), "go"))
			require.NoError(t, e.hang())
		}, 100, 1_000, 5_000)
	})
	talk := func(n int) (*editor, acp.SessionId) {
		e := startEditor(t, `{}`, slices.Repeat([]string{says("I see.")}, n)...)
		id := e.session()
		for i := range n {
			e.prompt(id, fmt.Sprint("question ", i))
		}
		require.NoError(t, e.hang())
		return e, id
	}
	t.Run("prompts", func(t *testing.T) {
		costtest.Linear(t, func(n int) { talk(n) }, []int{10, 100, 1_000, 10_000}[:thorough.Times(3, 4)]...)
	})
	t.Run("load", func(t *testing.T) {
		editors, ids := map[int]*editor{}, map[int]acp.SessionId{}
		sizes := []int{10, 100, 1_000} // more overrun the queue of the SDK that is the editor here
		for _, n := range sizes {
			editors[n], ids[n] = talk(n)
		}
		costtest.Linear(t, func(n int) {
			e := editors[n]
			e.serve(says("unused"))
			_, err := e.conn.LoadSession(waittest.Context(t), acp.LoadSessionRequest{SessionId: ids[n], Cwd: e.dir,
				McpServers: []acp.McpServer{}})
			require.NoError(t, err)
			e.waitFor(fmt.Sprint("question ", n-1))
			require.NoError(t, e.hang())
		}, sizes...)
	})
}
