package testbed

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"minigem/hooks/agents"
	"minigem/hooks/jsonc"
	"minigem/internal/text"
)

// nestedHooks parses {"hooks": {EVENT: [{"matcher", "hooks": [{...}]}]}}, the format of
// Claude Code and of plugins.
func nestedHooks(data []byte) (all []Portable, lost []string, err error) {
	doc, err := jsonc.Parse(PortableSection, data)
	if err != nil {
		return nil, nil, err
	}
	claude, err := agents.Find("claude")
	if err != nil {
		return nil, nil, err
	}
	for _, event := range doc.Root().Get("hooks").Members() {
		name := CanonicalEvent(event.Name)
		if name == "" {
			lost = append(lost, fmt.Sprintf("the event %s has no portable name, so its hooks are left out", event.Name))
			continue
		}
		for _, group := range event.Value.Elements() {
			p := Portable{Event: name, Run: []string{"--dialect", "claude"}}
			if m := group.Get("matcher").Text(); m != "" && m != "*" && HasTools(name) {
				for _, action := range portableTools() {
					t, ok := claude.Tool(action)
					if fires, _ := claude.Fires(m, t.Hook); ok && fires {
						p.Tools = append(p.Tools, action)
					}
				}
				if p.Tools == nil {
					lost = append(lost, fmt.Sprintf("the matcher %q of %s matches no portable tool, so its hooks are left out", m,
						event.Name))
					continue
				}
			}
			for _, h := range group.Get("hooks").Elements() {
				if p.Command = h.Get("command").Text(); h.Get("type").Text() != "command" || p.Command == "" {
					lost = append(lost, fmt.Sprintf("a hook of %s that is not a command is left out", event.Name))
					continue
				}
				if s, ok := h.Get("timeout").Float(); ok && s > 0 && s < 1e6 {
					p.Timeout = time.Duration(s * float64(time.Second))
				}
				all = append(all, p)
			}
		}
	}
	if all == nil {
		return nil, nil, errors.New("there is no hook in it: expected {\"hooks\": {EVENT: [...]}}" +
			strings.Join(append([]string{""}, lost...), "; "))
	}
	return all, lost, nil
}

// translated returns the hooks to configure. Hooks whose answers need translation are
// wrapped in minigem hooks run.
func (o Options) translated(all []Portable) ([]Portable, error) {
	out := slices.Clone(all)
	for i, p := range out {
		if p.Run == nil {
			continue
		}
		if o.Self == "" {
			return nil, errors.New(
				"its hooks answer in another dialect, and there is no minigem here to translate it")
		}
		if p.Name == "" {
			out[i].Name = p.Command
		}
		words := append([]string{text.Word(o.Self), "hooks", "run", "--portable"}, p.Run...)
		out[i].Command = strings.Join(append(words, "--", "sh", "-c", text.Word(p.Command)), " ")
	}
	return out, nil
}
