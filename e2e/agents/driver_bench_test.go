package agents

import (
	"bytes"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/e2e/fakemodel"
	"minigem/e2e/testbed"
	"minigem/hooks"
	"minigem/internal/proc"
	"minigem/llm"
	"minigem/llm/script"
)

// BenchmarkDriver runs one case on an installed agent, alternately through the driver and
// bare: with the same argv, model and hook, but without namespaces, shim and observer.
// Processes that a bare run leaves running are ended afterwards, as the driver does, so
// that no run finds a daemon of an earlier one. The driver's cost is the difference of the
// medians. Memory is that of all processes below the benchmark, in one more run of each.
//
//	MINIGEM_AGENTS_FROM=~/agents MINIGEM_BENCH=codex go test -run '^$' -bench Driver -benchtime 20x ./e2e/agents
func BenchmarkDriver(b *testing.B) {
	names := os.Getenv("MINIGEM_BENCH")
	if names == "" {
		b.Skip("MINIGEM_BENCH names no agents, MINIGEM_AGENTS_FROM their folder")
	}
	self := os.Getenv("MINIGEM_BINARY")
	if self == "" {
		var err error
		self, err = os.Executable()
		require.NoError(b, err)
	}
	search := Search{From: filepath.SplitList(os.Getenv("MINIGEM_AGENTS_FROM")), Path: os.Getenv("PATH")}
	for name := range strings.SplitSeq(names, ",") {
		b.Run(name, func(b *testing.B) {
			in := search.Find(b.Context(), findAdapter(name))
			require.Empty(b, in.Problem)
			var driven, bare []time.Duration
			for range b.N {
				driven = append(driven, drive(b, in, self))
				began := time.Now()
				runBare(b, in)
				bare = append(bare, time.Since(began))
			}
			slices.Sort(driven)
			slices.Sort(bare)
			ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
			b.ReportMetric(ms(driven[len(driven)/2]), "driven-ms")
			b.ReportMetric(ms(bare[len(bare)/2]), "bare-ms")
			b.ReportMetric(ms(driven[len(driven)/2]-bare[len(bare)/2]), "added-ms")
			b.ReportMetric(ms(driven[0]-bare[0]), "added-best-ms")
			mib := func(run func()) float64 { return float64(peakBelow(run)) / (1 << 20) }
			b.ReportMetric(mib(func() { drive(b, in, self) }), "driven-peak-MiB")
			b.ReportMetric(mib(func() { runBare(b, in) }), "bare-peak-MiB")
		})
	}
}

const benchCase = "prompt Make f.txt\nexists f.txt\n-- hooks --\nbefore-tool shell watch.sh\n-- watch.sh --\n#!/bin/sh\ncat >/dev/null\n-- model --\nshell touch f.txt\n\ntext Done.\n"

func drive(b *testing.B, in Installed, self string) time.Duration {
	c, err := testbed.Parse("bench.txtar", []byte(benchCase))
	require.NoError(b, err)
	res := testbed.Run(b.Context(), c, testbed.Options{Driver: in.Driver(self, Tester{}.cache(), nil), Elsewhere: true, Timeout: in.Adapter.Limit()})
	require.Empty(b, res.Failures)
	return res.Took
}

// runBare runs the agent as a user would by hand.
func runBare(b *testing.B, in Installed) {
	c, err := testbed.Parse("bench.txtar", []byte(benchCase))
	require.NoError(b, err)
	top := b.TempDir()
	a := *in.Adapter
	a.Hooks.Observer = ""
	in.Adapter = &a
	var out bytes.Buffer
	s := testbed.Setup{
		Workspace: filepath.Join(top, "project"), Home: filepath.Join(top, "home"), Trust: testbed.TrustOn, Mode: "yolo", Rounds: c.Rounds,
		Portable: []testbed.Portable{{Event: "BeforeTool", Tools: []string{"shell"}, Command: "./watch.sh"}},
		Sink:     event.SinkFunc(func(event.Event) {}), Report: func(hooks.Report) {}, Notice: func(string) {}, Request: func(testbed.Request) {}, Stdout: io.Discard, Stderr: &out,
	}
	require.NoError(b, testbed.WriteInto(filepath.Join(s.Workspace, "watch.sh"), []byte("#!/bin/sh\ncat >/dev/null\n"), 0o755))
	require.NoError(b, os.MkdirAll(s.Home, 0o755))
	x := &session{in: in, a: &a, setup: s, mode: a.Start.Modes["yolo"], cache: filepath.Join(Tester{}.cache(), a.Name), records: filepath.Join(top, "records")}
	x.w = &wrapper{a: &a, ws: s.Workspace, home: s.Home, records: x.records}
	server := httptest.NewServer(fakemodel.New(fakemodel.Options{Turns: a.turns(c.Rounds), Translate: a.translate(s.Workspace),
		Empty: &fakemodel.Turn{Entry: script.Entry{Method: script.Stream, Chunks: []llm.Chunk{{Parts: []llm.Part{llm.Text{Text: "Done."}}, FinishReason: "STOP"}}}}}))
	defer server.Close()
	values := map[string]string{"URL": server.URL, "WS": s.Workspace, "HOME": s.Home, "CACHE": x.cache, "PROMPT": "Make f.txt"}
	require.NoError(b, x.prepare(values))
	command := x.command(values)
	command.Env = append(command.Env, "TMPDIR="+top)
	defer func() { endAll(withHome(s.Home)) }()
	_, err = proc.Run(b.Context(), command)
	require.NoError(b, err)
	require.FileExists(b, filepath.Join(s.Workspace, "f.txt"))
}
