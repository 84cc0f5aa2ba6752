package export_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/hooks/author/export"
)

// FuzzExport checks that, for any settings and any file of the agent, a second export
// changes nothing, or an error says what is wrong.
func FuzzExport(f *testing.F) {
	f.Add([]byte(settings), []byte(""), uint8(0))
	f.Add([]byte(settings), []byte("hooks = []\n"), uint8(4))
	f.Add([]byte(`{"hooks":{"AfterTool":[{"hooks":[{"type":"command","command":"'''\n"}]}]}}`), []byte("# x\n[a]\nb = 1"), uint8(4))
	f.Add([]byte(settings), []byte(`{"hooks":{"PreToolUse":[{"hooks":{}}]}}`), uint8(1))
	f.Fuzz(func(t *testing.T, settings, theirs []byte, n uint8) {
		o := export.Options{Agent: export.Agents[int(n)%len(export.Agents)]}
		files := map[string][]byte{}
		read := func(name string) ([]byte, error) {
			if data, ok := files[name]; ok {
				return data, nil
			}
			return theirs, nil
		}
		r, err := export.Export(settings, o, read)
		if err != nil {
			return
		}
		for _, file := range r.Files {
			files[file.Name] = file.Data
		}
		again, err := export.Export(settings, o, read)
		assert.NoError(t, err)
		assert.Zero(t, again.Added)
		assert.Empty(t, again.Files)
	})
}
