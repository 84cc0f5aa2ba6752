//go:build unix

package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/command"
	"minigem/hooks/protocol"
)

// TestPathsAreOneWord checks that a guard's path may be written without quotes: a
// folder with spaces in its name must not disable the guard.
func TestPathsAreOneWord(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), `my "own" * project's \ é`)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".gemini", "hooks"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".gemini/hooks/guard.sh"), []byte("#!/bin/sh\necho no >&2\nexit 2\n"), 0o700))
	var env []string
	for _, name := range []string{"GEMINI_PROJECT_DIR", "GEMINI_CWD", "GEMINI_PLANS_DIR", "CLAUDE_PROJECT_DIR"} {
		env = append(env, name+"="+dir)
	}
	r := command.Runner{Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH")}}
	for _, line := range []string{
		`$GEMINI_PROJECT_DIR/.gemini/hooks/guard.sh`,
		`${CLAUDE_PROJECT_DIR}/.gemini/hooks/guard.sh`,
		`"$GEMINI_PROJECT_DIR/.gemini/hooks/guard.sh"`,
		`"${GEMINI_PROJECT_DIR}"/.gemini/hooks/guard.sh`,
		`bash $GEMINI_CWD/.gemini/hooks/guard.sh`,
		`cd $GEMINI_PLANS_DIR && ./.gemini/hooks/guard.sh`,
		`test -d $GEMINI_CWD || exit 0; exec ${GEMINI_PROJECT_DIR:-.}/.gemini/hooks/guard.sh`,
		`out=$($GEMINI_PROJECT_DIR/.gemini/hooks/guard.sh 2>&1); code=$?; echo "$out" >&2; exit $code`,
	} {
		e := r.Run(t.Context(), hooks.Hook{Command: line}, hooks.Payload{[]byte("{}")}, env)
		assert.Equal(t, 2, e.Code, "%s: %s", line, e.Stderr)
		assert.Equal(t, "no\n", string(e.Stderr), line)
	}
}

// A program without a shell gets its arguments unchanged, except for the variables that
// every hook gets.
func TestArguments(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), `a "b" $x 'ü`)
	require.NoError(t, os.Mkdir(dir, 0o700))
	r := command.Runner{Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH")}}
	h := hooks.Hook{Event: protocol.BeforeTool, Command: "printf", Handler: hooks.Handler{Args: []string{
		`%s|`, "${GEMINI_PROJECT_DIR}/x", "$GEMINI_PROJECT_DIR", "; touch pwned", "$(touch pwned)", "`id` $HOME", "it's", "", "a\nb", "${OTHER}",
	}}}
	e := r.Run(t.Context(), h, hooks.Payload{}, []string{"GEMINI_PROJECT_DIR=" + dir})
	require.NoError(t, e.Err)
	assert.Equal(t, strings.Join([]string{dir + "/x", "$GEMINI_PROJECT_DIR", "; touch pwned", "$(touch pwned)", "`id` $HOME", "it's", "", "a\nb", "${OTHER}", ""}, "|"), string(e.Stdout))
	assert.NoFileExists(t, filepath.Join(dir, "pwned"))

	h = hooks.Hook{Event: protocol.BeforeTool, Command: "${GEMINI_PROJECT_DIR}/no such", Handler: hooks.Handler{Args: []string{}}}
	e = r.Run(t.Context(), h, hooks.Payload{}, []string{"GEMINI_PROJECT_DIR=" + dir})
	assert.ErrorContains(t, e.Err, dir+"/no such")
}
