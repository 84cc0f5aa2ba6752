package policy

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// typical lists command lines that coding agents write.
var typical = []string{
	"git status", "git status --short", "git log -5 --oneline", "git diff", "git diff --stat HEAD~1",
	"git show HEAD --stat", "git branch -a", "git rev-parse HEAD", "git ls-files", "git blame main.go",
	"git add -A", "git commit -m 'Fix the tests'", "git push", "git checkout -b topic", "git stash",
	"ls", "ls -la src", "pwd", "cat main.go", "cat main.go | head -50", "head -20 main.go", "tail -n +40 main.go",
	"wc -l main.go", "sed -n 1,40p main.go", "awk '{print $1}' main.go", "sort main.go | uniq -c",
	"rg -n TODO", "rg -n 'func main' src", "grep -rn TODO src", "grep -n main main.go", "find . -name '*.go'",
	"find . -type f | wc -l", "test -f go.mod", "which go", "jq .name package.json", "stat main.go", "du -sh src",
	"go test ./...", "go build ./...", "go vet ./... 2>&1 | tail -20", "npm ci", "npm test", "npm run build", "make",
	"pytest -q", "python3 -c 'print(1)'", "cargo test", "mkdir -p out", "rm out/x", "curl -s http://localhost:8080",
	"cd src && ls", "cd src && go test ./...", "echo done", "LC_ALL=C sort main.go", "(cd src && ls)",
	"bash -c 'git status'",
}

// TestTypicalCommands checks that, without any rule, no more lines than before need
// approval.
func TestTypicalCommands(t *testing.T) {
	t.Parallel()
	root, ws := project(t)
	require.NoError(t, os.Mkdir(filepath.Join(root, "src"), 0o755))
	e := projectEngine(t, root, ws, "", Options{Interactive: true})
	var asked []string
	for _, line := range typical {
		if e.Check(in(root, line)).Decision != Allow {
			asked = append(asked, line)
		}
	}
	t.Logf("of %d lines %d are asked about: %q", len(typical), len(asked), asked)
	assert.LessOrEqual(t, len(asked), before)
}

// before is how many needed approval when a parser alone decided.
const before = 23

// TestReadersAskWhereNothingConfinesThem checks that, on a system that cannot confine
// commands, a command that only reads needs approval, with the reason. No message says
// that it runs confined.
func TestReadersAskWhereNothingConfinesThem(t *testing.T) {
	t.Parallel()
	root, ws := project(t)
	const why = "no kernel for that"
	with := projectEngine(t, root, ws, "", Options{Interactive: true})
	without := projectEngine(t, root, ws, "", Options{Interactive: true, Unconfined: why})
	headless := projectEngine(t, root, ws, "", Options{Unconfined: why})
	asked := 0
	for _, line := range typical {
		v := without.Check(in(root, line))
		assert.Equal(t, Ask, v.Decision, "%s: %+v", line, v)
		assert.False(t, v.OnlyReads, line)
		assert.Equal(t, Deny, headless.Check(in(root, line)).Decision, line)
		if with.Check(in(root, line)).Decision == Allow {
			asked++
			assert.Contains(t, v.Reason, why, line)
		}
	}
	assert.Greater(t, asked, 20)
}
