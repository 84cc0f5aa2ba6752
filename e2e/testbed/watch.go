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

// lookEvery is the pause between two looks at the files. If looks are slow it grows, up to
// lookAtMost, so that they use little CPU time.
const (
	lookEvery  = 20 * time.Millisecond
	lookAtMost = 80 * time.Millisecond
)

// Watch runs the suite, then runs it again each time one of its cases or a file that they
// use has changed, until ctx ends. It reruns only changed cases, or all if another file
// changed. each is called for every round, and once if there are no cases at all. Changes
// made while cases run or are reported are noticed in the next round, because a round
// compares with the state before it started.
func (s *Suite) Watch(ctx context.Context, each func(Summary, error)) {
	var seen map[string]stamp
	l := look{uses: map[string]uses{}}
	reported := false
	for {
		began, pause := time.Now(), lookEvery
		files, err := s.Find()
		switch {
		case err == nil:
			now := l.stamps(files)
			pause = min(max(pause, 9*time.Since(began)), lookAtMost)
			s.round(ctx, changedCases(files, seen, now), now, each)
			seen, reported, s.part = now, false, true
		case !reported:
			each(Summary{}, err)
			reported = true
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
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

// stamp detects whether a file has changed.
type stamp struct {
	at   time.Time
	size int64
}

// changedCases returns the cases to run: all of them the first time or if a file other
// than a case changed.
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

// look caches what is known about files between looks.
type look struct {
	uses map[string]uses // by case
}

// uses lists what a case uses, as of a stamp of its file.
type uses struct {
	at    stamp
	paths []string
}

// stamps returns the stamps of the cases and of all files that they use.
func (l look) stamps(files []string) map[string]stamp {
	out, walked := map[string]stamp{}, map[string]bool{}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			continue
		}
		out[f] = stamp{info.ModTime(), info.Size()}
		if l.uses[f].at != out[f] {
			l.uses[f] = uses{out[f], usedBy(f)}
		}
		for _, used := range l.uses[f].paths {
			if !walked[used] {
				walked[used] = true
				stampAll(used, out)
			}
		}
	}
	return out
}

// stampAll adds the file at path, or all files below it.
func stampAll(path string, out map[string]stamp) {
	_ = filepath.WalkDir(path, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // it may be being written: the next look will see it
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			out[path] = stamp{info.ModTime(), info.Size()}
		}
		return nil
	})
}

// usedBy returns the files and folders that the case in file copies.
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
