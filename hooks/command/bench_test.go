//go:build unix

package command_test

import (
	"bytes"
	"fmt"
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
	"minigem/llm"
)

// BenchmarkChunk measures one streamed chunk with one AfterModel hook that reads its
// whole payload, with a history of 10 KiB or 1 MiB. In turn it measures passing the
// same payload to the same program. The difference is our own cost per chunk.
func BenchmarkChunk(b *testing.B) {
	for _, size := range []int{10 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("history=%dKiB", size>>10), func(b *testing.B) {
			const line = "exec cat >/dev/null"
			dir, env := b.TempDir(), os.Environ()
			var payload []byte
			e := &hooks.Engine{
				Config: hooks.Config{Hooks: []hooks.Hook{{Event: protocol.AfterModel, Command: line}}},
				Runner: command.Runner{Dir: dir, Env: env},
				Origin: hookstest.Origin,
				Report: func(r hooks.Report) { payload = r.Runs[0].Stdin.Bytes() },
			}
			req := hooks.NewModelRequest(history(size))
			e.AfterModel(b.Context(), req, hookstest.Chunk()) // the history is written once for all chunks
			var hook, bare []time.Duration
			for b.Loop() {
				began := time.Now()
				if o := e.AfterModel(b.Context(), req, hookstest.Chunk()); o.Denied() {
					b.Fatal(o.Reason)
				}
				hook = append(hook, time.Since(began))

				began = time.Now()
				cmd := exec.Command("bash", "-c", line)
				cmd.Dir, cmd.Env, cmd.Stdin = dir, env, bytes.NewReader(payload)
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
				bare = append(bare, time.Since(began))
			}
			slices.Sort(hook)
			slices.Sort(bare)
			for name, ds := range map[string][]time.Duration{"hook": hook, "bare": bare} {
				b.ReportMetric(float64(ds[0])/1e6, name+"-best-ms")
				b.ReportMetric(float64(ds[len(ds)/2])/1e6, name+"-median-ms")
			}
			b.ReportMetric(float64(len(payload))/(1<<10), "payload-KiB")
		})
	}
}

// history returns a request with about size bytes of text.
func history(size int) llm.Request {
	r := hookstest.Request()
	r.Messages = nil
	for n := 0; n < size; n += 2 << 10 {
		r.Messages = append(r.Messages, llm.UserText(strings.Repeat("question ", 113)), llm.ModelText(strings.Repeat("answers. ", 113)))
	}
	return r
}

// BenchmarkAsync measures one BeforeTool event with an async hook that takes 2 s and,
// in turn, the same event without a hook.
func BenchmarkAsync(b *testing.B) {
	call := hooks.ToolUse{Call: llm.ToolCall{ID: "1", Name: "write_file", Args: map[string]any{"file_path": "a"}}}
	e := &hooks.Engine{
		Config: hooks.Config{Hooks: []hooks.Hook{{Event: protocol.BeforeTool, Command: "sleep 2", Handler: hooks.Handler{Async: true}}}},
		Runner: command.Runner{Dir: b.TempDir(), Env: os.Environ()}, Origin: hookstest.Origin, Report: func(hooks.Report) {},
	}
	none := &hooks.Engine{Origin: hookstest.Origin, Report: e.Report, ReportIdle: true}
	took := map[string][]time.Duration{}
	for n := 0; b.Loop(); n++ {
		for name, e := range map[string]*hooks.Engine{"async": e, "none": none} {
			began := time.Now()
			if o := e.BeforeTool(b.Context(), call); o.Denied() {
				b.Fatal(o.Reason)
			}
			took[name] = append(took[name], time.Since(began))
		}
		o := e.Origin
		o.SessionID = fmt.Sprint(n) // a new session ends the hook
		e.SetOrigin(o)
	}
	_ = e.Close()
	for name, ds := range took {
		slices.Sort(ds)
		b.ReportMetric(float64(ds[len(ds)/2])/1e6, name+"-median-ms")
		b.ReportMetric(float64(ds[len(ds)-1])/1e6, name+"-worst-ms")
	}
}
