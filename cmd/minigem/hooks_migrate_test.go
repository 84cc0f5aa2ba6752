package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const claudeSettings = `{
  "hooks": {
    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh", "timeout": 5}]}],
    "WorktreeCreate": [{"hooks": [{"type": "command", "command": "x"}]}],
    "PreCompact": [{"hooks": [{"type": "command", "command": "./save.sh"}]}]
  }
}`

const migrationShown = `--- .gemini/settings.json
+++ .gemini/settings.json
@@ -1 +1,31 @@
-{}
\ No newline at end of file
+{
+  "hooks": {
+    "BeforeTool": [
+      {
+        "matcher": "run_shell_command",
+        "hooks": [
+          {
+            "type": "command",
+            "command": "./guard.sh",
+            "name": "guard.sh",
+            "timeout": 5000,
+            "dialect": "claude"
+          }
+        ]
+      }
+    ],
+    "PreCompress": [
+      {
+        "hooks": [
+          {
+            "type": "command",
+            "command": "./save.sh",
+            "name": "save.sh",
+            "timeout": 600000,
+            "dialect": "claude"
+          }
+        ]
+      }
+    ]
+  }
+}
\ No newline at end of file

Not carried over:
  .claude/settings.json:4: WorktreeCreate has no counterpart

Different here:
  .claude/settings.json:5: PreCompact: PreCompress cannot block

`

func TestHooksMigrate(t *testing.T) {
	t.Parallel()
	files := map[string]string{".claude/settings.json": claudeSettings, ".gemini/settings.json": "{}"}
	const written = "Added 2 hooks to .gemini/settings.json.\nminigem hooks list shows them; minigem trust trusts them.\n"

	t.Run("without --yes nothing is written", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t, files)
		assert.Equal(t, said{migrationShown + "Nothing was written yet. To write it: minigem hooks migrate --from-claude --yes\n", "", 0},
			w.run("hooks migrate --from-claude"))
		assert.Equal(t, "{}", w.read(".gemini/settings.json"))
	})
	t.Run("dry run", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t, files)
		assert.Equal(t, said{migrationShown + "Nothing was written: this is a dry run.\n", "", 0}, w.run("hooks migrate --from-claude --dry-run"))
		assert.Equal(t, "{}", w.read(".gemini/settings.json"))
	})
	t.Run("twice is once", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t, files)
		assert.Equal(t, said{migrationShown + written, "", 0}, w.run("hooks migrate --from-claude --yes"))
		once := w.read(".gemini/settings.json")
		assert.Contains(t, once, `"dialect": "claude"`)
		again := w.run("hooks migrate --from-claude --yes")
		assert.True(t, strings.HasPrefix(again.out, "There is nothing to add: Claude Code's settings have no hooks that are not here already.\n"), again.out)
		assert.Equal(t, 0, again.code)
		assert.Equal(t, once, w.read(".gemini/settings.json"))
		assert.Equal(t, claudeSettings, w.read(".claude/settings.json"))
	})
	t.Run("no settings before, both files", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t, map[string]string{
			".claude/settings.json":       claudeSettings,
			".claude/settings.local.json": `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine.sh"}]}]}}`,
		})
		got := w.run("hooks migrate --from-claude --yes")
		assert.Contains(t, got.out, "Added 3 hooks to .gemini/settings.json.\n")
		assert.Contains(t, got.out, ".claude/settings.local.json:1: these hooks were yours alone")
		assert.Contains(t, w.run("hooks list").out, "mine.sh")
	})
}

func TestHooksMigrateAsks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typed   string
		written bool
	}{
		{"y\n", true}, {"Yes\r\n", true}, {"y", true},
		{"\n", false}, {"n\n", false}, {"", false}, {"yo\n", false},
	} {
		w := newHookWorld(t, map[string]string{".claude/settings.json": claudeSettings})
		sys, out, _ := w.sys()
		sys.Stdin, sys.StdinTTY, sys.StdoutTTY = strings.NewReader(c.typed), true, true
		require.Equal(t, 0, run([]string{"hooks", "migrate", "--from-claude"}, sys))
		assert.Contains(t, out.String(), "Write this to .gemini/settings.json? [y/N] ", "%q", c.typed)
		assert.Contains(t, out.String(), "\x1b[32m+  \"hooks\": {\x1b[0m\n", "a terminal has colours")
		_, err := os.Stat(w.path(".gemini/settings.json"))
		assert.Equal(t, c.written, err == nil, "%q", c.typed)
		assert.Equal(t, c.written, strings.Contains(out.String(), "Added 2 hooks"), "%q", c.typed)
	}
}

func TestHooksMigrateWithoutColour(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{".claude/settings.json": claudeSettings})
	sys, out, _ := w.sys("NO_COLOR=1")
	sys.StdoutTTY = true
	require.Equal(t, 0, run([]string{"hooks", "migrate", "--from-claude"}, sys))
	assert.NotContains(t, out.String(), "\x1b")
}

func TestHooksMigrateFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		files map[string]string
		code  int
		says  string
	}{
		{"no files", nil, 42, "there is nothing to migrate from: neither .claude/settings.json nor .claude/settings.local.json is in PROJECT"},
		{"broken source", map[string]string{".claude/settings.json": "{\n  \"hooks\": nul\n}"}, 52, "reading Claude Code's settings: .claude/settings.json:2:12: "},
		{"broken target", map[string]string{".claude/settings.json": claudeSettings, ".gemini/settings.json": "{\n\"a\": 1 2}"}, 52, "reading settings: .gemini/settings.json:2:8: "},
		{"no object", map[string]string{".claude/settings.json": claudeSettings, ".gemini/settings.json": `{"hooks": []}`}, 52, "hooks"},
		{"a folder", map[string]string{".claude/settings.json/x": ""}, 42, "reading Claude Code's settings: "},
	} {
		w := newHookWorld(t, c.files)
		got := w.run("hooks migrate --from-claude --yes")
		assert.Equal(t, c.code, got.code, "%s: %s", c.name, got.out)
		assert.Contains(t, got.err, c.says, c.name)
		assert.Empty(t, got.out, c.name)
		for name, data := range c.files {
			assert.Equal(t, data, w.read(name), c.name)
		}
	}
	for _, none := range []string{"{}", "", `{"hooks": {}}`} {
		w := newHookWorld(t, map[string]string{".claude/settings.json": none})
		assert.Equal(t, said{"There is nothing to add: Claude Code's settings have no hooks that are not here already.\n", "", 0},
			w.run("hooks migrate --from-claude --yes"))
	}
}

// TestHooksMigrateShowsSafely checks that text in other people's files cannot control
// the terminal.
func TestHooksMigrateShowsSafely(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		".claude/settings.json": `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x\u001b[2J", "if": "\u001b]0;y\u0007"}, {"type": "command", "command": "z\u001b[2J"}]}]}}`,
		".gemini/settings.json": "{\r\n\t// \x1b[2J\r\n\t\"a\": 1\r\n}",
	})
	got := w.run("hooks migrate --from-claude")
	require.Equal(t, 0, got.code)
	assert.NotContains(t, got.out, "\x1b")
	assert.NotContains(t, got.out, "\a")
	assert.Contains(t, got.out, " \t// <U+001B>[2J\n")
	assert.Contains(t, got.out, "x<U+001B>[2J is left out")
}
