package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var link = regexp.MustCompile(`\[([^\]]+)\]\(([^)#]+)\)`)

// TestDocsLinks checks that each link in the docs leads to a file. If its text is a
// name, as in [Agent.Run](../agent/agent.go), that file must declare it.
func TestDocsLinks(t *testing.T) {
	docs, err := filepath.Glob(filepath.Join(root(t), "docs", "*.md"))
	require.NoError(t, err)
	docs = append(docs, filepath.Join(root(t), "README.md"), filepath.Join(root(t), "CONTRIBUTING.md"))
	for _, doc := range docs {
		data, err := os.ReadFile(doc)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(data), -1) {
			name, target := m[1], m[2]
			if strings.Contains(target, "://") {
				continue
			}
			path := filepath.Join(filepath.Dir(doc), filepath.FromSlash(target))
			if _, err := os.Stat(path); !assert.NoError(t, err, "%s links to %s", filepath.Base(doc), target) || !strings.HasSuffix(target, ".go") {
				continue
			}
			source, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.True(t, declares(string(source), name), "%s: %s is not declared in %s", filepath.Base(doc), name, target)
		}
	}
}

// declares reports whether source declares the last dotted part of name. A text that is
// not an identifier, such as the name of a file or folder, is just a link.
func declares(source, name string) bool {
	name = name[strings.LastIndex(name, ".")+1:]
	if !regexp.MustCompile(`^[A-Za-z_]\w*$`).MatchString(name) || name == "go" || strings.Contains(name, "/") {
		return true
	}
	decl := regexp.MustCompile(`(?m)^(func (\([^)]*\) )?` + name + `[\[(]|type ` + name + `\b|\t` + name + `\s|(var|const) ` + name + `\b)`)
	return decl.MatchString(source)
}
