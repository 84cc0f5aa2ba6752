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
	"minigem/llm"
	"minigem/session"
	"minigem/tools/workspace"
)

// Store is what can be gone back to in one project. Processes may use it at
// once.
type Store struct {
	Project   session.Project
	Workspace *workspace.Workspace
	Path      string              // where git is looked for, as in $PATH
	Mask      func([]byte) []byte // takes secrets out of what is written down; nil: none are known
	Now       func() time.Time
}

// Checkpoint is a state that can be gone back to: files, a conversation, or
// both. One is kept before each edit of the model and each going back, and the
// user keeps conversations under tags.
type Checkpoint struct {
	Name         string    // its tag, or time and purpose
	At           time.Time // zero: not known
	Conversation []llm.Message
	Auth         string         // how the user was signed in; only of a tagged one
	SessionID    string         // where it was taken
	Tool         string         // the edit that came next; empty: none did
	Args         map[string]any // of that edit
	Commit       string         // the snapshot of the files; empty: none was taken
	// Files are contents by absolute path, nil for one that was not there: of
	// files that the snapshot has not, because git ignores them or nobody asked
	// for snapshots.
	Files map[string][]byte
}

// HasFiles reports whether it has more than a conversation.
func (c Checkpoint) HasFiles() bool { return c.Commit != "" || len(c.Files) > 0 }

// ErrNoCheckpoint: nothing is kept under the name or tag.
var ErrNoCheckpoint = errors.New("there is no checkpoint")

// checkpointFile is a Checkpoint in the form of Gemini CLI's checkpointUtils.ts.
// SessionID and Files are minigem's own.
type checkpointFile struct {
	History       []any         `json:"history"` // of Gemini CLI's screen; empty here
	ClientHistory []llm.Message `json:"clientHistory"`
	ToolCall      struct {
		Name string         `json:"name"`
		Args map[string]any `json:"args"`
	} `json:"toolCall"`
	Commit    string            `json:"commitHash"`
	SessionID string            `json:"sessionId,omitempty"`
	Files     map[string][]byte `json:"files,omitempty"`
}

// most is how many checkpoints Prune leaves.
const most = 100

// stamp is the form of the time in names, with "_" for its ".".
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

// Purpose is the name without the time.
func (c Checkpoint) Purpose() string {
	return strings.TrimPrefix(c.Name[min(len(c.Name), len(stamp)):], "-")
}

// Dir is the folder of the checkpoints.
func (s Store) Dir() string { return filepath.Join(s.Project.Temp, "checkpoints") }

func (s Store) file(name string) string { return filepath.Join(s.Dir(), name+".json") }

// Checkpoints lists them, oldest first, each with name and time alone.
func (s Store) Checkpoints() []Checkpoint {
	entries, _ := os.ReadDir(s.Dir()) // sorted; none where there is no directory
	var out []Checkpoint
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok && e.Type().IsRegular() {
			out = append(out, Checkpoint{Name: name, At: timeOf(name)})
		}
	}
	return out
}

// Checkpoint reads one; ErrNoCheckpoint: see there.
func (s Store) Checkpoint(name string) (Checkpoint, error) {
	name = strings.TrimSuffix(name, ".json")
	var data []byte
	err := fs.ErrNotExist
	if filepath.Base(name) == name {
		data, err = boundedfile.ReadJSON(s.file(name), boundedfile.Recorded)
	}
	if errors.Is(err, fs.ErrNotExist) {
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
	for _, c := range all[:max(0, len(all)-most)] {
		_ = os.Remove(s.file(c.Name)) // the next start tries again
	}
}

// BeforeEdit keeps a checkpoint of the files and the conversation before call,
// which edits a file.
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
	f := checkpointFile{History: []any{}, ClientHistory: slices.Concat([]llm.Message{}, c.Conversation), Commit: c.Commit, SessionID: c.SessionID, Files: c.Files}
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
