package app

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"minigem/agent"
	"minigem/internal/exit"
	"minigem/internal/slash"
	"minigem/tools/toolcall"
)

// Files returns the files that a prompt may name.
func (r *Runtime) Files() slash.Files {
	return slash.Files{Workspace: r.Workspace, Ignore: r.ignore(),
		Search:   r.Config.Settings.Context.FileFiltering.EnableRecursiveFileSearch,
		Resource: r.MCP.Resource, Agent: r.AgentCalled}
}

// CustomCommands returns the commands of the user, of extensions, and of the project if
// the folder is trusted. Names in taken are not available to them.
func (c *Configuration) CustomCommands(taken []string, warn func(string)) []slash.Custom {
	sources := []slash.Source{{Prefix: "user.", Dir: filepath.Join(c.DotGemini, "commands")}}
	if own := filepath.Join(c.Dir, ".gemini"); c.Trust.Trusted && own != filepath.Clean(c.DotGemini) {
		sources = append(sources, slash.Source{Prefix: "workspace.", Dir: filepath.Join(own, "commands")})
	}
	for _, e := range c.extensions {
		sources = append(sources, slash.Source{Prefix: e.Name + ":", Dir: filepath.Join(e.Dir, "commands")})
	}
	found, problems := slash.LoadAll(sources, taken)
	for _, p := range problems {
		warn(c.ShortenIn(p.Error()))
	}
	return found
}

// Filler fills in files and command output in the prompts of custom commands. ask asks
// the user for permission; nil if there is no user.
func (r *Runtime) Filler(ask func(context.Context, toolcall.Question) toolcall.Answer) slash.Filler {
	shell := slash.Shell{Tool: r.Registry.Lookup("run_shell_command"), Policy: r.Policy, Ask: ask}
	return slash.Filler{File: r.Files().Text, Shell: shell.Run}
}

// Expand prepares the prompt of a run without a terminal. Custom commands become their
// prompts, and files named with an "@" are added. A command of the chat is an error,
// since it means nothing to a model. A path, or a word that no command begins with, is
// an ordinary prompt. For ask see [Runtime.Filler].
func (r *Runtime) Expand(
	ctx context.Context, text, before string, ask func(context.Context, toolcall.Question) toolcall.Answer,
	warn func(string),
) (agent.Prompt, error) {
	p := agent.Prompt{Text: text, Context: before}
	asTyped := func() (agent.Prompt, error) {
		p.Parts = r.Files().Include(ctx, text, warn)
		return p, nil
	}
	if !slash.Is(text) {
		return asTyped()
	}
	name, args, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	var taken []string
	for _, c := range r.Config.CustomCommands(nil, warn) {
		taken = append(taken, c.Name)
		if c.Name != name {
			continue
		}
		filled, err := c.Fill(ctx, r.Filler(ask), text, strings.TrimSpace(args))
		if err != nil {
			return p, exit.With(exit.Input, err)
		}
		p.Text = filled
		return p, nil
	}
	r.MCP.Await(ctx)
	for _, c := range r.MCP.Prompts(taken) {
		taken = append(taken, c.Command)
		if c.Command != name {
			continue
		}
		filled, err := c.Fill(ctx, args)
		if err != nil {
			return p, exit.With(exit.Input, err)
		}
		p.Text = filled
		return p, nil
	}
	if Exists("/" + name) {
		return asTyped()
	}
	if !slash.Meant(name, taken) {
		warn(fmt.Sprintf("/%s is not a command: it is sent as a prompt", name))
		return asTyped()
	}
	return p, exit.Errorf(
		exit.Input, "/%s works only in the chat, or is not a command: nothing was sent (custom commands from "+
			".gemini/commands work here too)", name)
}
