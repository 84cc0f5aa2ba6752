package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ReadAll reads the sessions in files, and in the *.jsonl and *.json files below
// folders. A file that is named must be a session. Other files in a folder are left
// out, and skipped says why. It is an error if there is no session. Links to files are
// left out in folders. The sessions are in the order of paths, and the files of a folder
// in the order of their names.
func ReadAll(paths []string) (sessions []*Session, skipped []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, nil, fmt.Errorf("looking for the session: %w", err)
		}
		if !info.IsDir() {
			s, err := Read(path)
			if err != nil {
				return nil, nil, err
			}
			sessions = append(sessions, s)
			continue
		}
		err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || !slices.Contains([]string{".jsonl", ".json"}, filepath.Ext(file)) {
				return err
			}
			s, err := Read(file)
			if err != nil {
				skipped = append(skipped, err.Error())
				return nil
			}
			sessions = append(sessions, s)
			return nil
		})
		if err != nil {
			return nil, nil, fmt.Errorf("looking for sessions: %w", err)
		}
	}
	if len(sessions) == 0 {
		return nil, nil, errors.New("there is no session in it")
	}
	return sessions, skipped, nil
}
