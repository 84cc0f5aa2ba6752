package agents

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"minigem/e2e/agents/shim"
	"minigem/internal/boundedfile"
	"minigem/internal/confine"
	"minigem/internal/proc"
	"minigem/internal/stage"
)

// Search says where to look for agents.
type Search struct {
	From []string          // folders that npm installed into, or their parents; searched before PATH
	Bins map[string]string // programs by the agent's name; used first
	Path string            // the PATH of the environment
}

// Installed is an agent that was found on this machine.
type Installed struct {
	Adapter *Adapter
	Path    string // of its program; empty if it was not found
	Version string // empty if it reports none
	Problem string // why it cannot be used; empty if it can
	dirs    []string
	how     *Isolation // nil: use Isolate
}

// isolation returns how the agent is isolated.
func (i *Installed) isolation() Isolation {
	if i.how != nil {
		return *i.how
	}
	return Isolate()
}

// Measured reports whether this version was measured.
func (i Installed) Measured() bool { return slices.Contains(i.Adapter.Measured, i.Version) }

// bins returns the folders with programs below From.
func (s Search) bins() []string {
	var dirs []string
	for _, from := range s.From {
		for _, pattern := range []string{"node_modules/.bin", "*/node_modules/.bin"} {
			dirs = append(dirs, boundedfile.Find(from, pattern)...)
		}
	}
	for i, d := range dirs {
		if abs, err := filepath.Abs(d); err == nil {
			dirs[i] = abs
		}
	}
	return dirs
}

// Find looks for an agent and queries its version.
func (s Search) Find(ctx context.Context, a *Adapter) Installed {
	found := Installed{Adapter: a, dirs: s.bins()}
	if bin := s.Bins[a.Name]; bin != "" {
		if found.Path = s.program(found.dirs, bin); found.Path == "" {
			found.Problem = fmt.Sprintf("there is no program %s: name another one with --agent-bin %s=PATH", bin, a.Name)
			return found
		}
	}
	for _, name := range a.Programs {
		if found.Path == "" {
			found.Path = s.program(found.dirs, name)
		}
	}
	if found.Path == "" {
		found.Problem = "not found: " + a.Get()
		return found
	}
	found.dirs = append(nodeFirst(found.dirs), filepath.SplitList(s.Path)...)
	found.ask(ctx)
	return found
}

// program finds a program as a shell does, in dirs first. It is empty if there is none.
func (s Search) program(dirs []string, name string) string {
	if strings.ContainsRune(name, filepath.Separator) {
		dir, err := filepath.Abs(filepath.Dir(name))
		if err != nil {
			return ""
		}
		return shim.LookIn([]string{dir}, filepath.Base(name))
	}
	return shim.LookIn(append(slices.Clone(dirs), filepath.SplitList(s.Path)...), name)
}

// nodeFirst returns the folders that contain a node, which then takes precedence over the
// system's.
func nodeFirst(dirs []string) []string {
	return slices.DeleteFunc(slices.Clone(dirs), func(d string) bool { return shim.LookIn([]string{d}, "node") == "" })
}

// Get says how to install the agent.
func (a *Adapter) Get() string {
	if a.Package == "" {
		return "name its program with --agent-bin " + a.Name + "=PATH"
	}
	spec := a.Package
	if n := len(a.Measured); n > 0 {
		spec += "@" + a.Measured[n-1]
	}
	return "npm install " + spec
}

var versionNumber = regexp.MustCompile(`\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]*[0-9A-Za-z])?`)

// ask queries the program's version, with an empty home.
func (i *Installed) ask(ctx context.Context) {
	home, remove, err := stage.Temp()
	if err != nil {
		i.Problem = err.Error()
		return
	}
	defer remove()
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	r, err := openRoom(i.isolation(), home, i.rules(home), nil)
	if err != nil {
		i.Problem = err.Error()
		return
	}
	defer r.close()
	if i.Problem = i.oldNode(ctx, r, home); i.Problem != "" {
		return
	}
	res, err := r.run(ctx, proc.Command{Path: i.Path, Args: i.Adapter.Version, Dir: home,
		Env: append(i.environment(home), "TMPDIR="+home), Out: proc.Limit{Head: 4000}, Err: proc.Limit{Head: 4000}})
	switch {
	case err != nil:
		i.Problem = err.Error()
	case res.Stopped != nil:
		i.Problem = "it does not report its version: " + res.Stopped.Error()
	case res.ExitCode != 0:
		i.Problem = fmt.Sprintf("it does not report its version: exit %d: %s", res.ExitCode,
			firstLine(res.Stderr.String()+res.Stdout.String()))
	default:
		i.Version = versionNumber.FindString(res.Stdout.String() + res.Stderr.String())
	}
}

// nodeScript reports whether the program is a node script.
func (i *Installed) nodeScript() bool {
	f, err := os.Open(i.Path)
	if err != nil {
		return false // starting it will report the error
	}
	defer f.Close()
	head := make([]byte, 64)
	n, _ := f.Read(head)
	return strings.HasPrefix(string(head[:n]), "#!") && strings.Contains(string(head[:n]), "node")
}

// oldNode says that the program needs a newer node. It is empty if it does not.
func (i *Installed) oldNode(ctx context.Context, r *room, home string) string {
	if i.Adapter.Node == 0 {
		return ""
	}
	if !i.nodeScript() {
		return ""
	}
	node := shim.LookIn(i.dirs, "node")
	if node == "" {
		return fmt.Sprintf("it needs node %d, which was not found", i.Adapter.Node)
	}
	res, err := r.run(ctx, proc.Command{Path: node, Args: []string{"--version"}, Dir: home,
		Env: append(i.environment(home), "TMPDIR="+home),
		Out: proc.Limit{Head: 100}})
	if err != nil {
		return err.Error()
	}
	major := 0
	if _, err := fmt.Sscanf(res.Stdout.String(), "v%d.", &major); err != nil || major < i.Adapter.Node {
		return fmt.Sprintf("it needs node %d; %s is %s (npm has one: npm install node@22, in the folder of --agents-from)",
			i.Adapter.Node, node, firstLine(res.Stdout.String()))
	}
	return ""
}

// environment returns the part of our environment that the agent gets.
func (i *Installed) environment(home string) []string {
	return []string{"HOME=" + home, "PATH=" + strings.Join(i.dirs, string(os.PathListSeparator)), "LANG=C.UTF-8",
		"TERM=dumb", "SHELL=/bin/bash"}
}

// rules lets the agent read the system, toolchains and its installation, and write to the
// given folders.
func (i *Installed) rules(write ...string) confine.Rules {
	home, _ := os.UserHomeDir() // empty: there is no home to exclude
	r := confine.Rules{Write: write, Read: confine.Readable(strings.Join(i.dirs, string(os.PathListSeparator)), home),
		Attributes: true}
	if self, err := os.Executable(); err == nil {
		r.Read = append(r.Read, self)
	}
	if resolv, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil {
		r.Read = append(r.Read, resolv)
	}
	if real, err := filepath.EvalSymlinks(i.Path); err == nil {
		r.Read = append(r.Read, installation(real))
	}
	return r
}

// installation returns the folder of the program's packages, or else the program's folder.
func installation(program string) string {
	const packages = string(filepath.Separator) + "node_modules" + string(filepath.Separator)
	if at := strings.Index(program, packages); at >= 0 {
		return program[:at+len(packages)-1]
	}
	return filepath.Dir(program)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line[:min(len(line), 200)]
}
