package e2e

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLinkerPrunes: code that calls a method by a name known only at run time makes the
// linker keep every exported method of every type, 6 MB of this binary. The most likely
// cause is text/template, for example through a template of cobra. The function table of
// the binary shows whether it is linked.
func TestLinkerPrunes(t *testing.T) {
	t.Parallel()
	info, err := buildinfo.ReadFile(binary)
	require.NoError(t, err)
	pruned := false
	for _, s := range info.Settings {
		pruned = pruned || s.Key == "-tags" && strings.Contains(s.Value, "grpcnotrace")
	}
	if !pruned {
		t.Skip("MINIGEM_BINARY was built without -tags grpcnotrace: gRPC's own traces use html/template")
	}
	data, err := os.ReadFile(binary)
	require.NoError(t, err)
	require.True(t, bytes.Contains(data, []byte("minigem/agent.(*Agent).Run")), "the table of functions is not readable")
	assert.False(t, bytes.Contains(data, []byte("text/template.(*state).evalField")),
		"text/template is linked: find out by whom with go build -ldflags=-dumpdep, and look for <ReflectMethod>")
	assert.False(t, bytes.Contains(data, []byte("golang.org/x/net/trace.")), "so is the package of gRPC's traces")
}
