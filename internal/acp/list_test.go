package acp

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/waittest"
)

func (e *editor) list(p acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	e.t.Helper()
	return e.conn.ListSessions(waittest.Context(e.t), p)
}

// TestListSessions checks that a later program lists the sessions that earlier ones
// saved, by folder and newest first, and can load them.
func TestListSessions(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{}`, says("Hello."), says("Again."))
	init, err := e.conn.Initialize(waittest.Context(t), acp.InitializeRequest{ProtocolVersion: 1})
	require.NoError(t, err)
	require.NotNil(t, init.AgentCapabilities.SessionCapabilities.List)
	empty, err := e.list(acp.ListSessionsRequest{Cwd: &e.dir})
	require.NoError(t, err)
	assert.Empty(t, empty.Sessions)
	assert.NotNil(t, empty.Sessions)
	assert.NoFileExists(t, filepath.Join(e.home, ".gemini", "projects.json"), "to list writes nothing")
	id := e.session()
	e.prompt(id, "Greet\x1b[31m me")
	second := e.session()
	e.prompt(second, "And once more")
	require.NoError(t, e.hang())

	e.serve(says("Gone on."))
	all, err := e.list(acp.ListSessionsRequest{Cwd: &e.dir})
	require.NoError(t, err)
	var said []string
	for _, s := range all.Sessions {
		assert.Equal(t, e.dir, s.Cwd)
		assert.NotEmpty(t, *s.UpdatedAt)
		said = append(said, string(s.SessionId)+" "+*s.Title)
	}
	assert.ElementsMatch(t, []string{string(second) + " And once more", string(id) + " Greet<U+001B>[31m me"}, said)
	assert.Nil(t, all.NextCursor)
	none, err := e.list(acp.ListSessionsRequest{})
	require.NoError(t, err)
	assert.Empty(t, none.Sessions, "minigem was started in another folder")
	_, err = e.conn.LoadSession(waittest.Context(t), acp.LoadSessionRequest{SessionId: id, Cwd: e.dir, McpServers: []acp.McpServer{}})
	require.NoError(t, err)
	known, err := e.list(acp.ListSessionsRequest{})
	require.NoError(t, err)
	assert.Len(t, known.Sessions, 2, "the folder has a session open now")

	for _, dir := range []string{"relative", filepath.Join(e.dir, "none"), "\x00"} {
		_, err = e.list(acp.ListSessionsRequest{Cwd: &dir})
		require.ErrorContains(t, err, "absolute path of a folder")
	}
	for _, cursor := range []string{"x", "-1", "99999999999999999999", "2031-01-01T00:00:00Z", "2031-01-01T00:00:00Z "} {
		_, err = e.list(acp.ListSessionsRequest{Cursor: &cursor})
		require.ErrorContains(t, err, "is not from session/list")
	}
	require.NoError(t, e.hang())
}

// TestListPages checks that many sessions are listed in pages, each once, the latest
// first, whatever begins between two pages.
func TestListPages(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{}`, says("Hello."))
	e.prompt(e.session(), "Greet me")
	require.NoError(t, e.hang())
	files, err := filepath.Glob(filepath.Join(e.home, ".gemini", "tmp", "*", "chats", "*.jsonl"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	one, err := os.ReadFile(files[0])
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(one), `","`)
	id := strings.TrimPrefix(first, `{"sessionId":"`)
	require.Len(t, id, 36)
	another := func(i int, updated string) {
		name := strings.TrimSuffix(files[0], ".jsonl") + strconv.Itoa(i) + ".jsonl"
		later := fmt.Sprintf(`{"$set":{"lastUpdated":%q}}`+"\n", updated)
		require.NoError(t, os.WriteFile(name, []byte(strings.ReplaceAll(string(one), id, uuid.NewString())+later), 0o600))
	}
	for i := range mostListed {
		another(i, fmt.Sprintf("2031-01-01T00:%02d:%02d.000Z", i/60, (i*7)%60))
	}
	e.serve()
	seen, before := map[acp.SessionId]int{}, "9"
	p := acp.ListSessionsRequest{Cwd: &e.dir}
	for pages := 1; ; pages++ {
		page, err := e.list(p)
		require.NoError(t, err)
		for _, s := range page.Sessions {
			seen[s.SessionId]++
			assert.LessOrEqual(t, *s.UpdatedAt, before, "the latest first")
			before = *s.UpdatedAt
		}
		if p.Cursor = page.NextCursor; p.Cursor == nil {
			assert.Equal(t, 2, pages)
			break
		}
		another(mostListed, "2032-01-01T00:00:00.000Z") // begins between pages, and shifts no other
	}
	assert.Len(t, seen, mostListed+1)
	for id, n := range seen {
		assert.Equal(t, 1, n, id)
	}
	require.NoError(t, e.hang())
}
