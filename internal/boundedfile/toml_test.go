package boundedfile_test

import (
	"fmt"
	"strings"
	"testing"

	"minigem/internal/boundedfile"

	"github.com/stretchr/testify/assert"
)

// numbered repeats a format with increasing numbers.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestCheckTOML(t *testing.T) {
	t.Parallel()
	const most = boundedfile.MaxTOMLExpressions
	for name, c := range map[string]struct{ text, want string }{
		"nothing":             {"", ""},
		"a command":           {"prompt = \"\"\"\n" + strings.Repeat("[[a = {}\n", 9000) + "\"\"\"\ndescription = 'x'", ""},
		"as many keys":        {numbered(most, "k%d = 1\n"), ""},
		"more keys":           {numbered(most+1, "k%d = 1\n"), "more than 5000 keys and tables"},
		"more tables":         {strings.Repeat("[[rule]]\n", most+1), "more than 5000 keys and tables"},
		"keys inside":         {"a = {" + numbered(most, "k%d = 1, ") + "z = 1}", "more than 5000 keys and tables"},
		"keys deeper inside":  {"a = [{b = [" + strings.Repeat("{c = 1},", most) + "]}]", "more than 5000 keys and tables"},
		"as many parts":       {strings.Repeat("a.", boundedfile.MaxTOMLParts-1) + "b = 1", ""},
		"more parts":          {strings.Repeat("a.", boundedfile.MaxTOMLParts) + "b = 1", "a key has more than 50 parts"},
		"more parts, a table": {"[" + strings.Repeat("a.", boundedfile.MaxTOMLParts) + "b]", "a key has more than 50 parts"},
		"no TOML":             {"a = [", ""}, // the decoder has a better message
	} {
		err := boundedfile.CheckTOML([]byte(c.text))
		if c.want == "" {
			assert.NoError(t, err, name)
			continue
		}
		assert.EqualError(t, err, c.want, name)
	}
}
