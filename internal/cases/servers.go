package cases

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"minigem/e2e/testbed"
	"minigem/hooks"
	"minigem/hooks/webhook"
	"minigem/internal/proc"
)

// serve makes the programs of a case answer http hooks instead of the network.
func serve(e *hooks.Engine, s testbed.Setup) {
	kinds, ok := e.Runner.(hooks.ByKind)
	if !ok || s.Servers == nil {
		return
	}
	if r, ok := kinds["http"].(*webhook.Runner); ok {
		r.Transport = servers{s}
	}
}

// servers is an http.RoundTripper backed by the programs of a case.
type servers struct{ setup testbed.Setup }

// maxAnswer limits a program's answer, in bytes.
const maxAnswer = 4 << 20

// RoundTrip implements http.RoundTripper. A program reads the body from stdin and the
// headers from HTTP_NAME variables, as a CGI program does. Its output is the body of
// the response. The status is 200 if it exits with 0, else 500.
func (n servers) RoundTrip(req *http.Request) (*http.Response, error) {
	program := n.setup.Servers[req.URL.String()]
	if program == "" {
		return nil, fmt.Errorf("the case has no section -- http %s --", req.URL)
	}
	env := slices.Clone(n.setup.Env)
	for name, values := range req.Header {
		env = append(env, "HTTP_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))+"="+strings.Join(values, ", "))
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	res, err := proc.Run(req.Context(), proc.Command{
		Path: "bash", Args: []string{program}, Dir: n.setup.Workspace, Env: env, Stdin: [][]byte{body},
		Out:    proc.Limit{Head: maxAnswer},
		Within: n.setup.Within,
	})
	if err != nil {
		return nil, err
	}
	status := http.StatusOK
	if res.ExitCode != 0 {
		status = http.StatusInternalServerError
	}
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   io.NopCloser(bytes.NewReader(res.Stdout.Bytes())), ContentLength: -1, Request: req,
	}, nil
}
