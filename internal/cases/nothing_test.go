package cases

import (
	"cmp"
	"maps"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
)

// nothing is a case that proves nothing, such as people write by mistake.
type nothing struct {
	script string
	hooks  string // in settings.json; if empty, a guard that blocks git push --force
	model  string // if empty, the model makes that call
	want   string // expected in the report
	strict bool   // without --strict it is only reported
	needs  string // a required program, or empty
}

const (
	aGuard  = `"BeforeTool": [{"hooks": [{"type": "command", "name": "guard", "command": "sh guard.sh"}]}]`
	aPush   = "shell git push --force\n\ntext Done.\n"
	onWrite = `"BeforeTool": [{"matcher": "write_file", "hooks": [{"type": "command", "name": "guard", ` +
		`"command": "sh guard.sh"}]}]`
)

// command is a guard that runs line.
func command(line string) string {
	return `"BeforeTool": [{"hooks": [{"type": "command", "name": "guard", "command": "` + line + `"}]}]`
}

const aPolicy = `-- home/.gemini/policies/no.toml --
[[rule]]
toolName = "run_shell_command"
commandPrefix = "git push"
decision = "deny"
priority = 500
`

// aContext is a hook that adds context, and hasContext asserts that.
const (
	aContext = `"BeforeAgent": [{"hooks": [{"type": "command", "name": "adds", ` +
		`"command": "echo '{\"hookSpecificOutput\": {\"additionalContext\": \"be careful\"}}'"}]}]`
	hasContext = "fired BeforeAgent adds effect=context\n"
)

const denied = "prompt Push\nfired BeforeTool guard decision=deny\n! tool-ran run_shell_command"

var provesNothing = map[string]nothing{
	// Values.
	"decision=denied": {script: "prompt Push\n! fired BeforeTool guard decision=denied",
		want: `decision never has the value "denied" (did you mean "deny"?)`},
	"decision=block": {script: "prompt Push\n! fired BeforeTool guard decision=block",
		want: "expected one of proceed, allow, ask, deny, stop"},
	"decision~dney": {script: "prompt Push\n! fired BeforeTool guard decision~dney",
		want: `did you mean "deny"?`},
	"effect=rewritten": {script: "prompt Push\n! fired BeforeTool guard effect=rewritten",
		want: `did you mean "rewrite"?`},
	"event effect=none-at-all": {script: "prompt Push\n! event BeforeTool effect=contxt",
		want: `did you mean "context"?`},
	"status=sucess": {script: "prompt Push\n! tool-ran run_shell_command status=sucess",
		want: `did you mean "success"?`},
	"result status=failed": {script: "prompt Push\n! tool-result run_shell_command status=failed",
		want: "expected one of success, error, cancelled"},
	"mode=none": {script: "prompt Push\n! model-saw 1 mode=none", want: `did you mean "NONE"?`},
	"exit=two": {script: "prompt Push\n! fired BeforeTool guard exit=two",
		want: "expected an exit code"},
	"exit=137 by signal": {script: "prompt Push\n! fired BeforeTool guard exit=killed",
		want: "expected an exit code"},
	"times=none": {script: "prompt Push\nfired BeforeTool guard times=none",
		want: "expected times=2"},
	"holds event": {script: "prompt Push\nholds guard 'git push --force' event=BeforTool min=1",
		want: `did you mean "BeforeTool"?`},
	"arg.comand": {script: "prompt Push\n! tool-ran run_shell_command arg.comand~force",
		want: `run_shell_command has no argument "comand" (did you mean "command"?)`},
	"arg.file": {script: "prompt Push\n! tool-ran read_file arg.file=key.pem",
		want: `did you mean "file_path"?`},
	"watches gaurd": {script: "prompt Push\n! watches gaurd",
		want: `no hook is called "gaurd" (did you mean "guard"?)`},
	"max-ms gaurd": {script: "prompt Push\n! max-ms gaurd 5", want: `did you mean "guard"?`},
	"max-retries": {script: "prompt Push\nmax-retries 2",
		want: "no hook is configured for AfterAgent"},
	"fired gaurd":     {script: "prompt Push\n! fired BeforeTool gaurd", want: `did you mean "guard"?`},
	"not-fired gaurd": {script: "prompt Push\nnot-fired BeforeTool gaurd", want: `did you mean "guard"?`},
	"fired at another event": {script: "prompt Push\n! fired AfterTool guard",
		want: "guard is configured for BeforeTool"},
	"tool-ran run_shel": {script: "prompt Push\n! tool-ran run_shel_command",
		want: `did you mean "run_shell_command"?`},
	"tool-result run_shel": {script: "prompt Push\n! tool-result run_shel_command",
		want: `did you mean "run_shell_command"?`},
	"asked run_shel": {script: "interactive\nmode yolo\nprompt Push\n! asked run_shel_command",
		want: "proves nothing"},
	"subject=run_shel": {script: "prompt Push\n! fired BeforeTool guard subject=run_shel_command",
		want: "there is no tool run_shel_command"},
	"error=policy": {script: "prompt Push\n! tool-result run_shell_command error=policy_violatoin",
		want: `did you mean "policy_violation"?`},
	"error~refused": {script: "prompt Push\n! tool-result run_shell_command error~refused",
		want: "error never has the value"},
	"tool=run_shel": {script: "prompt Push\n! model-saw 1 tool=run_shel_command",
		want: `did you mean "run_shell_command"?`},
	"allowed=read_fil": {script: "prompt Push\n! model-saw 1 allowed=glob,read_fil",
		want: `did you mean "read_file"?`},
	"temperature=hot": {script: "prompt Push\n! model-saw 1 temperature=hot", want: "expected a number"},
	"args, no JSON": {script: "prompt Push\n! tool-ran run_shell_command args=force",
		want: "expected a JSON object"},
	"args, half of JSON": {script: "prompt Push\n! tool-ran run_shell_command args='{\"command\": \"x'",
		want: "expected a JSON object"},
	"args, a list": {script: "prompt Push\n! tool-ran run_shell_command args='[\"x\"]'",
		want: "expected a JSON object"},
	"args with comand": {script: "prompt Push\n! tool-ran run_shell_command args='{\"comand\": \"x\"}'",
		want: `run_shell_command has no argument "comand"`},
	"arg.comand.x": {script: "prompt Push\n! tool-ran run_shell_command arg.comand.x=1",
		want: `has no argument "comand"`},
	"model-saw 9": {script: "prompt Push\n! model-saw 9 ~force", want: "there is no request 9"},
	"fird":        {script: "prompt Push\nfird BeforeTool guard", want: `did you mean "fired"?`},
	"decison": {script: "prompt Push\nfired BeforeTool guard decison=deny",
		want: `did you mean "decision"?`},
	"an event in settings": {
		script: denied, hooks: aGuard +
			`, "BeforTool": [{"hooks": [{"type": "command", "name": "other", "command": "exit 2"}]}]`,
		want: `there is no event "BeforTool"`},
	"Claude's event": {
		script: denied, hooks: aGuard +
			`, "PreToolUse": [{"hooks": [{"type": "command", "name": "other", "command": "exit 2"}]}]`,
		want: `there is no event "PreToolUse"`},
	"a field in settings": {
		script: denied,
		hooks: `"BeforeTool": [{"hooks": [{"type": "command", "name": "guard", "command": "sh guard.sh", ` +
			`"onErorr": "block"}]}]`, want: `has no field "onErorr"`},
	"a matcher in settings": {
		script: denied, hooks: aGuard +
			`, "AfterTool": [{"matcher": "run_shel_command", "hooks": [{"type": "command", "name": "other", ` +
			`"command": "true"}]}]`, want: `no built-in tool is called "run_shel_command"`},
	"an entry without a type": {
		script: denied, hooks: aGuard + `, "AfterTool": [{"hooks": [{"name": "other", "command": "true"}]}]`,
		want: `has no "type"`},
	"an event that no hook has":       {script: "prompt Push\n! event BeforTool", want: `did you mean "BeforeTool"?`},
	"an event that another agent has": {script: "prompt Push\nfired PreToolUze guard", want: "is not an event"},

	// Exit codes that the author did not choose.
	"sh without its file": {script: denied, hooks: command("sh gaurd.sh"),
		want: "it never ran as a guard: there is no file gaurd.sh"},
	"python3 without its file": {script: denied, hooks: command("python3 gaurd.py"), want: "there is no file gaurd.py"},
	"a quoted file": {script: denied, hooks: command(`sh \"$GEMINI_PROJECT_DIR/hooks/guard.sh\"`),
		want: "there is no file hooks/guard.sh"},
	"a program, or else 2": {script: denied, hooks: command("./gaurd.sh || exit 2"), want: "No such file"},
	"a command, or else 2": {script: denied, hooks: command("gaurd-check || exit 2"), want: "command not found"},
	"bash syntax": {script: denied, hooks: command("bash syntax.sh"),
		want: "syntax error near unexpected token"},
	"sh syntax": {script: denied, hooks: command("sh syntax.sh"), want: "yntax error"},
	"bash -c syntax": {script: denied, hooks: command("bash -c 'if then'"),
		want: "syntax error near unexpected token"},
	"an unset variable": {script: denied, hooks: command("sh unset.sh || exit 2"), want: "TOOL"},
	"not a number":      {script: denied, hooks: command("bash number.sh"), want: "number.sh: line 1"},
	"grep without its file": {script: denied, hooks: command("grep -q force /no/such/list"),
		want: "grep: /no/such/list"},
	"grep in a script":           {script: denied, hooks: command("sh grep.sh"), want: "grep: /no/such/list"},
	"grep's expression":          {script: denied, hooks: command("grep -E '('"), want: "grep: "},
	"ls":                         {script: denied, hooks: command("ls /no/such/list"), want: "ls: "},
	"a sourced file":             {script: denied, hooks: command("sh source.sh"), want: "lib.sh"},
	"argparse as a shell has it": {script: denied, hooks: command("sh usage.sh"), want: "unrecognized arguments"},
	"a panic":                    {script: denied, hooks: command("sh panic.sh"), want: "panic: runtime error"},
	"a traceback": {script: denied, hooks: command("sh traceback.sh # guard.py"),
		want: "KeyError: 'comand'"},
	"a signal, onError": {
		script: denied, hooks: strings.Replace(command("kill -9 $$"), `"command",`, `"command", "onError": "block",`, 1),
		want: "a signal ended it: killed"},
	"a timeout, onError": {
		script: denied, hooks: strings.Replace(command("sleep 60"), `"command",`,
			`"command", "timeout": 1, "onError": "block",`, 1), want: "it did not end in time"},
	"no program, onError": {
		script: denied, hooks: strings.Replace(command("./gaurd.sh"), `"command",`, `"command", "onError": "block",`, 1),
		want: "its program could not be started"},
	"a reason that is denied": {script: denied + "\n! fired BeforeTool guard stderr~nothing",
		hooks: command("sh gaurd.sh"), want: "it never ran as a guard"},
	"a reason of another decision": {script: denied + "\n! fired BeforeTool guard decision=proceed stderr~gaurd.sh",
		hooks: command("sh gaurd.sh"), want: "it never ran as a guard"},
	"exit=2 is no reason": {script: denied + "\nfired BeforeTool guard exit=2", hooks: command("sh gaurd.sh"),
		want: "it never ran as a guard"},
	"a crash that asks again": {script: "prompt Push\nfired AfterAgent guard decision=deny",
		hooks: `"AfterAgent": [{"hooks": [{"type": "command", "name": "guard", ` +
			`"command": "test -e once || { touch once; sh gaurd.sh; }"}]}]`, model: "text A.\n\ntext B.\n",
		want: "it never ran as a guard"},

	// Assertions that hold without the hook.
	"no assertion": {script: "prompt Push", want: "the case asserts nothing", strict: true},
	"hooks of another agent": {script: "prompt Push\n! tool-ran read_file", hooks: `"BeforeTool": []`,
		model: aTrue + "-- .claude/settings.json --\n{}\n", want: ".claude/settings.json is of another agent: see --as", strict: true},
	"a shell that never runs": {script: "prompt Push\n! tool-ran run_shell_command", model: "text Done.\n",
		want: "the model never called run_shell_command", strict: true},
	"another tool": {script: "prompt Push\n! tool-ran run_shell_command",
		model: "write a.txt hello\n\ntext Done.\n", want: "the model never called run_shell_command", strict: true},
	"another call": {script: "prompt Push\n! tool-ran run_shell_command arg.command~'push -f'",
		model: "shell git status\n\ntext Done.\n", want: "no call of run_shell_command was made with arg.command~'push -f'",
		strict: true},
	"no result": {script: "prompt Push\n! tool-result run_shell_command text~secret",
		model: "text Done.\n", want: "the model never called run_shell_command", strict: true},
	"never asked": {script: "interactive\nprompt Push\n! asked run_shell_command", model: "text Done.\n",
		want: "the model never called run_shell_command", strict: true},
	"the matcher does not fit": {script: "prompt Push\n! fired BeforeTool guard decision=deny", hooks: onWrite,
		want: `guard did not run: matcher "write_file" does not match`, strict: true},
	"no hook that matches": {script: "prompt Push\ntool-ran run_shell_command", hooks: onWrite,
		want: "no case reaches guard: matcher", strict: true},
	"exit 0 alone": {script: "prompt Push\nexit 0", hooks: onWrite, want: "no case reaches guard", strict: true},
	"plan mode": {script: "mode plan\nprompt Push\n! tool-ran run_shell_command", hooks: onWrite,
		want: "it was refused before BeforeTool: run_shell_command is not available: Plan mode changes nothing"},
	"the policy": {script: "prompt Push\n! tool-ran run_shell_command", hooks: onWrite, model: aPush +
		aPolicy, want: "no case reaches guard: matcher", strict: true},
	"the policy, any tool": {script: "prompt Push\n! tool-ran *", hooks: onWrite, model: aPush + aPolicy,
		want: "no case reaches guard: matcher", strict: true},
	"the user refused": {script: "interactive\nanswer no\nprompt Push\n! tool-ran run_shell_command",
		hooks: onWrite, model: "shell git push --force\n", want: "no case reaches guard: matcher", strict: true},
	"an unused answer": {
		script: "interactive\nmode yolo\nanswer once\nprompt Push\nfired BeforeTool guard decision=deny",
		want: "answer once\n    expected: something that fails if the hook breaks\n" +
			"    actual:   it proves nothing: no permission was asked for", strict: true},
	"no request": {script: "start\n! model-saw any ~force", model: "# nothing\n",
		want: "no case reaches guard", strict: true},
	"stdout without a request": {script: "start\n! stdout ~force", model: "# nothing\n", want: "no case reaches guard",
		strict: true},
	"an event that never came": {script: "prompt Push\n! fired PreCompress guard", hooks: aGuard +
		`, "PreCompress": [{"hooks": [{"type": "command", "name": "guard", "command": "exit 2"}]}]`, model: "text Done.\n",
		want: "PreCompress never happened", strict: true},
	"an answer at another event": {script: "prompt Push\n! event PreCompress decision=deny", model: "text Done.\n",
		want: "PreCompress never happened", strict: true},
	"retries without an answer": {script: "prompt Push\nmax-retries 2",
		hooks: `"AfterAgent": [{"hooks": [{"type": "command", "name": "other", "command": "true"}]}], ` +
			`"BeforeAgent": [{"hooks": [{"type": "command", "name": "guard", "command": "exit 2"}]}]`, model: "# nothing\n",
		want: "AfterAgent never happened", strict: true},
	"stderr without a request": {script: "start\n! stderr ~force", model: "# nothing\n", want: "no case reaches guard",
		strict: true},
	"user-saw without a request": {script: "start\n! user-saw ~force", model: "# nothing\n", want: "no case reaches guard",
		strict: true},
	"transcript and no request": {script: "start\n! transcript ~force", model: "# nothing\n",
		want: "no case reaches guard", strict: true},
	"watches what never ran": {script: "prompt Push\n! watches guard", hooks: onWrite, want: "no case reaches guard",
		strict: true},
	"max-ms of what never ran": {script: "prompt Push\n! max-ms guard 5", hooks: onWrite, want: "no case reaches guard",
		strict: true},
	"max-processes": {script: "prompt Push\nmax-processes 3", hooks: onWrite, want: "no case reaches guard",
		strict: true},
	"another subject": {script: "prompt Push\n! fired BeforeTool guard subject=read_file",
		model: "shell git status\n\ntext Done.\n", want: "BeforeTool never happened with subject=read_file", strict: true},
	"a file that nothing makes": {script: "prompt Push\n! exists pushed.txt", model: "text Done.\n",
		want: "no case reaches guard: BeforeTool never happened", strict: true},
	"a secret that nothing reads": {script: "prompt Push\n! model-saw any ~hunter2", hooks: onWrite, model: "text Done.\n",
		want: "no case reaches guard: ", strict: true},
}

const nothingFiles = `
-- guard.sh --
case $(cat) in *'push --force'*) echo 'not by force' >&2; exit 2 ;; esac
-- syntax.sh --
if then
-- unset.sh --
set -u
echo "$TOOL"
-- number.sh --
[ "$(cat)" -eq many ]
-- grep.sh --
cat >/dev/null
grep -q force /no/such/list
-- source.sh --
. ./lib.sh
-- usage.sh --
echo 'usage: guard.py [-h]' >&2
echo 'guard.py: error: unrecognized arguments: x' >&2
exit 2
-- panic.sh --
printf 'panic: runtime error: index out of range\n\ngoroutine 1 [running]:\n' >&2
exit 2
-- traceback.sh --
printf 'Traceback (most recent call last):\n  File "/x/guard.py", line 3, in <module>\nKeyError: %scomand%s\n' "'" "'" >&2
exit 2
-- lint.sh --
echo 'a.sh: line 3: syntax error near unexpected token' >&2
exit 2
-- tests.sh --
printf 'Traceback (most recent call last):\n  File "/x/test_a.py", line 3\nAssertionError\n' >&2
exit 2
-- key.pem --
hunter2
`

func (n nothing) text() string {
	return n.script + "\n" + nothingFiles + `-- settings.json --
{"hooks": {` + cmp.Or(n.hooks, aGuard) + "}}\n-- model --\n" + cmp.Or(n.model, aPush)
}

// run returns what hooks test prints for the case.
func (n nothing) run(t *testing.T, o testbed.Options) (string, testbed.Result) {
	t.Helper()
	c, err := testbed.Parse("case.txtar", []byte(n.text()))
	res := testbed.Result{Case: c, Broken: err}
	if err == nil {
		o.Compare = true
		res = testbed.Run(t.Context(), c, o)
		testbed.Settle([]*testbed.Result{&res}, o.Strict)
	}
	var b strings.Builder
	testbed.NewFormat("text", &b, false, "").Result(res)
	return b.String(), res
}

// TestProvesNothing checks that no case that proves nothing passes silently. If it may
// be intended, it is reported, and fails with --strict.
func TestProvesNothing(t *testing.T) {
	t.Parallel()
	all := maps.Clone(provesNothing)
	maps.Copy(all, passesWithoutHooks)
	require.Len(t, all, len(provesNothing)+len(passesWithoutHooks))
	for name, n := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(cmp.Or(n.needs, "bash")); err != nil {
				t.Skip(err)
			}
			said, res := n.run(t, testbed.Options{Driver: Open, Timeout: time.Hour, Strict: n.strict})
			require.Empty(t, res.Skipped)
			assert.False(t, res.Passed(), said)
			assert.Contains(t, said, n.want)
			assert.LessOrEqual(t, strings.Count(said, n.want), 2, "it is said once, and in the summary")
			for _, f := range res.Failures {
				assert.Equal(t, n.strict, strings.HasPrefix(f.Actual, "it proves nothing: "), said)
			}
		})
	}
}

// TestProvesSomething checks that cases about what a guard really does pass, even with
// --strict.
func TestProvesSomething(t *testing.T) {
	t.Parallel()
	all := map[string]nothing{
		"refused": {
			script: denied +
				" arg.command~force\n! tool-result run_shell_command status=success\n! event AfterTool decision=deny"},
		"the matcher's case": {
			script: "prompt Push\nnot-fired BeforeTool guard because~matcher\nnot-fired BeforeTool guard", hooks: onWrite},
		"the prompt is refused": {script: "prompt Push\n! model-saw any\n! tool-ran *",
			hooks: `"BeforeAgent": [{"hooks": [{"type": "command", "name": "guard", "command": "exit 2"}]}]`,
			model: "# nothing\n"},
		"the policy's case": {
			script: "prompt Push\n! tool-ran run_shell_command\ntool-result run_shell_command status=error\n" +
				"not-fired BeforeTool *", hooks: `"BeforeTool": []`, model: aPush + aPolicy},
		"a user who is asked": {
			script: "interactive\nmode yolo\nanswer no\nprompt Push\nasked run_shell_command\n" +
				"tool-result run_shell_command status=cancelled", hooks: command("echo '{\\\"decision\\\": \\\"ask\\\"}'"),
			model: "shell git push --force\n"},
		"a failure that is meant": {script: "prompt Push\nfired BeforeTool guard decision=deny stderr~gaurd.sh",
			hooks: command("sh gaurd.sh")},
		"failed is meant": {script: "prompt Push\nfired BeforeTool guard decision=deny failed~killed",
			hooks: strings.Replace(command("kill -9 $$"), `"command",`, `"command", "onError": "block",`, 1)},
		"a refusal that is meant, at an event that never came": {
			script: "mode plan\nprompt Push\n" + hasContext + "tool-result run_shell_command status=error\n! fired BeforeTool guard",
			hooks:  aGuard + ", " + aContext},
		"a row without a reason": {script: "prompt Push\nfired BeforeTool guard decision=${want} reason~${why}",
			model: aPush + "-- rows --\nwant | why\ndeny | \ndeny | force\n"},
		"a tool that a hook took away": {script: "prompt Push\nfired BeforeToolSelection guard effect=tools\n! tool-ran write_file",
			hooks: hook("BeforeToolSelection", "echo '{\\\"hookSpecificOutput\\\": {\\\"toolConfig\\\": {\\\"mode\\\": \\\"NONE\\\"}}}'"),
			model: "text Done.\n"},
		"another hook fails": {script: denied + "\nstderr ~'other.*failed'", hooks: strings.TrimSuffix(aGuard, "]") +
			`, {"hooks": [{"type": "command", "name": "other", "command": "./missing"}]}]`},
		"an exit code is meant": {script: "prompt Push\nfired BeforeTool guard decision=deny exit=127",
			hooks: strings.Replace(command("./gaurd.sh"), `"command",`, `"command", "onError": "block",`, 1)},
		"arguments in any spacing": {script: "prompt Push\nfired BeforeTool guard message~seen\ntool-ran run_shell_command args='{ \"command\" : \"true\" }'",
			hooks: command("echo seen"), model: "call run_shell_command {\"command\": \"true\"}\n\ntext Done.\n"},
		"words like a shell's":  {script: denied, hooks: command("sh lint.sh")},
		"a checker's own words": {script: denied, hooks: command("sh tests.sh")},
		"JSON and a shell's words": {
			script: denied,
			hooks: command(
				"echo '{\\\"decision\\\": \\\"deny\\\", \\\"reason\\\": \\\"no\\\"}'; grep x /no/such/list; exit 0")},
		"settings that are meant": {script: denied + "\nstderr ~'there is no event'", hooks: aGuard + `, "BeforTool": []`},
	}
	maps.Copy(all, failsWithoutHooks)
	for name, n := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, res := n.run(t, testbed.Options{Driver: Open, Timeout: time.Hour, Strict: true})
			assert.True(t, res.Passed() && res.Skipped == "", said)
			assert.NotContains(t, said, "vacuous")
		})
	}
}
