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
	"minigem/hooks/jsonc"
	"minigem/hooks/protocol"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/output"
)

// Torture is hooks torture as it was asked for.
type Torture struct {
	Event     protocol.Event
	Hook      string
	Set       []string // changes of the payload, so that the hook refuses it
	Tool      string
	Match     *regexp.Regexp // trials by their names; nil: all
	Timeout   time.Duration
	Fix       bool
	JSON      bool
	SkipTrust bool
}

// What is done at most to a hook.
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
	temp, err := os.MkdirTemp("", "minigem-torture-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	t := torture.Subject{
		Config: s.only, Dir: s.c.Dir, Temp: temp, Runner: s.runner, Left: s.children.Running, Payload: payload, Timeout: o.Timeout,
		Guard: s.c.Inspection().MightDeny(s.hook), Heavy: heavy, Most: crowd, Match: o.Match,
	}
	r, err := torture.Torture(ctx, t, Progress(sys, "trial"))
	switch {
	case ctx.Err() != nil:
		return exit.Errorf(exit.Interrupted, "interrupted")
	case err != nil:
		return exit.With(exit.Input, err)
	}
	if o.JSON {
		err = output.WriteJSON(sys.Stdout, r)
	} else {
		_, err = io.WriteString(sys.Stdout, r.Write(o.Hook)+o.proposal(s, r))
	}
	if err == nil && o.Fix && r.Fails() {
		err = s.blockOnError()
	}
	if err == nil && len(r.Findings) > 0 {
		return exit.Silent(exit.Failed)
	}
	return err
}

// proposal is what --fix would do.
func (o Torture) proposal(s *subject, r torture.Report) string {
	switch {
	case !r.Fails() || s.hook.OnError == "block":
		return ""
	case o.Fix:
		return fmt.Sprintf("\"onError\": \"block\" now stands in %s:%d\n", s.c.ShortenIn(s.hook.Source.File), s.hook.Source.Line)
	}
	return fmt.Sprintf("\nA failure of a guard should block: \"onError\": \"block\" in %s:%d (--fix)\n", s.c.ShortenIn(s.hook.Source.File), s.hook.Source.Line)
}

func (o Torture) payload(s *subject) ([]byte, error) {
	tools := s.c.Inspection().Subjects(o.Event)
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

// runner runs the hook somewhere else than in the project's folder.
func (s *subject) runner(at torture.Place) hooks.Runner {
	r := s.c.HookRunner(&s.children)
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
	return r
}

// blockOnError writes it into the settings of the hook.
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
		return nil, errors.New("the hook does not stand where it stood")
	})
}
