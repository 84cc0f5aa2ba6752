package commands

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"minigem/agent"
	"minigem/hooks"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/slash"
	"minigem/internal/text"
	"minigem/internal/wiring"
	"minigem/llm"
	"minigem/tools/toolcall"
)

// Ask asks the user for permission. It is nil if there is no user.
type Ask = func(context.Context, toolcall.Question) toolcall.Answer

// A Maker is a command that makes a prompt from the text after its name. It is a skill, a
// custom command file, or a prompt of an MCP server.
type Maker struct {
	Name, Args, Help string
	Server           string // the MCP server that offers it; may be empty
	Make             func(ctx context.Context, args string, ask Ask) (agent.Prompt, error)
}

// Own returns the custom commands and the skills of r. The extension's name precedes the name
// of its skill. If a skill and a command file outside extensions share a name, neither gets it
// (cli/services/SkillCommandLoader.ts, cli/services/SlashCommandResolver.ts).
func Own(r *wiring.Runtime, warn func(string)) (all []Maker) {
	var names []string
	var called []slash.Custom
	list := r.Skills.List()
	for _, s := range list {
		name := strings.Join(strings.Fields(s.Name), "-")
		if s.Extension != "" {
			name = s.Extension + ":" + name
		}
		names, called = append(names, name), append(called, slash.Custom{Name: name})
	}
	taken := slash.Names()
	for _, c := range r.Config.CustomCommands(names, warn) {
		taken = append(taken, c.Name, strings.TrimPrefix(strings.TrimPrefix(c.Name, "user."), "workspace."))
		all = append(all, Maker{Name: c.Name, Args: "[ARGS]", Help: cmp.Or(c.Description, "from "+r.Config.Shorten(c.File)),
			Make: func(ctx context.Context, args string, ask Ask) (agent.Prompt, error) {
				shell := slash.Shell{Tool: r.Registry.Lookup("run_shell_command"), Policy: r.Policy, Ask: ask}
				return prompted(c.Fill(ctx, slash.Filler{File: r.Files().Text, Shell: shell.Run}, "/"+c.Name+" "+args, args))
			}})
	}
	for i, c := range slash.Named("", called, taken) {
		all = append(all, Maker{Name: c.Name, Args: "[PROMPT]", Help: list[i].Description,
			Make: func(ctx context.Context, args string, _ Ask) (agent.Prompt, error) {
				p := agent.Prompt{Text: cmp.Or(args, "Use the skill "+list[i].Name+".")}
				p.Parts = r.Files().Include(ctx, p.Text, warn)
				p.First = func(ctx context.Context) hooks.Verdict { return r.Activate(ctx, list[i].Name) }
				return p, nil
			}})
	}
	return all
}

// OfServers returns the prompts of connected servers as commands. Their names differ
// from those in own.
func OfServers(r *wiring.Runtime, own []Maker) (all []Maker) {
	taken := slash.Names()
	for _, c := range own {
		taken = append(taken, c.Name)
	}
	for _, s := range r.MCP.Sessions() {
		for _, p := range s.Prompts() {
			c := Maker{Name: strings.Join(strings.Fields(p.Name), "-"), Help: "from the MCP server " + p.Server,
				Server: p.Server}
			c.Name = slash.Named(p.Server+"_", []slash.Custom{{Name: c.Name}}, taken)[0].Name
			if p.Description != "" {
				c.Help = p.Description + " (" + p.Server + ")"
			}
			if usage := p.Usage(); usage != "" {
				c.Args = "[" + usage + "]"
			}
			c.Make = func(ctx context.Context, args string, _ Ask) (agent.Prompt, error) {
				return prompted(p.Fill(ctx, args))
			}
			taken, all = append(taken, c.Name), append(all, c)
		}
	}
	return all
}

// prompted turns the text that a command made into a prompt.
func prompted(text string, err error) (agent.Prompt, error) {
	if err != nil {
		err = exit.With(exit.Input, err)
	}
	return agent.Prompt{Text: text, Parts: []llm.Part{llm.Text{Text: text}}}, err
}

// Expand prepares the prompt of a run without a terminal: it runs a [Maker] and adds
// files named with an "@". A command of the chat is an error, because no model knows what
// it means. A path, or a word that resembles no command, is sent as a prompt.
func Expand(ctx context.Context, r *wiring.Runtime, said, before string, ask Ask, warn func(string)) (agent.Prompt,
	error) {
	word, args, _ := strings.Cut(said, " ")
	var all []Maker
	if slash.Is(said) {
		at := func() int { return slices.IndexFunc(all, func(c Maker) bool { return "/"+c.Name == word }) }
		all = Own(r, warn)
		if at() < 0 {
			r.MCP.Await(ctx)
			all = append(all, OfServers(r, all)...)
		}
		if i := at(); i >= 0 {
			p, err := all[i].Make(ctx, strings.TrimSpace(args), ask)
			p.Context = before
			return p, err
		}
	}
	var names []string
	for _, c := range all {
		names = append(names, "/"+c.Name)
	}
	near := text.DidYouMean(text.Nearest(word, names))
	switch {
	case !slash.Is(said), app.Exists(word):
	case near != "", slash.Meant(word[1:]):
		return agent.Prompt{}, exit.Errorf(
			exit.Input, "nothing was sent: %s works only in the chat, or is not a command%s", word, cmp.Or(near,
				" (custom commands from .gemini/commands, and skills, work here too)"))
	default:
		warn(word + " is not a command: it is sent as a prompt")
	}
	return agent.Prompt{Text: said, Context: before, Parts: r.Files().Include(ctx, said, warn)}, nil
}
