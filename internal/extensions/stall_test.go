package extensions

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReleasesOfServersThatStall: a server that stalls before the release or in the
// middle of its archive is given up, and the installed version stays.
func TestReleasesOfServersThatStall(t *testing.T) {
	t.Parallel()
	archive := tarOf(t, map[string]string{manifestFile: `{"name": "rel", "version": "1"}`})
	tag, stalled := "v1", ""
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	answer := func(path string, some, rest func(w http.ResponseWriter)) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			some(w)
			if stalled == path {
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
				return
			}
			rest(w)
		})
	}
	answer("/repos/o/r/releases/latest", func(http.ResponseWriter) {}, func(w http.ResponseWriter) {
		_ = json.NewEncoder(w).Encode(map[string]any{"tag_name": tag, "tarball_url": server.URL + "/archive"})
	})
	answer("/archive", func(w http.ResponseWriter) { _, _ = w.Write(archive[:20]) }, func(w http.ResponseWriter) { _, _ = w.Write(archive[20:]) })
	m := newManager(t, &someone{yes: true}, "GITHUB_API_URL="+server.URL)
	for _, stalled = range []string{"/repos/o/r/releases/latest", "/archive"} {
		m.Wait.Limit = 100 * time.Millisecond
		_, err := m.Install(t.Context(), "https://github.com/o/r", Options{})
		require.ErrorContains(t, err, strings.TrimPrefix(server.URL, "http://")+" sent almost nothing for 100ms: check the network")
		assert.Empty(t, left(t, m))
	}
	m.Wait.Limit, stalled = 0, ""
	_, err := m.Install(t.Context(), "https://github.com/o/r", Options{})
	require.NoError(t, err)
	tag = "v2"
	for _, stalled = range []string{"/repos/o/r/releases/latest", "/archive"} {
		m.Wait.Limit = 100 * time.Millisecond
		_, err := m.Update(t.Context(), "rel", Options{})
		require.ErrorContains(t, err, "sent almost nothing for 100ms")
		now, err := m.Find("rel")
		require.NoError(t, err)
		assert.Equal(t, "v1", now.Origin.ReleaseTag)
		assert.Equal(t, []string{"rel"}, slices.DeleteFunc(left(t, m), func(name string) bool { return name == enablementFile }))
	}
}
