package hookstest_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestContract runs the contract without processes. TestCasesWithProcesses runs
// the same cases with them.
func TestContract(t *testing.T) {
	t.Parallel()
	for _, c := range contract() {
		t.Run(string(c.Event)+"/"+c.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { c.check(t, fake) })
		})
	}
}

func TestContractIsLarge(t *testing.T) {
	t.Parallel()
	cases := contract()
	assert.GreaterOrEqual(t, len(cases), 600)
	seen := map[string]bool{}
	for _, c := range cases {
		key := string(c.Event) + "/" + c.Name
		require.False(t, seen[key], "two cases are called %s", key)
		seen[key] = true
	}
}
