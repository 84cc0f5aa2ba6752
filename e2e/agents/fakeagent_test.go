package agents

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "minigem-fake-agent-")
	if err != nil {
		panic(err)
	}
	fakeProgram = sync.OnceValues(func() (string, error) {
		file := filepath.Join(dir, "fakeagent")
		out, err := exec.Command("go", "build", "-o", file, "./testdata/fakeagent").CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("building the fake agent: %w: %s", err, out)
		}
		return file, nil
	})
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// fakeProgram builds testdata/fakeagent without the race detector. With it a start takes
// ten times as long, and each case starts the agent several times.
var fakeProgram func() (string, error)

// fake returns the fake agent, installed, and its shim.
func fake(t *testing.T, how, seconds string) (i Installed, self string) {
	t.Helper()
	self, err := fakeProgram()
	require.NoError(t, err)
	a, err := ReadAdapter("fake.toml", []byte(strings.NewReplacer("BEHAVIOUR", how, "SECONDS", seconds).Replace(fakeAdapter)))
	require.NoError(t, err)
	return Installed{Adapter: a, Path: self, Version: "1.2.3", dirs: filepath.SplitList(os.Getenv("PATH"))}, self
}

// fakeAdapter is the fake agent's adapter.
const fakeAdapter = `
title = "Fake agent"
measured = ["1.2.3"]
programs = ["fake-agent"]
version = ["--version"]
protocol = "chat"
seconds = SECONDS
transcript = "home/.fake/session.jsonl"

[start]
args = ["{PROMPT}"]

[start.modes]
yolo = []

[start.env]
FAKE_AGENT = "BEHAVIOUR"
MODEL_URL = "{URL}"

[hooks]
form = "nested"
file = ".fake/hooks.json"
native = [".fake/hooks.json"]
observer = "home/.fake/hooks.json"
after = ["PostToolUse"]
unit = "s"
matcher = "{NAMES}"

[events]
SessionStart = "SessionStart"
BeforeTool = "PreToolUse"
AfterTool = "PostToolUse"
AfterAgent = "Stop"

[tools]
shell = { name = "Bash", args = { command = "{COMMAND}" } }
write = { name = "Bash", args = { command = "printf %s {SH_TEXT} > {SH_PATH}" } }
read = { name = "Bash", args = { command = "cat {SH_PATH}" } }
edit = { name = "Bash", args = { command = "sed -i s/{OLD}/{NEW}/ {SH_PATH}" } }
search = { name = "Bash", args = { command = "grep -rn {SH_PATTERN} ." } }
`
