package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/e2e/record"
	"minigem/e2e/testbed"
	"minigem/hooks"
	"minigem/internal/app"
	"minigem/internal/cases"
	"minigem/internal/chat"
	"minigem/tools/toolcall"
)

// notRecordable lists patterns of scripts with features that a recorded case cannot
// express, and why.
var notRecordable = []struct{ pattern, why string }{
	{`(?m)^resume`, "one case is one session"},
	{`(?m)^end\n(.*\n)*(start|prompt)`, "one case is one session"},
	{`(?m)^terminal`, "chats are recorded by the binary, in another test"},
	{`(?m)^env `, "the environment of hooks is not recorded"},
	{`(?m)^trust (new|changed)`, "how the user was asked is not recorded"},
	{`(?m)^timeout `, "it hangs on purpose"},
}

// TestRecordedCasesPass checks that recording each of the project's cases that can be
// recorded gives a case that passes at once.
func TestRecordedCasesPass(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(testbedData + "/cases/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, n := range notRecordable {
				if regexp.MustCompile(n.pattern).Match(text) {
					t.Skip(n.why)
				}
			}
			recorded := recordCase(t, file)
			path := filepath.Join(t.TempDir(), "recorded.txtar")
			require.NoError(t, os.WriteFile(path, recorded, 0o600))
			c, err := testbed.ReadFile(path)
			require.NoError(t, err, string(recorded))
			res := testbed.Run(t.Context(), c, testbed.Options{Driver: cases.Open})
			require.NoError(t, res.Broken)
			for _, f := range res.Failures {
				t.Error(f.String())
			}
			if t.Failed() {
				t.Logf("recorded:\n%s", recorded)
			}
		})
	}
}

// recordCase runs a case and records it.
func recordCase(t *testing.T, file string) []byte {
	t.Helper()
	c, err := testbed.ReadFile(file)
	require.NoError(t, err)
	var s *recordedSession
	res := testbed.Run(t.Context(), c, testbed.Options{Driver: func(ctx context.Context, setup testbed.Setup) (testbed.Session, error) {
		var err error
		s, err = openRecorded(ctx, setup)
		return s, err
	}})
	if res.Skipped != "" {
		t.Skip(res.Skipped)
	}
	require.True(t, res.Passed(), "%v", res.Failures)
	if s == nil {
		t.Skip("no session was opened")
	}
	return s.written
}

// recordedSession reports a case's session to a Recorder, and writes the case at the
// end, while its files still exist.
type recordedSession struct {
	testbed.Session
	testbed.Firer
	rec     *record.Recorder
	exit    int
	written []byte
}

func openRecorded(ctx context.Context, s testbed.Setup) (*recordedSession, error) {
	sys := &app.System{Env: s.Env, Dir: s.Workspace, Now: time.Now}
	c, err := app.Configure(sys, &app.Options{SkipTrust: s.Trust != testbed.TrustOff, OwnAgents: true})
	if err != nil {
		return nil, err
	}
	rec := record.New(record.Options{
		Dir: s.Workspace, Project: s.Workspace, Home: s.Home, Mode: s.Mode, Interactive: s.Approver != nil,
		Untrusted: s.Trust == testbed.TrustOff, Hooks: c.Hooks.Hooks, Agents: c.Agents().Files(),
	})
	report := s.Report
	s.Report = func(r hooks.Report) { rec.Report(r); report(r) }
	s.Sink, s.Model = event.Tee(rec, s.Sink), rec.Model(s.Model)
	if s.Approver != nil {
		s.Approver = chat.ObservedApprover{Approver: s.Approver, Observer: chat.Observer{Answered: rec.Answered}}
	}
	session, err := cases.Open(ctx, s)
	if err != nil {
		return nil, err
	}
	return &recordedSession{Session: session, Firer: session.(testbed.Firer), rec: rec}, nil
}

func (s *recordedSession) Prompt(ctx context.Context, text string) testbed.Outcome {
	s.rec.Prompt(text, text)
	o := s.Session.Prompt(ctx, text)
	s.rec.Finished(o.Result)
	s.exit = o.Exit
	return o
}

func (s *recordedSession) Clear(ctx context.Context) {
	s.rec.Do("clear")
	s.Session.Clear(ctx)
}

func (s *recordedSession) Compress(ctx context.Context) error {
	s.rec.Do("compress")
	return s.Session.Compress(ctx)
}

func (s *recordedSession) End(ctx context.Context) {
	s.Session.End(ctx)
	s.written, _ = s.rec.Case(s.exit)
}

var _ toolcall.Approver = chat.ObservedApprover{}

// TestRecordedCasesSaySomething checks that a recorded case asserts something.
func TestRecordedCasesSaySomething(t *testing.T) {
	t.Parallel()
	got := string(recordCase(t, testbedData+"/cases/before_tool_deny.txtar"))
	for _, want := range []string{"fired BeforeTool guard decision=deny reason=", "! tool-ran read_file", "-- model --\nread key.pem"} {
		assert.Contains(t, got, want)
	}
}
