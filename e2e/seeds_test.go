package e2e

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestSeeds runs the examples of the documents that minigem was made from: five
// descriptions of Gemini CLI's hooks, of five different ages. Scripts, settings
// and answers stand in the archives as they stand in the documents. Where one
// contradicts what minigem does, a comment beside the case says so, and what
// minigem does is what is asserted. The commands are those of TestScripts.
func TestSeeds(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/seeds",
		RequireUniqueNames: true,
		Setup:              setUpScript,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"fake-api": cmdFakeAPI, "minigem": cmdMinigem, "exits": cmdExits,
			"requests": cmdRequests, "request": cmdRequest, "transcript": cmdTranscript,
			"record-hooks": cmdRecordHooks, "fired": cmdFired, "hook-input": cmdHookInput,
			"no-orphans": func(ts *testscript.TestScript, _ bool, _ []string) { assertNoOrphans(t, ts.Getenv(orphanMark)) },
		},
	})
}
