package app

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"minigem/hooks/protocol"
	"minigem/session"
	"minigem/transcript"
)

// forClaude is what a session keeps for hooks that were written for Claude Code:
// a transcript in its form, and the files in which SessionStart hooks leave
// variables for shell commands. Both lie among the session's own files, where no
// tool may write.
type forClaude struct {
	mu    sync.Mutex
	copy  *transcript.ClaudeCopy // nil: no session file is kept
	dir   string
	files int
}

// begin is for the session with the id, whose file is at path.
func (c *forClaude) begin(p session.Project, id, path, cwd string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	dir := filepath.Join(p.Chats(), id, "claude-code")
	if c.copy == nil || c.copy.From != path {
		c.copy = nil
		if filepath.Ext(path) == ".jsonl" {
			c.copy = &transcript.ClaudeCopy{From: path, To: filepath.Join(dir, id+".jsonl"), Session: id, Cwd: cwd,
				Tool: claudeTool(cwd)}
		}
	}
	if c.dir != dir {
		c.dir, c.files = dir, 0
		old, _ := filepath.Glob(filepath.Join(dir, "*.sh"))
		for _, file := range old { // of the time before the session was resumed
			_ = os.Remove(file)
		}
	}
}

// claudeTool is what Claude Code calls a call of ours.
func claudeTool(cwd string) func(string, map[string]any) (string, map[string]any) {
	return func(name string, args map[string]any) (string, map[string]any) {
		d := protocol.Claude()
		return d.ToolName(name, nil), d.ToolInput(name, cwd, args)
	}
}

// transcript is the path of the transcript, which says all that was said; of is
// that of a subagent, empty the session's.
func (c *forClaude) transcript(of string, warn func(string)) string {
	c.mu.Lock()
	file := c.copy
	c.mu.Unlock()
	switch {
	case file == nil:
		return ""
	case of != "":
		id := strings.TrimSuffix(filepath.Base(of), filepath.Ext(of))
		to := filepath.Join(filepath.Dir(file.To), "subagents", "agent-"+id+".jsonl")
		file = &transcript.ClaudeCopy{From: of, To: to, Session: file.Session, Cwd: file.Cwd, Tool: file.Tool}
	}
	if err := file.Update(); err != nil {
		warn(err.Error())
	}
	return file.To
}

// envFile is a file that does not exist yet, in a folder that does.
func (c *forClaude) envFile() (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return "", fmt.Errorf("making a folder for variables of hooks: %w", err)
	}
	c.files++
	return filepath.Join(c.dir, fmt.Sprintf("sessionstart-hook-%d.sh", c.files-1)), nil
}

// prelude reads the variables in, before a shell command. They are for the
// commands that tools run: no hook gets them.
func (c *forClaude) prelude() string {
	c.mu.Lock()
	dir := c.dir
	c.mu.Unlock()
	files, _ := filepath.Glob(filepath.Join(dir, "*.sh"))
	slices.Sort(files)
	var b strings.Builder
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			continue // a named pipe would keep every command waiting
		}
		if word, err := syntax.Quote(file, syntax.LangBash); err == nil {
			b.WriteString(". " + word + "; ")
		}
	}
	return b.String()
}
