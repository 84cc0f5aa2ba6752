package docs_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the generated pages")

// generated compares the page called name with fresh, or writes it with -update.
func generated(t *testing.T, name, fresh string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(fresh), 0o644))
		return
	}
	page, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.True(t, fresh == string(page), "docs/%s is not up to date: run go generate ./docs", name)
}
