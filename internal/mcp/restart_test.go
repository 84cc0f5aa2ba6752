package mcp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/waittest"
)

// TestTextOnStdout checks that text which is not a message is skipped anywhere, and
// reported once, cleaned, and that the server continues.
func TestTextOnStdout(t *testing.T) {
	t.Parallel()
	pool := Start(t.Context(), []Server{server(t, "misbehaving:chatty")})
	defer pool.Close()
	require.Empty(t, pool.Wait(waittest.Context(t)))
	session := pool.Sessions()[0]
	for range 3 {
		res, err := run(t, waittest.Context(t), named(session, "go"), map[string]any{})
		require.NoError(t, err)
		assert.Equal(t, "one", res.Display)
	}
	notes := pool.Notes()
	require.Len(t, notes, 1)
	assert.Contains(t, notes[0], `the MCP server srv wrote text to its stdout`)
	assert.True(t, strings.HasSuffix(notes[0], "text: Starting..."), notes[0])
	assert.Empty(t, pool.Notes(), "each is told once")
}

// TestRestart checks that the next request of any kind restarts a server that died, at
// most maxRestarts times, and that the call in which it dies fails.
func TestRestart(t *testing.T) {
	t.Parallel()
	pool := Start(t.Context(), []Server{server(t, "misbehaving:nothing, and dies")})
	defer pool.Close()
	require.Empty(t, pool.Wait(waittest.Context(t)))
	session := pool.Sessions()[0]
	version := pool.Version()
	calls := []func() error{
		func() error {
			_, err := run(t, waittest.Context(t), named(session, "go"), map[string]any{})
			return err
		},
		func() error { _, err := session.Read(waittest.Context(t), "a:b"); return err },
		func() error { _, err := session.Prompts()[0].Fill(waittest.Context(t), ""); return err },
	}
	for i := range maxRestarts + 1 {
		err := calls[i%len(calls)]()
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "started again", "it dies in the call")
	}
	for _, call := range calls {
		assert.ErrorContains(t, call(), "it ended, and is restarted at most 5 times")
	}
	assert.Greater(t, pool.Version(), version, "what it offers is asked for again")
	assert.Len(t, pool.Notes(), maxRestarts)
	assert.Equal(t, "mcp_srv_go", names(session))
}

// TestRestartTogether checks that concurrent calls which find a server dead restart it
// only once.
func TestRestartTogether(t *testing.T) {
	t.Parallel()
	pool := Start(t.Context(), []Server{server(t, "good")})
	defer pool.Close()
	require.Empty(t, pool.Wait(waittest.Context(t)))
	session := pool.Sessions()[0]
	_, err := run(t, waittest.Context(t), named(session, "die"), nil)
	require.Error(t, err)
	echo := named(session, "echo")
	errs := make(chan error, 8)
	for range cap(errs) {
		go func() {
			inv, err := echo.Prepare(map[string]any{"text": "x"})
			if err == nil {
				_, err = inv.Run(waittest.Context(t))
			}
			errs <- err
		}()
	}
	for range cap(errs) {
		require.NoError(t, <-errs)
	}
	assert.Len(t, pool.Notes(), 1)
}

// TestRestartFails checks that the error says why a server does not restart, and that
// it ends with its pool.
func TestRestartFails(t *testing.T) {
	t.Parallel()
	pool := Start(t.Context(), []Server{server(t, "misbehaving:dies for good")})
	require.Empty(t, pool.Wait(waittest.Context(t)))
	session := pool.Sessions()[0]
	_, err := run(t, waittest.Context(t), named(session, "go"), map[string]any{})
	require.Error(t, err)
	_, err = run(t, waittest.Context(t), named(session, "go"), map[string]any{})
	require.ErrorContains(t, err, "it ended, and cannot be restarted: connecting to the MCP server srv")
	assert.Contains(t, err.Error(), "no license")
	pool.Close()
	_, err = run(t, waittest.Context(t), named(session, "go"), map[string]any{})
	require.Error(t, err)
}
