package hookstest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// proofs says for each known fault of Gemini CLI and each of its traps
// (docs/spec/faults.md)
// what shows that it is not one here: the cases of this package that begin with
// its number, a test ("folder TestName"), a script ("script name"), or why there
// is nothing to show ("none: ...").
var proofs = map[string][]string{
	// Fail-open and security
	"9.1.1": {"case"},
	"9.1.2": {"case", "hooks/command TestFaultMatrix", "script before_tool_timeout"},
	"9.1.3": {"case"},
	"9.1.4": {"case"},
	"9.1.5": {"case", "script before_model_deny"},
	"9.1.6": {"cmd/minigem TestHooksInThePipeline", "tools/toolcall TestPermission"},
	"9.1.7": {"case", "script after_model_deny"},
	"9.1.8": {"case", "script after_model_redact", "agent TestAfterModelReplacesEverywhere",
		"agent TestAfterModelMayBlankAnAnswer"},
	"9.1.9":  {"case", "script hooks_trust_user"},
	"9.1.10": {"internal/acp TestHooksDecide"},
	"9.1.11": {"hooks/config TestTrust", "hooks/config TestWhichScriptsCount", "script hooks_trust", "script trust"},
	"9.1.12": {"case"},
	"9.1.13": {"hooks TestReportMasksSecrets", "cmd/minigem TestHookTraceMasks", "internal/redact TestSecrets"},
	"9.1.14": {"hooks/command TestNothingIsPutIntoTheCommand", "internal/settings TestHooksReachTheirReaderUntouched",
		"hooks/config TestAFoldersNameIsNeverACommand", "script hooks_odd_path"},
	"9.1.15": {"hooks/config TestFaultsAreNamedWithTheirLine"},
	"9.1.16": {"script subagent_guard", "agent/subagent TestHooksInside", "agent/subagent TestABlockInsideBlocks"},
	// Hangs, loops, resources
	"9.2.17": {"hooks/command TestTimeouts", "hooks/command TestFaultMatrix"},
	"9.2.18": {"hooks/command TestAChildThatHoldsTheStreams", "hooks/command TestFaultMatrix"},
	"9.2.19": {"agent TestAfterAgentRetriesAreBounded", "script after_agent_limit"},
	"9.2.20": {"tools/toolcall TestTailCallsAreBounded", "script after_tool_tail_call"},
	"9.2.21": {"script before_tool_ask"},
	"9.2.22": {"hooks/command TestMuchOutputTakesLittleMemory", "hooks/command TestExitIsReportedAsItWas",
		"hooks TestCancelledTurnCancelsItsHooks", "hooks/command TestCancellation"},
	"9.2.23": {"case", "hooks TestPatience", "script pre_compress"},
	"9.2.24": {"hooks TestRequestIsMarshalledOnce"}, // the contract is one run per chunk; the cost must not grow
	// Wrong data
	"9.3.25": {"case", "script after_agent_retry"},
	"9.3.26": {"agent TestAfterAgentOnlyAfterAnAnswer", "script after_tool_stop"},
	"9.3.27": {"case", "script before_tool_rewrite", "script several_hooks"},
	"9.3.28": {"case", "hooks TestEditsOfALongHistory", "hooks TestMovedMessagesKeepWhatHooksDoNotSee",
		"script before_model_rewrite"},
	"9.3.29": {"case", "script before_tool_selection"},
	"9.3.30": {"script after_tool_context"},
	"9.3.31": {"script before_model_synthetic", "script after_tool_stop", "script before_tool_stop"},
	"9.3.32": {"agent TestAfterAgentClearContextKeepsPreambleAndPrompt", "e2e TestChatClearKeepsTheContextOfSessionStart",
		"agent TestBeforeAgentContextIsSentButNotKept", "script before_agent_context"},
	"9.3.33": {"script session_end", "script session_resume", "session TestLife", "e2e TestChatEnds",
		"e2e TestChatCompressesAndClears"},
	"9.3.34": {"hooks TestEnvironment", "hooks/command TestNothingIsPutIntoTheCommand"},
	"9.3.35": {"case"},
	"9.3.36": {"case"},
	"9.3.37": {"tools/toolcall TestStopHoldsForSiblings", "script before_tool_stop"},
	"9.3.38": {"script session_start"},
	// Traps
	"T1": {"case"}, "T2": {"case"}, "T3": {"case"}, "T4": {"case"}, "T5": {"case"}, "T6": {"case"}, "T7": {"case"},
	"T8": {"case"}, "T9": {"case"}, "T10": {"case"},
	"T11": {"case", "hooks/command TestFaultMatrix"},
	"T12": {"hooks/command TestAChildThatHoldsTheStreams", "hooks/command TestFaultMatrix"},
	"T13": {"hooks/command TestNothingIsPutIntoTheCommand", "script hooks_odd_path"},
	"T14": {"hooks/claude TestTimeoutsAreSeconds", "hooks/claude TestGolden"},
	"T15": {"case"}, "T16": {"case"}, "T17": {"case"},
	"T18": {"case", "cmd/minigem TestHooksInThePipeline"},
	"T19": {"case", "agent TestAfterAgentRetriesAreBounded", "script after_agent_limit"},
	"T20": {"hooks/config TestOlderNames"},
	"T21": {"hooks/config TestFaultsAreNamedWithTheirLine"},
	// the order is the contract's; what a hook makes of a call is judged
	"T22": {"tools/toolcall TestPolicyJudgesWhatWouldRun", "cmd/minigem TestHooksInThePipeline"},
}

// TestEveryKnownFaultHasItsProof checks that no number is missing in the table, and
// that everything that the table names exists.
func TestEveryKnownFaultHasItsProof(t *testing.T) {
	t.Parallel()
	var numbers []string
	add := func(format string, from, to int) {
		for n := from; n <= to; n++ {
			numbers = append(numbers, fmt.Sprintf(format, n))
		}
	}
	add("9.1.%d", 1, 16)
	add("9.2.%d", 17, 24)
	add("9.3.%d", 25, 38)
	add("T%d", 1, 22)
	for _, n := range numbers {
		require.NotEmpty(t, proofs[n], "%s has no proof", n)
		for _, p := range proofs[n] {
			assert.True(t, proven(t, n, p), "%s: there is no %s", n, p)
		}
	}
	assert.Len(t, proofs, len(numbers), "what is not a number of the lists")
	for _, c := range contract() {
		n, _, _ := strings.Cut(c.Name, " ")
		if regexp.MustCompile(`^(T\d+|9\.[123]\.\d+)$`).MatchString(n) {
			assert.Contains(t, proofs[n], "case", "the case %q", c.Name)
		}
	}
}

func proven(t *testing.T, number, proof string) bool {
	place, name, _ := strings.Cut(proof, " ")
	switch place {
	case "none:":
		return name != ""
	case "case":
		return slices.ContainsFunc(contract(), func(c contractCase) bool { return strings.HasPrefix(c.Name, number+" ") })
	case "script":
		// scripts, and cases of the testbed
		return slices.ContainsFunc([]string{"script", "cases"}, func(folder string) bool {
			_, err := os.Stat(filepath.Join("..", "..", "e2e", "testdata", folder, name+".txtar"))
			return err == nil
		})
	}
	files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(place), "*_test.go"))
	require.NoError(t, err)
	return slices.ContainsFunc(files, func(file string) bool {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		return strings.Contains(string(source), "\nfunc "+name+"(t *testing.T) {")
	})
}
