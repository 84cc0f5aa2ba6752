package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
	"minigem/e2e/testbed"
	"minigem/internal/exit"
)

func fake(protocol string) fakeAPI {
	return fakeAPI{FakeAPI: testbed.FakeAPI{Protocol: fakemodel.Protocol(protocol), Strict: true}}
}

// startFake serves a script as fake-api does, and returns the variable and the address
// that it prints.
func startFake(t *testing.T, f fakeAPI, text string) (name, url string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	f.addr = "127.0.0.1:0"
	go func() { ended <- f.serve(ctx, in, path); _ = in.Close() }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		require.NoError(t, <-ended)
	}
	t.Cleanup(func() { cancel(); require.NoError(t, <-ended) })
	name, url, _ = strings.Cut(strings.TrimSpace(line), "=")
	return name, url
}

const shortScript = "text hello\n\nerror 503 try later\n"

// TestFakeAPIProtocols checks each protocol by its short name, under the variable that
// its clients read.
func TestFakeAPIProtocols(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ protocol, variable, path, body, want string }{
		{"anthropic", "ANTHROPIC_BASE_URL", "/v1/messages", `{"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}], "tools": [{"name": "x", "input_schema": {"type": "object"}}]}`, "overloaded_error"},
		{"responses", "OPENAI_BASE_URL", "/responses", `{"model": "m", "input": "hi", "tools": [{"type": "custom", "name": "x"}]}`, "server_error"},
		{"chat", "OPENAI_BASE_URL", "/chat/completions", `{"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": [{"type": "function", "function": {"name": "x"}}]}`, "server_error"},
		{"gemini", "GOOGLE_GEMINI_BASE_URL", "/v1beta/models/m:generateContent", `{"contents": [{"role": "user", "parts": [{"text": "hi"}]}], "tools": [{"functionDeclarations": [{"name": "x"}]}]}`, "UNAVAILABLE"},
	} {
		t.Run(tt.protocol, func(t *testing.T) {
			t.Parallel()
			name, url := startFake(t, fake(tt.protocol), shortScript)
			assert.Equal(t, tt.variable, name)
			for i, want := range []struct {
				status int
				text   string
			}{{200, "hello"}, {503, tt.want}, {403, "try later"}} {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+tt.path, strings.NewReader(tt.body))
				require.NoError(t, err)
				r.Header.Set("anthropic-version", "2023-06-01")
				res, err := http.DefaultClient.Do(r)
				require.NoError(t, err)
				body, err := io.ReadAll(res.Body)
				require.NoError(t, err)
				require.NoError(t, res.Body.Close())
				assert.Equal(t, want.status, res.StatusCode, "%d: %s", i, body)
				assert.Contains(t, string(body), want.text)
			}
		})
	}
}

// TestFakeAPIForMinigem checks that minigem itself works with a script in neutral
// words.
func TestFakeAPIForMinigem(t *testing.T) {
	t.Parallel()
	_, url := startFake(t, fake("gemini"), "write a.txt one\nread a.txt\n\nedit a.txt one two\n\ntext Done.\n")
	w := newHookWorld(t, nil)
	sys, out, errOut := w.sys("GEMINI_API_KEY=key", "GOOGLE_GEMINI_BASE_URL="+url)
	code := run([]string{"-p", "go", "--yolo"}, sys)
	require.Equal(t, exit.OK, code, errOut.String())
	assert.Equal(t, "Done.\n", out.String())
	data, err := os.ReadFile(filepath.Join(sys.Dir, "a.txt"))
	require.NoError(t, err)
	assert.Equal(t, "two", string(data))
}

// TestFakeAPIMistakes checks that mistakes are reported before anything is served.
func TestFakeAPIMistakes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		f            fakeAPI
		script, want string
	}{
		{fake("openai"), shortScript, `--protocol "openai" is not gemini, anthropic, responses or chat`},
		{fake("chat"), "text a\ntekst b\n", `script:2: "tekst" is not a line of a model's answer`},
		{fake("chat"), `{"method": "x"}`, "script:1: "},
		{fakeAPI{FakeAPI: testbed.FakeAPI{Protocol: "chat", Faults: "{"}}, shortScript, "reading --faults"},
	} {
		path := filepath.Join(t.TempDir(), "script")
		require.NoError(t, os.WriteFile(path, []byte(tt.script), 0o600))
		err := tt.f.serve(t.Context(), io.Discard, path)
		require.ErrorContains(t, err, tt.want)
		assert.Equal(t, exit.Input, exit.Report(io.Discard, err))
	}
}
