package export_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/author/export"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
)

// TestNoFieldIsDroppedInSilence checks that each field of an entry, and each kind of
// hook, is exported or named in a remark.
func TestNoFieldIsDroppedInSilence(t *testing.T) {
	t.Parallel()
	shown := []string{"statusMessage"} // it has no effect on decisions
	more := map[string]any{"if": "Bash(git push *)", "onError": "block", "args": []string{"it's", "a b"}}
	var fields []string
	for f := range reflect.TypeFor[hooks.Handler]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if of := f.Tag.Get("of"); (of == "" || of == "command") && name != "type" {
			fields = append(fields, name)
		}
	}
	fields = append(fields, "if", "onError")
	for _, id := range export.Agents {
		for _, bare := range []bool{false, true} {
			for _, field := range fields {
				var value any = true
				if v, ok := more[field]; ok {
					value = v
				}
				written, remarks := exported(t, id, bare, "BeforeTool", map[string]any{"type": "command", "command": "./guard.sh", field: value})
				assert.Contains(t, written, "guard.sh", "%s: %s", id, field)
				switch {
				case field == "args":
					assert.Regexp(t, `guard.sh.{1,60}it.{1,60}s.{1,60}a b`, written, id)
				case field == "onError" && !bare:
					assert.Contains(t, written, "--on-error block", id)
				default:
					assert.Equal(t, !slices.Contains(shown, field), strings.Contains(remarks, field+": "), "%s, %s: %s", id, field, remarks)
				}
			}
			for _, kind := range config.Kinds()[1:] {
				written, remarks := exported(t, id, bare, "BeforeTool", map[string]any{"type": kind, "url": "https://a", "prompt": "fine?", "server": "s", "tool": "t"})
				assert.Empty(t, written, "%s: %s", id, kind)
				assert.Contains(t, remarks, `lost: .gemini/settings.json:1: a hook of BeforeTool of type "`+kind+`"`, id)
			}
		}
	}
}

// TestEventsThatGeminiCLILacks checks that hooks that only observe are exported if the
// agent has the event, and that hooks that refuse are reported as lost.
func TestEventsThatGeminiCLILacks(t *testing.T) {
	t.Parallel()
	entry := map[string]any{"type": "command", "command": "./look.sh"}
	for _, e := range protocol.Events {
		if !e.IsAdded() {
			continue
		}
		written, remarks := exported(t, "claude", false, string(e), entry)
		assert.Equal(t, !e.CanBlock(), strings.Contains(written, `"`+string(e)+`"`), e)
		assert.Equal(t, e.CanBlock(), strings.Contains(remarks, "lost: .gemini/settings.json:1: a hook of "+string(e)), e)
		written, remarks = exported(t, "cline", false, string(e), entry)
		assert.Empty(t, written, e)
		assert.Contains(t, remarks, "lost: ", e)
	}
}

func exported(t *testing.T, id string, bare bool, event string, entry map[string]any) (written, remarks string) {
	t.Helper()
	settings, err := json.Marshal(map[string]any{"hooks": map[string]any{event: []any{map[string]any{"hooks": []any{entry}}}}})
	require.NoError(t, err)
	r, err := export.Export(settings, export.Options{Agent: id, Bare: bare}, nothing)
	require.NoError(t, err)
	for _, f := range r.Files {
		written += string(f.Data)
	}
	return written, strings.Join(r.Remarks, "\n")
}
