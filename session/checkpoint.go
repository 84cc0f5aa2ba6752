package session

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
	"time"

	"minigem/internal/atomicfile"
	"minigem/internal/boundedfile"
	"minigem/llm"
)

// Checkpoint is a conversation that the user saved under a tag, as /chat does.
// (core/core/logger.ts)
type Checkpoint struct {
	Tag     string
	Path    string
	Saved   time.Time
	History []llm.Message // nil in lists
	Auth    string        // how the user was signed in; resuming under another kind is refused by Gemini CLI
}

type checkpointFile struct {
	History []llm.Message `json:"history"`
	Auth    string        `json:"authType,omitempty"`
}

// ErrNoCheckpoint: nothing was saved under the tag.
var ErrNoCheckpoint = errors.New("no conversation is saved under this tag")

const checkpointPrefix, checkpointSuffix = "checkpoint-", ".json"

func (p Project) checkpointPath(tag string) string {
	return filepath.Join(p.Temp, checkpointPrefix+escapeTag(tag)+checkpointSuffix)
}

// escapeTag makes any tag a file name, as encodeURIComponent does.
func escapeTag(tag string) string {
	var b strings.Builder
	for _, c := range []byte(tag) {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-_.!~*'()", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func unescapeTag(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		var c byte
		if name[i] == '%' && i+2 < len(name) {
			if _, err := fmt.Sscanf(name[i+1:i+3], "%02X", &c); err == nil {
				b.WriteByte(c)
				i += 2
				continue
			}
		}
		b.WriteByte(name[i])
	}
	return b.String()
}

// SaveCheckpoint keeps history under tag; what was kept there is replaced.
func SaveCheckpoint(p Project, tag string, history []llm.Message, auth string) (Checkpoint, error) {
	c := Checkpoint{Tag: tag, Path: p.checkpointPath(tag), History: history, Auth: auth}
	if tag == "" {
		return c, errors.New("saving conversation: the tag is missing")
	}
	data, err := json.MarshalIndent(checkpointFile{slices.Concat([]llm.Message{}, history), auth}, "", "  ")
	if err == nil {
		err = os.MkdirAll(p.Temp, 0o700)
	}
	if err == nil {
		err = atomicfile.WriteFile(c.Path, data, 0o600)
	}
	if err != nil {
		return c, fmt.Errorf("saving conversation %q: %w", tag, err)
	}
	return c, nil
}

// LoadCheckpoint reads what was kept under tag; the older form, a list of
// messages alone, too. ErrNoCheckpoint: see there.
func LoadCheckpoint(p Project, tag string) (Checkpoint, error) {
	c := Checkpoint{Tag: tag, Path: p.checkpointPath(tag)}
	data, err := boundedfile.Read(c.Path, boundedfile.Recorded)
	if errors.Is(err, fs.ErrNotExist) {
		return c, fmt.Errorf("loading conversation %q: %w", tag, ErrNoCheckpoint)
	}
	var f checkpointFile
	if err == nil && json.Unmarshal(data, &f.History) != nil {
		err = json.Unmarshal(data, &f)
	}
	if err != nil {
		return c, fmt.Errorf("loading conversation %q from %s: %w", tag, c.Path, err)
	}
	if info, err := os.Stat(c.Path); err == nil {
		c.Saved = info.ModTime()
	}
	c.History, c.Auth = f.History, f.Auth
	return c, nil
}

// Checkpoints lists what is kept, oldest first.
func Checkpoints(p Project) []Checkpoint {
	var out []Checkpoint
	paths, _ := filepath.Glob(filepath.Join(p.Temp, checkpointPrefix+"*"+checkpointSuffix))
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), checkpointPrefix), checkpointSuffix)
			out = append(out, Checkpoint{Tag: unescapeTag(name), Path: path, Saved: info.ModTime()})
		}
	}
	slices.SortFunc(out, func(a, b Checkpoint) int { return cmp.Or(a.Saved.Compare(b.Saved), strings.Compare(a.Tag, b.Tag)) })
	return out
}

// DeleteCheckpoint removes what was kept under tag. ErrNoCheckpoint: see there.
func DeleteCheckpoint(p Project, tag string) error {
	err := os.Remove(p.checkpointPath(tag))
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNoCheckpoint
	}
	if err != nil {
		return fmt.Errorf("deleting conversation %q: %w", tag, err)
	}
	return nil
}
