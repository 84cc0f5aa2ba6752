package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"minigem/e2e/testbed"
	"minigem/internal/confine"
	"minigem/internal/confine/worker"
	"minigem/internal/exit"
	"minigem/internal/settings"
	"minigem/internal/stage"
)

// start runs the command in a worker if one can be confined, and otherwise in this process.
func (t *hooksTesting) start(args []string) error {
	err := t.inWorker(args)
	if errors.Is(err, worker.ErrUnable) {
		ctx, stop := exit.Context()
		defer stop()
		err = t.test(ctx, args)
	}
	return err
}

// inWorker runs the command in a worker. It returns worker.ErrUnable for real agents,
// which have namespaces of their own, and if something is wrong with the command or the
// cases, which is reported without a worker.
func (t *hooksTesting) inWorker(args []string) error {
	if !t.sys.Host || worker.Inside() || len(t.on) > 0 || t.binary != "" || t.sys.Getenv(confine.UnconfinedVar) != "" {
		return worker.ErrUnable
	}
	s, err := t.suite(args)
	if err != nil {
		return worker.ErrUnable
	}
	files, err := s.Find()
	if err != nil && !t.watch {
		return worker.ErrUnable
	}
	top, remove, err := stage.Temp()
	if err != nil {
		return fmt.Errorf("making a temporary folder: %w: set TMPDIR to a folder that exists", err)
	}
	defer remove()
	found, _ := settings.FindHome(t.sys.LookupEnv, t.sys.Dir, t.sys.Account)
	home, err := filepath.EvalSymlinks(found.User)
	if err != nil {
		home = filepath.Clean(found.User)
	}
	read, write, caches := testbed.Reach(files, t.sys.LookupEnv, home)
	read = slices.Concat(read, args, files, []string{".", s.Run.Self})
	r := confine.Rules{
		Read:  append(confine.Readable(t.sys.Getenv("PATH"), home), worker.Paths(read, home)...),
		Write: append(worker.Paths(append(write, t.written(files)...), ""), top),
	}
	code, err := worker.Run(r, top, append(t.sys.Env, caches...), os.Args[1:])
	if err == nil && code != exit.OK {
		err = exit.Silent(code)
	}
	return err
}

// written makes the files and folders that the command writes, and returns them. The run
// itself reports errors.
func (t *hooksTesting) written(files []string) []string {
	var out []string
	if t.keep != "" {
		_ = os.MkdirAll(t.keep, 0o755)
		out = append(out, t.keep)
	}
	for _, file := range files {
		if t.update {
			out = append(out, filepath.Dir(file))
		}
	}
	for _, name := range []string{t.junit, t.html, t.sys.Getenv("GITHUB_STEP_SUMMARY")} {
		if name == "" {
			continue
		}
		if f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL, 0o666); err == nil {
			f.Close()
		}
		out = append(out, name)
	}
	return out
}
