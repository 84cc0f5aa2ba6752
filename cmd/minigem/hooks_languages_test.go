package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/protocol"
)

// guards keep .env files from being written, in common forms: the interpreter, the
// command in the settings, and the text. Each reads its list from the folder that it is
// in.
var guards = []struct{ file, runs, dialect, command, text string }{
	{"guard.sh", "jq", "", `$GEMINI_PROJECT_DIR/hooks/guard.sh`, `#!/usr/bin/env bash
dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
path=$(jq -r '.tool_input.file_path // empty')
if grep -qxF -- "$(basename "$path")" "$dir/kept.txt"; then
  jq -n --arg p "$path" '{decision: "deny", reason: ("kept: " + $p)}'
fi
`},
	{"guard.py", "python3", "claude", `python3 "$CLAUDE_PROJECT_DIR"/hooks/guard.py`, `import json, os, sys
payload = json.load(sys.stdin)
here = os.path.dirname(os.path.abspath(__file__))
path = payload.get("tool_input", {}).get("file_path", "")
if os.path.basename(path) in open(os.path.join(here, "kept.txt"), encoding="utf-8").read().split():
    print("kept: " + path, file=sys.stderr)
    sys.exit(2)
`},
	{"guard.js", "node", "claude", `node $CLAUDE_PROJECT_DIR/hooks/guard.js`, `const fs = require("fs"), path = require("path");
let text = "";
process.stdin.on("data", (d) => (text += d)).on("end", () => {
  const file = JSON.parse(text).tool_input.file_path || "";
  const kept = fs.readFileSync(path.join(__dirname, "kept.txt"), "utf8").split("\n");
  if (kept.includes(path.basename(file)))
    console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "kept: " + file } }));
});
`},
	{"guard.rb", "ruby", "", `ruby "$GEMINI_PROJECT_DIR/hooks/guard.rb"`, `require "json"
path = JSON.parse(STDIN.read).dig("tool_input", "file_path").to_s
if File.readlines(File.join(__dir__, "kept.txt"), chomp: true).include?(File.basename(path))
  warn "kept: #{path}"
  exit 2
end
`},
	{"guard.php", "php", "", `php $GEMINI_PROJECT_DIR/hooks/guard.php`, `<?php
$path = json_decode(file_get_contents('php://stdin'), true)['tool_input']['file_path'] ?? '';
if (in_array(basename($path), file(__DIR__ . '/kept.txt', FILE_IGNORE_NEW_LINES))) {
    echo json_encode(['decision' => 'block', 'reason' => 'kept: ' . $path]);
}
`},
	{"guard.fish", "fish", "", `fish $GEMINI_PROJECT_DIR/hooks/guard.fish`, `set dir (dirname (status --current-filename))
set input (cat | string collect)
for kept in (cat $dir/kept.txt)
    if string match -q "*/$kept\"*" -- $input; or string match -q "*\"$kept\"*" -- $input
        echo "kept: $kept" >&2
        exit 2
    end
end
`},
	{"guard.go", "go", "", `go run $GEMINI_PROJECT_DIR/hooks/guard.go`, `package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	var in struct {
		ToolInput struct {
			FilePath string ` + "`json:\"file_path\"`" + `
		} ` + "`json:\"tool_input\"`" + `
	}
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	kept, _ := os.ReadFile(filepath.Join(os.Getenv("GEMINI_PROJECT_DIR"), "hooks", "kept.txt"))
	if slices.Contains(strings.Fields(string(kept)), filepath.Base(in.ToolInput.FilePath)) {
		fmt.Println("{\"decision\": \"deny\", \"reason\": \"kept: " + in.ToolInput.FilePath + "\"}")
	}
}
`},
}

// TestGuardsInSevenLanguages checks, in a folder with a blank, an apostrophe and a
// letter outside ASCII in its name, that each guard refuses only the files in its list,
// and that lint reports no error.
func TestGuardsInSevenLanguages(t *testing.T) {
	t.Parallel()
	for _, g := range guards {
		t.Run(g.runs, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(g.runs); err != nil {
				t.Skip(g.runs + " is not installed")
			}
			w := newHookWorld(t, nil)
			w.project = filepath.Join(w.home, "it's a Prüfung")
			command := strings.ReplaceAll(g.command, `"`, `\"`)
			for name, text := range map[string]string{
				".gemini/settings.json": `{"hooks": {"BeforeTool": [{"matcher": "", "hooks": [{"type": "command", "name": "guard", "command": "` + command + `", "dialect": "` + g.dialect + `"}]}]}}`,
				"hooks/kept.txt":        ".env\nsecrets.ym'l\nschlüssel.pem\n", "hooks/" + g.file: g.text,
			} {
				text = strings.Replace(text, `, "dialect": ""`, "", 1)
				require.NoError(t, os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
				require.NoError(t, os.WriteFile(w.path(name), []byte(text), 0o755))
			}
			env := []string{"LANG=C.UTF-8"} // as is usual; Ruby decodes files by it
			if g.runs == "go" {
				cache, err := exec.Command("go", "env", "GOCACHE").Output()
				require.NoError(t, err)
				env = append(env, "GOCACHE="+strings.TrimSpace(string(cache)), "GOFLAGS="+os.Getenv("GOFLAGS"))
			}
			for path, refuses := range map[string]bool{".env": true, "a/schlüssel.pem": true, "main.go": false, ".envrc": false} {
				payload, err := protocol.Encode(map[string]any{"hook_event_name": "BeforeTool", "tool_name": "write_file", "tool_input": map[string]any{"file_path": path, "content": "x"}})
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(w.path("payload.json"), payload, 0o600))
				got := w.run("hooks fire BeforeTool --json --input payload.json", env...)
				assert.Equal(t, refuses, strings.Contains(got.out, `"decision": "deny"`) || strings.Contains(got.out, `"decision":"deny"`), "%s: %s%s", path, got.out, got.err)
				assert.NotContains(t, got.out, `"failed": "`, path)
			}
			lint := w.run("hooks lint")
			assert.NotContains(t, lint.out, ": error ", lint.out)
		})
	}
}
