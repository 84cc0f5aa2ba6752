package oauth

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"minigem/internal/publicaddr"
)

const (
	// answerTime limits one request of a sign-in.
	answerTime = 30 * time.Second
	// maxAnswer limits a response, in bytes.
	maxAnswer = 1 << 20
)

// errNotPublic is the error for addresses that a server may not send us to.
var errNotPublic = errors.New("a server on the internet may not send a sign-in to an address that is not public")

// loopback reports whether host is this machine. A name below .localhost does not
// count, because it means whatever a name server says.
func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.Unmap().IsLoopback()
}

// clientFor returns the client for all requests of a sign-in at server.
func clientFor(server *url.URL) *http.Client {
	g := guard{local: loopback(server.Hostname()), host: server.Host, open: transport(nil)}
	g.public = transport(onlyPublic)
	return &http.Client{Transport: g, Timeout: answerTime}
}

func transport(control func(network, address string, c syscall.RawConn) error) *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Control: control}).DialContext,
		DisableKeepAlives: true, MaxResponseHeaderBytes: 1 << 20,
	}
}

func onlyPublic(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil || !publicaddr.Is(a.Addr()) {
		return fmt.Errorf("%w: %s", errNotPublic, address)
	}
	return nil
}

// guard enforces the package's rules on requests, including redirects.
type guard struct {
	local        bool   // the server is on this machine
	host         string // the server's
	open, public http.RoundTripper
}

// inside reports whether host, judging by its name, is this machine or its network.
func inside(host string) bool {
	a, err := netip.ParseAddr(host)
	return loopback(host) || strings.HasSuffix(host, ".localhost") || err == nil && !publicaddr.Is(a)
}

// RoundTrip implements [http.RoundTripper].
func (g guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if !g.local && req.URL.Scheme != "https" {
		return nil, fmt.Errorf("%s://%s: a sign-in needs https", req.URL.Scheme, req.URL.Host)
	}
	next := g.open
	proxy, err := http.ProxyFromEnvironment(req)
	if err != nil {
		return nil, err
	}
	if !g.local && req.URL.Host != g.host {
		next = g.public
		if inside(req.URL.Hostname()) {
			return nil, fmt.Errorf("%w: %s", errNotPublic, req.URL.Host)
		}
		if proxy != nil {
			next = g.open // the proxy connects, and decides which addresses may be reached
		}
	}
	res, err := next.RoundTrip(req)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, maxAnswer), res.Body}
	}
	return res, err
}
