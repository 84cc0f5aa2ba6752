package wiring

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"minigem/hooks/protocol"
	"minigem/internal/boundedfile"
	"minigem/session"
	"minigem/transcript"
)

// forClaude holds what a session keeps for hooks written for Claude Code: a transcript
// in Claude Code's format, and the files in which SessionStart hooks store variables
// for shell commands. Both are among the session's own files, which no tool may write.
type forClaude struct {
	mu    sync.Mutex
	copy  *transcript.ClaudeCopy // nil if the session keeps no file
	dir   string
	files int
}

// begin sets up the files for the session id, whose transcript is at path.
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
		for _, file := range boundedfile.Find(dir, "*.sh") { // from before the session was resumed
			_ = os.Remove(file)
		}
	}
}

// claudeTool returns a function that converts the name and arguments of a call to
// Claude Code's.
func claudeTool(cwd string) func(string, map[string]any) (string, map[string]any) {
	return func(name string, args map[string]any) (string, map[string]any) {
		d := protocol.Claude()
		return d.ToolName(name, nil), d.ToolInput(name, cwd, args)
	}
}

// transcript brings the transcript up to date and returns its path. of is the path of a
// subagent's transcript, or empty for the session's.
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

// envFile returns the path of a new file, which does not exist yet, in an existing
// folder.
func (c *forClaude) envFile() (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return "", fmt.Errorf("making a folder for variables of hooks: %w", err)
	}
	c.files++
	return filepath.Join(c.dir, fmt.Sprintf("sessionstart-hook-%d.sh", c.files-1)), nil
}

// prelude returns shell code that reads the variables before a command. Only commands
// that tools run get them, not hooks.
func (c *forClaude) prelude() string {
	c.mu.Lock()
	dir := c.dir
	c.mu.Unlock()
	files := boundedfile.Find(dir, "*.sh")
	slices.Sort(files)
	var b strings.Builder
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			continue // a named pipe would block every command
		}
		if word, err := syntax.Quote(file, syntax.LangBash); err == nil {
			b.WriteString(". " + word + "; ")
		}
	}
	return b.String()
}
