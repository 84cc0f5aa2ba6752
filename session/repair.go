package session

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"minigem/internal/boundedfile"
	"minigem/transcript"
)

// fileName is the form of the names of session files: when the session began, the
// beginning of its id, and a number where two would have one name.
const fileName = `^session-(\d{4}-\d\d-\d\dT\d\d-\d\d|\d+)-(.{1,8}?)(-\d+)?\.jsonl?$`

// repair fills in fields that the header of the session at path lacks because it is
// damaged. The id and the start come from the file's name, the rest of the id from the
// session's folders, and the project from p. The error says that it repaired something;
// nil means that nothing was missing.
func repair(p Project, path string, meta *transcript.Meta) error {
	if meta.SessionID != "" && !meta.StartTime.IsZero() {
		return nil
	}
	parts := regexp.MustCompile(fileName).FindStringSubmatch(filepath.Base(path))
	if parts == nil || !validID.MatchString(parts[2]) {
		return nil
	}
	if meta.SessionID == "" {
		meta.SessionID = wholeID(p, parts[2])
	}
	at, err := time.Parse("2006-01-02T15-04", parts[1])
	if ms, number := strconv.ParseInt(parts[1], 10, 64); err != nil && number == nil {
		at = time.UnixMilli(ms)
	}
	meta.StartTime, meta.ProjectHash = transcript.At(at), p.Hash()
	if stat, err := os.Stat(path); err == nil && meta.LastUpdated.IsZero() {
		meta.LastUpdated = transcript.At(stat.ModTime())
	}
	if meta.Kind == "" {
		meta.Kind = transcript.KindMain
	}
	return fmt.Errorf(
		"%s:1: the first line of this session is damaged: its id %s and its start were rebuilt from the file's name",
		path, meta.SessionID)
}

// wholeID completes the beginning of an id by the folders that the session has.
func wholeID(p Project, start string) string {
	for _, pattern := range []string{"tool-outputs/session-*", "chats/*", "*"} {
		for _, dir := range boundedfile.Find(p.Temp, pattern) {
			id := strings.TrimPrefix(filepath.Base(dir), "session-")
			if info, err := os.Stat(dir); err == nil && info.IsDir() && strings.HasPrefix(id, start) && validID.MatchString(id) {
				return id
			}
		}
	}
	return start
}
