package boundedfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"minigem/internal/boundedfile"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A large file that cannot be JSON is rejected before it is read into memory, and one
// that is JSON never is.
func TestReadJSON(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 9<<20)
	for name, c := range map[string]struct{ text, want string }{
		"small, for a parser to judge": {"\x00", ""},
		"a string":                     {`{"a": "` + large + `\" \\"}` + "\n", ""},
		"many values":                  {`{"a": [` + strings.Repeat(`-1.5e+3, true,null , {"b" :[]},`, 300_000) + "0]}", ""},
		"white space":                  {strings.Repeat(" \r\n\t", 3<<20) + "[]", ""},
		"zeros":                        {strings.Repeat("\x00", 9<<20), "not valid JSON: byte 1"},
		"a word":                       {"{" + large, "not valid JSON: byte 65"},
		"no value":                     {"[" + strings.Repeat("é", 5<<20), "not valid JSON: byte 2"},
		"a line end in a string":       {`{"` + large + "\n", "not valid JSON: byte 9437187"},
		"cut in a string":              {`{"` + large, "it ends in the middle"},
		"cut in lists":                 {strings.Repeat("[", 9<<20), "it ends in the middle"},
		"closed too often":             {"[" + strings.Repeat(" ", 9<<20) + "]]", "not valid JSON: byte 9437187"},
		"more behind":                  {"[]" + large, "not valid JSON: byte 3"},
		"a string alone":               {`"` + large + `"`, "not valid JSON: byte 1"},
		"nothing but white space":      {strings.Repeat(" ", 9<<20), "it ends in the middle"},
	} {
		path := filepath.Join(t.TempDir(), "f")
		require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
		data, err := boundedfile.ReadJSON(path, boundedfile.Recorded)
		if c.want == "" {
			require.NoError(t, err, name)
			assert.Equal(t, len(c.text), len(data), name)
			continue
		}
		assert.ErrorIs(t, err, boundedfile.ErrNotJSON, name)
		assert.ErrorContains(t, err, c.want, name)
	}
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(path, []byte("[1, 2]"), 0o600))
	_, err := boundedfile.ReadJSON(path, 5)
	assert.ErrorIs(t, err, boundedfile.ErrTooLarge)
}
