package cases

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/agents/played"
	"minigem/e2e/testbed"
	"minigem/hooks"
	"minigem/internal/app"
	"minigem/internal/wiring"
)

// reader is a hooks.Runner that records what hooks read.
type reader struct {
	mu   sync.Mutex
	read []map[string]any
}

func (r *reader) Run(_ context.Context, _ hooks.Hook, stdin hooks.Payload, _ []string) hooks.Exit {
	var p map[string]any
	r.mu.Lock()
	defer r.mu.Unlock()
	if json.Unmarshal(stdin.Bytes(), &p) == nil {
		r.read = append(r.read, p)
	}
	return hooks.Exit{}
}

// tour is what the agents did while their payloads were recorded.
const tour = `prompt Make f.txt.
! model-requests 999

-- hooks --
session-start h.sh
prompt h.sh
before-tool * h.sh
after-tool * h.sh
stop h.sh
%s-- h.sh --
-- model --
shell echo hi; echo err >&2

write f.txt one

read f.txt

edit f.txt one two

shell exit 3

read missing.txt

text All done.
`

// shape collects the names of fields and the types of their values. For a list it looks
// at the first item.
func shape(at string, v any, into map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			shape(at+"."+key, value, into)
		}
	default:
		into[at] = strings.Split(fmt.Sprintf("%T", v), " ")[0]
	}
}

func eventAndTool(p map[string]any) string {
	text := func(keys ...string) string {
		for _, k := range keys {
			if s, ok := p[k].(string); ok {
				return s
			}
		}
		return ""
	}
	return strings.TrimSuffix(text("hook_event_name")+"."+text("tool_name", "toolName"), ".")
}

// TestPayloads checks that the payloads which hooks of a played agent read have the
// fields and types that were recorded from the agent.
func TestPayloads(t *testing.T) {
	t.Parallel()
	recorded := recordedShapes(t)
	for _, id := range []string{"claude", "codex", "gemini", "qwen", "kimi"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			as, err := played.Find([]string{id})
			require.NoError(t, err)
			failing := ""
			if slices.Contains([]string{"claude", "qwen", "kimi"}, id) {
				failing = "tool-failed * h.sh\n"
			}
			tc, err := testbed.Parse("tour.txtar", fmt.Appendf(nil, tour, failing))
			require.NoError(t, err)
			r := &reader{}
			driver := func(ctx context.Context, s testbed.Setup) (testbed.Session, error) {
				p, err := played.New(as[0], s)
				if err != nil {
					return nil, err
				}
				return openPlayed(ctx, s, p, func(_ *app.Configuration, w *wiring.Frontend) {
					configure := w.Configure
					w.Configure = func(e *hooks.Engine) { configure(e); e.Runner = r }
				})
			}
			res := testbed.Run(t.Context(), tc, testbed.Options{Driver: driver, Elsewhere: true})
			require.NoError(t, res.Broken)
			require.Empty(t, res.Skipped)
			compareShapes(t, r.read, recorded[id], false)
		})
	}
}

// compareShapes compares what hooks read, event by event, with what was recorded from
// the agent. more allows additional fields.
func compareShapes(t *testing.T, read []map[string]any, recorded map[string]map[string]string, more bool) {
	t.Helper()
	compared := 0
	for _, p := range read {
		name := eventAndTool(p)
		want, ok := recorded[name]
		if !ok {
			continue
		}
		compared++
		got := map[string]string{}
		shape("", p, got)
		var differences []string
		for field, kind := range want {
			if got[field] != kind {
				differences = append(differences, fmt.Sprintf("%s is %s, played %q", field, kind, got[field]))
			}
		}
		for field := range got {
			if want[field] == "" && !more {
				differences = append(differences, field+" is not there")
			}
		}
		slices.Sort(differences)
		assert.Empty(t, slices.DeleteFunc(differences, func(d string) bool { return strings.HasPrefix(d, ".tool_input.") }), name) // the model's arguments
	}
	assert.GreaterOrEqual(t, compared, 6, "%v", read)
}

// own is the tour's hooks in minigem's settings, in Claude Code's dialect.
const own = `-- settings.json --
{"hooks": {
  "SessionStart": [{"hooks": [{"type": "command", "command": "./h.sh", "dialect": "claude"}]}],
  "BeforeAgent": [{"hooks": [{"type": "command", "command": "./h.sh", "dialect": "claude"}]}],
  "BeforeTool": [{"hooks": [{"type": "command", "command": "./h.sh", "dialect": "claude"}]}],
  "AfterTool": [{"hooks": [{"type": "command", "command": "./h.sh", "dialect": "claude"}]}],
  "PostToolUseFailure": [{"hooks": [{"type": "command", "command": "./h.sh", "dialect": "claude"}]}],
  "AfterAgent": [{"hooks": [{"type": "command", "command": "./h.sh", "dialect": "claude"}]}]
}}
`

// TestPayloadsOfADialect checks that a hook with "dialect": "claude" in minigem's own
// loop reads the fields and types that were recorded from Claude Code.
func TestPayloadsOfADialect(t *testing.T) {
	t.Parallel()
	text := fmt.Sprintf(tour, "")
	from, to := strings.Index(text, "-- hooks --"), strings.Index(text, "-- h.sh --")
	tc, err := testbed.Parse("tour.txtar", []byte(text[:from]+own+text[to:]))
	require.NoError(t, err)
	r := &reader{}
	driver := func(ctx context.Context, s testbed.Setup) (testbed.Session, error) {
		return open(ctx, s, func(_ *app.Configuration, w *wiring.Frontend) {
			w.Configure = func(e *hooks.Engine) { e.Runner = r }
		})
	}
	res := testbed.Run(t.Context(), tc, testbed.Options{Driver: driver})
	require.NoError(t, res.Broken)
	compareShapes(t, r.read, recordedShapes(t)["claude"], true)
}

// recordedShapes returns the shapes of the recorded payloads, by agent and event.
func recordedShapes(t *testing.T) map[string]map[string]map[string]string {
	t.Helper()
	file, err := os.Open("../../hooks/portable/testdata/payloads.jsonl")
	require.NoError(t, err)
	defer file.Close()
	recorded := map[string]map[string]map[string]string{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l struct {
			Agent, Event string
			Stdin        map[string]any
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &l))
		if recorded[l.Agent] == nil {
			recorded[l.Agent] = map[string]map[string]string{}
		}
		into := map[string]string{}
		shape("", l.Stdin, into)
		recorded[l.Agent][l.Event] = into
	}
	return recorded
}
