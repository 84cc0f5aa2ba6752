package session

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"minigem/internal/atomicfile"
	"minigem/internal/boundedfile"
	"minigem/llm"
	"minigem/transcript"
)

// Info describes a session in a list.
type Info struct {
	// Index counts from 1, in the order of their start; 0 if the Info does not come from
	// [List].
	Index int
	// ID is the whole id.
	ID string
	// Path is the session's file.
	Path string
	// Started is when the session began, as its file says.
	Started time.Time
	// Updated is when it last changed, as its file says; may be zero.
	Updated time.Time
	// Title is the summary, else the user's first text, on one line of at most 100
	// characters.
	Title string
	// Messages is the number of messages of user and model.
	Messages int
}

// Latest selects the session that began last, see [Find]. It is what --resume means
// without a value.
const Latest = "latest"

// ErrNoSessions is the error if the project has no session to resume. Errors that wrap
// it may also name files that could not be read.
var ErrNoSessions = errors.New("this project has no saved sessions")

// NotFoundError is the error if no session has the given id or index. [Find] returns
// it.
type NotFoundError struct {
	// Which is what was asked for.
	Which string
	// Known is how many sessions the project has.
	Known int
	// Project is the root of another project that has a session with this id; empty if
	// none does.
	Project string
}

// Error returns a sentence that says how to find the session.
func (e *NotFoundError) Error() string {
	switch _, err := strconv.Atoi(e.Which); {
	case e.Project != "":
		return fmt.Sprintf("session %s belongs to the project %s: resume it there, or import its file with --session-file",
			e.Which, e.Project)
	case err == nil && e.Known == 0:
		return fmt.Sprintf("session index %s is out of range: %v", e.Which, ErrNoSessions)
	case err == nil && e.Known == 1:
		return fmt.Sprintf("session index %s is out of range: there is 1 session", e.Which)
	case err == nil:
		return fmt.Sprintf("session index %s is out of range: there are sessions 1 to %d", e.Which, e.Known)
	}
	return fmt.Sprintf("no session has the id %q: use --list-sessions to see them, then --resume with an index, an id "+
		"or %q", e.Which, Latest)
}

// List returns the main sessions of p that have any conversation, oldest first.
// Unreadable files are left out and returned as one error in addition to the list, which
// also names the files whose header is damaged; empty ones are left out silently. It
// reads every file once.
func List(p Project) ([]Info, error) {
	var infos []Info
	var faults []error
	for _, path := range files(p.Chats()) {
		if stat, err := os.Stat(path); err == nil && stat.Size() == 0 {
			continue // a power failure may leave an empty file of a session that had just begun
		}
		f, err := scan(p, path)
		if err != nil {
			faults = append(faults, err)
		}
		if f == nil {
			continue
		}
		if info, ok := describe(path, f); ok {
			infos = append(infos, info)
		}
	}
	slices.SortStableFunc(infos, func(a, b Info) int {
		return cmp.Or(a.Started.Compare(b.Started), strings.Compare(a.Path, b.Path))
	})
	for i := range infos {
		infos[i].Index = i + 1
	}
	return infos, errors.Join(faults...)
}

// files returns the session files of a directory, including Gemini CLI's older form.
func files(chats string) []string {
	var paths []string
	for _, pattern := range []string{"session-*.jsonl", "session-*.json"} {
		paths = append(paths, boundedfile.Find(chats, pattern)...)
	}
	return paths
}

// scan reads of the session at path what [describe] and titles need. The error may
// come with a file: its header was damaged.
func scan(p Project, path string) (*transcript.File, error) {
	f, err := transcript.Scan(path, shorten)
	if err == nil {
		err = repair(p, path, &f.Meta)
	}
	return f, err
}

// shorten returns the beginning of m's text, as lists and titles show it; "" if m is
// context that minigem added.
func shorten(m transcript.Message) string {
	if m.Type == transcript.TypeUser && !isConversation(llm.Message{Role: llm.RoleUser, Parts: m.Content.Parts}) {
		return ""
	}
	text := llm.PartsText(m.Content.Parts)
	isCommand := strings.HasPrefix(text, "/") || strings.HasPrefix(text, "?")
	text = strings.TrimSpace(hookContext.ReplaceAllString(text, " "))
	for i := range text {
		if i > 4*titleCharacters { // enough for so many characters of any length
			text = text[:i]
			break
		}
	}
	if isCommand {
		return strings.Clone(text)
	}
	return " " + text // which is no command, whatever it begins with
}

// describe makes an Info; ok is false if the session cannot be resumed.
func describe(path string, f *transcript.File) (Info, bool) {
	info := Info{
		ID: f.Meta.SessionID, Path: path, Title: f.Meta.Summary,
		Started: f.Meta.StartTime.Time, Updated: f.Meta.LastUpdated.Time,
	}
	for i, m := range f.Messages {
		switch {
		case m.Type == transcript.TypeGemini:
			info.Messages++
		case m.Type == transcript.TypeUser && !excluded(f.Messages, i) &&
			isConversation(llm.Message{Role: llm.RoleUser, Parts: m.Content.Parts}):
			info.Messages++
			if text := oneLine(llm.PartsText(m.Content.Parts)); info.Title == "" &&
				!strings.HasPrefix(text, "<state_snapshot>") {
				info.Title = text
			}
		}
	}
	info.Title = oneLine(info.Title)
	return info, info.ID != "" && info.Messages > 0 && f.Meta.Kind != transcript.KindSubagent
}

// titleLimit is how many characters (runes) a title has at most.
const titleLimit = 100

// hookContext matches what hooks added to a prompt: it is no part of what the user
// wrote.
var hookContext = regexp.MustCompile(`(?s)<hook_context>.*?</hook_context>`)

// oneLine returns s without context of hooks, on one line of at most titleLimit
// characters.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(hookContext.ReplaceAllString(s, " ")), " ")
	if r := []rune(s); len(r) > titleLimit {
		s = string(r[:titleLimit-3]) + "..."
	}
	return s
}

// Find returns the session that which selects: [Latest] or "" the one that began last,
// a whole id, or digits that are an index of [List]. An id goes before an index. Errors
// wrap [ErrNoSessions] (for Latest only) or are a [*NotFoundError]. Files that cannot
// be read are skipped.
func Find(p Project, which string) (Info, error) {
	if which == "" || which == Latest {
		info, _, err := latest(p)
		return info, err
	}
	if path := fileOf(p, which); path != "" {
		if f, _ := scan(p, path); f != nil {
			if info, ok := describe(path, f); ok {
				return info, nil
			}
		}
	}
	infos, _ := List(p) // the request was not for the broken files
	for _, info := range infos {
		if info.ID == which {
			return info, nil
		}
	}
	if n, err := strconv.Atoi(which); err == nil && n >= 1 && n <= len(infos) {
		return infos[n-1], nil
	}
	return Info{}, &NotFoundError{Which: which, Known: len(infos), Project: p.otherProjectWith(which)}
}

// latest reads files, the youngest first, until one can be resumed. It returns what
// [scan] leaves of that one. The error holds [ErrNoSessions] and the files that
// could not be read.
func latest(p Project) (Info, *transcript.File, error) {
	type start struct {
		path string
		at   time.Time
	}
	var starts []start
	var faults []error
	for _, path := range files(p.Chats()) {
		meta, err := transcript.ReadMeta(path)
		if stat, e := os.Stat(path); err != nil && e == nil && stat.Size() > 0 {
			faults = append(faults, err)
		}
		if err == nil {
			_ = repair(p, path, &meta) // the reader of the file reports the error
			starts = append(starts, start{path, meta.StartTime.Time})
		}
	}
	slices.SortStableFunc(starts, func(a, b start) int {
		return cmp.Or(b.at.Compare(a.at), strings.Compare(b.path, a.path))
	})
	for _, s := range starts {
		if f, _ := scan(p, s.path); f != nil {
			if info, ok := describe(s.path, f); ok {
				return info, f, nil
			}
		}
	}
	if len(faults) > 0 {
		return Info{}, nil, fmt.Errorf("%w: %w", ErrNoSessions, errors.Join(faults...))
	}
	return Info{}, nil, ErrNoSessions
}

// otherProjectWith returns the root of another project that has a session with
// that id.
func (p Project) otherProjectWith(id string) string {
	for root, chats := range p.otherProjects() {
		if fileOf(Project{Root: root, Temp: filepath.Dir(chats)}, id) != "" {
			return root
		}
	}
	return ""
}

// fileOf finds the file of the session with that id. Its name contains the
// beginning of the id.
func fileOf(p Project, id string) string {
	for _, path := range files(p.Chats()) {
		if !strings.Contains(filepath.Base(path), id[:min(8, len(id))]) {
			continue
		}
		meta, err := transcript.ReadMeta(path)
		if err == nil {
			_ = repair(p, path, &meta)
		}
		if meta.SessionID == id {
			return path
		}
	}
	return ""
}

// ErrCurrent is the error of [Delete] for the session that is running.
var ErrCurrent = errors.New("the current session cannot be deleted")

// Delete removes the session that which selects (see [Find]), the files of its
// subagents, its plans and the outputs of its tools. current is the id of the running
// session, which is refused with [ErrCurrent]; a session that another process has open
// is refused with [transcript.ErrInUse]. The Info describes the session also if
// removing it failed. Errors of Find are returned with the zero Info.
func Delete(p Project, which, current string) (Info, error) {
	info, err := Find(p, which)
	if err != nil {
		return Info{}, err
	}
	if info.ID == current {
		return info, ErrCurrent
	}
	return info, remove(p, info.Path, info.ID)
}

// remove deletes a session's file and everything that is stored under its id.
func remove(p Project, path, id string) error {
	if transcript.InUse(path) {
		return fmt.Errorf("deleting session %s: %w", id, transcript.ErrInUse)
	}
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if validID.MatchString(id) {
		err = errors.Join(err,
			os.RemoveAll(filepath.Join(p.Chats(), id)),
			os.RemoveAll(ToolOutputs(p, id)),
			os.RemoveAll(filepath.Join(p.Temp, id, "plans")))
		_ = os.Remove(filepath.Join(p.Temp, id)) // fails unless it is empty
	}
	if err != nil {
		return fmt.Errorf("deleting session %s: %w", id, err)
	}
	return nil
}

// ToolOutputs returns the directory of the long tool outputs of the session id. It may
// not exist.
func ToolOutputs(p Project, id string) string {
	return filepath.Join(p.Temp, "tool-outputs", "session-"+id)
}

// SaveOutput saves the full text of an output that is cut for the model, and returns the
// path of its file.
func SaveOutput(s *Session, callID, text string) (string, error) {
	dir := ToolOutputs(s.o.Project, s.ID())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	name := strings.Map(func(c rune) rune {
		if strings.ContainsRune(idCharacters, c) {
			return c
		}
		return '_'
	}, callID)
	path := filepath.Join(dir, name+".txt")
	return path, atomicfile.WriteText(path, text, 0o600)
}

// idCharacters are the characters that the id of a session may have.
const idCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
