package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"minigem/internal/listing"
	"minigem/internal/output"
	"minigem/internal/slash"
	"minigem/internal/terminal"
	"minigem/llm"
	"minigem/session"
)

// chatCommand is /chat and /resume: saved conversations, and earlier sessions.
func (t *Chat) chatCommand(name string, aliases ...string) slash.Command {
	c := slash.Command{Name: name, Aliases: aliases, Help: "save this conversation, or go back to a saved one", Run: t.listChats, Values: t.tags}
	if name == "resume" {
		c.Help, c.Args, c.Run = "go back to an earlier session", "[NUMBER|TAG]", t.resume
	}
	c.Sub = []slash.Command{
		{Name: "save", Args: "TAG", Help: "keep this conversation", Run: t.saveChat},
		{Name: "list", Help: "what is kept", Run: t.listChats},
		{Name: "resume", Aliases: []string{"load"}, Args: "TAG", Help: "go back to it", Run: t.resume, Values: t.tags},
		{Name: "delete", Args: "TAG", Help: "forget it", Run: t.deleteChat, Values: t.tags},
		{Name: "share", Args: "[FILE.md|.json]", Help: "write this conversation to a file", Run: t.share},
	}
	return c
}

func (t *Chat) tags() []string { return names(t.undoStore().Tags()) }

// conversation returns the history without the preamble.
func (t *Chat) conversation() []llm.Message {
	return t.runtime.Session.Messages()[t.runtime.Session.Preamble():]
}

func (t *Chat) saveChat(_ context.Context, tag string) error {
	switch {
	case tag == "":
		return errors.New("under which tag? /chat save TAG")
	case len(t.conversation()) == 0:
		return errors.New("the conversation is still empty")
	case slices.Contains(t.tags(), tag):
		i, _, ok := t.term.Choose(t.Ctx, "A conversation is saved under this tag. Replace it?", []terminal.Choice{
			{Label: "No", Keys: []string{"n"}}, {Label: "Yes, replace it", Keys: []string{"y"}}})
		if !ok || i != 1 {
			return nil
		}
	}
	err := t.undoStore().SaveTag(tag, t.runtime.Session.Messages(), t.runtime.Config.Settings.Security.Auth.SelectedType)
	if err == nil {
		t.term.Print("Conversation saved: /chat resume " + terminal.Clean(tag) + " goes back to it.")
	}
	return err
}

func (t *Chat) listChats(context.Context, string) error {
	all := t.undoStore().Tags()
	if len(all) == 0 {
		t.term.Print("No conversation is saved. /chat save TAG saves this one.")
		return nil
	}
	for _, c := range all {
		t.term.Print(fmt.Sprintf("  %s  %s", terminal.Clean(c.Name), t.term.Dim(listing.Age(c, t.Sys.Now()))))
	}
	return nil
}

func (t *Chat) deleteChat(_ context.Context, tag string) error {
	err := t.undoStore().DeleteTag(tag)
	if err == nil {
		t.term.Print("Forgotten: " + terminal.Clean(tag))
	}
	return err
}

// resume restores a saved conversation in this session, or continues an earlier
// session in its own file.
func (t *Chat) resume(ctx context.Context, which string) error {
	if which == "" {
		return t.chooseSession(ctx)
	}
	if !slices.Contains(t.tags(), which) {
		return t.reopen(which)
	}
	c, err := t.undoStore().Tagged(which)
	if err != nil {
		return err
	}
	if now := t.runtime.Config.Settings.Security.Auth.SelectedType; c.Auth != "" && now != "" && c.Auth != now {
		return fmt.Errorf("this conversation was saved when you were signed in as %s; now it is %s", c.Auth, now)
	}
	t.goOnWith(c.Conversation)
	return nil
}

// goOnWith puts a saved conversation into this session, with a new preamble.
func (t *Chat) goOnWith(kept []llm.Message) {
	if len(kept) > 0 && strings.HasPrefix(llm.PartsText(kept[0].Parts), "<session_context>") {
		kept = kept[1:]
	}
	t.runtime.Session.Replace(slices.Concat(t.runtime.Session.Messages()[:t.runtime.Session.Preamble()], kept))
	t.replay()
}

func (t *Chat) chooseSession(context.Context) error {
	infos, err := session.List(t.runtime.Project)
	if err != nil {
		t.warn(err.Error())
	}
	infos = slices.DeleteFunc(infos, func(i session.Info) bool { return i.ID == t.runtime.Session.ID() })
	if len(infos) == 0 {
		t.term.Print("There is no earlier session in this folder.")
		return nil
	}
	infos = infos[max(0, len(infos)-9):]
	slices.Reverse(infos)
	choices := make([]terminal.Choice, len(infos))
	for i, s := range infos {
		choices[i] = terminal.Choice{Label: fmt.Sprintf("%s  %s", listing.TitleOf(s), t.term.Dim(output.Ago(t.Sys.Now().Sub(s.Updated))))}
	}
	i, _, ok := t.term.Choose(t.Ctx, "Go back to which session? (Esc: none)", choices)
	if !ok {
		return nil
	}
	return t.reopen(infos[i].ID)
}

// reopen ends this session and continues another one.
func (t *Chat) reopen(which string) error {
	info, err := session.Find(t.runtime.Project, which)
	if err != nil {
		return fmt.Errorf("%w; /resume lists the sessions", err)
	}
	if info.ID == t.runtime.Session.ID() {
		return errors.New("this is the session you are in")
	}
	return t.rewire(t.runtime.Config, info.ID)
}

// replay shows the end of the resumed conversation.
func (t *Chat) replay() {
	said := t.conversation()
	const shown = 6
	if len(said) > shown {
		t.term.Print(t.term.Dim(fmt.Sprintf("… %d messages before", len(said)-shown)))
		said = said[len(said)-shown:]
	}
	for _, m := range said {
		text := strings.TrimSpace(terminal.Clean(llm.PartsText(m.Parts)))
		switch {
		case text == "":
		case m.Role == llm.RoleUser:
			t.term.ShowPrompt(text)
		default:
			t.view.Show(text)
		}
	}
	t.term.Print(t.term.Dim("The conversation goes on."))
}
