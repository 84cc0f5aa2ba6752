// Package commands implements the slash commands that work the same in the chat and in
// an editor: they write text, or make a prompt.
package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"minigem/agent"
	"minigem/internal/app"
	"minigem/internal/contextfile"
	"minigem/internal/listing"
	"minigem/internal/slash"
	"minigem/internal/wiring"
)

// Call is one use of a command: its arguments, and the session it is run in.
type Call struct {
	Context context.Context
	Runtime *wiring.Runtime
	Sys     *app.System  // the command writes to its Stdout
	Args    string       // the text after the command's name
	Prompt  agent.Prompt // set by the command if it asks the model
	// Reload reads the memory files again, after one was changed or because the user
	// wants it and is told what is different.
	Reload func(tell bool) error
}

// Table is a table of such commands.
type Table = slash.Table[*Call]

// Builtin returns the commands of a session.
func Builtin(r *wiring.Runtime) Table {
	return Table{
		{Name: "about", Help: "version, system, model", Run: about},
		{Name: "extensions", Help: "the extensions, and what each brings", Run: extensions, Sub: Table{
			{Name: "list", Help: "list them", Run: extensions},
		}},
		{Name: "init", Help: "let the model write a " + wiring.ContextName(r), Run: initContext},
		{Name: "memory", Help: "the memory files as the model reads them", Run: memoryList, Sub: Table{
			{Name: "show", Help: "print them", Run: memoryShow},
			{Name: "list", Help: "list them", Run: memoryList},
			{Name: "add", Args: "[--project] TEXT", Help: "remember it, in all projects or in this one", Run: memoryAdd},
			{Name: "reload", Aliases: []string{"refresh"}, Help: "read them, settings and hooks again",
				Run: func(c *Call) error { return c.Reload(true) }},
		}},
	}
}

func about(c *Call) error {
	r := c.Runtime
	auth := cmp.Or(r.Config.Settings.Security.Auth.SelectedType, "as the environment says")
	_, err := fmt.Fprintf(c.Sys.Stdout,
		"minigem %s, %s/%s\nmodel    %s\nsign-in  %s\nsession  %s\nfile     %s\nmode     %s\n",
		app.Version, runtime.GOOS, runtime.GOARCH, r.Models.Name, auth, r.Session.ID(), r.Config.Shorten(r.Session.Path()),
		r.Policy.Mode().Flag())
	return err
}

func extensions(c *Call) error { return listing.WriteExtensions(c.Runtime.Config, c.Sys, "text") }

func initContext(c *Call) error {
	name := wiring.ContextName(c.Runtime)
	if app.Exists(filepath.Join(c.Runtime.Config.Dir, name)) {
		return fmt.Errorf("%s already exists: ask for the changes that you want", name)
	}
	c.Prompt.Text = "Look at this project and write a file " + name + " in its root: what the project is, " +
		"how it is laid out, the commands that build, test and run it, and the conventions that its code follows. " +
		"Keep to what you find in its files, and keep it short: it is what you will be told about this project at the " +
		"start of each session."
	return nil
}

func memoryList(c *Call) error {
	paths := c.Runtime.Context.Paths()
	for i, p := range paths {
		paths[i] = "  " + c.Runtime.Config.Shorten(p)
	}
	if len(paths) == 0 {
		paths = []string{"No memory file is loaded. /init lets the model write one."}
	}
	_, err := io.WriteString(c.Sys.Stdout, strings.Join(paths, "\n"))
	return err
}

func memoryShow(c *Call) error {
	shown := contextfile.Render(c.Runtime.Context.All(), c.Runtime.Config.Dir)
	if shown == "" {
		return memoryList(c)
	}
	_, err := io.WriteString(c.Sys.Stdout, shown)
	return err
}

// memoryAdd writes a fact to a memory file, as the model's own tool does.
func memoryAdd(c *Call) error {
	fact, project := strings.CutPrefix(c.Args+" ", "--project ")
	args := map[string]any{"fact": fact}
	if project {
		args["scope"] = "project"
	}
	switch {
	case strings.TrimSpace(fact) == "":
		return errors.New("what should be remembered? /memory add [--project] TEXT")
	case project && c.Runtime.ProjectMemory() == "":
		return errors.New(
			"this folder is not trusted, and its memory file is not read: /memory add TEXT keeps it for all projects")
	}
	inv, err := c.Runtime.Registry.Lookup("save_memory").Prepare(args)
	if err != nil {
		return err
	}
	res, err := inv.Run(c.Context)
	if err != nil {
		return err
	}
	fmt.Fprintln(c.Sys.Stdout, res.Display)
	return c.Reload(false)
}

// Reread reads the memory files again, including those in subdirectories.
func Reread(r *wiring.Runtime) {
	r.ReadContext()
	r.Agent.Config.System = r.SystemPrompt()
}
