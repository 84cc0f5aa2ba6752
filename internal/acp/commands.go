package acp

import (
	"bytes"
	"context"
	"fmt"
	"io"

	acp "github.com/coder/acp-go-sdk"

	"minigem/agent"
	"minigem/internal/commands"
	"minigem/internal/exit"
	"minigem/internal/saved"
	"minigem/internal/text"
)

// table returns the commands of the session: minigem's own, and then the user's.
func (c *conversation) table() (all commands.Table) {
	all = append(commands.Builtin(c.r), commands.Table{
		{Name: "help", Help: "list the commands", Run: func(on *commands.Call) error {
			_, err := io.WriteString(on.Sys.Stdout, all.Help())
			return err
		}},
		{Name: "restore", Args: "[CHECKPOINT]", Help: "list the checkpoints, or restore the files of one",
			Run: func(on *commands.Call) error { return saved.Restore(on.Context, on.Sys, c.r.Flags, on.Args) }},
	}...)
	for _, own := range commands.Own(c.r, func(string) {}) {
		all = append(all, commands.Table{{Name: own.Name, Args: own.Args, Help: own.Help,
			Run: func(on *commands.Call) (err error) {
				on.Prompt, err = own.Make(on.Context, on.Args, approver{c}.Approve)
				return err
			}}}...)
	}
	return all
}

// announce tells the editor which commands are available.
func (c *conversation) announce() {
	out := []acp.AvailableCommand{}
	for _, one := range c.table() {
		out = append(out, acp.AvailableCommand{Name: text.VisibleLine(one.Name), Description: text.VisibleLine(one.Help)})
	}
	c.update(acp.SessionUpdate{AvailableCommandsUpdate: &acp.SessionAvailableCommandsUpdate{AvailableCommands: out}})
}

// command runs a command and shows what it writes. The prompt is empty if it makes none.
func (c *conversation) command(ctx context.Context, line string) (agent.Prompt, error) {
	var out bytes.Buffer
	sys := *c.server.sys
	sys.Dir, sys.Stdout, sys.Stderr = c.r.Config.Dir, &out, &out
	on := &commands.Call{Context: ctx, Runtime: c.r, Sys: &sys, Reload: func(bool) error {
		commands.Reread(c.r)
		c.r.Session.Renew()
		_, err := fmt.Fprintln(&out, "Read again:", text.Plural(len(c.r.Context.Paths()), "memory file"))
		return err
	}}
	if err := c.table().Run(line, func(args string) *commands.Call {
		on.Args = args
		return on
	}); err != nil {
		return on.Prompt, exit.With(exit.Input, err)
	}
	if out.Len() > 0 {
		c.update(acp.UpdateAgentMessageText(text.Clean(out.String())))
	}
	return on.Prompt, nil
}
