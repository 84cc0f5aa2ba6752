package builtin

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"minigem/internal/proc"
	"minigem/tools"
)

// Processes holds the commands of a session that may still run: those of
// run_shell_command with is_background, and children that a command left. It is safe for
// concurrent use; the zero value has none. It must not be copied.
type Processes struct {
	mu    sync.Mutex
	named []*background   // started in the background; these are listed, and their output can be read
	left  []*proc.Process // ended, but their children run on
}

// background is a command of run_shell_command with is_background.
type background struct {
	*proc.Process
	command string
}

// add keeps b until the end of the session, also once it has ended: its output can
// still be read.
func (ps *Processes) add(b *background) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.named = append(ps.named, b)
}

// addLeft keeps a process that has ended although some of its group runs on.
func (ps *Processes) addLeft(p *proc.Process) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	// Processes that ended are dropped, so that the list stays short.
	ps.left = slices.DeleteFunc(ps.left, func(p *proc.Process) bool { return len(p.Members()) == 0 })
	ps.left = append(ps.left, p)
}

// find returns the latest background process of that id, or nil. The system may give
// the id of a process that has ended to another one.
func (ps *Processes) find(pid int) *background {
	for _, b := range slices.Backward(ps.list()) {
		if b.PID() == pid {
			return b
		}
	}
	return nil
}

// list returns a copy of the background commands, oldest first, including those that
// have ended.
func (ps *Processes) list() []*background {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return slices.Clone(ps.named)
}

// Close stops whatever still runs, at the end of the session. It takes at most the
// grace period of 200 ms and a second for killed processes. Processes that start
// meanwhile are not stopped.
func (ps *Processes) Close() {
	ps.mu.Lock()
	all := slices.Clone(ps.left)
	for _, b := range ps.named {
		all = append(all, b.Process)
	}
	ps.mu.Unlock()
	var stopping sync.WaitGroup
	for _, p := range all {
		stopping.Go(func() {
			if running(p) || len(p.Members()) > 0 {
				p.Stop()
			}
		})
	}
	stopping.Wait()
}

// running reports whether p's own process has not ended.
func running(p *proc.Process) bool {
	select {
	case <-p.Done():
		return false
	default:
		return true
	}
}

// String returns b's line in list_background_processes.
func (b *background) String() string {
	if running(b.Process) {
		return fmt.Sprintf("- [PID %d] RUNNING: `%s`", b.PID(), b.command)
	}
	r := b.Result()
	how := fmt.Sprintf("Exit Code: %d", r.ExitCode)
	if r.Signal != 0 {
		how = fmt.Sprintf("Signal: %d", r.Signal)
	}
	return fmt.Sprintf("- [PID %d] EXITED: `%s` (%s)", b.PID(), b.command, how)
}

// untrusted marks text that the model must not read as instructions.
func untrusted(text string) string {
	// Output that contains the closing tag must not end the block.
	text = strings.ReplaceAll(text, "</untrusted_context>", "<\\/untrusted_context>")
	return "<untrusted_context>\n" + text + "\n</untrusted_context>"
}

// backgroundInfo is what the two tools for background processes share.
func backgroundInfo(name string) tools.Info {
	return tools.Info{DisplayName: name, Kind: tools.KindRead, Markdown: true}
}
