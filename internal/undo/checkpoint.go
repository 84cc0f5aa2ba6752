package undo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"minigem/internal/atomicfile"
	"minigem/internal/boundedfile"
	"minigem/internal/snapshot"
	"minigem/internal/text"
	"minigem/llm"
	"minigem/session"
	"minigem/tools/workspace"
)

// Store contains what can be undone in one project. Processes may use it concurrently.
type Store struct {
	Project   session.Project
	Workspace *workspace.Workspace
	Path      string              // directories to search for git, as in $PATH
	Mask      func([]byte) []byte // masks secrets in stored data; may be nil
	Now       func() time.Time
}

// Checkpoint is a state that can be restored: files, a conversation, or both. One is
// stored before each edit by the model and before each restore. The user also saves
// conversations under tags.
type Checkpoint struct {
	Name         string    // its tag, or its time and purpose
	At           time.Time // zero if unknown
	Conversation []llm.Message
	Auth         string         // how the user was signed in; only set with a tag
	SessionID    string         // the session in which it was stored
	Tool         string         // the tool of the edit that followed, or empty
	Args         map[string]any // arguments of that edit
	Commit       string         // id of the files' snapshot, or empty
	// Files maps absolute paths to contents, or to nil for a missing file. It has the
	// files that are not in the snapshot, because git ignores them or snapshots are
	// off.
	Files map[string][]byte
}

// HasFiles reports whether c has any files to restore.
func (c Checkpoint) HasFiles() bool { return c.Commit != "" || len(c.Files) > 0 }

// ErrNoCheckpoint means that there is no checkpoint with that name or tag.
var ErrNoCheckpoint = errors.New("there is no checkpoint")

// checkpointFile is a Checkpoint in the format of Gemini CLI's checkpointUtils.ts.
// SessionID and Files are minigem's own.
type checkpointFile struct {
	History       []any         `json:"history"` // Gemini CLI's screen; always empty here
	ClientHistory []llm.Message `json:"clientHistory"`
	ToolCall      struct {
		Name string         `json:"name"`
		Args map[string]any `json:"args"`
	} `json:"toolCall"`
	Commit    string            `json:"commitHash"`
	SessionID string            `json:"sessionId,omitempty"`
	Files     map[string][]byte `json:"files,omitempty"`
}

// maxCheckpoints is how many checkpoints Prune keeps.
const maxCheckpoints = 100

// stamp is the layout of the time in names, with "_" instead of ".".
const stamp = "2006-01-02T15-04-05.000Z"

// name makes a name from the time and a purpose.
func (s Store) name(purpose string) string {
	return strings.Replace(s.Now().UTC().Format(stamp), ".", "_", 1) + "-" + purpose
}

func timeOf(name string) time.Time {
	at, err := time.Parse(stamp, strings.Replace(name[:min(len(name), len(stamp))], "_", ".", 1))
	if err != nil {
		return time.Time{}
	}
	return at
}

// Purpose returns the name without the time.
func (c Checkpoint) Purpose() string {
	return strings.TrimPrefix(c.Name[min(len(c.Name), len(stamp)):], "-")
}

// Dir returns the folder of the checkpoints.
func (s Store) Dir() string { return filepath.Join(s.Project.Temp, "checkpoints") }

func (s Store) file(name string) string { return filepath.Join(s.Dir(), name+".json") }

// Checkpoints lists the checkpoints, oldest first, with only Name and At set.
func (s Store) Checkpoints() []Checkpoint {
	entries, _ := os.ReadDir(s.Dir()) // sorted; empty if there is no directory
	var out []Checkpoint
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok && e.Type().IsRegular() {
			out = append(out, Checkpoint{Name: name, At: timeOf(name)})
		}
	}
	return out
}

// Checkpoint reads a checkpoint. The error is [ErrNoCheckpoint] if there is none with
// that name.
func (s Store) Checkpoint(name string) (Checkpoint, error) {
	name = strings.TrimSuffix(name, ".json")
	var data []byte
	err := fs.ErrNotExist
	if filepath.Base(name) == name {
		data, err = boundedfile.ReadJSON(s.file(name), boundedfile.Recorded)
	}
	if errors.Is(err, fs.ErrNotExist) {
		var names []string
		for _, c := range s.Checkpoints() {
			names = append(names, c.Name)
		}
		if near := text.Nearest(name, names); near != "" {
			return Checkpoint{}, fmt.Errorf("%w %q (did you mean %q?)", ErrNoCheckpoint, name, near)
		}
		return Checkpoint{}, fmt.Errorf("%w %q", ErrNoCheckpoint, name)
	}
	var f checkpointFile
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err != nil {
		return Checkpoint{}, fmt.Errorf("reading checkpoint %s: %w", name, err)
	}
	return Checkpoint{
		Name: name, At: timeOf(name), Conversation: f.ClientHistory, SessionID: f.SessionID,
		Tool: f.ToolCall.Name, Args: f.ToolCall.Args, Commit: f.Commit, Files: f.Files,
	}, nil
}

// Prune removes the oldest checkpoints.
func (s Store) Prune() {
	all := s.Checkpoints()
	for _, c := range all[:max(0, len(all)-maxCheckpoints)] {
		_ = os.Remove(s.file(c.Name)) // the next start tries again
	}
}

// BeforeEdit stores a checkpoint of the files and the conversation before call, which
// edits a file.
func (s Store) BeforeEdit(ctx context.Context, call llm.ToolCall, sessionID string, conversation []llm.Message) error {
	path, _ := call.Args["file_path"].(string)
	c := Checkpoint{
		Name:         s.name(filepath.Base(cmp.Or(path, "unknown")) + "-" + call.Name),
		Conversation: conversation, SessionID: sessionID, Tool: call.Name, Args: call.Args,
	}
	var err error
	if c.Commit, err = s.snapshots().Take(ctx, "before "+c.Name); err != nil {
		return err
	}
	return s.save(c)
}

func (s Store) save(c Checkpoint) error {
	f := checkpointFile{History: []any{}, ClientHistory: slices.Concat([]llm.Message{}, c.Conversation), Commit: c.Commit,
		SessionID: c.SessionID, Files: c.Files}
	f.ToolCall.Name, f.ToolCall.Args = c.Tool, c.Args
	data, err := json.MarshalIndent(f, "", "  ")
	if err == nil {
		err = os.MkdirAll(s.Dir(), 0o700)
	}
	if err != nil {
		return fmt.Errorf("writing checkpoint: %w", err)
	}
	if s.Mask != nil {
		data = s.Mask(data)
	}
	return atomicfile.WriteFile(s.file(c.Name), data, 0o600)
}

func (s Store) snapshots() snapshot.Store {
	return snapshot.Store{Dir: s.Project.History, Root: s.Project.Root, Env: []string{"PATH=" + s.Path}}
}
