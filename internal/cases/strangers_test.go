package cases

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
	"minigem/internal/thorough"
)

// The cases of testdata/nothing were written by three people who had only the program: v,
// e, s and u by mistakes that people make, h, t and w as they should be.
const (
	noticed   = "" // green with nothing to say
	unnoticed = "no case fails if "
	everyCall = "refuses" + harmless
	harmless  = " something harmless, too: no case shows what it lets through"
	unreached = "no case reaches "
	deadGuard = " to decide at BeforeTool\n    actual:   it never ran as a guard: "
	notRun    = "a failed hook does not count as having run"
	broken    = "BROKEN"
)

// verdicts are what --strict reports for each of them. A verdict that begins with "note"
// is green.
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
	// The hook does what the case asserts. No check can know that the title promises
	// more.
	"v19_fires_after":           noticed,
	"v20_tool_of_another_agent": "Bash is not offered: there is no such tool",

	"e01_settings_path_typo":          "no hook is configured; if that is meant, assert it: not-fired BeforeAgent * (-- .gemini/setting.json --",
	"e02_shebang_and_edit_that_fails": notRun, "e03_no_subagent": "SubagentStop never happened",
	"e04_notification_lost": unnoticed + "phone", "e05_portable_of_nothing": unnoticed + "guard",
	"e06_holds_anything": "every harmless look-alike", "e06b_holds_anything": "add start or a prompt before it",
	"e06c_holds_negated": broken, "e06d_holds_anything_start": "every harmless look-alike",
	"e06e_holds_negated_start": unreached + "guard", "e07_limits_only": unnoticed + "guard",
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

	"s01_audits_to_nowhere": unnoticed + "audit", "s02_two_of_one_name": unnoticed + "guard",
	"s03_prompt_on_the_screen": unnoticed + "warn", "s04_denied_at_most_once": unnoticed + "guard",
	"s05_optional_reason":    "holds for any text",
	"s06_matcher_of_nothing": `no built-in tool is called "writefile"`, "s07_holds_nothing": unreached + "guard",
	"s08_async_guard": "scan", // the session may end it before or after it has printed
	"s09_absent_path": "note: docs-only " + everyCall, "s10_always_answers": "note: version answers" + harmless,
	"s11_flag_is_always_there": unnoticed + "run-tests", "s12_same_wrong_spelling": "note: redact replaces" + harmless,
	"s13_top_level_tool_config":    noticed, // it works
	"s14_matcher_of_the_extension": `SessionStart never has "start"`,
	"s15_misspelt_permission":      "note: guard at BeforeTool: unknown field hookSpecificOutput.permission",
	"s16_dollar_in_the_pattern":    "no call of run_shell_command was made with arg.command~'git push origin +main'",
	"s17_server_crashes":           deadGuard + "HTTP status 500", "s18_five_milliseconds": "it did not end in time",
	"s19_if_never_holds":       unreached + "no-force: its condition Bash(git push -f) does not hold",
	"s20_text_before_the_json": "this one was never requested",
	"s21_decision_of_another":  "never with decision=deny", "s22_cd_to_nowhere": unnoticed + "cd",
	"s23_banner_of_nobody": unnoticed + "banner", "s24_refused_by_another": unnoticed + "no-force",
	// The other row proves the hook. That this one has no such file cannot be told from a file that is protected.
	"s25_row_of_no_file": noticed,
	// Each of these hooks does what its case asserts.
	"s26_refusal_without_exit": noticed, "s27_ticket_none": noticed, "s29_key_error_is_copied": noticed,
	"s33_judge_sees_nothing": noticed, "s43_allow_in_yolo": noticed,
	"s28_refuses_each_request": "note: nopass " + everyCall, "s30_replaces_each_chunk": "note: keys replaces" + harmless,
	"s31_plan_mode_refuses": unnoticed + "guard", "s32_server_is_dead_for_commands": deadGuard + "HTTP status 500",
	"s34_matcher_with_a_dash": `no built-in tool is called "write-file"; did you mean "write_file"?`,
	// These files contain no minigem hooks.
	"s35_extension_without_manifest": noticed, "s40_hooks_of_claude": noticed,
	"s36_unknown_mcp_server": deadGuard + `no MCP server is called "policies"`, "s37_async_and_bare_fired": "guard",
	"s38_no_question_in_yolo":  unreached + "no-rm: PermissionRequest never happened",
	"s39_absent_response":      "note: tests sends back" + harmless,
	"s41_default_page":         "note: docs gives the same arguments to" + harmless,
	"s42_allow_does_not_count": "note: quiet at PermissionRequest: its allow does not count",
	"s44_deny_or_proceed":      unnoticed + "guard", "s45_none_or_rewrite": unnoticed + "guard",
	"s46_reason_or_nothing": unnoticed + "guard", "s47_exit_0_or_2": unnoticed + "guard",
	"s48_no_exclamation_mark": "holds for any text", "s49_event_of_any_kind": unnoticed + "guard",
	"s50_empty_stdout": unnoticed + "guard",

	"t01_rows": noticed, "t02_redactor": noticed, "t03_rewrite_of_pages": noticed, "t04_sent_back_once": noticed,
	"t05_ping": noticed, "t06_only_reading": noticed, "t07_extension_and_end": noticed, "t08_asked_in_a_terminal": noticed,
	"t09_server_both_ways": noticed, "t10_never_searches": noticed, "t11_audit": noticed,
	"t12_permission_of_the_user": noticed, "t13_matcher_lets_reading": noticed,

	"u01_none_to_three_times": unnoticed + "guard", "u02_deny_or_proceed_pattern": unnoticed + "guard",
	"u03_word_of_two_hooks": unnoticed + "paths", "u04_judge_says_ok": unnoticed + "judge",
	"u05_replaced_by_the_same": "note: redactor replaces" + harmless,
	"u06_start_cannot_deny":    "never with decision=deny reason~locked", "u07_async_cannot_deny": "never with decision=deny",
	"u08_tool_config_wrong_field": unnoticed + "narrow", "u09_compression_wrong_place": unnoticed + "keep",
	"u10_subagent_wrong_field": unnoticed + "tell", "u11_skill_not_active": unreached + "guard.sh",
	"u12_policy_refuses_for_extension": unreached + "noshell", "u13_bell_in_the_prompt": unnoticed + "bell",
	"u14_plan_mode_refuses": unnoticed + "guard", "u15_other_url": unnoticed + "central",
	"u16_server_gets_wrong_input": unnoticed + "verify",
	// The guard does what each row says. That the rows do not differ is not judged.
	"u17_rows_of_prompts": noticed,
	"u18_holds_0_percent": unreached + "guard", "u19_asserted_before": unnoticed + "freeze",
	"u20_allow_of_the_project": "note: allower at PermissionRequest: its allow does not count",
	"u21_judge_proceeds":       unnoticed + "judge", "u22_judge_and_summary": unnoticed + "judge",
	"u23_any_reason": "because~. holds for any text", "u24_takes_time": unnoticed + "guard",
	"u25_starts_a_process": unnoticed + "guard", "u26_continue_no": "note: c at BeforeTool: continue ignored",
	"u27_word_of_the_note":   `note: c at BeforeTool: decision "denied" ignored`,
	"u28_server_refuses_all": "note: central " + everyCall,
	"u29_dies_in_python":     deadGuard + "AttributeError", "u31_dies_closed": deadGuard + "NameError",
	"u30_list_is_missing": deadGuard + "ls: cannot access 'rules'",

	"w01_table": noticed, "w02_sessionstart": noticed, "w03_aftermodel": noticed, "w04_toolselection": noticed,
	"w05_precompress": noticed, "w06_http": noticed, "w07_prompt_hook": noticed, "w08_mcp": noticed,
	"w09_subagentstop": noticed, "w10_extension": noticed, "w11_terminal_ask": noticed, "w12_afteragent": noticed,
	"w13_mayallow": noticed, "w14_python_refuses": noticed, "w15_own_reason_after_traceback": noticed,
	"w16_missing_file_of_the_call": noticed, "w17_missing_file_as_reason": noticed, "w18_server_is_a_stub": noticed,
	"w19_own_reason_alone": noticed,
}

// TestCasesOfAStranger: a case that proves nothing is not silently green, and one that
// proves something is.
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
			s := testbed.Suite{Run: testbed.Options{Driver: Open, Chat: OpenChat, Strict: true, Timeout: time.Hour}}
			sum := s.RunFiles(t.Context(), []string{file})
			var said strings.Builder
			for _, r := range sum.Results {
				if r.Skipped != "" {
					t.Skip(r.Skipped)
				}
				testbed.NewFormat("text", &said, false, "").Result(r)
			}
			want, ok := verdicts[name]
			require.True(t, ok, "no verdict")
			note, green := strings.CutPrefix(want, "note: ")
			green = green || want == noticed
			if name == "s08_async_guard" {
				green = sum.ExitCode() == testbed.ExitPassed
			}
			assert.Equal(t, green, sum.ExitCode() == testbed.ExitPassed, said.String())
			assert.Contains(t, said.String(), note)
			if want == noticed {
				assert.Empty(t, said.String())
			}
		})
	}
}

// TestEachHookItsOwnPart: with --verbose, one hook's answer is not attributed to another
// hook of the event.
func TestEachHookItsOwnPart(t *testing.T) {
	t.Parallel()
	c, err := testbed.ReadFile("testdata/nothing/s01_audits_to_nowhere.txtar")
	require.NoError(t, err)
	story := testbed.Run(t.Context(), c, testbed.Options{Driver: Open}).Story()
	assert.Contains(t, story, "guard: exit 2, deny, ")
	assert.Contains(t, story, "audit: exit 0, passed, ")
	assert.NotContains(t, story, "audit: exit 0, deny")
}

// TestMutedHooksDoNoHarm: while a hook is muted, no command runs that it prevented, and
// none after a call that it prevented.
func TestMutedHooksDoNoHarm(t *testing.T) {
	t.Parallel()
	needsConfinement(t)
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "case.txtar")
	require.NoError(t, os.WriteFile(file, []byte("allow write "+dir+"\nprompt go\nfired BeforeTool guard\n-- settings.json --\n"+
		`{"hooks": {`+command("sh guard.sh")+"}}\n-- guard.sh --\ncase $(cat) in *secret*) echo no >&2; exit 2 ;; esac\n-- model --\n"+
		"write secret.txt x\n\nshell echo secret > "+dir+"/file\n\nshell echo ran >> "+dir+"/log\n\ntext Done.\n"), 0o600))
	s := testbed.Suite{Run: testbed.Options{Driver: Open, Strict: true}}
	sum := s.RunFiles(t.Context(), []string{file})
	require.Len(t, sum.Results[0].Failures, 1)
	assert.Contains(t, sum.Results[0].Failures[0].String(), unnoticed+"guard")
	assert.NoFileExists(t, filepath.Join(dir, "file"))
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	require.NoError(t, err)
	assert.Equal(t, "ran\n", string(log), "in the case itself")
}
