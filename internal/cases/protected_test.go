package cases

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/agents/played"
	"minigem/e2e/testbed"
)

// protectedCase is a case with a guard of a path that minigem itself refuses.
func protectedCase(t *testing.T, path, answer string) *testbed.Case {
	t.Helper()
	c, err := testbed.Parse("case.txtar", []byte("prompt x\nfired before-tool guard\n! tool-ran write\n"+
		"-- guard.sh --\n#!/bin/sh\ngrep -q "+strings.TrimPrefix(path, "sub/")+` && { echo '{"cancel": true, "decision": "deny"}'; echo no >&2; exit 2; }`+
		"\n-- hooks --\nbefore-tool write guard.sh\n-- model --\n"+answer+"\n\ntext Done.\n"))
	require.NoError(t, err)
	return c
}

// TestGuardsOfProtectedPaths: a played agent refuses the paths that it refuses itself, not
// those that minigem refuses, and minigem's own column says how such a guard can be tested.
func TestGuardsOfProtectedPaths(t *testing.T) {
	t.Parallel()
	all, err := played.Find([]string{"all"})
	require.NoError(t, err)
	for path, gemini := range map[string]bool{".env": false, "sub/.env": false, "sub/.env.local": true, ".envrc": true,
		".git/config": false, "node_modules/a.js": false, "gha-creds-1.json": false} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			answer := "write " + path + " x"
			for _, a := range all {
				res := testbed.Run(t.Context(), protectedCase(t, path, answer), testbed.Options{Driver: As(a), Elsewhere: true})
				require.NoError(t, res.Broken)
				if a.ID == "gemini" && !gemini {
					require.NotEmpty(t, res.Failures, "Gemini CLI refuses %s before its hooks run", path)
					assert.Contains(t, res.Failures[0].Actual, "was refused before BeforeTool")
					continue
				}
				assert.Empty(t, res.Failures, "%s %s", a.ID, res.Skipped)
			}
			own := testbed.Run(t.Context(), protectedCase(t, path, answer), testbed.Options{Driver: Open})
			require.NotEmpty(t, own.Failures)
			assert.Contains(t, own.Failures[0].Detail, "no setting and no section allows it.\nA guard of it can be tested with a command, such as shell cat .env, or in agents that allow it: --as claude\n")
		})
	}
}

// TestPlayedAgentsStayInTheirFolder: the names that a played agent may read are those of
// its own folder, also through a link.
func TestPlayedAgentsStayInTheirFolder(t *testing.T) {
	t.Parallel()
	agents, err := played.Find([]string{"claude"})
	require.NoError(t, err)
	c, err := testbed.Parse("case.txtar", []byte("prompt x\n! model-saw any ~SECRET\nmodel-saw any ~'SEEN'\n-- .env --\nSEEN=1\n-- home/.env --\nSECRET=1\n"+
		"-- hooks --\nstop true\n-- model --\nread .env\n\nshell ln -s ../home/.env .env.local\n\nread .env.local\n\nread $HOME/.env\n\ntext Done.\n"))
	require.NoError(t, err)
	res := testbed.Run(t.Context(), c, testbed.Options{Driver: As(agents[0]), Elsewhere: true})
	require.NoError(t, res.Broken)
	assert.Empty(t, res.Skipped)
	assert.Empty(t, res.Failures)
}
