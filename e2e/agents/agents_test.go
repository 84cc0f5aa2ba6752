package agents

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
)

// TestSelfTest: an agent that behaves passes. Each way to misbehave makes its column
// "cannot", with the reason.
func TestSelfTest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ how, seconds, want string }{
		{"well", "90", ""},
		{"hangs", "1", "fake did not end: the case took longer than 1s; it had made 0 requests"},
		{"login", "90", `fake made no request to the model: exit 1, it last printed "Please log in`},
		{"eats turns", "90", "it asked its model 7 times, but the script has 6 answers"},
		{"daemon", "90", "fake left a process running, which was ended: sleep 1000"},
		{"fires nothing", "90", "it ran none of the hooks that were configured"},
		{"no shell", "90", "the model's part does not fit: "},
		{"crashes", "90", "fake ended (exit 2) after 1 of the script's 6 answers, and no hook can have ended it; it last printed"},
		{"floods", "1", "fake did not end: the case took longer than 1s"},
		{"calls home", "90", "fake tried to reach telemetry.example"},
	} {
		t.Run(tt.how, func(t *testing.T) {
			t.Parallel()
			if tt.how == "calls home" && !Isolate().Namespaces {
				t.Skip("without namespaces a program that asks no proxy is not seen: " + Isolate().Why)
			}
			cache := t.TempDir()
			i, self := fake(t, tt.how, tt.seconds)
			st := i.SelfTest(t.Context(), self, cache)
			if tt.want == "" {
				assert.Empty(t, st.Cannot)
				assert.Empty(t, st.Actions)
				assert.Empty(t, st.Events)
				assert.True(t, i.SelfTest(t.Context(), self, cache).Cached, "it is not run again")
				i.Version = "1.2.4"
				assert.False(t, i.SelfTest(t.Context(), self, cache).Cached, "another version is another program")
				return
			}
			assert.Contains(t, st.Cannot, tt.want)
			assert.False(t, i.SelfTest(t.Context(), self, cache).Cached, "what failed is tried again")
		})
	}
}

// guardCase returns a case with one hook and these assertions.
func guardCase(t *testing.T, assertions, hook string) *testbed.Case {
	t.Helper()
	c, err := testbed.Parse("guard.txtar", []byte("prompt Make f.txt\n"+assertions+"\n-- hooks --\nbefore-tool shell guard.sh\n-- guard.sh --\n"+hook+
		"\n-- model --\nshell echo made > f.txt\n\ntext Done.\n"))
	require.NoError(t, err)
	return c
}

// TestCaseChoosesPATH: hooks use the PATH that a case sets, and the agent still starts.
func TestCaseChoosesPATH(t *testing.T) {
	t.Parallel()
	c, err := testbed.Parse("path.txtar", []byte("env PATH=bin:/usr/bin:/bin\nprompt Go\nfired before-tool guard stdout=mine\n! exists f.txt\n-- hooks --\n"+
		"before-tool shell guard.sh\n-- guard.sh --\ncat >/dev/null\nls\nexit 2\n-- bin/ls --\n#!/bin/sh\nprintf mine\n-- model --\nshell touch f.txt\n\ntext Done.\n"))
	require.NoError(t, err)
	i, self := fake(t, "well", "90")
	var cell Cell
	cell.judge(testbed.Run(t.Context(), c, testbed.Options{Driver: i.Driver(self, t.TempDir(), nil), Elsewhere: true, Timeout: i.Adapter.Limit()}))
	assert.Equal(t, Pass, cell.State, "%s %v", cell.Why, cell.Result.Failures)
}

// TestAssertions: assertions are judged by what happened on the agent, and what cannot be
// observed does not count as passed.
func TestAssertions(t *testing.T) {
	t.Parallel()
	const refuses, passes = "cat >/dev/null\necho 'not yours' >&2\nexit 2", "cat >/dev/null"
	for _, tt := range []struct {
		name, assertion, hook string
		want                  State
	}{
		{"refused", "! tool-ran shell", refuses, Pass},
		{"refused, not run", "tool-ran shell", refuses, Fail},
		{"passed", "tool-ran shell arg.command~made", passes, Pass},
		{"passed, not refused", "! tool-ran shell", passes, Fail},
		{"under its own name", "tool-ran Bash", passes, Pass},
		{"fired", "fired before-tool guard exit=2 stderr~yours decision=deny reason~yours", refuses, Pass},
		{"fired, not so", "fired before-tool guard decision=deny", passes, Fail},
		{"fired by another name", "fired PreToolUse guard.sh decision=proceed", passes, Pass},
		{"what it read", `fired before-tool * stdin~'"tool_name":"Bash"'`, passes, Pass},
		{"the hook's own words", "fired before-tool guard reason='not yours'", refuses, Pass},
		{"not the agent's words", "fired before-tool guard reason~refused", refuses, Fail},
		{"none of a decision's words", "fired before-tool guard reason=no", `cat >/dev/null; echo '{"decision": "refused"}'; echo no >&2; exit 2`, Pass},
		{"transcript", "transcript ~Done", passes, Pass},
		{"transcript, not so", "transcript ~Nothing", passes, Fail},
		{"not fired", "not-fired before-tool guard", passes, Fail},
		{"no such hook", "not-fired before-tool gaurd", passes, Fail},
		{"no such event", "not-fired before-model guard", passes, Cannot},
		{"result", "tool-result shell text~yours status=error", refuses, Pass},
		{"the model saw", "model-saw last ~'not yours'", refuses, Pass},
		{"the model did not see", "model-saw last ~'not yours'", passes, Fail},
		{"requests", "model-requests 2", passes, Pass},
		{"requests, not so many", "model-requests 3", passes, Fail},
		{"file", "file f.txt ~made", passes, Pass},
		{"no file", "exists f.txt", refuses, Fail},
		{"exit", "exit 0", refuses, Pass},
		{"exit, not so", "exit 1", refuses, Fail},
		{"words of its own", "stdout ~Done", passes, Cannot},
		{"warning", "fired before-tool guard warning~x", passes, Cannot},
		{"ask", "fired before-tool guard decision=ask", passes, Cannot},
		{"killed by a signal", "fired before-tool guard exit~137|signal", "kill -9 $$", Pass},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			i, self := fake(t, "well", "90")
			var cell Cell
			cell.judge(testbed.Run(t.Context(), guardCase(t, tt.assertion, tt.hook), testbed.Options{Driver: i.Driver(self, t.TempDir(), nil), Elsewhere: true, Timeout: i.Adapter.Limit()}))
			assert.Equal(t, tt.want, cell.State, "%s %v", cell.Why, cell.Result.Failures)
		})
	}
}
