package redact

import (
	"math/rand/v2"
	"os"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"
)

// TestAgainstGitleaks makes texts from every rule of gitleaks and counts those that
// Text does not change. MINIGEM_GITLEAKS is the path of gitleaks.toml.
func TestAgainstGitleaks(t *testing.T) {
	t.Parallel()
	path := os.Getenv("MINIGEM_GITLEAKS")
	if path == "" {
		t.Skip("MINIGEM_GITLEAKS is not the path of a gitleaks.toml")
	}
	var file struct {
		Rules []struct{ ID, Regex string }
	}
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, toml.Unmarshal(data, &file))
	r := rand.New(rand.NewPCG(1, 2))
	const each = 50
	kinds, found := 0, 0
	for _, rule := range file.Rules {
		if rule.Regex == "" {
			continue
		}
		kinds++
		tree, err := syntax.Parse(rule.Regex, syntax.Perl)
		require.NoError(t, err)
		left, example := 0, ""
		for range each {
			var b strings.Builder
			matchOf(r, tree, &b)
			value := regexp.MustCompile(`[\r\n]+`).ReplaceAllString(b.String(), " ")
			if masked, _ := Text(value); masked == value {
				left, example = left+1, value
			}
		}
		if left <= each/10 {
			found++
			continue
		}
		t.Logf("%-40s %3d of %d stay, such as %s", rule.ID, left, each, example)
	}
	t.Logf("%d of %d kinds are found", found, kinds)
}
