package webhook_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"minigem/hooks"
	"minigem/hooks/command"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
	"minigem/hooks/webhook"
	"minigem/llm"
)

// BenchmarkChunk measures one streamed chunk with one AfterModel hook that reads its
// whole payload and says nothing, in turn over a kept connection and as a process.
func BenchmarkChunk(b *testing.B) {
	if _, err := exec.LookPath("bash"); err != nil {
		b.Skip(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	defer s.Close()
	runner := hooks.ByKind{"http": &webhook.Runner{}, "command": command.Runner{Dir: b.TempDir(), Env: os.Environ()}}
	engine := func(h hooks.Hook) *hooks.Engine {
		h.Event = protocol.AfterModel
		return &hooks.Engine{Config: hooks.Config{Hooks: []hooks.Hook{h}}, Runner: runner, Origin: hookstest.Origin}
	}
	kinds := map[string]*hooks.Engine{
		"http":    engine(hooks.Hook{Handler: hooks.Handler{Type: "http", URL: s.URL}}),
		"process": engine(hooks.Hook{Command: "exec cat >/dev/null"}),
	}
	history := hookstest.Request()
	for range 5 {
		history.Messages = append(history.Messages, llm.UserText(strings.Repeat("question ", 113)), llm.ModelText(strings.Repeat("answers. ", 113)))
	}
	req := hooks.NewModelRequest(history)
	took := map[string][]time.Duration{}
	for b.Loop() {
		for name, e := range kinds {
			began := time.Now()
			if o := e.AfterModel(b.Context(), req, hookstest.Chunk()); o.Denied() {
				b.Fatal(o.Reason)
			}
			took[name] = append(took[name], time.Since(began))
		}
	}
	for name, ds := range took {
		slices.Sort(ds)
		b.ReportMetric(float64(ds[0])/1e6, name+"-best-ms")
		b.ReportMetric(float64(ds[len(ds)/2])/1e6, name+"-median-ms")
	}
}
