package app

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
)

// The problems of one file fit on a screen, and do not hide those of another.
func TestHookProblemsAreCounted(t *testing.T) {
	t.Parallel()
	c := &Configuration{}
	for i := range 500 {
		c.Hooks.Problems = append(c.Hooks.Problems, hooks.Problem{File: "/a", Line: i + 1, Text: fmt.Sprint("p", i)})
	}
	c.Hooks.Problems = append(c.Hooks.Problems, hooks.Problem{File: "/b", Text: "q"})
	told := c.HookProblems()
	require.Len(t, told, 22)
	assert.Equal(t, []string{"/a:20: p19", "/b: q", "/a: and 480 more; minigem hooks lint shows them all"}, told[19:])
}
