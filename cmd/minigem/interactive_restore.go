package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"minigem/internal/terminal"
	"minigem/internal/trust"
)

const restoreUsage = "/restore [CHECKPOINT [files|conversation|both]]: /restore alone lists them"

func (t *chat) checkpointNames() []string {
	var out []string
	for _, path := range checkpointFiles(t.project) {
		out = append(out, strings.TrimSuffix(filepath.Base(path), ".json"))
	}
	return out
}

func (t *chat) saved(sys *system) *savedSessions {
	return &savedSessions{configuration: t.configuration, sys: sys, project: t.project}
}

// restoreCheckpoint brings the files back to a checkpoint, the conversation to
// what it was before the edit was asked for, or both.
func (t *chat) restoreCheckpoint(_ context.Context, args string) error {
	words := strings.Fields(args)
	name, what := "", ""
	switch {
	case len(words) > 2, len(words) == 2 && !slices.Contains([]string{backBoth, backFiles, backConversation}, words[1]):
		return errors.New(restoreUsage)
	case len(words) == 0:
		if name = t.chooseCheckpoint(); name == "" {
			return nil
		}
	default:
		name, what = words[0], backBoth
		if len(words) == 2 {
			what = words[1]
		}
	}
	p, err := t.saved(t.sys).checkpoint(name)
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

func (t *chat) restore(p checkpoint, what string) error {
	hasFiles := p.Commit != "" || len(p.Files) > 0
	if what == backFiles && !hasFiles {
		return fmt.Errorf("checkpoint %s has no files, only a conversation", p.name)
	}
	if what != backConversation && hasFiles {
		var err error
		t.work("going back to "+p.name, func(ctx context.Context) {
			err = t.captured(func(sys *system) error { return t.saved(sys).restore(ctx, p, t.session.Messages()) })
		})
		if err != nil {
			return err
		}
	}
	if what == backFiles {
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
func (t *chat) chooseCheckpoint() string {
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
	i, _, ok := t.term.Choose(t.ctx, "Go back to before which edit? (Esc: none)", choices)
	if !ok {
		return ""
	}
	return names[i]
}

// describeCheckpoint is the tool, the file and the age.
func (t *chat) describeCheckpoint(name string) string {
	p, err := t.saved(t.sys).checkpoint(name)
	if err != nil {
		return trust.Printable(name + "  (cannot be read)")
	}
	what := "as it was " + strings.ReplaceAll(strings.TrimPrefix(name[min(len(name), len(checkpointStampForm)):], "-"), "-", " ")
	if p.ToolCall.Name != "" {
		path, _ := p.ToolCall.Args["file_path"].(string)
		what = p.ToolCall.Name + " " + t.relative(path)
	}
	return fmt.Sprintf("%s  %s", trust.Printable(what), t.term.Dim(t.saved(t.sys).age(p)))
}

// chooseRestored asks what of p comes back; empty: nothing.
func (t *chat) chooseRestored(p checkpoint) string {
	kinds := []string{backBoth, backFiles, backConversation, ""}
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
		kinds, choices = []string{backFiles, ""}, []terminal.Choice{choices[1], choices[3]}
	}
	i, _, ok := t.term.Choose(t.ctx, "What comes back? What is there now is kept.", choices)
	if !ok {
		return ""
	}
	return kinds[i]
}
