package testbed

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRowsAreQuoted: the values of a row arrive unchanged, wherever a case uses them.
func TestRowsAreQuoted(t *testing.T) {
	t.Parallel()
	const nasty = `a 'b' "c" \d | $e ${f}`
	c, err := Parse("x.txtar", []byte("prompt Say ${v}\nfired BeforeTool ${v} reason=${v} stdin='x ${v} y' stdout=\"${v}\"\n-- settings.json --\n{}\n-- rows --\nn|v\n\n# a comment\n1|"+nasty+"\n 2 | two \n-- model --\ncall x {\"a\": \"${v}\", \"b\": \"$v ${w}\"}\ntext ${v}\n"))
	require.NoError(t, err)
	require.Len(t, c.Each(), 2)
	first, second := c.Each()[0], c.Each()[1]
	assert.Equal(t, []string{"x[1 | " + nasty + "]", "x[2 | two]"}, []string{first.Name, second.Name})
	assert.Equal(t, "Say "+nasty, first.Commands[0].Text)
	fired := first.Commands[1]
	assert.Equal(t, []string{"BeforeTool", nasty}, fired.Args)
	assert.Equal(t, []string{nasty, "x " + nasty + " y", nasty}, []string{fired.Conds[0].Value, fired.Conds[1].Value, fired.Conds[2].Value})
	call := first.Rounds[0].Chunks[0].Calls()
	require.Len(t, call, 1)
	assert.Equal(t, map[string]any{"a": nasty, "b": "$v ${w}"}, call[0].Args)
	assert.Equal(t, 2, second.Commands[1].Line, "lines are numbered as in the file")
	plain, err := Parse("x.txtar", []byte("prompt Hi ${v}\n-- settings.json --\n{}\n"))
	require.NoError(t, err)
	assert.Equal(t, "Hi ${v}", plain.Each()[0].Commands[0].Text)
}
