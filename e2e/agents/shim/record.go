// Package shim records what a hook of an agent read and printed: it stands in
// the place of the hook's command, runs it, and passes everything through. It
// reads no answer: what one means is
// for others to say.
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
)

// Name is the first argument with which minigem is a shim. Behind it: the folder
// for records, the hook's id, the shell, and the command that it is to run.
const Name = "minigem-hook-shim"

// Files of a record.
const (
	beginFile  = "begin.json"
	endFile    = "end.json"
	stdinFile  = "stdin"
	stdoutFile = "stdout"
	stderrFile = "stderr"

	unfinished = ".part" // ends the names of what is being written
)

// begin is what is known when a hook starts.
type begin struct {
	Hook    string    `json:"hook"`
	Started time.Time `json:"started"`
	Dir     string    `json:"dir"`
}

// end is what is known when it has ended.
type end struct {
	Exit    int       `json:"exit"`
	Signal  string    `json:"signal,omitempty"`
	Ended   time.Time `json:"ended"`
	Signals []string  `json:"signals,omitempty"`
	Problem string    `json:"problem,omitempty"`

	number syscall.Signal // that ended it; 0: none
}

// Run is one run of a hook.
type Run struct {
	Hook    string // its id
	Started time.Time
	Took    time.Duration // 0: not known
	Dir     string        // where it ran
	Stdin   []byte
	Stdout  []byte
	Stderr  []byte
	Exit    int      // -1: a signal ended it, or it was ended
	Signal  string   // that ended the hook
	Signals []string // signals that the agent sent
	Killed  bool     // the agent ended it so that nothing could be written down
	Problem string   // why it could not be started
}

// Command is a line that an agent hands to a shell, by -c, and that runs command
// under the shim at program, in the shell that the agent took. Nothing changes
// for the command but who its parent is.
func Command(program, dir, hook, command string) string {
	return line(program, dir, hook, `"$0"`, command)
}

// ScriptLine is Command as a line of a script, where $0 is the script itself and
// would be started again, and again.
func ScriptLine(program, dir, hook, command string) string {
	return line(program, dir, hook, "sh", command)
}

func line(program, dir, hook, shell, command string) string {
	return "exec " + strings.Join([]string{quote(program), Name, quote(dir), quote(hook), shell, quote(command)}, " ")
}

// quote makes s one word of a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Read returns the runs that were recorded in dir, the first one first.
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
	var b begin
	if err := readJSON(filepath.Join(dir, beginFile), &b); err != nil {
		return Run{}, err
	}
	run := Run{Hook: b.Hook, Started: b.Started, Dir: b.Dir, Exit: -1}
	for name, into := range map[string]*[]byte{stdinFile: &run.Stdin, stdoutFile: &run.Stdout, stderrFile: &run.Stderr} {
		data, err := boundedfile.Read(filepath.Join(dir, name), boundedfile.Recorded)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Run{}, err
		}
		*into = data
	}
	var e end
	switch err := readJSON(filepath.Join(dir, endFile), &e); {
	case errors.Is(err, fs.ErrNotExist):
		run.Killed = true
		return run, nil
	case err != nil:
		return Run{}, err
	}
	run.Exit, run.Signal, run.Signals, run.Problem, run.Took = e.Exit, e.Signal, e.Signals, e.Problem,
		e.Ended.Sub(b.Started)
	return run, nil
}

func readJSON(path string, into any) error {
	data, err := boundedfile.Read(path, boundedfile.Kept)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// writeJSON writes all of a file or nothing.
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
