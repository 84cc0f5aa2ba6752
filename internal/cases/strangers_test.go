package cases

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
	"minigem/internal/thorough"
)

// The cases of testdata/nothing were written by somebody who had only the program: v and e by
// mistakes that people make, h as they should be.
const (
	noticed   = "" // green with nothing to say
	unnoticed = "no case fails if "
	everyCall = "refuses a harmless call, too: no case shows what it lets through"
	notRun    = "a failed hook does not count as having run"
	broken    = "BROKEN"
)

// verdicts say what --strict says of each of them. What begins with "note" is green.
var verdicts = map[string]string{
	"v01_wrong_field": unnoticed + "keyguard", "v02_claude_file": "no hook is configured",
	"v03_other_tool_name": `no built-in tool is called "Write"`, "v04_another_hook_refuses": unnoticed + "secrets",
	"v05_always_fail_closed": "note: migrations " + everyCall, "v06_env_missing": "note: protect " + everyCall,
	"v07_count_zero": unnoticed + "no-rm", "v08_either_decision": unnoticed + "guard",
	"v09_pattern_in_prompt": unnoticed + "rules", "v10_model_says_it": unnoticed + "prod",
	"v11_context_wrong_shape":  "note: conventions at SessionStart: unknown field hookSpecificOutput.context",
	"v12_rewrite_to_the_same":  `it had effect="none"`,
	"v13_already_formatted":    unnoticed + "format",
	"v14_retry_never_needed":   unnoticed + "tested",
	"v15_never_compresses":     "PreCompress never happened",
	"v16_file_was_there":       unnoticed + "audit",
	"v17_watcher_never_starts": notRun,
	"v18_policy_refuses":       unnoticed + "readonly",
	// The hook does what is asserted. That the title promises more cannot be known.
	"v19_fires_after":           noticed,
	"v20_tool_of_another_agent": "Bash is not offered: there is no such tool",

	"e01_settings_path_typo":          "no hook is configured; if that is meant, assert it: not-fired BeforeAgent * (-- .gemini/setting.json --",
	"e02_shebang_and_edit_that_fails": notRun, "e03_no_subagent": "SubagentStop never happened",
	"e04_notification_lost": unnoticed + "phone", "e05_portable_of_nothing": unnoticed + "guard",
	"e06_holds_anything": "every harmless look-alike", "e06b_holds_anything": "add start or a prompt before it",
	"e06c_holds_negated": broken, "e06d_holds_anything_start": "every harmless look-alike",
	"e06e_holds_negated_start": "no hook ran", "e07_limits_only": unnoticed + "guard",
	"e08_trust_off": "the model called no tool: the session did not start: this folder is not trusted",
	"e09_http_typo": notRun, "e10_empty_model_diff": unnoticed + "rules",
	"e11_top_level_permission": "note: ./no-force.sh at BeforeTool: unknown field permissionDecision",
	"e12_exit_1_is_seen":       "note: ./no-force.sh at BeforeTool: it failed, which blocks nothing: exit status 1",
	"e13_anchored_negation":    unnoticed + "redact", "e14_equal_instead_of_match": unnoticed + "redact",
	"e15_negated_path_typo": unnoticed + "guard", "e16_asserted_too_early": "nothing has happened yet",
	"e17_name_of_another": `no hook of BeforeTool is called "guard"`, "e17b_command_of_two": unnoticed + "sh guard.sh force",
	// Three times the same case, but a case: the guard refuses the one call that it sees.
	"e18_column_not_used": noticed, "e19_silent_exit_2": `with exit 2 and ""`,
	"e20_use_shadowed": "nothing is copied", "e21_program_is_not_there": notRun,

	"h1_rows": noticed, "h2_session_context": noticed, "h3_rewrite": noticed, "h4_retry": noticed, "h5_audit": noticed,
	"h6_readonly_dynamic": "note: readonly " + everyCall, "h7_notification": noticed, "h8_fails_closed": noticed,
	"h9_holds_and_prompt": noticed, "h10_holds_and_start": noticed, "h11_compress": noticed, "h12_prompt_blocked": noticed,
	"h13_redact": noticed, "h14_one_of_two_tools": noticed, "h15_all_agents": noticed,
	"h16_ask": "this one was never requested", // its model has an answer too many
}

// TestCasesOfAStranger: what proves nothing is not green in silence, and what proves something
// is.
func TestCasesOfAStranger(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/nothing/*.txtar")
	require.NoError(t, err)
	assert.Len(t, files, len(verdicts))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.HasPrefix(name, "e06") && verdicts[name] == "every harmless look-alike" && !thorough.Asked() {
				t.Skip("it starts a guard seven hundred times")
			}
			s := testbed.Suite{Run: testbed.Options{Driver: Open, Strict: true, Timeout: time.Hour}}
			sum := s.RunFiles(t.Context(), []string{file})
			var said strings.Builder
			for _, r := range sum.Results {
				testbed.NewFormat("text", &said, false, "").Result(r)
			}
			want, ok := verdicts[name]
			require.True(t, ok, "no verdict")
			note, green := strings.CutPrefix(want, "note: ")
			green = green || want == noticed
			assert.Equal(t, green, sum.ExitCode() == testbed.ExitPassed, said.String())
			assert.Contains(t, said.String(), note)
			if want == noticed {
				assert.Empty(t, said.String())
			}
		})
	}
}
