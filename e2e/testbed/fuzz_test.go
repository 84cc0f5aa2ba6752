package testbed

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzCase: a case file is parsed, or each mistake in it is reported with its line.
func FuzzCase(f *testing.F) {
	for _, text := range []string{
		"# A title\nprompt 'Fix \"it\"'\nhook BeforeTool count=1\n! tool write_file path~x\n-- model --\ntext a\ncall write_file {\"file_path\": \"x\"}\n---\nfail 503\ntokens 5\n-- settings.json --\n{}\n-- want/x --\n",
		"prompt a\n-- model.responses --\n{\"method\":\"generateContent\",\"response\":{}}\n", "-- ../x --\n-- a --\n-- a --\n", "prompt \"\nanswer ~(\n", "", "-- model --\ncall x {\n",
		"prompt a\n-- hooks --\n{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash|(\", \"hooks\": [{\"type\": \"command\", \"command\": \"x\", \"timeout\": 1e300}, 1]}]}}\n",
		"prompt a\n-- hooks --\n{\"spec\": \"hooks/0.1\", \"hooks\": [{\"event\": \"after_tool_execute\", \"matcher\": [\"shell\", {\"pattern\": \"(\"}], \"handler\": {\"type\": \"command\", \"command\": \"x\"}}]}\n",
		"start\n-- settings.json --\n{}\n-- model --\nshell \"a\nwrite 'a b' <<E\n\n---\n#\nE\nedit a \"x\" ''\nread \"\\n\"\nsearch a\n\nwrite a <<E\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("/c.txtar", data)
		last := strings.Count(string(data), "\n") + 1
		if err != nil {
			checkPlaces(t, err, last)
			return
		}
		require.NotEmpty(t, c.Commands)
		for _, cmd := range c.Commands {
			require.Positive(t, cmd.Line)
			require.LessOrEqual(t, cmd.Line, last)
			require.NotNil(t, cmd.verb)
		}
		for _, s := range c.files {
			require.NotContains(t, strings.Split(s.name, "/"), "..")
		}
	})
}

func checkPlaces(t *testing.T, err error, last int) {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range list.Unwrap() {
			checkPlaces(t, e, last)
		}
		return
	}
	var at *SyntaxError
	if errors.As(err, &at) {
		require.Positive(t, at.Line, "%v", err)
		require.LessOrEqual(t, at.Line, last+1, "%v", err)
		return
	}
	require.Contains(t, err.Error(), "/c.txtar:", "%v", err)
}
