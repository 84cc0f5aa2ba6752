package cases

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/agents"
	"minigem/e2e/agents/played"
	"minigem/e2e/testbed"
)

const (
	without = "no case fails if guard does nothing: "
	aRead   = "call read_file {\"file_path\": \"key.pem\"}\n\ntext Done.\n"
	aWrite  = "write a.txt hello\n\ntext Done.\n"
	aTrue   = "shell true\n\ntext Done.\n"
	harmful = "refuses something harmless, too, with exit 2 and "
	anyText = " holds for any text"
)

// hook is a hook of one event that runs line.
func hook(event, line string) string {
	return strings.Replace(command(line), "BeforeTool", event, 1)
}

// silent is a case whose hook ran and allowed, and that passes without it.
func silent(assertions, model string) nothing {
	return nothing{script: "prompt Push\n" + assertions, model: model, want: without, strict: true}
}

// died is a case about a guard whose command is known to have crashed.
func died(line, needs, want string) nothing {
	return nothing{script: denied, hooks: command(line), needs: needs, want: "it never ran as a guard: " + want}
}

// dead is a case about a guard whose command crashes with exit code 2.
func dead(line, needs, want string) nothing {
	return nothing{script: denied, hooks: command(line), needs: needs, want: harmful + want, strict: true}
}

var passesWithoutHooks = map[string]nothing{
	// Nothing in these cases depends on the hook.
	"a tool that ran anyway":  silent("tool-ran run_shell_command", aTrue),
	"it ran":                  silent("fired BeforeTool guard", aTrue),
	"it let pass":             silent("fired BeforeTool guard decision=proceed", aTrue),
	"this or that":            silent("fired BeforeTool guard decision~'deny|proceed'", aTrue),
	"at most once":            silent("fired BeforeTool guard decision=deny times=0..1", aTrue),
	"it ran at most twice":    silent("fired BeforeTool guard\nfired BeforeTool guard times=0..2", aTrue),
	"of the main agent":       silent("fired BeforeTool guard agent=main", aTrue),
	"it never failed":         silent("fired BeforeTool guard failed=\"\" upstream=\"\"", aTrue),
	"it said nothing":         silent("fired BeforeTool guard stderr~^$", aTrue),
	"what it was given":       silent("fired BeforeTool guard stdin~tool_name", aTrue),
	"it watches":              silent("watches guard", aTrue),
	"it is quick":             silent("max-ms guard 60000", aTrue),
	"portable, of nothing":    silent("portable claude,codex", aTrue),
	"a difference of nothing": {script: "prompt Push\nfired BeforeTool guard\nmodel-diff 1 want/request", model: aTrue + "\n-- want/request --\n", want: without, strict: true},
	"the policy, and said so": {script: "prompt Push\nfired BeforeTool guard decision=proceed\n! tool-ran run_shell_command\n" +
		"tool-result run_shell_command status=error text~'denied by policy'", hooks: command("true"), model: aPush + aPolicy, want: without, strict: true},
	"another guard refuses": {script: "prompt Push\nfired BeforeTool guard\nevent BeforeTool decision=deny\n! tool-ran run_shell_command",
		hooks: strings.TrimSuffix(command("true"), "}]") + `}, {"hooks": [{"type": "command", "name": "other", "command": "sh guard.sh"}]}]`, want: without, strict: true},
	"no hook":                          {script: "prompt Push\n! tool-ran read_file", hooks: `"BeforeTool": []`, model: aTrue, want: "no hook is configured", strict: true},
	"it refuses everything in silence": {script: denied, hooks: command("grep -q x rules 2>/dev/null"), want: harmful + `""`, strict: true},
	"a guard that failed": {script: "prompt Push\nfired BeforeTool guard", hooks: command("./guard"), model: aTrue,
		want: "it failed, and a failed hook does not count as having run: exit status 127"},
	"a guard that let pass as it failed": {script: "prompt Push\nfired BeforeTool guard decision=proceed", hooks: command("exit 1"), model: aTrue,
		want: "it failed, and a failed hook does not count as having run: exit status 1"},
	"a watcher that failed": {script: "prompt Push\nwatches guard", hooks: command("./guard"), model: aTrue,
		want: "it failed at BeforeTool, and a failed hook does not count as having run: exit status 127"},
	"a guard that is late": {script: "prompt Push\nfired BeforeTool guard", hooks: strings.Replace(command("sleep 60"), `"command",`, `"command", "timeout": 1,`, 1),
		model: aTrue, want: "a failed hook does not count as having run: timed out"},
	"a tool of another agent":   {script: "prompt Push\n! model-saw any tool=Bash", want: `there is no such tool (did you mean "run_shell_command"?)`},
	"too early":                 {script: "! tool-ran run_shell_command\nprompt Push", want: "case.txtar:1: nothing has happened yet"},
	"holds too early":           {script: "holds guard 'git push --force'\nprompt Push", want: "holds needs a session: add start or a prompt before it"},
	"a use of nothing":          {script: "use nothing_test.go guard.sh\nprompt Push\nfired BeforeTool guard decision=deny", want: "nothing is copied, because the case already has a section guard.sh"},
	"holds of anything":         {script: "start\nholds guard text=hunter2hunter2 min=1%", hooks: command("exit 2"), model: "# nothing\n", want: "it refuses every harmless look-alike, too", strict: true},
	"a tool that ran once":      silent("tool-ran run_shell_command times=1", aTrue),
	"a command as it was":       silent("tool-ran run_shell_command arg.command=true", aTrue),
	"a result as it was":        silent("tool-result run_shell_command status=success", aTrue),
	"a file that was read":      silent("tool-result read_file text~hunter2", aRead),
	"a secret that was read":    silent("model-saw any ~hunter2", aRead),
	"another secret":            silent("! model-saw any ~hunter3", aRead),
	"another result":            silent("! tool-result read_file text~hunter3", aRead),
	"the exit code":             silent("exit 0", aTrue),
	"another exit code":         silent("! exit 2", aTrue),
	"the ending":                silent("ending answered", aTrue),
	"the number of requests":    silent("model-requests 2", aTrue),
	"what was printed":          silent("stdout ~Done", aTrue),
	"what was not printed":      silent("! stdout ~secret", aTrue),
	"no error":                  silent("! stderr ~error", aTrue),
	"what the user did not see": silent("! user-saw ~secret", aTrue),
	"the transcript":            silent("! transcript ~hunter2", aTrue),
	"no notice":                 silent("! notice ~blocked", aTrue),
	"the prompt":                silent("model-saw any ~Push", aTrue),
	"the offered tools":         silent("model-saw 1 tool=run_shell_command", aTrue),
	"a file of the model's":     silent("file a.txt ~hello", aWrite),
	"a file that is there":      silent("exists a.txt", aWrite),
	"a file of the command's":   silent("exists b.txt", "shell touch b.txt\n\ntext Done.\n"),
	"a later command's file": {script: "prompt Push\nexists b.txt", hooks: strings.Replace(onWrite, "sh guard.sh", "exit 2", 1),
		model: "write a.txt hello\n\nshell touch b.txt\n\ntext Done.\n", want: without, strict: true},
	"not-fired, by a reason in the settings": {script: "prompt Push\nnot-fired BeforeTool guard because~matcher",
		hooks: strings.Replace(onWrite, "write_file", "writefile", 1), want: `no built-in tool is called "writefile"`},
	"no such file":                silent("! exists b.txt", aWrite),
	"nothing in the file":         silent("! file b.txt ~secret", aWrite),
	"the event alone":             silent("event BeforeTool", aTrue),
	"the event and its tool":      silent("event BeforeTool subject=run_shell_command times=1", aTrue),
	"another event":               silent("event AfterAgent", aTrue),
	"never denied":                silent("! fired BeforeTool guard decision=deny", aTrue),
	"no question in yolo":         {script: "interactive\nmode yolo\nprompt Push\n! asked run_shell_command", model: aTrue, want: without, strict: true},
	"a budget of processes":       silent("max-processes 5", aTrue),
	"compared with itself":        {script: "prompt Push\ncmp a.txt want/a", model: aWrite + "\n-- want/a --\nhello\n", want: without, strict: true},
	"a guard that is swallowed":   {script: "prompt Push\ntool-ran run_shell_command", hooks: command("sh guard.sh || true"), want: without, strict: true},
	"exit 1 for exit 2":           {script: "prompt Push\nstdout ~Done", hooks: command("sh guard.sh || exit 1"), want: without, strict: true},
	"a guard of another event":    {script: "prompt Push\ntool-ran run_shell_command", hooks: hook("AfterTool", "true"), want: without, strict: true},
	"a prompt guard that watches": {script: "prompt Push\nending answered", hooks: hook("BeforeAgent", "cat >/dev/null"), model: aTrue, want: without, strict: true},
	"a retry that never comes":    {script: "prompt Push\nmax-retries 2", hooks: hook("AfterAgent", "true"), model: aTrue, want: without, strict: true},
	"a start alone":               {script: "start\nevent SessionStart times=1", hooks: hook("SessionStart", "true"), model: "# nothing\n", want: without, strict: true},
	"a redactor that does not":    {script: "prompt Push\nmodel-saw last new~hunter2", hooks: hook("AfterTool", "true"), model: aRead, want: without, strict: true},
	"the matcher of another tool": {script: "prompt Push\n! fired BeforeTool guard", hooks: onWrite, want: "no case reaches guard: matcher", strict: true},
	"not-fired and no reason":     {script: "prompt Push\nnot-fired BeforeTool guard", hooks: onWrite, want: "no case reaches guard: matcher", strict: true},
	"fired times=0":               {script: "prompt Push\nfired BeforeTool guard times=0", hooks: onWrite, want: "no case reaches guard: matcher", strict: true},
	"fired 0..3 times":            {script: "prompt Push\nfired BeforeTool guard decision=deny times=0..3", hooks: onWrite, want: "guard did not run: matcher", strict: true},
	"ran 0..3 times":              {script: "prompt Push\nfired BeforeTool guard\ntool-ran read_file times=0..3", model: aTrue, want: "the model never called read_file", strict: true},
	"plan mode by its status": {script: "mode plan\nprompt Push\n! tool-ran run_shell_command\n" +
		"tool-result run_shell_command status=error", hooks: command("true"), want: "no case reaches guard: BeforeTool never happened", strict: true},
	"plan mode by its result": {script: "mode plan\nprompt Push\ntool-result run_shell_command status=error", hooks: command("true"),
		want: "no case reaches guard: BeforeTool never happened", strict: true},
	"the policy by its status": {script: "prompt Push\nfired BeforeTool guard\n! tool-ran run_shell_command\n" +
		"tool-result run_shell_command status=error", hooks: command("true"), model: aPush + aPolicy, want: without, strict: true},
	"the policy by its result": {script: "prompt Push\ntool-result run_shell_command status=error", hooks: command("true"),
		model: aPush + aPolicy, want: without, strict: true},

	// Conditions that are always true.
	"reason~.*":         {script: "prompt Push\nfired BeforeTool guard reason~.*", want: "reason~.*" + anyText, strict: true},
	"stderr~^":          {script: "prompt Push\nfired BeforeTool guard stderr~^", want: "stderr~^" + anyText, strict: true},
	"nothing to find":   {script: "prompt Push\nfired BeforeTool guard\nmodel-saw any ~\"\"", want: "text~" + anyText, strict: true},
	"stdout ~.*":        {script: "prompt Push\nfired BeforeTool guard\nstdout ~.*", want: "text~.*" + anyText, strict: true},
	"text~x*":           {script: "prompt Push\nfired BeforeTool guard\ntool-result read_file text~x*", model: aRead, want: "text~x*" + anyText, strict: true},
	"a bar too many":    {script: "prompt Push\nfired BeforeTool guard reason~'force|'", want: "reason~force|" + anyText, strict: true},
	"file ~'(?s).*'":    {script: "prompt Push\nfired BeforeTool guard\nfile a.txt ~(?s).*", model: aWrite, want: "text~(?s).*" + anyText, strict: true},
	"any failure":       {script: "prompt Push\nfired BeforeTool guard decision=deny stderr~.*", hooks: command("sh gaurd.sh"), want: "stderr~.*" + anyText, strict: true},
	"times=0..":         {script: "prompt Push\nfired BeforeTool guard times=0..", want: "expected times=2"},
	"tool-ran 0..":      {script: "prompt Push\ntool-ran run_shell_command times=0..", want: "expected times=2"},
	"agent=mian":        {script: "prompt Push\n! fired BeforeTool guard agent=mian", want: `there is no agent "mian" (did you mean "main"?)`},
	"event agent=mian":  {script: "prompt Push\n! event BeforeTool agent=mian", want: `there is no agent "mian" (did you mean "main"?)`},
	"failed=canceled":   {script: "prompt Push\n! fired BeforeTool guard failed=canceled", want: `failed=canceled (did you mean "cancelled"?)`},
	"failed=true":       {script: "prompt Push\n! fired BeforeTool guard failed=true", want: "failed=true: it is a sentence"},
	"upstream=gemini":   {script: "prompt Push\n! fired BeforeTool guard upstream=gemini", want: "upstream=gemini: it is a sentence"},
	"failed, for event": {script: "prompt Push\n! event BeforeTool failed=true", want: `event knows no condition "failed"`},

	// Exit code 2 of programs that are on no list.
	"sort":          died("sort /no/such/rules", "sort", "sort: "),
	"diff":          died("diff guard.sh /no/such/rules", "diff", "diff: "),
	"cmp, silent":   dead("cmp -s key.pem /no/such/rules", "cmp", `""`),
	"tar":           died("tar tf rules.tar", "tar", "tar: "),
	"make":          dead("make -s rules", "make", `"make: `),
	"git":           dead("git -C nowhere grep force || exit 2", "git", `"fatal: `),
	"stat":          died("stat rules >/dev/null || exit 2", "stat", "stat: "),
	"sort's option": died("sort --no-such-option", "sort", "sort: "),
	"dash's shift":  dead("dash -c shift", "dash", `"dash: 1: shift: `),
	"a prompt guard": {script: "prompt Push\nfired BeforeAgent guard decision=deny\n! model-saw any", model: "# nothing\n",
		hooks: hook("BeforeAgent", "sort /no/such/rules"), needs: "sort", want: "it never ran as a guard: sort: "},
	"a silent prompt guard": {script: "prompt Push\nfired BeforeAgent guard decision=deny\n! model-saw any", model: "# nothing\n",
		hooks: hook("BeforeAgent", "cmp -s key.pem /no/such/rules"), needs: "cmp", want: harmful, strict: true},
	"perl's die": {script: denied, hooks: command("perl die.pl"), needs: "perl",
		model: aPush + "-- die.pl --\nopen(F, 'rules') or die \"no rules\";\n", want: "no rules at die.pl line 1."},
	"grep -P":    dead("grep -P '('", "grep", `"grep: `),
	"awk":        {script: denied, hooks: command("awk 'BEGIN {'"), needs: "awk", want: "awk: "},
	"jq's rules": {script: denied, hooks: command("jq .x rules.json"), needs: "jq", want: "jq: error: "},
}

// honest is a case whose only assertions fail without its hook.
func honest(event, line, assertions, model string) nothing {
	return nothing{script: "prompt Push\n" + assertions, hooks: hook(event, line), model: model}
}

var failsWithoutHooks = map[string]nothing{
	"everything is refused":      honest("BeforeTool", "exit 2", "fired BeforeTool guard decision=deny", aPush),
	"everything, with a word":    honest("BeforeTool", "echo no pushes today >&2; exit 2", "fired BeforeTool guard decision=deny", aPush),
	"everything, in silence":     honest("BeforeTool", "sh all.sh", "fired BeforeTool guard decision=deny", aPush+"-- all.sh --\ncat >/dev/null\nexit 2\n"),
	"everything, by its name":    honest("BeforeTool", "sh all.sh", "fired BeforeTool guard decision=deny", aPush+"-- all.sh --\necho \"$(cat | wc -c) bytes: nothing is allowed here\" >&2; exit 2\n"),
	"words of another, meant":    honest("BeforeTool", "git -C nowhere status || exit 2", "fired BeforeTool guard decision=deny reason~nowhere", aPush),
	"only what is on a list":     honest("BeforeTool", "sh list.sh", "fired BeforeTool guard decision=deny", aPush+"-- list.sh --\ngrep -q '\"ls\"' || { echo not on the list >&2; exit 2; }\n"),
	"not run":                    honest("BeforeTool", "sh guard.sh", "! tool-ran run_shell_command", aPush),
	"its error":                  honest("BeforeTool", "sh guard.sh", "tool-result run_shell_command status=error text~'not by force'", aPush),
	"no such file, by a command": honest("BeforeTool", "exit 2", "! exists b.txt", "shell touch b.txt\n\ntext Done.\n"),
	"no such file, by a tool":    honest("BeforeTool", "exit 2", "! exists a.txt", aWrite),
	"rewritten":                  honest("BeforeTool", "echo '{\\\"hookSpecificOutput\\\": {\\\"tool_input\\\": {\\\"command\\\": \\\"true\\\"}}}'", "tool-ran run_shell_command arg.command=true", aPush),
	"redacted":                   honest("AfterTool", "echo '{\\\"decision\\\": \\\"deny\\\", \\\"reason\\\": \\\"a key\\\"}'", "! model-saw any ~hunter2", aRead),
	"context":                    honest("BeforeAgent", "echo '{\\\"hookSpecificOutput\\\": {\\\"additionalContext\\\": \\\"be careful\\\"}}'", "model-saw last ~'be careful'", aTrue),
	"a rewritten command's file": honest("BeforeTool", "echo '{\\\"hookSpecificOutput\\\": {\\\"tool_input\\\": {\\\"dir_path\\\": \\\"sub\\\"}}}'", "exists sub/b.txt",
		"shell touch b.txt\n\ntext Done.\n-- sub/a.txt --\n"),
	"a log next to a guard": {script: denied + " arg.command~force\nfile log.txt ~seen", hooks: aGuard + ", " + hook("AfterTool", "grep -q seen && echo seen >> log.txt; true"),
		model: "shell git push --force\n\nshell echo se''en\n\ntext Done.\n"},
	"a hook that must not run": {script: denied + "\nnot-fired AfterTool other", hooks: aGuard +
		`, "AfterTool": [{"hooks": [{"type": "command", "name": "other", "command": "true"}]}]`},
	"a log":                    honest("AfterTool", "echo seen >> log.txt", "file log.txt ~seen", aTrue),
	"a message":                honest("BeforeTool", "echo '{\\\"systemMessage\\\": \\\"careful\\\"}'", "stderr ~careful", aTrue),
	"the prompt is blocked":    honest("BeforeAgent", "exit 2", "ending blocked", "# nothing\n"),
	"no answer is asked for":   honest("BeforeAgent", "exit 2", "! model-saw any ~Push", "# nothing\n"),
	"sent back":                honest("AfterAgent", "test -e once || { touch once; echo again >&2; exit 2; }", "model-requests 2", "text A.\n\ntext B.\n"),
	"no hook, but the agent":   {script: "prompt Push\n! tool-ran run_shell_command\nnot-fired BeforeTool *", hooks: `"BeforeTool": []`, model: aPush + aPolicy},
	"a failure that lets pass": honest("BeforeTool", "echo oops >&2; exit 3", "fired BeforeTool guard failed~oops", aTrue),
	"its exit code":            honest("BeforeTool", "exit 3", "fired BeforeTool guard exit=3", aTrue),
	"its words":                honest("BeforeTool", "echo seen >&2", "fired BeforeTool guard stderr~seen", aTrue),
	"it acts":                  honest("BeforeTool", "exit 2", "! watches guard", aPush),
	"the event is denied":      honest("BeforeTool", "exit 2", "event BeforeTool decision=deny", aPush),
	"holds alone":              {script: "start\nholds guard 'git push --force' min=1% alarms=40", model: "# nothing\n"},
}

// TestPlayedAgentsAreComparedToo: a hook that no case notices fails when minigem plays
// another agent, unless another case on that agent is the proof.
func TestPlayedAgentsAreComparedToo(t *testing.T) {
	t.Parallel()
	as, err := played.Find([]string{"claude"})
	require.NoError(t, err)
	const files = "-- hooks --\nbefore-tool shell ./guard.sh\n-- guard.sh --\ncase $(cat) in *force*) echo not by force >&2; exit 2 ;; esac\n" +
		"-- model --\n"
	allow := "prompt Push\ntool-ran shell\n" + files + "shell true\n\ntext Done.\n"
	deny := "prompt Push\n! tool-ran shell\n" + files + "shell git push --force\n\ntext Done.\n"
	for name, c := range map[string]struct {
		cases []string
		want  agents.State
	}{"alone": {[]string{allow}, agents.Fail}, "with its proof": {[]string{allow, deny}, agents.Pass}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var paths []string
			for i, text := range c.cases {
				paths = append(paths, filepath.Join(t.TempDir(), fmt.Sprintf("%d.txtar", i)))
				require.NoError(t, os.WriteFile(paths[i], []byte(text), 0o600))
			}
			o := testbed.Options{Driver: Open, Strict: true}
			m, err := agents.Tester{Log: t.Output()}.Run(t.Context(), agents.Order{Files: paths, Options: o,
				More: played.Columns(as, o, As)})
			require.NoError(t, err)
			m.Settle(true)
			for _, row := range m.Cells {
				for agent, cell := range row {
					assert.Equal(t, c.want, cell.State, "%s: %v", agent, cell.Result.Failures)
				}
			}
		})
	}
}

// TestProofOfAnother: a hook that a case does not prove is no failure if another one of the
// run does. Of a part of the cases that is not known.
func TestProofOfAnother(t *testing.T) {
	t.Parallel()
	allow := silent("tool-ran run_shell_command", aTrue)
	deny := honest("BeforeTool", "sh guard.sh", "! tool-ran run_shell_command", aPush)
	other := deny
	other.hooks = command("sh ./guard.sh")
	env := deny
	env.hooks = strings.Replace(env.hooks, `"command",`, `"command", "env": {"BRANCH": "main"},`, 1)
	longer := deny
	longer.model += "-- .gemini/hooks/lib.sh --\n"
	for name, c := range map[string]struct {
		cases  []nothing
		change func(*testbed.Suite)
		red    bool
	}{
		"alone":                      {cases: []nothing{allow}, red: true},
		"twice":                      {cases: []nothing{allow, allow}, red: true},
		"beside its proof":           {cases: []nothing{allow, deny}},
		"behind its proof":           {cases: []nothing{deny, allow}},
		"beside another hook":        {cases: []nothing{allow, other}, red: true},
		"beside another environment": {cases: []nothing{allow, env}, red: true},
		"beside other files":         {cases: []nothing{allow, longer}},
		"beside what proves nothing": {cases: []nothing{allow, {script: "prompt Push\nfired BeforeTool guard reason~.*", model: aTrue}}, red: true},
		"a shard":                    {cases: []nothing{allow}, change: func(s *testbed.Suite) { s.Shard = testbed.Shard{I: 1, N: 2} }},
		"a choice":                   {cases: []nothing{allow}, change: func(s *testbed.Suite) { s.Match = regexp.MustCompile("a") }},
		"several runs of each":       {cases: []nothing{allow, deny}, change: func(s *testbed.Suite) { s.Count = 2 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var files []string
			for i, n := range c.cases {
				files = append(files, filepath.Join(t.TempDir(), "a"+string(rune('0'+i))+".txtar"))
				require.NoError(t, os.WriteFile(files[i], []byte(n.text()), 0o600))
			}
			s := testbed.Suite{Jobs: 2, Run: testbed.Options{Driver: Open, Strict: true}}
			if c.change != nil {
				c.change(&s)
			}
			sum := s.RunFiles(t.Context(), files)
			said := ""
			for _, r := range sum.Results {
				for _, f := range r.Failures {
					said += f.String()
				}
			}
			assert.Equal(t, c.red, sum.ExitCode() != testbed.ExitPassed, said)
			assert.Equal(t, c.red, strings.Contains(said, without), said)
		})
	}
}
