package chat

import (
	"context"
	"strings"

	"minigem/internal/slash"
	"minigem/llm"
)

// setTable makes the table of the current commands.
func (t *Chat) setTable() {
	builtin := t.commands()
	t.builtin = len(builtin)
	t.table = t.addCustom(builtin)
	t.ownCommands = len(t.table)
}

// addCustom adds the custom commands to the built-in ones.
func (t *Chat) addCustom(table slash.Table) slash.Table {
	var taken []string
	for _, c := range table {
		taken = append(append(taken, c.Name), c.Aliases...)
	}
	for _, c := range t.runtime.Config.CustomCommands(taken, t.warn) {
		help := c.Description
		if help == "" {
			help = "from " + t.runtime.Config.Shorten(c.File)
		}
		table = append(table, slash.Command{Name: c.Name, Args: "[ARGS]", Help: help, Run: t.runCustom(c)})
	}
	return table
}

func (t *Chat) runCustom(c slash.Custom) func(context.Context, string) error {
	return func(_ context.Context, args string) error {
		var text string
		var err error
		t.work("preparing /"+c.Name, func(ctx context.Context) {
			text, err = c.Fill(ctx, t.runtime.Filler(t.approver(t.runtime.Config).Approve), "/"+c.Name+" "+args, args)
		})
		if err != nil {
			return err
		}
		if strings.TrimSpace(text) != "" {
			t.submit(text, []llm.Part{llm.Text{Text: text}})
		}
		return nil
	}
}
