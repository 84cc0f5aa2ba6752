package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	htmltomarkdown "github.com/JohannesKaufmann/html-to-markdown/v2"
	htmlcharset "golang.org/x/net/html/charset"

	"minigem/internal/publicaddr"
)

// Limits of fetching (core/tools/web-fetch.ts): the time for a page with its
// redirections, how many of those, the bytes of a page, and the characters of all pages
// of a call.
const (
	fetchTimeout   = 10 * time.Second
	fetchRedirects = 5
	maxFetch       = 10 << 20
	maxFetchChars  = 250_000
)

// errNotPublic is wrapped by the errors about hosts on this machine or in a local
// network. Such a page is never fetched, so that a prompt cannot make the tool read
// internal services.
var errNotPublic = errors.New("address is not public")

// webClient fetches pages of the public internet only: a name is looked up once
// for each connection, all of its addresses must be public, and the connection
// goes to one of them. The same applies to redirects. Proxies of the
// environment are not used: with one there would be no address to check.
type webClient struct {
	resolver Resolver
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
	http     *http.Client
}

// newWebClient makes a client that keeps no connections. nil means this machine's
// resolver and network.
func newWebClient(r Resolver, dial func(ctx context.Context, network, address string) (net.Conn, error)) *webClient {
	if r == nil {
		r = net.DefaultResolver
	}
	if dial == nil {
		dial = (&net.Dialer{Timeout: fetchTimeout}).DialContext
	}
	c := &webClient{resolver: r, dial: dial}
	c.http = &http.Client{
		Transport: &http.Transport{DialContext: c.connect, DisableKeepAlives: true, TLSHandshakeTimeout: fetchTimeout,
			MaxResponseHeaderBytes: 1 << 20},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > fetchRedirects {
				return fmt.Errorf("more than %d redirections", fetchRedirects)
			}
			if s := req.URL.Scheme; s != "http" && s != "https" {
				return fmt.Errorf("redirected to %s:, which is not supported", s)
			}
			return nil
		},
	}
	return c
}

// connect dials one of the public addresses of a host. It looks the host up itself, so
// that the address that was checked is the one that is dialled. The error is for the
// last address, or from the lookup.
func (c *webClient) connect(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addrs, err := publicAddrs(ctx, c.resolver, host)
	if err != nil {
		return nil, err
	}
	var conn net.Conn
	for _, a := range addrs {
		if conn, err = c.dial(ctx, network, net.JoinHostPort(a.Unmap().String(), port)); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// blocked reports whether a host is known not to be public. A host that cannot
// be looked up is not blocked here: fetching from it checks again.
func (c *webClient) blocked(ctx context.Context, u *url.URL) bool {
	host := u.Hostname()
	if a, err := netip.ParseAddr(host); err == nil {
		return !publicaddr.Is(a)
	}
	if localName(host) || looksNumeric(host) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, lookupLimit)
	defer cancel()
	_, err := publicAddrs(ctx, c.resolver, host)
	return errors.Is(err, errNotPublic)
}

// looksNumeric reports whether a host is an address in one of the spellings
// that some programs accept: 2130706433, 0x7f.1, 127.1.
func looksNumeric(host string) bool {
	last := host[strings.LastIndexByte(strings.TrimSuffix(host, "."), '.')+1:]
	return last != "" && '0' <= last[0] && last[0] <= '9'
}

// fetch returns a page as text; HTML becomes Markdown. A page of more than 10 MiB, of a
// type that is not text, or with a status other than 2xx is an error.
func (c *webClient) fetch(ctx context.Context, u *url.URL) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, fetchTimeout, fmt.Errorf("no answer within %s", fetchTimeout))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("User-Agent", "Mozilla/5.0 (compatible; minigem)")
	req.Header.Set("Accept", "text/html, text/markdown, text/plain, application/json, */*;q=0.5")
	resp, err := c.http.Do(req)
	if err != nil {
		return "", why(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return "", fmt.Errorf("the server answered %s", resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxFetch+1))
	if err != nil {
		return "", why(ctx, err)
	}
	if len(body) > maxFetch {
		return "", fmt.Errorf("the page has more than %d MB", maxFetch>>20)
	}
	return pageText(body, cmp.Or(resp.Header.Get("Content-Type"), http.DetectContentType(body)))
}

// why returns the cause for which ctx ended, else err.
func why(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// pageText converts a page of the given Content-Type to text.
func pageText(body []byte, contentType string) (string, error) {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = "text/plain"
	}
	html := kind == "text/html" || kind == "application/xhtml+xml"
	text := html || strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "json") ||
		strings.HasSuffix(kind, "xml") || strings.HasSuffix(kind, "javascript") || strings.HasSuffix(kind, "yaml")
	if !text {
		return "", fmt.Errorf("content of type %s is not text", kind)
	}
	r, err := htmlcharset.NewReader(strings.NewReader(string(body)), contentType)
	if err != nil {
		return "", fmt.Errorf("decoding the page: %w", err)
	}
	decoded, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("decoding the page: %w", err)
	}
	page := strings.ToValidUTF8(string(decoded), "\ufffd")
	if !html {
		return page, nil
	}
	if page, err = htmltomarkdown.ConvertString(page); err != nil {
		return "", fmt.Errorf("converting the page: %w", err)
	}
	return page, nil
}
