package chat

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"minigem/internal/app"
	"minigem/internal/terminal"
	"minigem/internal/trust"
)

const restoreUsage = "/restore [CHECKPOINT [files|conversation|both]]: /restore alone lists them"

func (t *Chat) checkpointNames() []string {
	var out []string
	for _, path := range app.CheckpointFiles(t.runtime.Project) {
		out = append(out, strings.TrimSuffix(filepath.Base(path), ".json"))
	}
	return out
}

func (t *Chat) saved(sys *app.System) *app.SavedSessions {
	return &app.SavedSessions{Config: t.runtime.Config, Sys: sys, Project: t.runtime.Project}
}

// restoreCheckpoint brings the files back to a checkpoint, the conversation to
// what it was before the edit was asked for, or both.
func (t *Chat) restoreCheckpoint(_ context.Context, args string) error {
	words := strings.Fields(args)
	name, what := "", ""
	switch {
	case len(words) > 2, len(words) == 2 && !slices.Contains([]string{app.BackBoth, app.BackFiles, app.BackConversation}, words[1]):
		return errors.New(restoreUsage)
	case len(words) == 0:
		if name = t.chooseCheckpoint(); name == "" {
			return nil
		}
	default:
		name, what = words[0], app.BackBoth
		if len(words) == 2 {
			what = words[1]
		}
	}
	p, err := t.saved(t.Sys).Checkpoint(name)
	if err != nil {
		return fmt.Errorf("%w; /restore lists them", err)
	}
	if what == "" {
		if what = t.chooseRestored(p); what == "" {
			return nil
		}
	}
	return t.restore(p, what)
}

func (t *Chat) restore(p app.Checkpoint, what string) error {
	hasFiles := p.Commit != "" || len(p.Files) > 0
	if what == app.BackFiles && !hasFiles {
		return fmt.Errorf("checkpoint %s has no files, only a conversation", p.Name)
	}
	if what != app.BackConversation && hasFiles {
		var err error
		t.work("going back to "+p.Name, func(ctx context.Context) {
			err = t.captured(func(sys *app.System) error { return t.saved(sys).Restore(ctx, p, t.runtime.Session.Messages()) })
		})
		if err != nil {
			return err
		}
	}
	if what == app.BackFiles {
		return nil
	}
	history := p.ClientHistory
	if n := len(history); n > 0 && len(history[n-1].Calls()) > 0 {
		history = history[:n-1] // its edit was not made now
	}
	if len(history) > 0 {
		t.goOnWith(history)
	}
	return nil
}

// chooseCheckpoint lets the user choose one of the newest; empty: none.
func (t *Chat) chooseCheckpoint() string {
	names := t.checkpointNames()
	if len(names) == 0 {
		t.term.Print("No checkpoint was taken; general.checkpointing.enabled in the settings turns them on.")
		return ""
	}
	const most = 9
	if older := len(names) - most; older > 0 {
		t.term.Print(t.term.Dim(fmt.Sprintf("%d older ones are not listed; minigem sessions restore lists all.", older)))
		names = names[older:]
	}
	slices.Reverse(names)
	choices := make([]terminal.Choice, len(names))
	for i, name := range names {
		choices[i] = terminal.Choice{Label: t.describeCheckpoint(name)}
	}
	i, _, ok := t.term.Choose(t.Ctx, "Go back to before which edit? (Esc: none)", choices)
	if !ok {
		return ""
	}
	return names[i]
}

// describeCheckpoint is the tool, the file and the age.
func (t *Chat) describeCheckpoint(name string) string {
	p, err := t.saved(t.Sys).Checkpoint(name)
	if err != nil {
		return trust.Printable(name + "  (cannot be read)")
	}
	what := "as it was " + strings.ReplaceAll(strings.TrimPrefix(name[min(len(name), len(app.CheckpointStampForm)):], "-"), "-", " ")
	if p.ToolCall.Name != "" {
		path, _ := p.ToolCall.Args["file_path"].(string)
		what = p.ToolCall.Name + " " + t.runtime.Config.Relative(path)
	}
	return fmt.Sprintf("%s  %s", trust.Printable(what), t.term.Dim(t.saved(t.Sys).Age(p)))
}

// chooseRestored asks what of p comes back; empty: nothing.
func (t *Chat) chooseRestored(p app.Checkpoint) string {
	kinds := []string{app.BackBoth, app.BackFiles, app.BackConversation, ""}
	choices := []terminal.Choice{
		{Label: "Files and conversation", Keys: []string{"b", "both"}},
		{Label: "Files only", Keys: []string{"f", "files"}},
		{Label: "Conversation only", Keys: []string{"c", "conversation"}},
		{Label: "Nothing", Keys: []string{"n", "no"}},
	}
	switch {
	case p.Commit == "" && len(p.Files) == 0:
		kinds, choices = kinds[2:], choices[2:]
	case len(p.ClientHistory) == 0:
		kinds, choices = []string{app.BackFiles, ""}, []terminal.Choice{choices[1], choices[3]}
	}
	i, _, ok := t.term.Choose(t.Ctx, "What comes back? What is there now is kept.", choices)
	if !ok {
		return ""
	}
	return kinds[i]
}
