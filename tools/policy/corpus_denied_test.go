package policy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const denyPrefixes = `
[[rule]]
toolName = "run_shell_command"
commandPrefix = ["rm", "git push", "sudo"]
decision = "deny"
priority = 100
denyMessage = "not here"
`

// In yolo mode everything runs except denied commands. Commands that may be denied need
// approval.
func TestNoWayRoundDenial(t *testing.T) {
	t.Parallel()
	e := engineWith(t, denyPrefixes, Options{Interactive: true, Mode: ModeYolo})
	for _, c := range []struct {
		want    Decision
		command string
	}{
		// Not denied
		{Allow, "curl evil > file"},
		{Allow, "echo rm"},
		{Ask, "git commit -m 'git push'"},
		{Allow, "rmdir x"},
		{Allow, "X=1 make"},
		{Allow, "f() { ls; }; f"},
		{Allow, "bash -c 'ls; git pull'"},
		{Allow, "find . -delete"},
		{Ask, "git commit -m 'rm the old ones' && make && ./build.sh"},
		{Ask, "for ((i = 0; i < 3; i++)); do echo $((i + 1)); done; git commit -m 'rm x'"},
		{Allow, "docker run --rm image make all 2>&1 | tail -5"},
		{Allow, "source .venv/bin/activate && python -c 'print(1)' && export TOKEN=$(cat token)"},
		{Allow, "IFS=$'\n' read -r line; CGO_ENABLED=0 go build ./... 2>/dev/null || bash ./form.sh"},
		{Allow, "awk '{ print $1 }' file | sort -u > names"},

		{Ask, "gh pr create --title rm-it --body 'explain rm'"},
		{Allow, "cargo build --release && ./server --rm=no"},

		// Denied
		{Deny, "rm x"},
		{Deny, "ls; rm x"},
		{Deny, "/bin/rm x"},
		{Deny, `r\m x`},
		{Deny, "'rm' x"},
		{Ask, "command rm x"},
		{Ask, "env X=1 rm x"},
		{Deny, "PATH=/tmp rm x"},
		{Ask, "bash -c 'rm x'"},
		{Ask, `sh -c "bash -c 'rm x'"`},
		{Ask, "find . -exec rm {} +"},
		{Ask, "ls | xargs rm"},
		{Ask, "timeout 5 nohup rm x"},
		{Deny, "f() { rm x; }; f"},
		{Deny, "echo $(rm x)"},
		{Deny, "if true; then rm x; fi"},
		{Ask, "trap 'rm x' EXIT"},
		{Ask, "eval 'rm x'"},
		{Deny, "sudo ls"},
		{Deny, "git push"},
		{Deny, "git -C . push"},
		{Deny, "git --no-pager -c a=b push origin"},

		// Perhaps denied
		{Ask, "$X x"},
		{Ask, "git $X"},
		{Ask, "/bin/r? x"},
		{Ask, `eval "$X"`},
		{Ask, `bash -c "$X"`},
		{Allow, "zsh -c 'x'"},
		{Ask, "rm x '"},
		{Ask, "coproc rm\\\n x | cat"},
		{Ask, "env =1 $'rm' x"},
		{Ask, "env a/b=1 rm x"},
		{Ask, `for x in b\[$\(rm\)\]; do z[$x]=1; done`},
		{Ask, `x=b'[$'"(rm)]"; ((x))`},
	} {
		v := e.Check(shellCall(c.command))
		assert.Equal(t, c.want, v.Decision, "%q: %+v", c.command, v)
		if c.want == Deny {
			assert.Equal(t, "not here", v.Message)
			assert.Equal(t, "user.toml:2", v.Rule)
		}
	}
}

// TestNoWayRoundByUnknownPrograms checks that the arguments of any unknown program
// count too, because no list of programs that run others is complete.
func TestNoWayRoundByUnknownPrograms(t *testing.T) {
	t.Parallel()
	byPrefix := engineWith(t, denyPrefixes, Options{Interactive: true, Mode: ModeYolo})
	byPattern := engineWith(
		t, "[[rule]]\ntoolName = \"run_shell_command\"\ncommandRegex = \"(rm|git push)( .*)?\"\ndecision = \"deny\"\n"+
			"priority = 1", Options{Interactive: true, Mode: ModeYolo})
	for _, program := range []string{"no-such-program", "./run", "/opt/bin/x", "firejail", "fd . -x", "mise exec --",
		"chpst -u x", "docker-like run i"} {
		for _, way := range []string{
			"@", "-- @", "-v --flag value @", "X=1 @", "--exec='@'", "--exec=@", "-c '@'", "-c'@'", "'ls; @'", "'ls && @'",
			"\"sh -c '@'\"", "'{ @; }'", "'$(@)'", "'\n@'", "/usr/bin/@", "-e '!@'", "-e'@,x'",
		} {
			for _, denied := range []string{"rm x", "rm", "git push origin"} {
				command := program + " " + strings.ReplaceAll(way, "@", denied)
				for name, e := range map[string]*Engine{"prefix": byPrefix, "pattern": byPattern} {
					v := e.Check(shellCall(command))
					assert.NotEqual(t, Allow, v.Decision, "%s: %q: %+v", name, command, v)
				}
			}
			command := program + " " + strings.ReplaceAll(way, "@", "npm test")
			assert.Equal(t, Allow, byPrefix.Check(shellCall(command)).Decision, command)
		}
	}
	for _, command := range []string{"make -f - <<< $'x:\\n\\trm x'", "zsh <<< 'rm x'", "yash -c 'rm x'", "cmd /c 'rm x'",
		"newgrp g <<< 'rm x'", "script /dev/null <<< 'rm x'", "git grep -O'rm x' a", "git --shallow-file x push",
		"setarch -R rm x", "podman unshare rm x", "lftp <<< '!rm x'", "sort --compress-program=rm x"} {
		assert.NotEqual(t, Allow, byPrefix.Check(shellCall(command)).Decision, "%q", command)
	}
}

// If everything else runs without asking, a refusal by a rule about commands says that
// such a rule is not a sandbox. A rule that denies the whole tool needs no such remark.
func TestARefusalSaysThatARuleIsNotASandbox(t *testing.T) {
	t.Parallel()
	const everyCommand = "[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"deny\"\npriority = 1"
	const byPattern = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandRegex = \"curl .*\"\ndecision = \"deny\"\n" +
		"priority = 1"
	for _, c := range []struct {
		rules, command string
		mode           Mode
		want           Decision
		said           bool
	}{
		{denyCurl, "curl evil", ModeYolo, Deny, true},
		{denyCurl, "ls; curl evil", ModeYolo, Deny, true},
		{byPattern, "curl evil", ModeYolo, Deny, true},
		{denyCurl, "$X evil", ModeYolo, Ask, true},
		{denyCurl, "curl evil", ModeDefault, Deny, false},
		{everyCommand, "curl evil", ModeYolo, Deny, false},
		{denyCurl, "ls", ModeYolo, Allow, false},
	} {
		v := engineWith(t, c.rules, Options{Interactive: true, Mode: c.mode}).Check(shellCall(c.command))
		assert.Equal(t, c.want, v.Decision, "%q: %+v", c.command, v)
		assert.Equal(t, c.said, strings.Contains(v.Reason, NoSandbox), "%q: %+v", c.command, v)
	}
}
