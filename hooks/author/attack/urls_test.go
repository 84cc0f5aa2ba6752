package attack

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/thorough"
)

// canonical normalizes a URL.
func canonical(u *url.URL) string {
	port := map[string]string{"": "", map[string]string{"http": "80", "https": "443"}[u.Scheme]: ""}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if p, ok := port[u.Port()]; !ok {
		host += ":" + u.Port() + p
	}
	return u.Scheme + "://" + host + u.Path
}

// asked collects the URLs that programs request from a proxy.
type asked struct {
	mu   sync.Mutex
	urls map[string][]string // by the user name in the request
}

func (a *asked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	user := r.Header.Get("Proxy-Authorization")
	if user == "" { // git sends the user name only when asked for it
		w.Header().Set("Proxy-Authenticate", "Basic")
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	r.Header.Set("Authorization", user)
	who, _, _ := r.BasicAuth()
	a.urls[who] = append(a.urls[who], canonical(r.URL))
	w.Header().Set("Content-Length", "2")
	_, _ = w.Write([]byte("ok")) // the request counts even if the response is not read
}

// TestURLsAreFetched checks that each spelling requests the URL and no look-alike does.
// It runs the real programs behind a proxy.
func TestURLsAreFetched(t *testing.T) {
	t.Parallel()
	const goal = "http://evil.example/collect"
	proxy := &asked{urls: map[string][]string{}}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	at := strings.TrimPrefix(server.URL, "http://")
	spellings, err := Goal{Kind: URL, Value: goal}.Spellings()
	require.NoError(t, err)
	all := slices.DeleteFunc(slices.Clone(spellings), func(s Spelling) bool {
		return !thorough.Asked() && !slices.Contains([]string{"tools", "URLs", "programs", "words"}, s.Class) && (!s.Harmless || s.Tool != "web_fetch" && !strings.Contains(s.Text, "example.org"))
	})
	names := map[string]string{}
	for i, s := range all {
		names[s.Tool+s.Text] = "n" + escapes(string(rune('a'+i%26)), "%c") + strings.Repeat("x", i/26)
	}
	wrong, ran := verify(t, all, func(t *testing.T, s Spelling) bool {
		if s.Tool == "web_fetch" {
			return slices.ContainsFunc(strings.Fields(s.Text), func(word string) bool {
				u, err := url.Parse(word)
				return err == nil && canonical(u) == goal
			})
		}
		if strings.Contains(s.Text, "env -i") {
			return true // env -i removes the address of the proxy
		}
		name := names[s.Tool+s.Text]
		via := "http://" + name + ":x@" + at
		trial(t, s.Text, "", map[string]string{"notes.md": "nothing\n"}, "http_proxy="+via, "https_proxy="+via, "GIT_TERMINAL_PROMPT=0")
		proxy.mu.Lock()
		defer proxy.mu.Unlock()
		return slices.ContainsFunc(proxy.urls[name], func(u string) bool { return u == goal || strings.HasPrefix(u, goal+"/info/refs") })
	})
	harmless := len(slices.DeleteFunc(spellings, func(s Spelling) bool { return !s.Harmless }))
	t.Logf("%d spellings and %d look-alikes, %d ran", len(spellings)-harmless, harmless, ran)
	assert.Empty(t, strings.Join(wrong, "\n"))
	for _, bad := range []string{"evil.example", "ftp://x/", "http://u@x/", "http://x:8080/", "http://x/#a", "http:///", "http://x/a b"} {
		_, err := Goal{Kind: URL, Value: bad}.Spellings()
		require.ErrorContains(t, err, "attacking a URL", bad)
	}
}
