package chat

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"minigem/internal/commands"
	"minigem/internal/terminal"
	"minigem/internal/text"
)

// directoryCommands returns /directory, which manages the folders of the workspace
// (cli/ui/commands/directoryCommand.tsx).
func directoryCommands() row {
	return row{Name: "directory", Aliases: []string{"dir"}, Help: "the folders that tools read and write",
		Run: showFolders, Sub: []row{
			{Name: "show", Help: "list them", Run: showFolders},
			{Name: "add", Args: "FOLDER[,FOLDER]", Help: "add some for this session", Run: addFolders},
		}}
}

func showFolders(t *call) error {
	lines := []string{"Tools read and write in:"}
	for _, dir := range t.runtime.Workspace.Dirs() {
		lines = append(lines, "  "+t.shortenHome(dir))
	}
	t.term.Print(terminal.Clean(strings.Join(lines, "\n")))
	return nil
}

// addFolders adds folders to the workspace until minigem ends, and tells the model. It
// adds all of them or none.
func addFolders(t *call) error {
	names := t.args
	var dirs []string
	for name := range strings.SplitSeq(names, ",") {
		dir := folderAt(t.runtime.Config.Home, strings.TrimSpace(name), t.runtime.Config.Dir)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return fmt.Errorf("there is no folder %s; nothing was added", text.VisibleLine(t.shortenHome(dir)))
		}
		dirs = append(dirs, dir)
	}
	if t.runtime.Sandbox.All {
		return fmt.Errorf("commands are confined to the folders that minigem began with: quit, and start with "+
			"--include-directories %s", text.VisibleLine(strings.Join(dirs, ",")))
	}
	var added []string
	for _, dir := range dirs {
		if inProject(t, dir) {
			t.term.Print(terminal.Clean(t.shortenHome(dir) + " belongs to the workspace already."))
			continue
		}
		if err := t.runtime.Workspace.Add(dir); err != nil {
			return err
		}
		added = append(added, dir)
	}
	if len(added) == 0 {
		return nil
	}
	t.flags.IncludeDirs = append(t.flags.IncludeDirs, added...) // for /clear and /resume
	t.context = strings.TrimPrefix(
		t.context+"\n\n<hook_context>The workspace has more folders from now on, which tools may read and write:\n"+
			strings.Join(added, "\n")+"</hook_context>", "\n\n")
	commands.Reread(t.runtime)
	return showFolders(t)
}

// inProject reports whether dir, with links followed, is in a folder of the workspace.
func inProject(t *call, dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	for _, d := range t.runtime.Workspace.Dirs() {
		if d, err = filepath.EvalSymlinks(d); err != nil {
			continue
		}
		if _, below := text.Below(d, real); below {
			return true
		}
	}
	return false
}

// folderAt resolves a folder name given by the user, relative to now.
func folderAt(home, name, now string) string {
	switch {
	case name == "~", strings.HasPrefix(name, "~/"):
		name = filepath.Join(home, name[1:])
	case !filepath.IsAbs(name):
		name = filepath.Join(now, name)
	}
	return filepath.Clean(name)
}
