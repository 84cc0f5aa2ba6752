package chat

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"minigem/internal/listing"
	"minigem/internal/output"
	"minigem/internal/terminal"
	"minigem/internal/text"
	"minigem/internal/undo"
	"minigem/llm"
	"minigem/session"
	"minigem/transcript"
)

// chatCommand returns /chat or /resume, for saved conversations and earlier sessions.
func chatCommand(name string, aliases ...string) row {
	c := row{Name: name, Aliases: aliases, Help: "save this conversation, or go back to a saved one",
		Run: listChats, Values: tags}
	if name == "resume" {
		c.Help, c.Args, c.Run = "go back to an earlier session", "[NUMBER|ID|TAG|WORDS]", resume
	}
	c.Sub = []row{
		{Name: "save", Args: "TAG", Help: "keep this conversation", Run: saveChat},
		{Name: "list", Help: "what is kept", Run: listChats},
		{Name: "resume", Aliases: []string{"load"}, Args: "TAG", Help: "go back to it", Run: resume,
			Values: tags},
		{Name: "delete", Args: "TAG", Help: "forget it", Run: deleteChat, Values: tags},
		{Name: "share", Args: "[FILE.md|.json]", Help: "write this conversation to a file", Run: share},
	}
	return c
}

func tags(t *call) []string { return names(undoStore(t.live).Tags()) }

// conversation returns the history without the preamble.
func (t *live) conversation() []llm.Message {
	return t.runtime.Session.Messages()[t.runtime.Session.Preamble():]
}

func saveChat(t *call) error {
	tag := t.args
	switch {
	case tag == "":
		return errors.New("under which tag? /chat save TAG")
	case len(t.conversation()) == 0:
		return errors.New("the conversation is still empty")
	case slices.Contains(tags(t), tag):
		i, _, ok := t.term.Choose(t.ctx, "", "A conversation is saved under this tag. Replace it?", []terminal.Choice{
			{Label: "No", Keys: []string{"n"}}, {Label: "Yes, replace it", Keys: []string{"y"}}})
		if !ok || i != 1 {
			return nil
		}
	}
	err := undoStore(t.live).SaveTag(tag, t.runtime.Session.Messages(),
		t.runtime.Config.Settings.Security.Auth.SelectedType)
	if err == nil {
		t.term.Print("Conversation saved: /chat resume " + terminal.Clean(tag) + " goes back to it.")
	}
	return err
}

func listChats(t *call) error {
	all := undoStore(t.live).Tags()
	if len(all) == 0 {
		t.term.Print("No conversation is saved. /chat save TAG saves this one.")
		return nil
	}
	for _, c := range all {
		t.term.Print(fmt.Sprintf("  %s  %s", terminal.Clean(c.Name), t.term.Dim(listing.Age(c, t.sys.Now()))))
	}
	return nil
}

func deleteChat(t *call) error {
	tag := t.args
	err := undoStore(t.live).DeleteTag(tag)
	if err == nil {
		t.term.Print("Forgotten: " + terminal.Clean(tag))
	}
	return err
}

// resume restores a saved conversation in this session, or continues an earlier session
// in its own file.
func resume(t *call) error {
	which := t.args
	if which == "" {
		return chooseSession(t.live, "")
	}
	if !slices.Contains(tags(t), which) {
		if _, err := session.Find(t.runtime.Project, which); err != nil {
			return chooseSession(t.live, which)
		}
		return t.reopen(which)
	}
	c, err := undoStore(t.live).Tagged(which)
	if err != nil {
		return err
	}
	if now := t.runtime.Config.Settings.Security.Auth.SelectedType; c.Auth != "" && now != "" && c.Auth != now {
		return fmt.Errorf("this conversation was saved when you were signed in as %s; now it is %s", c.Auth, now)
	}
	t.goOnWith(c.Conversation)
	return nil
}

// goOnWith replaces this session's conversation with a saved one, with a new preamble.
func (t *live) goOnWith(kept []llm.Message) {
	if len(kept) > 0 && strings.HasPrefix(llm.PartsText(kept[0].Parts), "<session_context>") {
		kept = kept[1:]
	}
	t.runtime.Session.Replace(slices.Concat(t.runtime.Session.Messages()[:t.runtime.Session.Preamble()], kept))
	t.replay()
}

// chooseSession offers the newest earlier sessions that have words in their title, id
// or a prompt. Empty words match all.
func chooseSession(t *live, words string) error {
	const offered = 9
	infos, err := session.List(t.runtime.Project)
	if err != nil {
		t.warn(err.Error())
	}
	slices.Reverse(infos)
	infos = slices.DeleteFunc(infos, func(i session.Info) bool {
		return i.ID == t.runtime.Session.ID() || !mentions(i, words)
	})
	switch {
	case len(infos) == 0 && words == "":
		t.term.Print("There is no earlier session in this folder.")
		return nil
	case len(infos) == 0:
		return fmt.Errorf("no earlier session of this folder has %q as its id, or in its title or a prompt; /resume lists "+
			"the sessions", words)
	}
	more := ""
	if n := len(infos) - offered; n > 0 {
		infos, more = infos[:offered], fmt.Sprintf("; %s: /resume WORDS searches", text.Plural(n, "older one"))
	}
	choices := make([]terminal.Choice, len(infos))
	for i, s := range infos {
		about := fmt.Sprintf("%s, %s, %s", output.Ago(t.sys.Now().Sub(s.Updated)), text.Plural(s.Messages, "message"),
			s.ID[:min(len(s.ID), 8)])
		choices[i] = terminal.Choice{Label: fmt.Sprintf("%s  %s", listing.TitleOf(s), t.term.Dim(terminal.Clean(about)))}
	}
	folder := terminal.Clean(t.shortenHome(t.runtime.Config.Dir))
	i, _, ok := t.term.Choose(t.ctx, "", fmt.Sprintf("Go back to which session in %s? (Esc: none%s)", folder, more),
		choices)
	if !ok {
		return nil
	}
	return t.reopen(infos[i].ID)
}

// mentions reports whether words occur in a session's title, id or prompts.
func mentions(i session.Info, words string) bool {
	words = strings.ToLower(words)
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), words) }
	if has(i.Title) || strings.HasPrefix(strings.ToLower(i.ID), words) {
		return true
	}
	f, err := transcript.Read(i.Path)
	return err == nil && slices.ContainsFunc(undo.Prompts(f), func(p undo.Prompt) bool { return has(p.Text) })
}

// reopen ends this session and continues another one.
func (t *live) reopen(which string) error {
	info, err := session.Find(t.runtime.Project, which)
	if err != nil {
		return fmt.Errorf("%w; /resume lists the sessions", err)
	}
	if info.ID == t.runtime.Session.ID() {
		return errors.New("this is the session you are in")
	}
	if transcript.InUse(info.Path) { // checked before this session ends
		return fmt.Errorf("session %s: %w; you stay in this one", info.ID, transcript.ErrInUse)
	}
	return t.rewire(t.runtime.Config, info.ID)
}

// replay shows the end of the resumed conversation, and names the last calls that were
// cut off.
func (t *live) replay() {
	said := t.conversation()
	t.view.Replay(said)
	for _, m := range said[max(len(said)-1, 0):] {
		for _, r := range llm.PartsResults(m.Parts) {
			if r.Response["error"] == session.NoResult {
				t.warn(fmt.Sprintf("the session ended during a call of %s, which may have run: check before you repeat it",
					text.VisibleLine(r.Name)))
			}
		}
	}
}
