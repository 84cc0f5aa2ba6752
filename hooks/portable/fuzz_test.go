package portable_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/agents"
	"minigem/hooks/portable"
	"minigem/hooks/protocol"
)

// FuzzRead checks that, whatever an agent sends, hooks read JSON, a refusal of a call
// prevents it, and silence changes nothing.
func FuzzRead(f *testing.F) {
	file, err := os.Open("testdata/payloads.jsonl")
	require.NoError(f, err)
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var r recorded
		require.NoError(f, json.Unmarshal(lines.Bytes(), &r))
		f.Add([]byte(r.Stdin))
	}
	require.NoError(f, file.Close())
	f.Add([]byte(`{"hook_event_name":"PreToolUse","turn_id":"","tool_name":"apply_patch","tool_input":{"command":"*** Move to: \n+\n*** Update File: \n"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := portable.Read(data, portable.Options{})
		if err != nil {
			return
		}
		var refuse, silent []protocol.Output
		for _, payload := range c.Payloads(protocol.Claude()) {
			assert.True(t, json.Valid(payload), "%q", payload)
			refuse, silent = append(refuse, protocol.Output{}), append(silent, protocol.Output{})
		}
		point := c.Agent.PointOf(c.Native)
		if point != agents.BeforeTool || !c.Agent.Reads(point) {
			return
		}
		refuse[len(refuse)-1] = protocol.DenyBecause("no")
		for _, x := range []struct {
			outs     []protocol.Output
			prevents bool
		}{{refuse, true}, {silent, false}} {
			s := c.Answer(x.outs...)
			assert.Equal(t, x.prevents, c.Agent.Read(agents.Answer{Point: point, Exit: s.Exit, Stdout: s.Stdout, Stderr: s.Stderr}).Prevents(), "%s: %+v", data, s)
		}
	})
}
