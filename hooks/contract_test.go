package hooks_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/hookstest"
)

// TestContract runs the contract without processes; hooks/command runs the same
// cases with them.
func TestContract(t *testing.T) {
	t.Parallel()
	for _, c := range hookstest.Cases() {
		t.Run(string(c.Event)+"/"+c.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { c.Check(t, hookstest.Fake) })
		})
	}
}

func TestContractIsLarge(t *testing.T) {
	t.Parallel()
	cases := hookstest.Cases()
	assert.GreaterOrEqual(t, len(cases), 250)
	seen := map[string]bool{}
	for _, c := range cases {
		key := string(c.Event) + "/" + c.Name
		require.False(t, seen[key], "two cases are called %s", key)
		seen[key] = true
	}
}
