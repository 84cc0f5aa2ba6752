package lint_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/author/lint"
	"minigem/hooks/config"
)

// FuzzRun checks that, for any settings file, each finding has a code, a text and a
// line of that file.
func FuzzRun(f *testing.F) {
	for _, text := range []string{
		`{"hooks":{"BeforeTool":[{"matcher":"(","hooks":[{"type":"command","command":"echo '{\"decision\":\"dny\"}'; exit 2","timeout":1}]}],"X":[]}}`, "{\n\"hooks\": {\n\"PreToolUse\": [5]}}", `{"hooks":{"AfterTool":{}}}`, `{"hooksConfig":{"disabled":[5]}}`,
		`{"hooks":{"BeforeModel":[{"hooks":[{"type":"command","command":"cat <<X\n{\"a\":1}\nX\n((("}]}]}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := config.LoadSettings(hooks.LayerProject, "/p/settings.json", data)
		if err != nil {
			return
		}
		setup := &inspect.Setup{Config: config.Merge(s), Files: []inspect.File{{Layer: hooks.LayerProject, Path: "/p/settings.json", State: inspect.FileRead, Data: data}}}
		last := strings.Count(string(data), "\n") + 1
		for _, found := range lint.Run(lint.Input{Setup: setup, Sections: []config.Section{s}}) {
			require.NotEmpty(t, found.Code)
			require.NotEmpty(t, found.Message)
			if found.File == "/p/settings.json" {
				require.LessOrEqual(t, found.Line, last, "%+v", found)
			}
		}
	})
}
