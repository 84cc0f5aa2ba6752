package trials

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/author/torture"
	"minigem/hooks/command"
	"minigem/hooks/jsonc"
	"minigem/hooks/protocol"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/inspection"
	"minigem/internal/output"
)

// Torture holds the options of hooks torture.
type Torture struct {
	Event     protocol.Event
	Hook      string
	Set       []string // changes to the payload that make the hook block it
	Tool      string
	Match     *regexp.Regexp // matches trial names; nil means all
	Timeout   time.Duration
	Fix       bool
	JSON      bool
	SkipTrust bool
}

// Limits on what is done to a hook.
const (
	heavy = 5 << 20
	crowd = 20
)

// Run tortures one hook, and reports.
func (o Torture) Run(ctx context.Context, sys *app.System) error {
	s, err := configure(sys, o.Event, o.Hook, o.SkipTrust)
	if err != nil {
		return err
	}
	defer s.close()
	payload, err := o.payload(s)
	if err != nil {
		return exit.With(exit.Input, err)
	}
	temp, err := os.MkdirTemp(s.temp, "torture-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	t := torture.Subject{
		Config: s.only, Dir: s.c.Dir, Temp: temp, Runner: s.runner, Left: s.children.Running, Payload: payload,
		Timeout: o.Timeout,
		Guard:   inspection.Of(s.c).MightDeny(s.hook), Heavy: heavy, Most: crowd, Match: o.Match,
	}
	r, err := torture.Torture(ctx, t, Progress(sys, "trial"))
	switch {
	case ctx.Err() != nil:
		return exit.Ended(ctx)
	case err != nil:
		return exit.With(exit.Input, err)
	}
	if o.JSON {
		err = output.WriteJSON(sys.Stdout, r)
	} else {
		said := r.Write(s.hook.ID())
		if t.Guard && !r.Refuses {
			said += "\nIt seems to refuse other payloads. Name one with --set, so that lost denials are " +
				"found, too.\n"
		}
		_, err = io.WriteString(sys.Stdout, said)
	}
	if err == nil && r.Fails() && s.hook.OnError != "block" {
		err = o.propose(sys, s)
	}
	if err == nil && len(r.Findings) > 0 {
		return exit.Silent(exit.Failed)
	}
	return err
}

// propose makes a guard's failure block if --fix is given, or says how to do so.
func (o Torture) propose(sys *app.System, s *subject) error {
	form := "\nA failure of a guard should block: \"onError\": \"block\" in %s:%d (--fix)\n"
	if o.Fix {
		if err := s.blockOnError(); err != nil {
			return err
		}
		form = "\nAdded \"onError\": \"block\" in %s:%d\n"
	}
	if o.JSON {
		return nil
	}
	_, err := fmt.Fprintf(sys.Stdout, form, s.c.ShortenIn(s.hook.Source.File), s.hook.Source.Line)
	return err
}

func (o Torture) payload(s *subject) ([]byte, error) {
	tools := inspection.Of(s.c).Subjects(o.Event)
	if o.Tool != "" {
		tools = []string{o.Tool}
	}
	payload, err := torture.SampleFor(s.only, o.Event, tools)
	for _, assignment := range o.Set {
		if err == nil {
			payload, err = inspect.Set(payload, assignment)
		}
	}
	return payload, err
}

// runner returns a runner that runs the hook somewhere other than the project's folder.
func (s *subject) runner(at torture.Place) hooks.Runner {
	kinds := s.c.HookRunner(&s.children)
	r := kinds["command"].(command.Runner)
	r.Dir = at.Dir
	change := func(env []string) []string {
		env = slices.DeleteFunc(slices.Clone(env), func(v string) bool {
			name, _, _ := strings.Cut(v, "=")
			_, changed := at.Env[name]
			return changed
		})
		for _, name := range slices.Sorted(maps.Keys(at.Env)) {
			if value := at.Env[name]; value != "" {
				env = append(env, name+"="+value)
			}
		}
		return env
	}
	if r.Env = change(r.Env); r.ProjectEnv != nil {
		r.ProjectEnv = change(r.ProjectEnv)
	}
	kinds["command"] = r
	return kinds
}

// blockOnError adds "onError": "block" to the hook's settings.
func (s *subject) blockOnError() error {
	file := s.hook.Source.File
	return jsonc.Update(file, 0o600, func(data []byte) ([]byte, error) {
		doc, err := jsonc.Parse(file, data)
		if err != nil {
			return nil, err
		}
		for _, group := range doc.Root().Get("hooks", string(s.hook.Event)).Elements() {
			for _, entry := range group.Get("hooks").Elements() {
				if entry.Line() == s.hook.Source.Line && entry.Get("command").Text() == s.hook.Command {
					err := entry.Add("onError", "block")
					return doc.Bytes(), err
				}
			}
		}
		return nil, errors.New("the hook is not in the settings any more where it was")
	})
}
