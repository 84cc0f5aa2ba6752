package testbed

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"minigem/internal/boundedfile"
)

const pollEvery = 80 * time.Millisecond

// Watch runs the suite, then again each time one of its cases, or a file that
// they use, has changed, until ctx ends: then the changed cases only, or all
// where something else changed. each is called for every round, and once that there
// is not a case. What changes while cases run, or while each is reported, is seen in
// the round after: what a round has seen is from before it ran anything.
func (s *Suite) Watch(ctx context.Context, each func(Summary, error)) {
	var seen map[string]stamp
	reported := false
	for {
		files, err := s.Find()
		switch {
		case err == nil:
			now := s.stamps(files)
			s.round(ctx, changedCases(files, seen, now), now, each)
			seen, reported = now, false
		case !reported:
			each(Summary{}, err)
			reported = true
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pollEvery):
		}
	}
}

// round runs cases, if there are any.
func (s *Suite) round(ctx context.Context, run []string, now map[string]stamp, each func(Summary, error)) {
	if len(run) == 0 {
		return
	}
	sum := s.RunFiles(ctx, run)
	for _, r := range sum.Results { // what it rewrote itself is not a change
		if info, err := os.Stat(r.Case.Path); err == nil && r.Updated {
			now[r.Case.Path] = stamp{info.ModTime(), info.Size()}
		}
	}
	each(sum, nil)
}

// stamp is what tells whether a file has changed.
type stamp struct {
	at   time.Time
	size int64
}

// changedCases are the cases to run: all the first time and where a file that is
// no case changed.
func changedCases(files []string, before, now map[string]stamp) []string {
	if before == nil {
		return files
	}
	cases := map[string]bool{}
	for _, f := range files {
		cases[f] = true
	}
	var run []string
	for _, f := range files {
		if before[f] != now[f] {
			run = append(run, f)
		}
	}
	for f, st := range now {
		if !cases[f] && before[f] != st {
			return files
		}
	}
	for f := range before {
		if _, still := now[f]; !still && !cases[f] && filepath.Ext(f) != ".txtar" {
			return files
		}
	}
	return run
}

// stamps are those of the cases and of all that they use.
func (s *Suite) stamps(files []string) map[string]stamp {
	out := map[string]stamp{}
	add := func(path string, info fs.FileInfo) { out[path] = stamp{info.ModTime(), info.Size()} }
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			add(f, info)
		}
		for _, used := range usedBy(f) {
			_ = filepath.WalkDir(used, func(path string, e fs.DirEntry, err error) error {
				if err != nil {
					return nil // it may be written just now: the next look will tell, and the others are there
				}
				if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
					add(path, info)
				}
				return nil
			})
		}
	}
	return out
}

// usedBy are the files and folders that the case in file copies.
func usedBy(file string) []string {
	data, err := boundedfile.Read(file, boundedfile.Kept)
	if err != nil {
		return nil
	}
	script, _, _ := strings.Cut(string(data), "\n-- ")
	var used []string
	for line := range strings.Lines(script) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "use" {
			used = append(used, filepath.Join(filepath.Dir(file), f[1]))
		}
	}
	return used
}
