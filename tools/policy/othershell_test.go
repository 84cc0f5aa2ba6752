//go:build unix

package policy

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/internal/confine"
)

// otherwise lists lines that only read in bash but not in another shell.
var otherwise = []string{
	`echo $'a\'; canary; \''`, `echo $'a\'; canary evil; echo \''`, `[[ a > pwn ]]`, `[[ -f a > pwn ]]`, `((canary))`,
	`git status $'\'; canary #'`,
	`[[ a == b ]] || ls`, "echo hi |& cat", `cat <<< a`, `ls {a,b} &>/dev/null`,
}

// TestWhereThereIsNoBash checks that a line for sh is judged by the syntax that all
// shells share.
func TestWhereThereIsNoBash(t *testing.T) {
	t.Parallel()
	e := engineWith(t, allowPrefixes, Options{Interactive: true, Shell: POSIX})
	for _, line := range otherwise {
		assert.Equal(t, Ask, e.Check(shellCall(line)).Decision, line)
	}
	for _, line := range []string{"pwd", "ls -l a", "cat a | grep b", "git status && ls", "echo 'a b' \"c\"",
		"echo hi > /dev/null"} {
		assert.Equal(t, Allow, e.Check(shellCall(line)).Decision, line)
	}
	s := newSandbox(t)
	s.shell, _ = exec.LookPath("dash")
	if s.shell == "" {
		t.Skip("needs dash to compare with")
	}
	assert.NotEmpty(t, s.culprits(t, otherwise[:5], true), "the sandbox sees what runs")
	g := generator{rand.New(rand.NewPCG(1, 4)), carriers(t), s.port()}
	var allowed, reads []string
	for range 4000 {
		line := g.line()
		if v := e.Check(shellCall(line)); runnable(line, e.Mode()) && v.Decision == Allow {
			if allowed = append(allowed, line); v.OnlyReads {
				allowed, reads = allowed[:len(allowed)-1], append(reads, line)
			}
		}
	}
	confined := s
	confined.rules = &confine.Rules{Hidden: []string{filepath.Join(s.dir, "work", ".env")}}
	if confine.Supported() == nil {
		assert.Empty(t, confined.culprits(t, reads, true), "of %d", len(reads))
	}
	assert.Greater(t, len(allowed)+len(reads), 50)
	assert.Empty(t, s.culprits(t, allowed, true), "of %d", len(allowed))
}

// TestLinesOfPowerShell checks that little is assumed about a line that is not for
// bash.
func TestLinesOfPowerShell(t *testing.T) {
	t.Parallel()
	e := engineWith(t, allowPrefixes, Options{Interactive: true, Shell: PowerShell})
	for line, want := range map[string]Decision{
		"pwd": Ask, "ls": Ask, " Get-ChildItem ": Ask, "git status": Allow, "git log -1": Allow,
		"cat a": Ask, "ls -l": Ask, "echo hi": Ask, "find . -name a": Ask, "sort a": Ask, "true": Ask, ". ./a": Ask,
		"./a": Ask, "a=b": Ask,
		"git status; canary": Ask, "git log @(canary)": Ask, "git log {canary}": Ask, "git log `canary": Ask,
		"git log (canary)": Ask, "git log $x": Ask,
		"git log 'it''s'": Ask, "git log | canary": Ask, "git log\ncanary": Ask, "git log a,b": Ask, "git log & canary": Ask,
		"git log --% & canary":  Ask,
		"git log \u2018a\u2019": Ask, "git log \u2013x": Ask, "git.exe\u00a0log": Ask, "": Ask,
	} {
		assert.Equal(t, want, e.Check(shellCall(line)).Decision, "%q", line)
	}
	yolo := engineWith(t, denyCanary, Options{Interactive: true, Mode: ModeYolo, Shell: PowerShell})
	for _, line := range []string{"canary", "canary evil", "& canary", "& ('can' + 'ary')", "iex 'canary'", "ls; canary",
		filepath.Join("x", "y") + "; canary"} {
		assert.NotEqual(t, Allow, yolo.Check(shellCall(line)).Decision, line)
	}
	assert.Equal(t, Allow, yolo.Check(shellCall("ls -l a")).Decision)
}
