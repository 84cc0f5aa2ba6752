package agents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"minigem/e2e/testbed"
	"minigem/internal/proc"
	"minigem/internal/stage"
)

// Values of From.Kind.
const (
	FromNative   = "native"   // the files of a project, unchanged
	FromRulesync = "rulesync" // what rulesync generates for each agent from a project's .rulesync
)

// From names the source of hooks that replace the cases' own.
type From struct {
	Kind string // empty: cases have hooks of their own
	Dir  string
}

// from tells each column where its hooks are. clean removes what was generated for that.
func (t Tester) from(ctx context.Context, f From, columns []Column) (clean func(), err error) {
	clean = func() {}
	if f.Kind == "" {
		return clean, nil
	}
	dir, err := filepath.Abs(f.Dir)
	if err != nil {
		return clean, fmt.Errorf("reading --from: %w", err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return clean, fmt.Errorf("reading --from: %s is not a folder: name the one with the hooks before the cases", f.Dir)
	}
	make := func(string) (*testbed.From, error) { return &testbed.From{Dirs: []string{dir}}, nil }
	switch f.Kind {
	case FromNative:
	case FromRulesync:
		r, err := t.rulesync(dir)
		if err != nil {
			return clean, err
		}
		clean = r.remove
		make = func(agent string) (*testbed.From, error) { return r.generate(ctx, agent) }
	default:
		return clean, fmt.Errorf("--from is %q: expected %s or %s", f.Kind, FromRulesync, FromNative)
	}
	for i := range columns {
		name, _, _ := strings.Cut(columns[i].Name, " ")
		if columns[i].Options.From, err = make(name); err != nil {
			return clean, err
		}
	}
	return clean, nil
}

// rulesync runs rulesync, which generates configurations for many agents.
type rulesync struct {
	program string
	env     []string // except HOME
	dir     string   // holds .rulesync
	temp    string
	remove  func() // removes temp
	log     func(format string, args ...any)
}

const rulesyncTakes = 2 * time.Minute

func (t Tester) rulesync(dir string) (*rulesync, error) {
	dirs := t.Search.bins()
	program := t.Search.program(dirs, "rulesync")
	if program == "" {
		return nil, errors.New(
			"rulesync is not here: npm install rulesync, in a folder of --agents-from, or run it yourself and say --from native")
	}
	if _, err := os.Stat(filepath.Join(dir, ".rulesync")); err != nil {
		return nil, fmt.Errorf(
			"reading --from: %s has no folder .rulesync: where its hooks are generated already, say --from native", dir)
	}
	temp, remove, err := stage.Temp()
	if err != nil {
		return nil, fmt.Errorf("making a folder for what rulesync writes: %w", err)
	}
	path := append(nodeFirst(dirs), filepath.SplitList(t.Search.Path)...)
	return &rulesync{
		program: program, dir: dir, temp: temp, remove: remove,
		env: []string{"PATH=" + strings.Join(path, string(filepath.ListSeparator)),
			"LANG=C.UTF-8"},
		log: func(format string, args ...any) { fmt.Fprintf(t.Log, format+"\n", args...) },
	}, nil
}

// generate makes rulesync write the hooks of one agent only, because some agents also read
// the files of others.
func (r *rulesync) generate(ctx context.Context, agent string) (*testbed.From, error) {
	i := slices.IndexFunc(Adapters(), func(a *Adapter) bool { return a.Name == agent })
	if i < 0 || len(Adapters()[i].Rulesync) == 0 {
		return &testbed.From{Cannot: "rulesync writes no hooks for " + agent}, nil
	}
	place := filepath.Join(r.temp, agent)
	out, home := filepath.Join(place, "project"), filepath.Join(place, "home")
	for _, dir := range []string{out, home} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("making a folder for what rulesync writes: %w", err)
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, rulesyncTakes, fmt.Errorf("it took longer than %s", rulesyncTakes))
	defer cancel()
	args := append([]string{"generate", "--input-roots", filepath.Join(r.dir, ".rulesync"), "-f", "hooks", "-t"},
		Adapters()[i].Rulesync...)
	res, err := proc.Run(ctx, proc.Command{
		Path: r.program, Args: args, Dir: out, Env: append(slices.Clone(r.env), "HOME="+home), Out: proc.Limit{Head: kept},
		Err: proc.Limit{Head: kept},
	})
	if err == nil {
		err = res.Stopped
	}
	if err == nil && res.ExitCode != 0 {
		err = fmt.Errorf("it exited with %d and said %s", res.ExitCode,
			strings.TrimSpace(res.Stdout.String()+"\n"+res.Stderr.String()))
	}
	if err != nil {
		return nil, fmt.Errorf("running rulesync for %s: %w", agent, err)
	}
	for line := range strings.Lines(strings.TrimSpace(res.Stderr.String())) { // what rulesync leaves out
		r.log("rulesync for %s: %s", agent, strings.TrimSpace(line))
	}
	return &testbed.From{Dirs: []string{out, r.dir}, Home: home}, nil
}
