package webhook_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
	"minigem/hooks/webhook"
	"minigem/internal/nettest"
)

// fault is one way in which a server can fail, or work.
type fault struct {
	name   string
	serve  func(w http.ResponseWriter, answer string)
	failed string // part of the reason why the run failed; empty if it did not
	lost   bool   // the answer never arrives
	hangs  bool   // it does not answer before the hook's timeout
	warned string
	cut    bool // the answer is too long to be kept, so the run failed and blocks
}

var faults = []fault{
	{name: "an answer", serve: func(w http.ResponseWriter, a string) { fmt.Fprint(w, a) }},
	{name: "201", serve: func(w http.ResponseWriter, a string) { w.WriteHeader(201); fmt.Fprint(w, a) }},
	{name: "compressed", serve: func(w http.ResponseWriter, a string) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, a)
		z.Close()
	}},
	{name: "compressed and broken off", serve: func(w http.ResponseWriter, a string) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, a)
		z.Flush()
		hijack(w)
	}, failed: "its answer broke off"},
	{name: "500", serve: func(w http.ResponseWriter, a string) {
		w.WriteHeader(500)
		fmt.Fprint(w, a)
	}, failed: "HTTP status 500"},
	{name: "403", serve: func(w http.ResponseWriter, a string) {
		w.WriteHeader(403)
		fmt.Fprint(w, a)
	}, failed: "HTTP status 403"},
	{name: "not JSON alone", serve: func(w http.ResponseWriter, a string) {
		fmt.Fprint(w, "<p>well</p>\n", a)
	}, failed: "not a JSON object"},
	{name: "a redirect", serve: func(w http.ResponseWriter, a string) {
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(307)
		fmt.Fprint(w, a)
	}, failed: "HTTP status 307: redirects are not followed"},
	{name: "broken off", serve: func(w http.ResponseWriter, a string) {
		w.Header().Set("Content-Length", "5000")
		fmt.Fprint(w, a)
		hijack(w)
	}, failed: "its answer broke off"},
	{name: "reset before the status", serve: func(w http.ResponseWriter, _ string) { hijack(w) }, failed: "EOF",
		lost: true},
	{name: "no HTTP", serve: func(w http.ResponseWriter, _ string) {
		c, _, _ := http.NewResponseController(w).Hijack()
		fmt.Fprint(c, "220 smtp ready\r\n\r\n")
		c.Close()
	}, failed: "malformed HTTP", lost: true},
	{name: "huge", serve: func(w http.ResponseWriter, a string) {
		fill := strings.Repeat(strings.Repeat("x", 1023)+"\n", 1<<10)
		fmt.Fprint(w, fill, a, "\n", fill, fill)
	}, failed: "not a JSON object", warned: "longer than what is kept", lost: true, cut: true},
	{name: "slow", serve: func(w http.ResponseWriter, a string) { fmt.Fprint(w, a) }, failed: "timed out", hangs: true},
}

// hijack takes over the connection and closes it.
func hijack(w http.ResponseWriter) {
	rc := http.NewResponseController(w)
	_ = rc.Flush()
	if c, _, err := rc.Hijack(); err == nil {
		c.Close()
	}
}

var answers = []struct {
	text string
	says hooks.Decision
}{
	{"", hooks.Proceed},
	{`{"decision":"deny","reason":"no"}`, hooks.Deny},
	{`{"continue":false,"stopReason":"no"}`, hooks.Stop},
}

// TestFaultMatrix tries every fault at every event. Every run ends, and a refusal that
// arrived holds, whatever else arrived. A failure blocks if the hook's onError says so.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	for _, f := range faults {
		for _, a := range answers {
			t.Run(f.name+"/"+a.says.String(), func(t *testing.T) {
				t.Parallel()
				var strays atomic.Int32
				ended := make(chan struct{})
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path != "/hook" {
						strays.Add(1)
						return
					}
					_, _ = io.Copy(io.Discard, r.Body)
					f.serve(w, a.text)
					if f.hangs {
						_ = http.NewResponseController(w).Flush()
						select {
						case <-ended:
						case <-r.Context().Done():
						}
					}
				}))
				defer s.Close()
				defer close(ended)
				r := &webhook.Runner{}
				defer r.Close()
				for _, ev := range protocol.Events {
					for _, onError := range []string{"", "block"} {
						f.meet(t, r, hooks.Hook{Event: ev, Name: "h", OnError: onError,
							Handler: hooks.Handler{Type: "http", URL: s.URL + "/hook"}}, a.text, a.says)
					}
				}
				assert.Zero(t, strays.Load(), "a redirect was followed")
			})
		}
	}
}

// meet fires an event with a hook. A hook that hangs reaches its timeout. If the
// machine was too slow for the answer to arrive by then, the timeout is doubled.
func (f fault) meet(t *testing.T, r hooks.Runner, h hooks.Hook, answer string, says hooks.Decision) {
	name := fmt.Sprintf("%s onError=%s", h.Event, h.OnError)
	if h.Timeout = time.Hour; f.hangs {
		h.Timeout = 20 * time.Millisecond
	}
	var rep hooks.Report
	for ; ; h.Timeout *= 2 {
		var reports []hooks.Report
		e := &hooks.Engine{
			Config: hooks.Config{Hooks: []hooks.Hook{h}}, Origin: hookstest.Origin, Patience: time.Hour,
			Runner: hooks.ByKind{"http": r}, Report: func(r hooks.Report) { reports = append(reports, r) },
		}
		hookstest.Stimulus{Event: h.Event}.Fire(e)
		require.Len(t, reports, 1, name)
		if rep = reports[0]; !f.hangs || len(rep.Runs[0].Exit.Stdout) == len(answer) {
			break
		}
	}
	run, want := rep.Runs[0], hooks.Proceed
	if h.Event.CanBlock() {
		if !f.lost {
			want = says
		}
		if f.failed != "" && h.OnError == "block" {
			want = max(want, hooks.Deny)
		}
		if f.cut {
			want = max(want, hooks.Deny)
		}
	}
	assert.Equal(t, want, rep.Verdict.Decision, "%s: %q", name, run.Warnings)
	assert.Equal(t, f.failed == "", run.Failed == "", "%s: %q", name, run.Failed)
	assert.Contains(t, run.Failed, f.failed, name)
	assert.Contains(t, strings.Join(run.Warnings, "\n"), f.warned, name)
	assert.LessOrEqual(t, len(run.Exit.Stdout), 1<<20+1<<10, name)
}

// TestUnreachableServer checks that an unreachable server is a failure.
func TestUnreachableServer(t *testing.T) {
	t.Parallel()
	url := "http://" + nettest.Refusing(t)
	e := &hooks.Engine{Runner: hooks.ByKind{"http": &webhook.Runner{}}, Config: hooks.Config{Hooks: []hooks.Hook{
		{Event: protocol.BeforeAgent, OnError: "block", Handler: hooks.Handler{Type: "http", URL: url}},
	}}}
	o := e.BeforeAgent(t.Context(), "hello")
	assert.Equal(t, hooks.Deny, o.Decision)
	assert.Contains(t, o.Reason, "connection refused")
}

// TestWhatIsSent checks the payload, the headers with the listed variables, and that
// one connection serves all requests.
func TestWhatIsSent(t *testing.T) {
	t.Parallel()
	var got []*http.Request
	var bodies []string
	from := map[string]bool{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got, bodies = append(got, r), append(bodies, string(body))
		from[r.RemoteAddr] = true
		fmt.Fprint(w, `{"hookSpecificOutput":{"additionalContext":"more"}}`)
	}))
	defer s.Close()
	r := &webhook.Runner{Env: []string{"MINE=1", "OTHER=2"}, ProjectEnv: []string{"MINE=project\r\nX: y"}}
	h := hooks.Hook{Event: protocol.BeforeAgent, Handler: hooks.Handler{Type: "http", URL: s.URL + "/a?b=c",
		Headers: map[string]string{"Authorization": "Bearer $MINE", "X-Other": "${OTHER}-",
			"Content-Type": "application/cloudevents+json"},
		AllowedEnvVars: []string{"MINE", "X"}}}
	for _, layer := range []hooks.Layer{hooks.LayerUser, hooks.LayerProject} {
		h.Source.Layer = layer
		e := r.Run(t.Context(), h, hooks.Payload{[]byte(`{"a":`), []byte(`1}`)}, nil)
		require.NoError(t, e.Err)
		assert.JSONEq(t, `{"hookSpecificOutput":{"additionalContext":"more"}}`, string(e.Stdout))
		assert.Equal(t, "its headers name OTHER, which allowedEnvVars does not list: it is empty there", e.Warning)
	}
	require.Len(t, got, 2)
	assert.Equal(t, []string{`{"a":1}`, `{"a":1}`}, bodies)
	assert.Equal(t, []string{"Bearer 1", "Bearer projectX: y"},
		[]string{got[0].Header.Get("Authorization"), got[1].Header.Get("Authorization")})
	assert.Equal(t, "-", got[0].Header.Get("X-Other"))
	assert.Equal(t, "application/cloudevents+json", got[0].Header.Get("Content-Type"))
	assert.Equal(t, "POST /a?b=c", got[0].Method+" "+got[0].RequestURI)
	assert.Len(t, from, 1, "connections")
}

// TestOnlyThisMachine checks that unencrypted requests leave this machine only for
// allowed hosts, whatever the name resolves to, and that no proxy is used.
func TestOnlyThisMachine(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, "http://127.0.0.1:9")
	}
	run := func(r *webhook.Runner, url string) error {
		return r.Run(t.Context(), hooks.Hook{Event: protocol.BeforeAgent, Handler: hooks.Handler{Type: "http", URL: url}},
			hooks.Payload{}, nil).Err
	}
	for _, url := range []string{"http://192.0.2.1/x", "http://[2001:db8::1]/", "http://0.0.0.0:9/", "http://10.0.0.1:80/",
		"http://no-such-host.invalid/"} {
		assert.ErrorContains(t, run(&webhook.Runner{Hosts: []string{"hooks.example"}}, url), "goes to this machine only", url)
	}
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	require.NoError(t, err)
	assert.NoError(t, run(&webhook.Runner{}, "http://localhost:"+port))
	assert.NoError(t, run(&webhook.Runner{}, s.URL))
	allowed := run(&webhook.Runner{Hosts: []string{"0.0.*"}}, "http://0.0.0.0:"+port+"/")
	assert.NotContains(t, fmt.Sprint(allowed), "goes to this machine only")
}
