package policy

import (
	"math/rand/v2"
	"strings"
)

// generator makes command lines from nested carriers, from texts that contain a canary,
// from ways to evaluate these, and from loose pieces.
type generator struct {
	random    *rand.Rand
	templates []carrier
	port      string // replaces PORT
}

var (
	// canaries run, or are text that runs if it is evaluated.
	canaries = []string{
		"canary", "canary evil", "c\\anary", "\"canary\" evil", "ca''nary", "$(canary)", "`canary`", "<(canary)",
		"x[$(canary)]", "echo PWN > pwn", "$'canary'",
		"y=canary; $y", "{canary,a}", "canary\\\n evil", "# \\\ncanary",
		"\"${z-'$(canary)'}\"", "\"${z+'`canary`'}\"", "\"${z:-\"'$(canary)'\"}\"", "echo \"${z-'$(canary)'}\"",
		"cat <<E\n${z-'$(canary)'}\nE", "cat <<E\n${z:+\"'$(canary)'\"}\nE",
		"x=1 >pwn", "eval >pwn", "((1)) >pwn", "{ x=1; } >pwn", "trap '' EXIT >pwn", "bash -c '' >pwn", ">pwn",
		"echo hi >&pwn-1", "[[ a ]] >pwn", "f() { :; } >pwn; f", "(:) >a",
		"sed -n 's/x/$(canary)/w pwn' a", "find . -name a -fprint pwn", "sort -o a a", "awk 'BEGIN{system(\"canary\")}'",
		"awk '{print > \"pwn\"}' a", "cat .env", "cat .e*", "cat <.env", "grep -r . .", "grep . ./.env",
		"head -1 .[e]nv", "sed -n p .env", "awk 1 .env", "sort < .env", "find . -name .env -exec cat {} +", "cat ${x:-.env}",
		"cat $x.env", "ls | cat .env", "grep -f .env a",
		"echo a >/dev/tcp/127.0.0.1/PORT", "cat </dev/tcp/127.0.0.1/PORT", "exec 3<>/dev/tcp/127.0.0.1/PORT",
		"ls 2>/dev//tcp/127.0.0.1/PORT", "x=1 >/dev/tcp/127.0.0.1/PORT",
		"cat <<<a >/dev/tcp/127.0.0.1/PORT", "sort -o /dev/tcp/127.0.0.1/PORT a",
		"awk '{print | \"bash -c \\\"echo >/dev/tcp/127.0.0.1/PORT\\\"\"}' a",
		"echo $API_TOKEN", "echo \"${API_TOKEN}\"", "printenv", "printenv API_TOKEN", "env", "set", "declare -p", "export -p",
		"cat /proc/self/environ", "cat /proc/$PPID/environ", "cat < /proc/self/environ",
		"awk 'BEGIN{print ENVIRON[\"API_TOKEN\"]}'", "echo ${API_TOKEN:0}", "x=API_TOKEN; echo ${!x}", "cat <<<$API_TOKEN",
		"grep -a API /proc/self/environ",
	}
	texts = []string{
		"'b[$(canary)]'", "b\\[\\$\\(canary\\)\\]", "\"b[\\$(canary)]\"", "'b[`canary`]'", "$'b[$(canary)]'",
		"$'b[\\x24(canary)]'", "'$(canary)'", "canary",
		"'x[b[$(canary)]]'", "'a=b[$(canary)]'", "'b[$(canary)]=1'", "'($(canary))'", "'([b[$(canary)]]=1)'", "PATH", "y",
		"1", "a", "'canary evil'",
	}
	holders = []string{"x=%", "y=%; x=y", "declare x=%", "x=(% a)", "for x in %; do :; done", "set -- %", "a=1; x[0]=%",
		"x=${z:-%}", "x=a; y=%", "local x=%", "export x=%", "x+=%"}
	// evaluators are ways to use x, most of which evaluate it.
	evaluators = []string{
		"a[x]=1", "a[x]+=1", "a=([x]=1)", "a+=([x]=1)", "echo ${a[x]}", "echo ${!x}", "echo ${!x:-b}", "echo ${!x[0]}",
		"y=${!x}", "echo ${!x*}", "echo ${!x[@]}", "echo ${!1}",
		"echo $x", "echo \"$x\"", "git status $x", "git status \"$x\"", "git status ${x@Q}", "git status ${x@P}",
		"git status ${x@a}", "git status ${x@A}", "git status ${x:0:1}", "git status ${x:y}",
		"git status ${x#a} ${x%%b*} ${x/a/b} ${x^^} ${x,}", "git status ${#x}", "git status ${#x[y]}", "git status ${x:=$x}",
		"git status ${x:?$x}", "git status ${z:-$x}",
		"git status $((x))", "git status $((1 + 2))", "git status $[x]", "((x))", "((1))", "let x", "let 1", "[[ x -eq 1 ]]",
		"[[ $x -eq 1 ]]", "[[ $x == a ]]", "[[ -v x ]]", "[[ -v $x ]]",
		"[[ a == @($x) ]]", "[[ a =~ $x ]]", "[[ -f $x ]]", "[ $x ]", "[ -v $x ]", "test -v $x", "printf -v $x a", "read $x",
		"unset $x", "declare -i z=$x", "declare -n z=x", "declare $x=1", "declare -a z=$x", "declare -a \"z=$x\"",
		"z=(); declare z=$x", "typeset -A z+=$x", "readonly -a z=$x", "export -a z=$x", "declare x+=$x", "printf '%n' $x",
		"printf 'a%n' PATH", "case $x in $x) ls;; esac",
		"for ((i=x;i<1;i++)); do :; done", "for ((;;)); do break; done", "select z in $x; do break; done",
		"mapfile -C $x -c 1 z", "eval $x", "$x", "\"$x\"", "trap \"$x\" EXIT", "cat <<< $x", "cat <<E\n$x\nE",
		"cat <<E\n$((x))\nE",
		"cat <<'E'\n$((x))\nE", "cat <<E\n${!x}\nE", "echo ${x} > /dev/null", "echo {fd} {x}</dev/null", "ls {x}</dev/null",
		"ls {a[x]}</dev/null", "echo >&$x", "echo >&\"$x\"", "cat <&$x", "git status 2>&$x", "git status >&'b[$(canary)]'",
		"echo a > $x", "time ls", "! ls", "coproc ls", "[[ @ == @(a|$(canary)) ]]",
		"z=$x", "z=($x)", "z[0]=$x", "z[$x]=1", "z[1]=$((1))", "echo ${z[0]}", "echo ${z[@]}", "echo ${z[@]:1}",
		"echo ${z[@]:x}", "f() { ls; }; f", "PS4=$x; set -x; ls", "set -x", "alias ls=$x", "git status ~ * {1..3} ?",
		"git status !(a)", "ls @(a|b)",
	}
	// plain commands are allowed, by rules or because they only read.
	plain = []string{"git status", "git log -1", "npm test", "ls", "ls -l a", "cat a | head -1", "sed -n 1p a",
		"grep -n t a", "sort a | head", "awk 1 a", "ls && git status", "cat a", "echo hi", "echo 'a b' \"c\"", "true", ":",
		"false", "pwd", "[[ -f a ]]", "find . -name a",
		"echo canary", "git log 'x[$(canary)]'", "echo \\$\\(canary\\)", "git status \"\\`canary\\`\"",
		"npm test -- --canary", "[[ canary == a* ]]", "ls # canary", "git status '`canary`'", "echo '<(canary)'",
		"git log \"a\\$(canary)\"", "git log -- canary", "x='$(canary)'", "a=(1 '$(canary)')", "git log ${x:-'$(canary)'}",
		"git log \"${x:-a}\"", "[[ a == '$(canary)' ]]", "case '$(canary)' in a) ls;; esac"}
	// pieces are put anywhere.
	pieces = []string{
		"git status ", "npm test ", "canary", "canary evil", "'canary evil'", "\"canary evil\"", "# canary evil",
		"\\'canary\\'", "'$(canary)'", "\"\\$(canary)\"", "c'anar'y",
		" ", " ", ";", "&&", "||", "|", "&", "\n", "$(", ")", "`", "'", "\"", "\\", "|&", ">|", "\u00a0", "\u2003", "\u200b",
		"\v", "\f", "\\\n", "\t", "\x01", "é",
		"{ ", "; }", "(", "<(", ">(", "#", "$'", "$\"", "env ", "env -i ", "bash -c ", "sh -c ", "eval ", "exec ", "command ",
		"builtin ", "xargs ", "nice ", "timeout 5 ", "trap ", "EXIT",
		"X=", "x=", "$X", "${X:-", "}", "[[ ", " ]]", "((", "))", "<<E\n", "E\n", "<<'E'\n", "<<-E\n", "<<<", "if ",
		"; then ", "; fi", "for x in ", "; do ", "; done", "! ", "time ",
		"f() ", "~", "*", "{a,b}", "2>/dev/null", "</dev/null", ">/dev/null", "a", "-n1", "--", "coproc ", "let ", "a[", "]",
		"]=1", "case x in x) ", ";; esac", "@P}", "${", "$((", "${!", "@(", "!(", "?(", "+(", "extglob", "%", "=", "+=",
	}
)

func (g generator) of(list []string) string { return list[g.random.IntN(len(list))] }

// line returns a command line.
func (g generator) line() string { return strings.ReplaceAll(g.any(), "PORT", g.port) }

func (g generator) any() string {
	switch g.random.IntN(10) {
	case 0: // loose pieces
		var b strings.Builder
		for range 1 + g.random.IntN(9) {
			b.WriteString(g.of(pieces))
		}
		return b.String()
	case 1, 2, 3: // a text, and something that may evaluate it
		text := strings.ReplaceAll(g.of(holders), "%", g.of(texts))
		for range 1 + g.random.IntN(2) {
			text += g.of([]string{"; ", "; ", "\n", " && ", " || "}) + g.of(evaluators)
		}
		return g.broken(text)
	}
	return g.broken(g.command(2))
}

// command returns a command of limited depth.
func (g generator) command(depth int) string {
	switch {
	case depth == 0 && g.random.IntN(2) == 0:
		return g.of(canaries)
	case depth == 0 && g.random.IntN(8) == 0: // a redirection on any node
		return g.of(plain) + g.of([]string{" >pwn", " 2>pwn", " &>pwn", " >>a", " <a", " >&pwn", " {x}>pwn", " >|a", " <>a",
			" >&2", " 2>&1 >/dev/null"})
	case depth == 0:
		return g.of(plain)
	case g.random.IntN(4) == 0:
		return g.command(depth-1) + g.of([]string{"; ", " && ", " | ", "\n", " & "}) + g.command(depth-1)
	}
	c := g.templates[g.random.IntN(len(g.templates))]
	for g.random.IntN(3) > 0 && c.want[0] != 'r' { // prefer those that may be harmless
		c = g.templates[g.random.IntN(len(g.templates))]
	}
	return c.with(g.command(depth - 1))
}

// broken inserts a loose piece into every fourth line, or removes a byte.
func (g generator) broken(line string) string {
	switch at := g.random.IntN(len(line) + 1); g.random.IntN(8) {
	case 0:
		return line[:at] + g.of(pieces) + line[at:]
	case 1:
		return line[:at] + line[min(at+1, len(line)):]
	default:
		return line
	}
}
