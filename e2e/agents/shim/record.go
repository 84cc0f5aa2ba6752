// Package shim records what a hook of an agent read and printed: it replaces the hook's
// command, runs it, and passes everything through. It does not interpret the answer.
package shim

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"minigem/internal/boundedfile"
	"minigem/internal/text"
)

// Name is the first argument that makes minigem a shim. The folder for records, the hook's
// id, the shell and the command to run follow.
const Name = "minigem-hook-shim"

// Files of a record.
const (
	beginFile  = "begin.json"
	endFile    = "end.json"
	stdinFile  = "stdin"
	stdoutFile = "stdout"
	stderrFile = "stderr"

	unfinished = ".part" // suffix of files that are being written
)

// begin is the record of a started hook.
type begin struct {
	Hook    string    `json:"hook"` // its id
	Started time.Time `json:"started"`
	Dir     string    `json:"dir"` // its working directory
}

// end is the record of a finished hook.
type end struct {
	Exit    int       `json:"exit"`             // -1 if a signal ended it or the agent ended the shim
	Signal  string    `json:"signal,omitempty"` // the signal that ended the hook
	Ended   time.Time `json:"ended"`
	Signals []string  `json:"signals,omitempty"` // signals that the agent sent
	Problem string    `json:"problem,omitempty"` // why it could not be started

	number syscall.Signal // the signal that ended it; 0 if none
}

// Run is one run of a hook.
type Run struct {
	begin
	end
	Took                  time.Duration // 0 if unknown
	Stdin, Stdout, Stderr []byte
	Killed                bool // the agent ended it before it could be recorded
}

// Command returns a command line for an agent to pass to a shell with -c. It runs command
// under the shim at program, in the agent's shell. For the command only the parent process
// differs.
func Command(program, dir, hook, command string) string {
	return line(program, dir, hook, `"$0"`, command)
}

// ScriptLine is like Command, for a line of a script. There $0 would be the script itself,
// which would start itself again and again.
func ScriptLine(program, dir, hook, command string) string {
	return line(program, dir, hook, "sh", command)
}

func line(program, dir, hook, shell, command string) string {
	words := []string{"exec", text.Word(program), Name, text.Word(dir), text.Word(hook), shell, text.Word(command)}
	return strings.Join(words, " ")
}

// Read returns the runs recorded in dir, oldest first.
func Read(dir string) ([]Run, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading what hooks did: %w", err)
	}
	var runs []Run
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), unfinished) {
			continue
		}
		run, err := readRun(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("reading what a hook did: %w", err)
		}
		runs = append(runs, run)
	}
	slices.SortStableFunc(runs, func(a, b Run) int { return cmp.Compare(a.Started.UnixNano(), b.Started.UnixNano()) })
	return runs, nil
}

func readRun(dir string) (Run, error) {
	run := Run{end: end{Exit: -1}}
	if err := readJSON(filepath.Join(dir, beginFile), &run.begin); err != nil {
		return Run{}, err
	}
	for name, into := range map[string]*[]byte{stdinFile: &run.Stdin, stdoutFile: &run.Stdout, stderrFile: &run.Stderr} {
		data, err := boundedfile.Read(filepath.Join(dir, name), boundedfile.Recorded)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Run{}, err
		}
		*into = data
	}
	switch err := readJSON(filepath.Join(dir, endFile), &run.end); {
	case errors.Is(err, fs.ErrNotExist):
		run.Killed = true
		return run, nil
	case err != nil:
		return Run{}, err
	}
	run.Took = run.Ended.Sub(run.Started)
	return run, nil
}

func readJSON(path string, into any) error {
	data, err := boundedfile.Read(path, boundedfile.Kept)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// writeJSON writes a file completely or not at all.
func writeJSON(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+unfinished, data, 0o600); err != nil {
		return err
	}
	return os.Rename(path+unfinished, path)
}

// LookIn finds a program in folders, as a POSIX shell does. It is empty if there is none.
func LookIn(dirs []string, name string) string {
	for _, dir := range dirs {
		at := filepath.Join(dir, name)
		info, err := os.Stat(at)
		if err == nil && dir != "" && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return at
		}
	}
	return ""
}
