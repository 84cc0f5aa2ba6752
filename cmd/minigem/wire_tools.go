package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"minigem/internal/atomicfile"
	"minigem/internal/contextfile"
	"minigem/internal/telemetry"
	"minigem/llm"
	"minigem/session"
	"minigem/tools"
	"minigem/tools/builtin"
	"minigem/tools/policy"
	"minigem/tools/workspace"
)

func (r *rig) wireTools(_ context.Context, sys *system, w *wiring) error {
	if r.settings.Experimental.DirectWebFetch {
		w.warn("experimental.directWebFetch has no effect: web_fetch takes a prompt that holds the addresses")
	}
	processes := &builtin.Processes{}
	r.closers = append(r.closers, func() error { processes.Close(); return nil })
	r.registry = &tools.Registry{}
	r.registry.Add(builtin.All(builtin.Options{
		Workspace: r.workspace,
		Ignore:    r.ignore(),
		Shell: builtin.ShellOptions{
			Env:        r.childEnv,
			Inactivity: time.Duration(r.settings.Tools.Shell.InactivityTimeout) * time.Second,
			Processes:  processes,
		},
		Web:    builtin.WebOptions{Generator: r.beside(sys, telemetry.RoleTool), SearchModel: webModel, FetchModel: webModel, Now: sys.Now},
		Asker:  w.asker,
		Memory: builtin.MemoryFiles{User: filepath.Join(r.dotGemini, contextName(r)), Project: r.projectMemory()},
		Now:    sys.Now,
		Nearby: func(path string) string { return r.nearby(path, w.warn) },
	})...)
	return nil
}

// nearby shows the context files of subdirectories that a tool is the first to
// touch, but for the one that it touched itself.
func (r *rig) nearby(path string, warn func(string)) string {
	files, warnings := r.finder.Touch(path)
	for _, w := range warnings {
		warn(w.String())
	}
	files = slices.DeleteFunc(files, func(f contextfile.File) bool { return f.Path == path })
	if len(files) == 0 {
		return ""
	}
	return "<project_context>\n" + contextfile.Render(files, r.dir) + "\n</project_context>"
}

// webModel is asked to search the web and to read pages.
const webModel = "gemini-2.5-flash"

// contextName is what a context file that does not exist yet is called.
func contextName(r *rig) string {
	if names := r.settings.Context.FileName; len(names) > 0 {
		return names[0]
	}
	return contextfile.DefaultName
}

// projectMemory is where facts about the project go; empty where the folder is
// not trusted, because nothing there would be read again.
func (r *rig) projectMemory() string {
	if !r.trust.trusted {
		return ""
	}
	return filepath.Join(r.dir, contextName(r))
}

// ignore says which files reading and searching leave out.
func (r *rig) ignore() workspace.Ignore {
	f := r.settings.Context.FileFiltering
	return workspace.Ignore{Git: f.RespectGitIgnore, Gemini: f.RespectGeminiIgnore, Custom: f.CustomIgnoreFilePaths}
}

// policyRules are all rules in force beside the built-in ones, and what was
// wrong with the others.
func (r *rig) policyRules() ([]policy.Rule, []policy.Problem) {
	s := r.settings
	rules := policy.FromLists(policy.Lists{
		Core: s.Tools.Core, Allowed: slices.Concat(s.Tools.Allowed, r.flags.allowedTools),
		Excluded: s.Tools.Exclude, ConfirmationRequired: s.Tools.ConfirmationRequired,
		AllowedServers: slices.Concat(s.MCP.Allowed, r.flags.allowedMCP), ExcludedServers: s.MCP.Excluded,
	})
	var problems []policy.Problem
	load := func(tier policy.Tier, required bool, paths ...string) {
		more, faults := policy.LoadPaths(tier, required, paths...)
		rules, problems = append(rules, more...), append(problems, faults...)
	}
	if own := slices.Concat(r.flags.policies, s.PolicyPaths); len(own) > 0 {
		load(policy.TierUser, true, own...)
	} else {
		load(policy.TierUser, false, filepath.Join(r.dotGemini, "policies"))
	}
	load(policy.TierAdmin, false, "/etc/gemini-cli/policies")
	load(policy.TierAdmin, true, slices.Concat(r.flags.adminPolicies, s.AdminPolicyPaths)...)
	return rules, problems
}

// inPlans says whether path lies in the plans directory of the session.
func (r *rig) inPlans(path string) bool {
	rel, err := filepath.Rel(filepath.Join(r.project.Temp, r.session.ID(), "plans"), path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// maxOutput is the setting in the form of toolcall.Runner: 0 or less means
// never there, negative here.
func (r *rig) maxOutput() int {
	if n := r.settings.Tools.TruncateToolOutputThreshold; n > 0 {
		return n
	}
	return -1
}

// saveOutput keeps the whole of an output that the model sees cut.
func (r *rig) saveOutput(call llm.ToolCall, text string) (string, error) {
	dir := session.ToolOutputs(r.project, r.session.ID())
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
