package e2e

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPageOfHooks follows docs/HOOKS.md, section "The first hook", in an empty folder and
// compares the output of the commands. A line "..." matches any number of lines.
func TestPageOfHooks(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../docs/HOOKS.md")
	require.NoError(t, err)
	reader := newTerminal(t)
	played := 0
	for _, b := range blocks(string(data)) {
		if b.section != "The first hook" {
			continue
		}
		if b.lang != "console" {
			names := named.FindAllStringSubmatch(b.intro, -1)
			require.NotEmpty(t, names, b.intro)
			reader.write(t, names[len(names)-1][1], b.text)
			continue
		}
		for _, c := range strings.Split("\n"+b.text, "\n$ ")[1:] {
			command, printed, _ := strings.Cut(c, "\n")
			seen, _ := reader.types(t, command)
			pattern := "^"
			for line := range strings.Lines(printed) {
				if strings.TrimSpace(line) == "..." {
					pattern += `(?:.*\n)*?`
				} else {
					pattern += regexp.QuoteMeta(line)
				}
			}
			assert.Regexp(t, pattern+"$", seen, "docs/HOOKS.md:%d: $ %s", b.line, command)
			played++
		}
	}
	assert.Equal(t, 3, played)
}
