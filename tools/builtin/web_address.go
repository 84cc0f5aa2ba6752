package builtin

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"minigem/internal/publicaddr"
)

// Resolver looks up names; [*net.Resolver] implements it. It is called concurrently.
type Resolver interface {
	// LookupNetIP is called with the network "ip".
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// lookupLimit bounds a look-up before a model is asked. A slower host is checked when it
// is fetched.
const lookupLimit = 2 * time.Second

// localName reports whether a host's name belongs to this machine or its
// network.
func localName(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "" || host == "localhost" ||
		slices.ContainsFunc([]string{".localhost", ".local", ".internal", ".home.arpa"}, func(s string) bool {
			return strings.HasSuffix(host, s)
		})
}

// publicAddrs returns the addresses of a host, or an error if there are none or
// one is not public.
func publicAddrs(ctx context.Context, r Resolver, host string) ([]netip.Addr, error) {
	if localName(host) {
		return nil, fmt.Errorf("%w: %s", errNotPublic, host)
	}
	addrs := []netip.Addr{}
	if a, err := netip.ParseAddr(host); err == nil {
		addrs = append(addrs, a)
	} else if addrs, err = r.LookupNetIP(ctx, "ip", host); err != nil {
		return nil, err
	}
	for _, a := range addrs {
		if !publicaddr.Is(a) {
			return nil, fmt.Errorf("%w: %s is at %s", errNotPublic, host, a)
		}
	}
	if len(addrs) == 0 {
		return nil, fmt.Errorf("%s has no address", host)
	}
	return addrs, nil
}

// findURLs returns the URLs in a prompt, each once, in order. faults has a sentence for
// the model about each text that looks like a URL and is not one that can be fetched.
func findURLs(prompt string) (urls []*url.URL, faults []string) {
	for _, word := range strings.Fields(prompt) {
		i := strings.Index(word, "://")
		if i < 0 {
			continue
		}
		// Skip what encloses the URL: "(https://…".
		begin := strings.LastIndexFunc(word[:i], func(r rune) bool { return !isSchemeRune(r) }) + 1
		word = trimAddress(word[begin:])
		u, err := url.Parse(word)
		switch {
		case err != nil || u.Host == "" || u.Hostname() == "":
			faults = append(faults, fmt.Sprintf("Malformed URL detected: %q.", word))
			continue
		case u.Scheme != "http" && u.Scheme != "https":
			faults = append(faults, fmt.Sprintf("Unsupported protocol in URL: %q. Only http and https are supported.", word))
			continue
		}
		u = rawGitHub(u)
		if !slices.ContainsFunc(urls, func(v *url.URL) bool { return v.String() == u.String() }) {
			urls = append(urls, u)
		}
	}
	return urls, faults
}

// isSchemeRune reports whether r may be part of a URL's scheme (RFC 3986, section 3.1).
func isSchemeRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("+-.", r)
}

// trimAddress removes punctuation of the sentence from the end of a URL.
func trimAddress(s string) string {
	for {
		t := strings.TrimRight(s, ".,;:!?\"'`>*")
		for _, pair := range []string{"()", "[]", "{}"} {
			if strings.HasSuffix(t, pair[1:]) && strings.Count(t, pair[:1]) < strings.Count(t, pair[1:]) {
				t = t[:len(t)-1]
			}
		}
		if t == s {
			return s
		}
		s = t
	}
}

// rawGitHub replaces the URL of a file's page on GitHub by the URL of the file itself.
func rawGitHub(u *url.URL) *url.URL {
	u = u.JoinPath() // a copy, with "/" for an empty path
	u.Fragment = ""
	parts := strings.Split(strings.TrimPrefix(u.Path, "/"), "/")
	if u.Hostname() != "github.com" || len(parts) < 5 || parts[2] != "blob" {
		return u
	}
	raw := *u
	raw.Host, raw.RawQuery = "raw.githubusercontent.com", ""
	raw.Path, raw.RawPath = "/"+strings.Join(slices.Concat(parts[:2], parts[3:]), "/"), ""
	return &raw
}
