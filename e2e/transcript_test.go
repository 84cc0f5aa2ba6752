package e2e

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"minigem/e2e/testbed"
	"minigem/llm"
	"minigem/transcript"
)

// transcriptsIn returns the session files below a HOME, oldest first.
func transcriptsIn(home string) []string {
	var files []string
	_ = filepath.WalkDir(filepath.Join(home, ".gemini", "tmp"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasSuffix(path, ".jsonl") && filepath.Base(filepath.Dir(path)) == "chats" {
			files = append(files, path)
		}
		return nil // a home without sessions is fine
	})
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(started(a), started(b)) })
	return files
}

func started(file string) string {
	meta, err := transcript.ReadMeta(file)
	if err != nil {
		return ""
	}
	return meta.StartTime.UTC().Format("2006-01-02T15:04:05.000")
}

// checkTranscript returns an error if a session file is unreadable, has a call without a
// result, or a result without a call.
func checkTranscript(path string) error {
	f, err := transcript.Read(path)
	if err != nil {
		return err
	}
	if len(f.Warnings) > 0 {
		return fmt.Errorf("session file: %s", f.Warnings[0])
	}
	called := map[string]bool{} // by id: whether it was answered
	for _, m := range f.Messages {
		for _, c := range m.ToolCalls {
			called[c.ID] = called[c.ID] || len(c.Result.Decode()) > 0
			if !slices.Contains([]string{"success", "error", "cancelled"}, c.Status) {
				return fmt.Errorf("session file: call %s has the status %q", c.ID, c.Status)
			}
		}
		for _, c := range (llm.Message{Parts: m.Exact}).Calls() {
			called[c.ID] = called[c.ID] || false
		}
		for _, p := range m.Content.Parts {
			r, ok := p.(llm.ToolResult)
			if !ok {
				continue
			}
			if _, ok := called[r.ID]; !ok {
				return fmt.Errorf("session file: a result for %s, which nobody called", r.ID)
			}
			called[r.ID] = true
		}
	}
	for id, answered := range called {
		if !answered {
			return fmt.Errorf("session file: call %s has no result", id)
		}
	}
	return nil
}

// showTranscript formats a session file for assertions, one part a line:
//
//	user: hello
//	gemini: I look.
//	gemini: read_file {"file_path":"a"} error
//	user: result read_file {"error":"..."}
func showTranscript(path string) (string, error) {
	f, err := transcript.Read(path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, m := range f.Messages {
		if m.ID == transcript.PreambleID {
			continue
		}
		for _, p := range m.Content.Parts {
			fmt.Fprintf(&b, "%s: %s\n", m.Type, testbed.RenderPart(p))
		}
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, "%s: %s %s %s\n", m.Type, c.Name, compact(c.Args), c.Status)
		}
	}
	return b.String(), nil
}
