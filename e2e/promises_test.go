package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/hookstest"
)

// promise is one line of docs/PROMISES.md.
type promise struct {
	number string
	words  string
	proofs []string
}

var promiseLine = regexp.MustCompile(`(?m)^\| (\d+\.\d+) \| (.*?) \| (.*?) \|$`)

func promises(t *testing.T) []promise {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "docs", "PROMISES.md"))
	require.NoError(t, err)
	var all []promise
	for _, m := range promiseLine.FindAllStringSubmatch(string(page), -1) {
		p := promise{number: m[1], words: m[2]}
		for proof := range strings.SplitSeq(m[3], "; ") {
			p.proofs = append(p.proofs, strings.TrimSpace(proof))
		}
		all = append(all, p)
	}
	return all
}

// TestEveryPromiseHasItsProof: each line of the page has a number of its own, in
// order, and what it names as its proof is there.
func TestEveryPromiseHasItsProof(t *testing.T) {
	t.Parallel()
	all := promises(t)
	require.Greater(t, len(all), 120)
	section, n := 0, 0
	for i, p := range all {
		next := fmt.Sprintf("%d.%d", section, n+1)
		if i > 0 && p.number != next {
			section, n = section+1, 0
			next = fmt.Sprintf("%d.1", section)
		}
		n++
		require.Equal(t, next, p.number, "the numbers go on")
		assert.NotEmpty(t, p.words, p.number)
		for _, proof := range p.proofs {
			assert.True(t, isThere(t, proof), "%s (%s): there is no %q", p.number, p.words, proof)
		}
	}
}

// isThere reports whether a proof exists. A test of another system, or with a
// build tag, is one too.
func isThere(t *testing.T, proof string) bool {
	t.Helper()
	kind, name, _ := strings.Cut(proof, " ")
	switch kind {
	case "none:":
		return name != ""
	case "case":
		return name != "" && slices.ContainsFunc(hookstest.Cases(), func(c hookstest.Case) bool { return strings.HasPrefix(c.Name, name) })
	case "testbed", "script":
		dir := map[string]string{"testbed": "cases", "script": "script"}[kind]
		_, err := os.Stat(filepath.Join("testdata", dir, name+".txtar"))
		return err == nil
	}
	dot := strings.LastIndexByte(proof, '.')
	if dot < 0 {
		return false
	}
	files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(proof[:dot]), "*_test.go"))
	require.NoError(t, err)
	return slices.ContainsFunc(files, func(file string) bool {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		name := "\nfunc " + proof[dot+1:]
		return strings.Contains(string(source), name+"(t *testing.T) {") || strings.Contains(string(source), name+"(f *testing.F) {")
	})
}
