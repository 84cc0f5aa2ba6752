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
	copy  transcript.ClaudeCopy // without From, the session keeps no file
	dir   string
	files int
}

// begin sets up the files for the session id, whose transcript is at path.
func (c *forClaude) begin(p session.Project, id, path, cwd string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	dir := filepath.Join(p.Chats(), id, "claude-code")
	c.copy = transcript.ClaudeCopy{}
	if filepath.Ext(path) == ".jsonl" {
		c.copy = transcript.ClaudeCopy{From: path, To: filepath.Join(dir, id+".jsonl"), Session: id, Cwd: cwd,
			Tool: func(name string, args map[string]any) (string, map[string]any) {
				d := protocol.Claude()
				return d.ToolName(name, nil), d.ToolInput(name, cwd, args)
			}}
	}
	if c.dir != dir {
		c.dir, c.files = dir, 0
		for _, file := range boundedfile.Find(dir, "*.sh") { // from before the session was resumed
			_ = os.Remove(file)
		}
	}
}

// transcript writes the transcript as it is now and returns its path. of is the path of a
// subagent's transcript, or empty for the session's.
func (c *forClaude) transcript(of string, warn func(string)) string {
	c.mu.Lock()
	file := c.copy
	c.mu.Unlock()
	if file.From == "" {
		return ""
	}
	if of != "" {
		id := strings.TrimSuffix(filepath.Base(of), filepath.Ext(of))
		file.From, file.To = of, filepath.Join(filepath.Dir(file.To), "subagents", "agent-"+id+".jsonl")
	}
	if err := file.Make(); err != nil {
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
