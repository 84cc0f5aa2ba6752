package undo

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/internal/atomicfile"
	"minigem/internal/boundedfile"
	"minigem/llm"
)

// ErrNoTag means that nothing is saved under the tag.
var ErrNoTag = errors.New("no conversation is saved under this tag")

// taggedFile is a conversation in the format of Gemini CLI's /chat save
// (core/core/logger.ts).
type taggedFile struct {
	History []llm.Message `json:"history"`
	Auth    string        `json:"authType,omitempty"`
}

const tagPrefix, tagSuffix = "checkpoint-", ".json"

// unescaped restores the characters that QueryEscape escapes but encodeURIComponent,
// which makes file names of tags, does not. QueryEscape also writes a blank as "+".
var unescaped = strings.NewReplacer("+", "%20", "%21", "!", "%2A", "*", "%27", "'", "%28", "(", "%29", ")", "%7E", "~")

func (s Store) tagFile(tag string) string {
	return filepath.Join(s.Project.Temp, tagPrefix+unescaped.Replace(url.QueryEscape(tag))+tagSuffix)
}

// SaveTag saves conversation under tag and replaces an earlier one. auth is how the
// user is signed in.
func (s Store) SaveTag(tag string, conversation []llm.Message, auth string) error {
	if tag == "" {
		return errors.New("saving conversation: the tag is missing")
	}
	data, err := json.MarshalIndent(taggedFile{slices.Concat([]llm.Message{}, conversation), auth}, "", "  ")
	if err == nil {
		err = os.MkdirAll(s.Project.Temp, 0o700)
	}
	if err == nil {
		err = atomicfile.WriteFile(s.tagFile(tag), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("saving conversation %q: %w", tag, err)
	}
	return nil
}

// Tagged reads what is saved under tag, including the older format, which is just a
// list of messages. The error is [ErrNoTag] if there is nothing.
func (s Store) Tagged(tag string) (Checkpoint, error) {
	path := s.tagFile(tag)
	data, err := boundedfile.Read(path, boundedfile.Recorded)
	if errors.Is(err, fs.ErrNotExist) {
		return Checkpoint{}, fmt.Errorf("loading conversation %q: %w", tag, ErrNoTag)
	}
	var f taggedFile
	if err == nil && json.Unmarshal(data, &f.History) != nil {
		err = json.Unmarshal(data, &f)
	}
	if err != nil {
		return Checkpoint{}, fmt.Errorf("loading conversation %q from %s: %w", tag, path, err)
	}
	return Checkpoint{Name: tag, Conversation: f.History, Auth: f.Auth}, nil
}

// Tags lists the saved tags, oldest first, with only Name and At set.
func (s Store) Tags() []Checkpoint {
	var out []Checkpoint
	for _, path := range boundedfile.Find(s.Project.Temp, tagPrefix+"*"+tagSuffix) {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), tagPrefix), tagSuffix)
		if tag, err := url.PathUnescape(name); err == nil {
			name = tag
		}
		out = append(out, Checkpoint{Name: name, At: info.ModTime()})
	}
	slices.SortFunc(out, func(a, b Checkpoint) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.Name, b.Name)) })
	return out
}

// DeleteTag deletes what is saved under tag. The error is [ErrNoTag] if there is
// nothing.
func (s Store) DeleteTag(tag string) error {
	err := os.Remove(s.tagFile(tag))
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNoTag
	}
	if err != nil {
		return fmt.Errorf("deleting conversation %q: %w", tag, err)
	}
	return nil
}
