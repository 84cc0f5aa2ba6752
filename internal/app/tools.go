package app

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"minigem/internal/atomicfile"
	"minigem/internal/contextfile"
	"minigem/internal/exit"
	"minigem/internal/skills"
	"minigem/internal/telemetry"
	"minigem/llm"
	"minigem/session"
	"minigem/tools"
	"minigem/tools/builtin"
	"minigem/tools/policy"
	"minigem/tools/workspace"
)

func (r *Runtime) wireTools(_ context.Context, sys *System, w *Frontend) error {
	if r.Config.Settings.Experimental.DirectWebFetch {
		w.Warn("experimental.directWebFetch has no effect: web_fetch takes a prompt that contains the addresses")
	}
	processes := &builtin.Processes{}
	r.closers = append(r.closers, func() error { processes.Close(); return nil })
	r.Registry = &tools.Registry{}
	r.Skills.Now = func() skills.Set { return r.Config.Skills() }
	r.Skills.Workspace, r.Skills.Engine, r.Skills.Session = r.Workspace, r.Engine, r.Session
	r.Skills.Load(w.Warn)
	r.Skills.Resume(w.Warn)
	var topic func() string
	if r.Config.Settings.General.TopicUpdateNarration {
		topic = r.Session.ID
	}
	var planTools builtin.Plans
	if r.Config.Settings.General.Plan.Enabled {
		planTools = r.Plans.Tools(w.Warn)
	}
	all, err := builtin.All(builtin.Options{
		Workspace: r.Workspace,
		Ignore:    r.ignore(),
		Shell: builtin.ShellOptions{
			Env:        r.Config.ChildEnv,
			Unasked:    sys.Env,
			Prelude:    r.forClaude.prelude,
			Inactivity: time.Duration(r.Config.Settings.Tools.Shell.InactivityTimeout) * time.Second,
			Processes:  processes,
			Confine:    r.confine,
			Sandbox:    r.Sandbox != nil,
			// In a big folder it looks at only some entries, because the model is
			// waiting.
			Created: func() string { return r.created(10_000) },
			Within:  sys.Within,
			NotRun:  sys.NotRun,
			Hidden: func(dir string) []string {
				return secretFiles(r.Config.Home, append(r.Workspace.Dirs(), r.Config.ProjectDir, dir))
			},
		},
		Web: builtin.WebOptions{Generator: r.sideModel(sys, telemetry.RoleTool), SearchModel: webModel,
			FetchModel: webModel, Now: sys.Now},
		Plans:  planTools,
		Asker:  w.Asker,
		Skills: r.Skills.Tools(), Session: topic,
		Memory: builtin.MemoryFiles{User: filepath.Join(r.Config.DotGemini, ContextName(r)), Project: r.ProjectMemory()},
		Now:    sys.Now,
		Nearby: func(path string) string { return r.nearby(path, w.Warn) },
	})
	r.Registry.Add(all...)
	r.Registry.Add(r.agentTool(sys, w)...)
	return err
}

// nearby returns the context files of subdirectories that a tool touches for the first
// time, except a file that the tool itself read or wrote.
func (r *Runtime) nearby(path string, warn func(string)) string {
	files, warnings := r.finder.Touch(path)
	for _, w := range warnings {
		warn(w.String())
	}
	files = slices.DeleteFunc(files, func(f contextfile.File) bool { return f.Path == path })
	if len(files) == 0 {
		return ""
	}
	return "<project_context>\n" + contextfile.Render(files, r.Config.Dir) + "\n</project_context>"
}

// webModel is the model that searches the web and reads pages.
const webModel = "gemini-2.5-flash"

// ContextName returns the name for a new context file.
func ContextName(r *Runtime) string {
	if names := r.Config.Settings.Context.FileName; len(names) > 0 {
		return names[0]
	}
	return contextfile.DefaultName
}

// ProjectMemory returns the file for facts about the project. It is empty if the folder
// is not trusted, because the file would not be read again.
func (r *Runtime) ProjectMemory() string {
	if !r.Config.Trust.Trusted {
		return ""
	}
	return filepath.Join(r.Config.Dir, ContextName(r))
}

// ignore returns which files reading and searching leave out.
func (r *Runtime) ignore() workspace.Ignore {
	f := r.Config.Settings.Context.FileFiltering
	return workspace.Ignore{Git: f.RespectGitIgnore, Gemini: f.RespectGeminiIgnore, Custom: f.CustomIgnoreFilePaths}
}

// PolicyRules returns all rules in force besides the built-in ones, and the problems of
// the others. The error, which ends the run, names rules that may restrict the model
// but are not in force.
func (r *Runtime) PolicyRules() ([]policy.Rule, []policy.Problem, error) {
	s := r.Config.Settings
	rules, problems := policy.FromLists(policy.Lists{
		Core: s.Tools.Core, Allowed: slices.Concat(s.Tools.Allowed, r.Flags.AllowedTools),
		Excluded: s.Tools.Exclude, ConfirmationRequired: s.Tools.ConfirmationRequired,
		AllowedServers: slices.Concat(s.MCP.Allowed, r.Flags.AllowedMCP), ExcludedServers: s.MCP.Excluded,
	})
	more, faults := r.Config.extensionExcludes()
	rules, problems = append(rules, more...), append(problems, faults...)
	load := func(tier policy.Tier, required bool, paths ...string) {
		more, faults := policy.LoadPaths(tier, required, paths...)
		rules, problems = append(rules, more...), append(problems, faults...)
	}
	if own := slices.Concat(r.Flags.Policies, s.PolicyPaths); len(own) > 0 {
		load(policy.TierUser, true, own...)
	} else {
		load(policy.TierUser, false, filepath.Join(r.Config.DotGemini, "policies"))
	}
	load(policy.TierExtension, false, r.Config.extensionPolicies()...)
	load(policy.TierAdmin, false, "/etc/gemini-cli/policies")
	load(policy.TierAdmin, true, slices.Concat(r.Flags.AdminPolicies, s.AdminPolicyPaths)...)
	problems = append(problems, r.Config.namesMissed(rules)...)
	var lost []string
	for i, p := range problems {
		if problems[i] = r.whereSet(p); p.Loosens {
			lost = append(lost, problems[i].String())
		}
	}
	problems = slices.DeleteFunc(problems, func(p policy.Problem) bool { return p.Loosens })
	if len(lost) > 0 {
		return rules, problems, exit.Errorf(exit.Config, "%s\nCorrect it, or take it out: "+
			"nothing runs until all rules that may deny are in force.", r.Config.ShortenIn(strings.Join(lost, "\n")))
	}
	return rules, problems, nil
}

// maxOutput converts the setting, in which 0 or less means no limit, to
// toolcall.Runner's, in which only a negative value does.
func (r *Runtime) maxOutput() int {
	if n := r.Config.Settings.Tools.TruncateToolOutputThreshold; n > 0 {
		return n
	}
	return -1
}

// saveOutput saves the full text of an output that is cut for the model.
func (r *Runtime) saveOutput(call llm.ToolCall, text string) (string, error) {
	dir := session.ToolOutputs(r.Project, r.Session.ID())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	name := strings.Map(func(c rune) rune {
		if strings.ContainsRune(idCharacters, c) {
			return c
		}
		return '_'
	}, call.ID)
	path := filepath.Join(dir, name+".txt")
	return path, atomicfile.WriteText(path, text, 0o600)
}
