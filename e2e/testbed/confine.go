package testbed

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"minigem/internal/confine"
	"minigem/internal/confine/worker"
)

// allowance is what a case declares to need beyond its own folder.
type allowance struct {
	network     bool
	read, write []string
}

// String describes the allowance for the report. It is empty if there is none.
func (a allowance) String() string {
	var out []string
	if a.network {
		out = append(out, "the network")
	}
	for _, path := range a.write {
		out = append(out, "writing to "+path)
	}
	return strings.Join(out, ", ")
}

func doAllow(r *runner, c Command) error {
	if c.Args[0] == "network" {
		r.allows.network = true
		return nil
	}
	path, err := allowed(r.c.Path, c.Args[1])
	if err != nil {
		return err
	}
	r.allows.write = append(r.allows.write, path)
	return nil
}

func checkAllow(args []string) error {
	switch {
	case args[0] == "network" && len(args) == 1, args[0] == "write" && len(args) == 2:
		return nil
	}
	return fmt.Errorf(`"allow %s": it must be "allow network" or "allow write PATH"`, strings.Join(args, " "))
}

// rules returns what the programs of the case may do.
func (r *runner) rules() confine.Rules {
	path, _ := r.o.Lookup("PATH")
	home, _ := r.o.Lookup("HOME")
	self, _ := os.Executable()
	out := confine.Rules{
		Write:      append([]string{r.place.workspace, r.place.home, r.place.temp}, r.allows.write...),
		Read:       append(confine.Readable(path, home), r.place.top),
		Attributes: true, Mounted: worker.Mounted(),
	}
	for _, name := range slices.Concat(r.allows.read, []string{self, r.o.Self}) {
		if _, err := os.Stat(name); name != "" && err == nil {
			out.Read = append(out.Read, name)
		}
	}
	if r.allows.network {
		out.Network = confine.OwnNetwork
		out.Read = append(out.Read, existing("/run/systemd/resolve")...)
	}
	return out
}

func existing(paths ...string) []string {
	return slices.DeleteFunc(paths, func(path string) bool {
		_, err := os.Stat(path)
		return err != nil
	})
}

// enclose creates the domain of the case. If the kernel cannot confine its programs, the
// model's commands are answered but not run.
func (r *runner) enclose() {
	why, _ := r.o.Lookup(confine.UnconfinedVar)
	rules := r.rules()
	r.setup.Write, r.setup.Read = rules.Write, rules.Read
	if why == "" && r.o.Encloses {
		return
	}
	d, err := confine.Enclose(why, rules)
	if err != nil {
		r.notRun = err.Error()
		r.setup.NotRun = func(command string) string { return r.rec.withhold(command, r.notRun) }
		return
	}
	r.domain, r.setup.Within = d, d.Start
}

// settling is how long processes that a case started may take to exit by themselves.
const settling = 200 * time.Millisecond

// release ends the processes that the case left running, and returns their names.
func (r *runner) release() []string {
	d := r.domain
	if d == nil {
		return nil
	}
	defer d.Close()
	left := d.Left()
	for end := time.Now().Add(settling); len(left) > 0 && time.Now().Before(end); left = d.Left() {
		time.Sleep(5 * time.Millisecond)
	}
	var out []string
	for _, line := range left {
		out = append(out, r.rec.soFar().shorten(line))
	}
	slices.Sort(out)
	return out
}

// caches allows writing to Go's caches, given as "NAME=FOLDER".
func (a *allowance) caches(caches []string) {
	for _, kv := range caches {
		name, dir, _ := strings.Cut(kv, "=")
		switch real, err := filepath.EvalSymlinks(dir); {
		case err != nil:
		case name == "GOCACHE":
			a.write = append(a.write, real)
		default:
			a.read = append(a.read, real)
		}
	}
}

// notes returns the notes on a case, what it was allowed, and what it left running.
func (r Result) notes() []string {
	out := slices.Clone(r.Notes)
	if r.Allowed != "" {
		out = append(out, "allowed: "+r.Allowed)
	}
	for _, line := range r.Left {
		out = append(out, "left running, and was ended: "+line)
	}
	return out
}

// unrun explains why an assertion cannot be judged because a command of the model was
// answered but not run, or because an attack was not made. It is empty if it can be. What
// hooks decided before that is known.
func unrun(record *Record, notRun string, c Command) string {
	if c.verb.Name == "holds" && notRun != "" {
		return "the hook was not attacked: " + notRun
	}
	before := slices.Contains([]string{"fired", "not-fired", "event"}, c.verb.Name) && len(c.Args) > 0 &&
		slices.Contains(strings.Fields("SessionStart BeforeAgent BeforeModel BeforeToolSelection BeforeTool"),
			c.Args[0])
	if len(record.withheld) == 0 || before {
		return ""
	}
	return "a command was not run: " + cmp.Or(notRun, muted)
}
