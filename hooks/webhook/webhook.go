// Package webhook runs hooks of the type "http": it posts the payload to the hook's URL
// and treats the body of the response like the stdout of a command. It suits hooks that
// run often, because no process is started and connections are reused.
//
//	r := &webhook.Runner{Env: os.Environ(), Hosts: config.HTTPHosts}
//	defer r.Close()
//	engine.Runner = hooks.ByKind{"command": commands, "http": r}
//
// The rules:
//   - The URL must be https, or http on this machine, unless the settings of the user or
//     the system allow the host. The address that is connected to decides what "on this
//     machine" means, not the host's name.
//   - Redirects are not followed and proxies not used: the payload goes only where the
//     settings say.
//   - A status of 2xx with a JSON object or an empty body is an answer. Everything else is
//     a failure, but whatever in it denies, stops or asks still counts.
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

// Runner runs hooks by HTTP requests. It implements [hooks.Runner], keeps connections
// between runs, and is safe for concurrent use. Fields must not be changed after the
// first run. The zero value is ready to use: headers cannot use variables, and http
// reaches only this machine.
type Runner struct {
	// Env holds the variables that headers may use, "NAME=value". A hook gets only those
	// that its allowedEnvVars lists.
	Env []string
	// ProjectEnv replaces Env for hooks that came with the project. If it is nil, they
	// use Env too.
	ProjectEnv []string
	// Hosts are patterns of the hosts that may be contacted without encryption; see
	// [hooks.Hook.Unencrypted].
	Hosts []string
	// Transport replaces the network, for tests; nil means the network. With it, the
	// check of the connected address does not take place.
	Transport http.RoundTripper

	once        sync.Once
	local, wide *http.Client
}

// Run posts stdin to h.URL as application/json. When ctx ends, the request is cancelled;
// the Exit has what was received until then. [hooks.Exit.Code] is 0 for an answer and -1
// for a failure, whose cause is in Err, without the URL. At most 1 MiB of the body is
// kept. The session's variables are not sent.
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

// ask sends the request. The Exit has an Err unless the whole answer arrived with a
// status of 2xx.
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

// reason returns err without the URL, which reports show anyway, or ctx's error if ctx
// has ended.
func reason(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if of := new(url.Error); errors.As(err, &of) {
		return of.Err
	}
	return err
}

// notAnAnswer returns an error unless body is empty or one JSON object.
func notAnAnswer(body []byte) error {
	body = bytes.TrimSpace(body)
	if len(body) > 0 && (body[0] != '{' || !json.Valid(body)) {
		return errors.New("its answer is not a JSON object")
	}
	return nil
}

// reference matches $NAME and ${NAME} in a header.
var reference = regexp.MustCompile(`\$(?:(\w+)|\{(\w+)\})`)

// headers sets the headers of h. The warning names the variables that are empty because
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

// client returns the client for h. For http to a host that is not listed, it connects to
// this machine only, whatever address the name resolves to.
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

// errUnencrypted is the error of http to a host that is not allowed, both before the
// request and when the address is known.
var errUnencrypted = errors.New(
	"http without encryption goes to this machine only: use https, or list the host in hooksConfig.allowedHttpHosts of " +
		"your own settings")

// newClient returns a client that follows no redirects and uses no proxy. control, if not
// nil, checks each address before a connection is made.
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

// onlyLoopback refuses to connect to any address but this machine's. It sees the
// address that a name resolved to, just before the connection is made.
func onlyLoopback(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return errUnencrypted
	}
	return nil
}

// Close closes idle connections. The Runner can still be used. The error is always nil.
func (r *Runner) Close() error {
	for _, c := range []*http.Client{r.local, r.wide} {
		if c != nil {
			c.CloseIdleConnections()
		}
	}
	return nil
}
