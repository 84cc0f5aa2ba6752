package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/author/program"
	"minigem/internal/boundedfile"
)

// inspection is what is configured, as the commands that look at hooks want it:
// hooks of a folder that is not trusted are in it and do not run.
func (c *configuration) inspection() *inspect.Setup {
	s := &inspect.Setup{
		Config:  c.hooks,
		Place:   program.Place{Dir: c.dir, ProjectDir: c.projectDir, Home: c.home},
		Trusted: c.trust.trusted,
		Mask:    c.mask,
	}
	s.Config.Hooks = c.withNotes()
	if !c.trust.trusted {
		held, faults := c.heldBack()
		for _, h := range held {
			h.Untrusted = "this folder is not trusted (" + c.trust.why + ")"
			s.Config.Hooks = append(s.Config.Hooks, h)
		}
		s.Config.Problems = append(slices.Clone(s.Config.Problems), faults...)
	}
	s.Files = c.hookFiles(s.Config.Hooks)
	return s
}

// hookFiles are all places where hooks were looked for.
func (c *configuration) hookFiles(all []hooks.Hook) []inspect.File {
	var files []inspect.File
	for _, f := range c.loaded.Files {
		file := inspect.File{Layer: hookLayers[f.Layer], Path: f.Path, State: inspect.FileRead, Data: f.Data}
		switch {
		case f.Skipped != "":
			file.State, file.Why = inspect.FileSkipped, f.Skipped
		case f.Data == nil:
			file.State = inspect.FileMissing
		}
		files = append(files, file)
	}
	rank := []hooks.Layer{hooks.LayerProject, hooks.LayerUser, hooks.LayerSystemDefaults, hooks.LayerSystem}
	slices.SortStableFunc(files, func(a, b inspect.File) int {
		return slices.Index(rank, a.Layer) - slices.Index(rank, b.Layer)
	})
	for _, s := range c.sections {
		if s.Layer != hooks.LayerExtension {
			continue
		}
		data, err := boundedfile.Read(s.File, boundedfile.Written)
		if err != nil {
			continue // an extension without hooks
		}
		files = append(files, inspect.File{Layer: s.Layer, Path: s.File, State: inspect.FileRead, Data: data})
	}
	if dir := filepath.Join(c.dotGemini, "extensions"); !exists(dir) {
		files = append(files, inspect.File{Layer: hooks.LayerExtension, Path: dir, State: inspect.FileMissing})
	}
	for i := range files {
		for _, h := range all {
			if h.Source.File == files[i].Path {
				files[i].Hooks++
			}
		}
	}
	return files
}

// inspectionText writes paths short.
func (c *configuration) inspectionText() inspect.Text { return inspect.Text{Shorten: c.shortenIn} }

// wrongUsage tells what is wrong with the command line, then how it goes.
func wrongUsage(sys *system, cmd *cobra.Command, format string, args ...any) error {
	fmt.Fprintf(sys.Stderr, "minigem: "+format+"\n\n%s\n", append(args, cmd.UsageString())...)
	return silent(exitInput)
}

// checkedArgs refuses wrong arguments and flags with exit code 42.
func checkedArgs(sys *system, cmd *cobra.Command, check cobra.PositionalArgs, text string) *cobra.Command {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if check(cmd, args) == nil {
			return nil
		}
		return wrongUsage(sys, cmd, "%s %s", cmd.CommandPath(), text)
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return wrongUsage(sys, cmd, "%v", err) })
	return cmd
}

// readInput reads a file that the user named; - is stdin.
func readInput(sys *system, path string) ([]byte, error) {
	if path == "-" {
		data, err := boundedfile.ReadAll(sys.Stdin, "stdin", boundedfile.Kept)
		if err != nil {
			return nil, exitf(exitInput, "reading stdin: %w", err)
		}
		return data, nil
	}
	data, err := boundedfile.ReadNamed(absolute(sys, path), boundedfile.Kept)
	if err != nil {
		return nil, exitf(exitInput, "reading the input: %w", err)
	}
	return data, nil
}

// absolute is path seen from where the command was started.
func absolute(sys *system, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(sys.Dir, path)
}
