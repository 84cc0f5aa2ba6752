package mcp

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"

	"minigem/internal/proc"
	"minigem/internal/text"
)

// A link is one way to reach a server. It is used once.
type link interface {
	connect(ctx context.Context, c *mcp.Client) (*mcp.ClientSession, error)
	// hear makes s follow changes, and returns the client's options.
	hear(s *Session) *mcp.ClientOptions
	// stop ends what connect began. It may be called without connect.
	stop()
	// explain adds what the link knows about err.
	explain(err error) error
}

var options = &mcp.ClientSessionOptions{ProtocolVersion: protocol}

// links returns the links to try, in order.
func (s Server) links() ([]link, error) {
	switch {
	case s.Command != "" && s.URL != "":
		return nil, errors.New("it has both a command and a URL")
	case s.Command != "":
		p, err := proc.Start(proc.Command{
			Path: s.Command, Args: s.Args, Dir: s.Dir, Env: s.Env, Open: true, Err: proc.Limit{Tail: stderrKept},
			Grace:  stopGrace,
			Within: s.Within,
		})
		if err != nil {
			return nil, err
		}
		return []link{&program{process: p}}, nil
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("its URL is %q: it must begin with http:// or https:// and name a host", s.address())
	}
	client := &http.Client{Transport: &courier{host: u, headers: s.Headers, tokens: s.Tokens, next: ownConnections()}}
	modern := &remote{transport: &mcp.StreamableClientTransport{
		Endpoint: s.URL, HTTPClient: client, MaxRetries: 2, MaxEventSize: maxMessage, DisableStandaloneSSE: true,
	}, name: s.Name, client: client}
	older := &remote{transport: &mcp.SSEClientTransport{Endpoint: s.URL, HTTPClient: client, MaxEventSize: maxMessage},
		name: s.Name, client: client, what: "as an SSE server: "}
	switch s.Transport {
	case TransportHTTP:
		return []link{modern}, nil
	case TransportSSE:
		older.what = ""
		return []link{older}, nil
	case TransportAny:
		return []link{modern, older}, nil
	}
	return nil, fmt.Errorf("its type is %q: it must be http or sse", s.Transport)
}

// address describes where a server is, without passwords.
func (s Server) address() string {
	if s.Command != "" {
		return s.Command
	}
	if u, err := url.Parse(s.URL); err == nil {
		return u.Redacted()
	}
	return clip(text.Clean(s.URL), 200)
}

// Target returns the server's command line or URL, without passwords.
func (s Server) Target() string {
	if s.Command == "" {
		return s.address()
	}
	return strings.Join(append([]string{s.Command}, s.Args...), " ")
}

// Kind returns how the server is reached: "stdio", "http" or "sse".
func (s Server) Kind() string {
	if s.URL == "" {
		return "stdio"
	}
	return string(cmp.Or(s.Transport, TransportHTTP))
}

// program is a server that we started.
type program struct {
	process *proc.Process
	session *Session
}

func (p *program) hear(s *Session) *mcp.ClientOptions {
	p.session = s
	return nil
}

func (p *program) connect(ctx context.Context, c *mcp.Client) (*mcp.ClientSession, error) {
	out := p.process.Stdout()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxMessage)
	return c.Connect(ctx, &mcp.IOTransport{Reader: &messages{ReadCloser: out, lines: lines, session: p.session},
		Writer: p.process.Stdin(), MaxLineLength: maxMessage}, options)
}

func (p *program) stop() {
	p.process.Stop()
	p.process.Stdin().Close()
	p.process.Stdout().Close()
}

func (p *program) explain(err error) error {
	if said := strings.TrimSpace(text.Clean(string(p.process.Result().Stderr.Bytes()))); said != "" {
		return fmt.Errorf("%w; it wrote: %s", err, said)
	}
	return err
}

// remote is a server that is already running.
type remote struct {
	name      string
	transport mcp.Transport
	client    *http.Client
	what      string
	end       context.CancelFunc // nil before connect
}

func (r *remote) hear(s *Session) *mcp.ClientOptions { return s.changeHandlers() }

// connect applies ctx only to connecting, because the stream of an SSE server lives in
// the context it was opened with. For a server that does not answer, the SDK may keep
// trying for up to five seconds, which connect does not wait for.
func (r *remote) connect(ctx context.Context, c *mcp.Client) (*mcp.ClientSession, error) {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	r.end = end
	release := context.AfterFunc(ctx, end)
	defer release()
	type connected struct {
		session *mcp.ClientSession
		err     error
	}
	done := make(chan connected, 1)
	go func() {
		session, err := c.Connect(life, r.transport, options)
		done <- connected{session, err}
	}()
	select {
	case got := <-done:
		return got.session, got.err
	case <-ctx.Done():
		go func() {
			if late := <-done; late.session != nil {
				_ = late.session.Close() // no one else knows of it
			}
		}()
		return nil, ctx.Err()
	}
}

func (r *remote) stop() {
	if r.end != nil {
		r.end()
	}
	r.client.CloseIdleConnections()
}

func (r *remote) explain(err error) error {
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		if strings.Contains(err.Error(), http.StatusText(status)) {
			return fmt.Errorf("%s%w: sign in by minigem mcp auth %s, or give it what it asks for in \"headers\"", r.what, err,
				r.name)
		}
	}
	return fmt.Errorf("%s%w", r.what, err)
}

// courier adds the headers of the settings to requests to the server itself. A
// redirect, or an address named by an SSE server, must not take them elsewhere. It
// limits the size of whole responses; streams are limited per event.
type courier struct {
	host    *url.URL
	headers map[string]string
	tokens  oauth2.TokenSource
	next    http.RoundTripper
}

// ownConnections returns a transport that shares no connections. Closing the idle ones
// of [http.DefaultTransport] may break another's request that is just being sent.
func ownConnections() http.RoundTripper {
	if shared, ok := http.DefaultTransport.(*http.Transport); ok {
		return shared.Clone()
	}
	return http.DefaultTransport // if it was replaced, use the replacement
}

// RoundTrip implements http.RoundTripper.
func (c *courier) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme == c.host.Scheme && req.URL.Host == c.host.Host {
		req = req.Clone(req.Context())
		for k, v := range c.headers {
			req.Header.Set(k, v)
		}
		if err := c.authorize(req); err != nil {
			return nil, err
		}
	}
	res, err := c.next.RoundTrip(req)
	if err == nil && !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		res.Body = &bounded{ReadCloser: res.Body, left: maxMessage}
	}
	return res, err
}

// authorize adds the token of the user's sign-in, unless the settings set a header.
func (c *courier) authorize(req *http.Request) error {
	if c.tokens == nil || req.Header.Get("Authorization") != "" {
		return nil
	}
	tok, err := c.tokens.Token()
	if err == nil && tok != nil {
		tok.SetAuthHeader(req)
	}
	return err
}

// CloseIdleConnections implements the interface used by
// [http.Client.CloseIdleConnections].
func (c *courier) CloseIdleConnections() {
	if next, ok := c.next.(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}

// bounded is a reader that fails once too much has been read.
type bounded struct {
	io.ReadCloser
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, fmt.Errorf("the answer is longer than %d bytes", maxMessage)
	}
	return n, err
}
