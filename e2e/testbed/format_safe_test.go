package testbed

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/text"
)

// TestFormatsAreInert: in no format can the output of a hook or the content of a file
// affect a terminal or the CI system that reads the log.
func TestFormatsAreInert(t *testing.T) {
	t.Parallel()
	const evil = "\x1b]52;c;aGk=\x07\u202e\u009b2J\r\n::error file=a::b\n  ::add-mask::c\n##[group]d\n##vso[task]e\nnot ok 7 - f\nBail out!\n]]><g>\n"
	s := Summary{Results: []Result{
		{Case: &Case{Name: "a" + evil, Path: "p" + evil}, Failures: []Failure{{Where: "f:1" + evil, Command: "c" + evil, Expected: evil, Actual: evil, Detail: evil}}},
		{Case: &Case{Name: "b"}, Broken: errors.New("f:2: " + evil)},
		{Case: &Case{Name: "c # SKIP"}, Skipped: evil},
	}}
	for _, name := range Formats {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			f := NewFormat(name, &out, true, "")
			for _, r := range s.Results {
				f.Result(r)
			}
			f.Summary(s)
			commands := 0
			for line := range strings.Lines(out.String()) {
				line = strings.TrimSuffix(line, "\n")
				for _, r := range strings.ReplaceAll(line, "\t", "") {
					require.False(t, text.Hides(r), "U+%04X in %q", r, line)
				}
				assert.NotRegexp(t, `##(\[|vso\[)`, line)
				if strings.HasPrefix(strings.TrimSpace(line), "::") {
					commands++
					assert.Equal(t, "github", name, line)
					assert.Regexp(t, `^::error file=`, line)
				}
				if name == "tap" {
					assert.Regexp(t, `^(TAP version 13|1\.\.3|#.*|(not )?ok [123] - [^#\\]*(\\#[^#]*)*( # SKIP .*)?)$`, line)
				}
			}
			shown := "U+202E"
			if name == "json" {
				assert.True(t, json.Valid([]byte(out.String())))
				shown = `\u202e`
			}
			assert.Contains(t, out.String(), shown, "what hides is shown")
			switch name {
			case "github":
				assert.Positive(t, commands, "the annotations of ours are there")
			case "junit":
				d := xml.NewDecoder(strings.NewReader(out.String()))
				for {
					_, err := d.Token()
					if errors.Is(err, io.EOF) {
						break
					}
					require.NoError(t, err)
				}
			}
		})
	}
}

// A name of a file is one line of the report, whatever characters it has, and so is a path
// that a case names.
func TestNamesAreOneLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a\nok      b.txtar")
	require.NoError(t, os.WriteFile(file, []byte("prompt hi\nnot-fired BeforeTool *\n-- settings.json --\n{}\n-- model --\ntext ok\n"), 0o600))
	c, broken := ReadFile(file)
	require.NoError(t, broken)
	assert.NotContains(t, c.Name, "\n")
	assert.Contains(t, c.Name, "ok      b")
}
