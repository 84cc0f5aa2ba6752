package oauth

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"minigem/internal/text"
)

// signInTime is how long the user has to sign in (core/mcp/oauth-provider.ts).
const signInTime = 5 * time.Minute

const callbackPath = "/oauth/callback"

// Server is a server to sign in at.
type Server struct {
	Name, URL    string
	ClientID     string   // a client registered earlier; if empty, one is registered now
	ClientSecret string   // the secret of ClientID
	Scopes       []string // scopes to request; nil means those that the server names
	RedirectURI  string   // where the browser returns to, on this machine; if empty, any port
}

// SignIn signs the user in at s and stores what the server issues. It calls show with
// the address that the user should open in a browser on this machine. It ends with ctx,
// or after five minutes.
func (st Store) SignIn(ctx context.Context, s Server, show func(address string)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, signInTime, fmt.Errorf("there was no sign-in within %v", signInTime))
	defer cancel()
	err := st.signIn(ctx, s, show)
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("signing in at the MCP server %s: %w", s.Name, cause)
	}
	said := strings.Join(strings.Fields(text.Clean(err.Error())), " ") // part of it comes from the server
	return fmt.Errorf("signing in at the MCP server %s: %s", s.Name, said)
}

func (st Store) signIn(ctx context.Context, s Server, show func(string)) error {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || !private(u) {
		return errors.New("its URL must begin with https://, or lead to this machine")
	}
	back, err := listen(s.RedirectURI)
	if err != nil {
		return err
	}
	defer back.close()
	client := clientFor(u)
	var given *credentials
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: back.url.String(), Client: client, RequestRefreshToken: true, AcceptUnadvertisedIss: true,
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			return back.wait(ctx, u, args.URL, show)
		},
		NewTokenSource: func(_ context.Context, c *oauth2.Config, tok *oauth2.Token) (oauth2.TokenSource, error) {
			given = &credentials{
				ServerName: s.Name, ServerURL: s.URL, Token: fromOAuth(tok), ClientID: c.ClientID, ClientSecret: c.ClientSecret,
				TokenURL: c.Endpoint.TokenURL, UpdatedAt: time.Now().UnixMilli(),
			}
			return oauth2.StaticTokenSource(tok), nil
		},
	}
	if s.Scopes != nil {
		config.ScopeFilter = func([]string) []string { return s.Scopes }
	}
	if s.ClientID != "" {
		config.PreregisteredClient = &oauthex.ClientCredentials{ClientID: s.ClientID}
		if s.ClientSecret != "" {
			config.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: s.ClientSecret}
		}
	} else {
		config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{
				ClientName: "minigem", RedirectURIs: []string{back.url.String()}, TokenEndpointAuthMethod: "none",
				GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
			}}
	}
	handler, err := auth.NewAuthorizationCodeHandler(config)
	if err != nil {
		return err
	}
	if err := authorize(ctx, handler, client, s.URL); err != nil {
		return err
	}
	if given == nil {
		return errors.New("the server gave no token")
	}
	return st.keep(ctx, *given)
}

func (st Store) keep(ctx context.Context, c credentials) error {
	release, err := st.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	return st.put(c)
}

// authorize sends the server a request, so that it says what a sign-in requires, and
// signs in.
func authorize(ctx context.Context, handler *auth.AuthorizationCodeHandler, client *http.Client, address string) error {
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"gemini-cli-mcp-client","version":"0.0.1"}}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader([]byte(hello)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized {
		return fmt.Errorf("it does not ask for a sign-in: it answers with HTTP status %d", res.StatusCode)
	}
	return handler.Authorize(ctx, req, res)
}

// landing is the address that the browser returns to.
type landing struct {
	url      *url.URL
	listener net.Listener
	server   *http.Server
}

func listen(redirect string) (*landing, error) {
	u := &url.URL{Scheme: "http", Host: "localhost:0", Path: callbackPath}
	if redirect != "" {
		given, err := url.Parse(redirect)
		if err != nil || given.Scheme != "http" || !loopback(given.Hostname()) || given.Port() == "" {
			return nil, fmt.Errorf("redirectUri is %q: it must be http://localhost:PORT%s", redirect, callbackPath)
		}
		u = given
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", u.Port()))
	if err != nil {
		return nil, fmt.Errorf("waiting for the browser: %w", err)
	}
	if redirect == "" {
		_, port, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			return nil, err
		}
		u.Host = "localhost:" + port
	}
	return &landing{url: u, listener: l}, nil
}

func (b *landing) close() {
	if b.server != nil { // the browser gets its page first
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = b.server.Shutdown(ctx)
	}
	_ = b.listener.Close()
}

// wait shows where to sign in and returns what the browser brings back. It ignores
// requests without the state of this sign-in.
func (b *landing) wait(ctx context.Context, server *url.URL, address string,
	show func(string)) (*auth.AuthorizationResult, error) {
	at, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if at.Scheme != "https" && (at.Scheme != "http" || !loopback(server.Hostname())) {
		return nil, fmt.Errorf("its sign-in page %s://%s is not https", at.Scheme, at.Host)
	}
	type came struct {
		result *auth.AuthorizationResult
		err    error
	}
	done := make(chan came, 1)
	b.server = &http.Server{
		ReadHeaderTimeout: answerTime, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			q := r.URL.Query()
			if r.URL.Path != b.url.Path || q.Get("state") != at.Query().Get("state") {
				http.NotFound(w, r)
				return
			}
			got := came{result: &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}}
			said := "You are signed in. This page can be closed."
			if q.Get("error") != "" || q.Get("code") == "" {
				got = came{err: fmt.Errorf("it was refused: %.300s",
					cmp.Or(q.Get("error_description"), q.Get("error"), "there is no code"))}
				said = "The sign-in was refused. This page can be closed."
			}
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			_, _ = fmt.Fprintln(w, said)
			select {
			case done <- got:
			default:
			}
		})}
	go func() { _ = b.server.Serve(b.listener) }() // ends with close
	show(at.String())
	select {
	case got := <-done:
		return got.result, got.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
