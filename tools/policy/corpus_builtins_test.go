package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Builtins of bash that people like to allow, and what they evaluate or change.
func TestNoWayRoundBuiltins(t *testing.T) {
	t.Parallel()
	e := engineWith(t, `
[[rule]]
toolName = "run_shell_command"
commandPrefix = ["declare", "export", "local", "typeset", "readonly", "read", "mapfile", "unset", "printf", "test", "[", "[[", "let", "alias", "hash",
  "enable", "set", "shopt", "wait", "getopts", "bind", "complete", "compgen", "fc", "history", "git status"]
decision = "allow"
priority = 100
`, Options{Interactive: true})
	for command, want := range map[string]Decision{
		"export LANG=C": Allow, "export PATH=/evil; git status": Ask, "export GIT_PAGER=x": Ask, "declare -x http_proxy=x": Ask,
		"declare x=1 y": Allow, "declare -a x": Allow, "declare -i x='b[$(curl)]'": Ask, "declare -n x=PATH; x=/evil": Ask,
		"typeset -i x": Ask, "readonly 'a[$(curl)]=1'": Ask, "declare a[x]=1": Ask, "declare a=([x]=1)": Ask, "declare $x": Ask,
		// With arrays a value in parentheses is expanded once more
		"declare -a 'x=($(curl))'": Ask, "declare -a x='([b[$(curl)]]=1)'": Ask, "x=(1); declare 'x=($(curl))'": Ask, "readonly -a \"z=($y)\"": Ask, "local x=$1": Ask, "declare -a x=$y": Ask,
		"declare -A 'x+=([a]=$(curl))'": Ask, "export -a 'x=($(curl))'": Ask, "builtin declare 'x=(a)'": Ask, "declare -a x=(1 2)": Allow, "declare x='a (b)'": Allow, "export LANG=$x": Allow,
		"command declare -i x=y": Ask, "builtin export PATH=/evil": Ask, `\export PATH=/evil`: Ask,
		"read -r line": Allow, "read PATH": Ask, "read 'b[x]'": Ask, "read $x": Ask, "mapfile -t lines": Allow, "mapfile -C curl x": Ask,
		"unset x": Allow, "unset 'a[x]'": Ask, "unset PATH": Ask, "printf '%s[1]' a": Allow, "printf -v x a": Allow, "printf -v 'a[x]' a": Ask,
		"printf 'a%n' x": Allow, "printf 'a%n' PATH; ls": Ask, "printf -- '%-0*.1lln' 1 PATH": Ask, "printf '%n' $x": Ask, "printf '%s' PATH": Allow,
		"printf -v PATH /evil": Ask, "printf -vPATH /evil": Ask, "printf $x a": Ask, "test -f x": Allow, "test -v 'a[x]'": Ask, "[ -v a ]": Ask, "[ x = y ]": Allow,
		"[ -R x ]": Ask, "[[ a == b ]]": Allow, "[[ $x -eq 1 ]]": Ask, "let x": Ask, "alias": Allow, "alias git=curl": Ask, "hash": Allow, "hash -p /evil git": Ask,
		"enable -f evil.so x": Ask, "set -euo pipefail": Allow, "set -o history": Ask, "set -x": Ask, "set -- a b": Allow, "shopt -s nullglob": Allow,
		"shopt -s expand_aliases": Ask, "wait": Allow, "wait -p 'a[x]'": Ask, "getopts ab x": Allow, "getopts ab 'a[x]'": Ask, "bind -x a": Ask,
		"complete -C curl x": Ask, "compgen -C curl": Ask, "fc -s": Ask, "history -s curl": Ask,
	} {
		v := e.Check(shellCall(command))
		assert.Equal(t, want, v.Decision, "%q: %+v", command, v)
	}
}
