package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

const (
	// margin is how long before its expiry a stored token is renewed
	// (core/mcp/oauth-token-storage.ts).
	margin = 5 * time.Minute
	// refreshTime limits one refresh, and the wait for another program's.
	refreshTime = 30 * time.Second
)

// Source provides the token for one server. It reads the file on first use, and is safe
// for concurrent use.
type Source struct {
	store     Store
	name, url string

	mu     sync.Mutex
	cached *oauth2.Token
}

// Source returns the token source for the server called name at address.
func (s Store) Source(name, address string) *Source {
	return &Source{store: s, name: name, url: address}
}

// Token returns a currently valid token. It returns nil without an error if the user is
// not signed in, or if the server is neither on this machine nor reached over https. It
// renews a token that is about to expire, and stores the new one.
func (s *Source) Token() (*oauth2.Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cached.Valid() {
		return s.cached, nil
	}
	u, err := url.Parse(s.url)
	if err != nil || s.store.Path == "" || !private(u) {
		return nil, nil
	}
	c, err := s.store.find(s.name, s.url)
	if err != nil {
		return nil, nil // [Store.Check] reports it; servers that need no sign-in still work
	}
	if c != nil && c.ends() {
		c, err = s.renewed(u)
	}
	if c == nil || err != nil {
		return nil, err
	}
	s.cached = c.Token.oauth()
	return s.cached, nil
}

// ends reports whether the token has expired, or soon will.
func (c *credentials) ends() bool {
	return c.Token.ExpiresAt != 0 && time.Until(time.UnixMilli(c.Token.ExpiresAt)) < margin
}

// renewed returns the entry in the file once its token is valid again, or nil if
// another program has removed it.
func (s *Source) renewed(u *url.URL) (*credentials, error) {
	ctx, cancel := context.WithTimeout(context.Background(), refreshTime)
	defer cancel()
	release, err := s.store.lock(ctx)
	if err != nil {
		return nil, fmt.Errorf("renewing the sign-in at the MCP server %s: %w", s.name, err)
	}
	defer release()
	c, err := s.store.find(s.name, s.url)
	if c == nil || err != nil || !c.ends() { // another program has renewed it meanwhile
		return c, err
	}
	return c, s.renew(ctx, u, c)
}

// private reports whether nothing on the way can read what is sent to u.
func private(u *url.URL) bool { return u.Scheme == "https" || loopback(u.Hostname()) }

// renew replaces c's token with a new one from the server, and stores it.
func (s *Source) renew(ctx context.Context, u *url.URL, c *credentials) error {
	again := fmt.Errorf("the sign-in at the MCP server %s has expired: minigem mcp auth %s signs in again", s.name, s.name)
	if c.Token.RefreshToken == "" || c.TokenURL == "" || c.ClientID == "" {
		return again
	}
	config := oauth2.Config{ClientID: c.ClientID, ClientSecret: c.ClientSecret, Endpoint: oauth2.Endpoint{
		TokenURL: c.TokenURL}}
	old := c.Token.oauth()
	old.Expiry = time.Now().Add(-time.Hour)
	tok, err := config.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, clientFor(u)), old).Token()
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused) && refused.Response != nil && refused.Response.StatusCode < 500:
		if err := s.store.remove(s.name); err != nil {
			return err
		}
		return again
	case err != nil:
		return fmt.Errorf("renewing the sign-in at the MCP server %s: %w", s.name, err)
	}
	scope := c.Token.Scope
	c.Token, c.UpdatedAt = fromOAuth(tok), time.Now().UnixMilli()
	if c.Token.Scope == "" {
		c.Token.Scope = scope
	}
	return s.store.put(*c)
}
