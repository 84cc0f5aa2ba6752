// Package webhook runs hooks of the type "http": the payload is sent in a POST,
// and what comes back is read as the stdout of a command is. It is the way for
// hooks that run often: there is no process a run, and the connection is kept.
//
// The rules:
//   - Only https, and http on this machine, unless the user's or the system's
//     settings allow a host. What "on this machine" means is decided by the address
//     that is connected to, not by its name.
//   - Neither a redirect is followed nor a proxy used: what a hook reads goes where
//     its settings say.
//   - A status of 2xx with a JSON object or nothing is an answer. All else is a
//     failure; what denies, stops or asks in it holds all the same.
package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"minigem/hooks"
	"minigem/hooks/command"
	"minigem/hooks/dotenv"
)

var _ hooks.Runner = (*Runner)(nil)

// Runner runs hooks. It implements hooks.Runner, keeps connections between runs,
// and is safe for concurrent use.
type Runner struct {
	// Env is where the variables in headers come from, "NAME=value".
	Env []string
	// ProjectEnv is in the place of Env for hooks that came with the project. nil:
	// theirs come from Env too.
	ProjectEnv []string
	// Hosts are those that may be spoken to without encryption; * stands for
	// anything.
	Hosts []string
	// Transport takes the place of the network, in tests of hooks; nil: the network.
	Transport http.RoundTripper

	once        sync.Once
	local, wide *http.Client
}

// Run sends stdin to h.URL. When ctx ends, so does the request; what came until
// then is in the Exit.
func (r *Runner) Run(ctx context.Context, h hooks.Hook, stdin hooks.Payload, _ []string) hooks.Exit {
	began := time.Now()
	e := r.ask(ctx, h, stdin)
	if e.Err == nil {
		e.Err = notAnAnswer(e.Stdout)
	}
	if e.Err != nil {
		e.Code = -1
	}
	e.Duration = time.Since(began)
	return e
}

// ask has an error unless all of the answer came with a status of 2xx.
func (r *Runner) ask(ctx context.Context, h hooks.Hook, stdin hooks.Payload) (e hooks.Exit) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(stdin.Bytes()))
	if err != nil {
		e.Err = reason(ctx, err)
		return e
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "minigem")
	e.Warning = r.headers(req, h)
	if h.Unencrypted(r.Hosts) != "" {
		e.Err = errUnencrypted // before the name is looked up
		return e
	}
	resp, err := r.client(h).Do(req)
	if err != nil {
		e.Err = reason(ctx, err)
		return e
	}
	defer resp.Body.Close()
	e.Stdout, e.StdoutTruncated, err = command.ReadAnswer(resp.Body)
	switch {
	case err != nil:
		e.Err = reason(ctx, fmt.Errorf("its answer broke off: %w", err))
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		e.Err = fmt.Errorf("HTTP status %d: redirects are not followed", resp.StatusCode)
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		e.Err = fmt.Errorf("HTTP status %d", resp.StatusCode)
	}
	return e
}

// reason is err without the URL, which reports show beside it. The end of ctx is
// its own error.
func reason(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if of := new(url.Error); errors.As(err, &of) {
		return of.Err
	}
	return err
}

func notAnAnswer(body []byte) error {
	body = bytes.TrimSpace(body)
	if len(body) > 0 && (body[0] != '{' || !json.Valid(body)) {
		return errors.New("its answer is not a JSON object")
	}
	return nil
}

var reference = regexp.MustCompile(`\$(?:(\w+)|\{(\w+)\})`)

// headers sets those of h, and says which variables are left out because
// allowedEnvVars does not list them, as in Claude Code.
func (r *Runner) headers(req *http.Request, h hooks.Hook) (warning string) {
	env := r.Env
	if r.ProjectEnv != nil && h.Source.OfProject() {
		env = r.ProjectEnv
	}
	var left []string
	for _, name := range slices.Sorted(maps.Keys(h.Headers)) {
		value := reference.ReplaceAllStringFunc(h.Headers[name], func(ref string) string {
			variable := strings.Trim(ref, "${}")
			if !slices.Contains(h.AllowedEnvVars, variable) {
				left = append(left, variable)
				return ""
			}
			value, _ := dotenv.Lookup(env, variable)
			return value
		})
		value = strings.NewReplacer("\r", "", "\n", "", "\x00", "").Replace(value)
		if req.Header.Set(name, value); http.CanonicalHeaderKey(name) == "Host" {
			req.Host = value
		}
	}
	if len(left) > 0 {
		warning = fmt.Sprintf("its headers name %s, which allowedEnvVars does not list: it is empty there",
			strings.Join(left, ", "))
	}
	return warning
}

// client is the one for h: for http that nobody allowed, one that connects to
// this machine alone, whatever its name leads to.
func (r *Runner) client(h hooks.Hook) *http.Client {
	r.once.Do(func() {
		r.local, r.wide = newClient(onlyLoopback), newClient(nil)
		if r.Transport != nil {
			r.local.Transport, r.wide.Transport = r.Transport, r.Transport
		}
	})
	if strings.HasPrefix(h.URL, "https:") || h.Unencrypted(nil) != "" {
		return r.wide
	}
	return r.local
}

var errUnencrypted = errors.New(
	"http without encryption goes to this machine only: use https, or list the host in hooksConfig.allowedHttpHosts of " +
		"your own settings")

func newClient(control func(network, address string, c syscall.RawConn) error) *http.Client {
	dialer := &net.Dialer{Control: control}
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:         dialer.DialContext,
			MaxIdleConnsPerHost: 8, IdleConnTimeout: 90 * time.Second, MaxResponseHeaderBytes: 1 << 20,
		},
	}
}

func onlyLoopback(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return errUnencrypted
	}
	return nil
}

// Close closes the connections that are kept.
func (r *Runner) Close() error {
	for _, c := range []*http.Client{r.local, r.wide} {
		if c != nil {
			c.CloseIdleConnections()
		}
	}
	return nil
}
