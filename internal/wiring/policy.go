package wiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
	"minigem/internal/app"
	"minigem/internal/confine"
	"minigem/internal/exit"
	"minigem/internal/plans"
	"minigem/internal/proc"
	"minigem/internal/sandbox"
	"minigem/internal/text"
	"minigem/tools"
	"minigem/tools/policy"
	"minigem/tools/workspace"
)

func (r *Runtime) wirePolicy(_ context.Context) error {
	mode, err := approvalMode(r.Config, r.Flags, r.warn)
	if err != nil {
		return err
	}
	rules, problems, err := PolicyRules(r.Config, r.Flags)
	for _, p := range problems {
		r.warn(p.String())
	}
	if err != nil {
		return err
	}
	r.Policy, err = policy.New(policy.Options{
		Mode: mode, Interactive: r.front.Interactive,
		Hooks: r.Config.Hooks.Off == "" && slices.ContainsFunc(r.Config.Hooks.Hooks, func(h hooks.Hook) bool {
			return h.Event == protocol.PermissionRequest && h.Disabled == "" && h.Untrusted == ""
		}),
		Untrusted:   !r.Config.Trust.Trusted,
		Rules:       rules,
		Shell:       policy.Shell(proc.ShellName()),
		Unconfined:  unconfined(confine.Supported()),
		Sandbox:     !r.Sandbox.All && confine.Supported() == nil,
		InWorkspace: func(path string) bool { _, err := r.Workspace.Resolve(path); return err == nil },
		InPlans:     r.Plans.Has,
		Sensitive:   r.Sandbox.Runs,
		Refused: func(path string, reach workspace.Reach) string { // as the file tools refuse it
			return r.Workspace.Refused(path, reach, r.ignore())
		},
		Tracked: func(dir string) string { return sandbox.Tracked(r.Config.ChildEnv(), dir) },
	})
	if err != nil {
		return exit.With(exit.Config, err)
	}
	r.Plans.Policy = r.Policy
	return nil
}

// approvalMode returns the mode set by flags, else by the settings.
func approvalMode(c *app.Configuration, f *app.Options, warn func(string)) (policy.Mode, error) {
	name := cmp.Or(f.ApprovalMode, c.Settings.General.DefaultApprovalMode)
	if f.Yolo {
		name = "yolo"
	}
	mode, err := policy.ParseMode(name)
	if err == nil {
		err = refusedMode(c, mode)
	}
	switch {
	case errors.Is(err, errFewModes):
		warn(fmt.Sprintf("this folder is not trusted: the approval mode is default, not %s", name))
		return policy.ModeDefault, nil
	case err != nil:
		return "", exit.With(exit.Config, err)
	}
	return mode, nil
}

// refusedMode returns an error if the approval mode cannot be mode.
func refusedMode(c *app.Configuration, mode policy.Mode) error {
	switch {
	case mode == policy.ModeYolo && c.Settings.Security.DisableYoloMode:
		return errNoYolo
	case mode == policy.ModePlan && !c.Settings.General.Plan.Enabled:
		return plans.ErrOff
	case !c.Trust.Trusted && mode != policy.ModeDefault && mode != policy.ModePlan:
		return errFewModes
	}
	return nil
}

var (
	errNoYolo   = errors.New("yolo mode is turned off by security.disableYoloMode in the settings")
	errFewModes = errors.New(
		"this folder is not trusted, and has the modes default and plan alone: /permissions trust changes that")
)

// PolicyRules returns all rules in force besides the built-in ones, and the problems of
// the others. The error, which ends the run, names rules that may restrict the model
// but are not in force.
func PolicyRules(c *app.Configuration, f *app.Options) (rules []policy.Rule, problems []policy.Problem, err error) {
	add := func(more []policy.Rule, faults []policy.Problem) {
		rules, problems = append(rules, more...), append(problems, faults...)
	}
	s := c.Settings
	add(policy.FromLists(policy.Lists{
		Core: s.Tools.Core, Allowed: slices.Concat(s.Tools.Allowed, f.AllowedTools),
		Excluded: s.Tools.Exclude, ConfirmationRequired: s.Tools.ConfirmationRequired,
		AllowedServers: slices.Concat(s.MCP.Allowed, f.AllowedMCP), ExcludedServers: s.MCP.Excluded,
	}))
	for _, e := range c.Extensions.Used {
		add(excludedBy(e))
	}
	if own := slices.Concat(f.Policies, s.PolicyPaths); len(own) > 0 {
		add(policy.LoadPaths(policy.TierUser, true, own...))
	} else {
		add(policy.LoadPaths(policy.TierUser, false, filepath.Join(c.DotGemini, "policies")))
	}
	for _, e := range c.Extensions.Used {
		add(policy.LoadPaths(policy.TierExtension, false, filepath.Join(e.Dir, "policies")))
	}
	add(policy.LoadPaths(policy.TierAdmin, false, "/etc/gemini-cli/policies"))
	add(policy.LoadPaths(policy.TierAdmin, true, slices.Concat(f.AdminPolicies, s.AdminPolicyPaths)...))
	add(nil, namesMissed(c, rules))
	var lost []string
	for i, p := range problems {
		if problems[i] = whereSet(c, f, p); p.Loosens {
			lost = append(lost, problems[i].String())
		}
	}
	problems = slices.DeleteFunc(problems, func(p policy.Problem) bool { return p.Loosens })
	if len(lost) > 0 {
		err = exit.Errorf(exit.Config, "%s\nCorrect it, or take it out: "+
			"nothing runs until all rules that may deny are in force.", c.ShortenIn(strings.Join(lost, "\n")))
	}
	return rules, problems, err
}

// excludedBy returns the rules for the tools that an extension excludes, and the
// problems in the entries that are not valid rules.
func excludedBy(e config.Extension) ([]policy.Rule, []policy.Problem) {
	rules, faults := policy.FromLists(policy.Lists{Excluded: e.ExcludeTools})
	place := policy.Place{File: filepath.Join(e.Dir, "gemini-extension.json") + ": excludeTools"}
	for i := range rules {
		rules[i].Place = place
	}
	for i := range faults {
		faults[i].Place = place
	}
	return rules, faults
}

// namesMissed reports rules that name a tool or MCP server that does not exist, because
// such a rule has no effect. A misspelled built-in tool in a rule that denies or asks is
// reported as a rule that loosens. Another unknown tool may appear later, and a server
// may belong to another folder: rules that allow may name such a tool.
func namesMissed(c *app.Configuration, rules []policy.Rule) []policy.Problem {
	var problems []policy.Problem
	missed := func(r policy.Rule, loosens bool, format string, args ...any) {
		problems = append(problems, policy.Problem{Place: r.Place, Loosens: loosens, Text: fmt.Sprintf(format, args...)})
	}
	servers := slices.Sorted(maps.Keys(c.Settings.MCPServers))
	for _, r := range rules {
		switch {
		case r.Server != "":
			if meant := text.Nearest(r.Server, servers); meant != "" && meant != r.Server {
				missed(r, false, "there is no MCP server %q%s", r.Server, text.DidYouMean(meant))
			}
		case c.Settings.Tools.DiscoveryCommand == "": // discovered tools may have any name
			for _, name := range r.Tools {
				meant, known := config.ToolMeant(name)
				switch {
				case known || strings.Contains(name, "*"):
				case meant != "":
					missed(r, r.Decision != policy.Allow, "there is no tool %q%s", name, text.DidYouMean(meant))
				case r.Decision != policy.Allow:
					missed(r, false, "there is no tool %q: nothing is restricted; tools of MCP servers are called mcp_SERVER_TOOL",
						name)
				}
			}
		}
	}
	return problems
}

// whereSet returns a problem in a list of the settings with the file and line of that
// list.
func whereSet(c *app.Configuration, f *app.Options, p policy.Problem) policy.Problem {
	key, isList := strings.CutPrefix(p.Place.File, "settings: ")
	at, set := c.Loaded.Origin(key)
	switch {
	case isList && key == "tools.allowed" && len(f.AllowedTools) > 0:
		p.Place = policy.Place{File: "tools.allowed or --allowed-tools"}
	case isList && set && at.File != "":
		p.Place, p.Text = policy.Place{File: at.File, Line: at.Line}, key+": "+p.Text
	}
	return p
}

// notOffered tells the model, and through it the user, why an existing tool cannot be
// called here, and what would change that.
func notOffered(p *policy.Engine, t tools.Tool) string {
	refusal, modes := p.NotOffered(t)
	why := refusal.Rule
	if refusal.Message != "" {
		why = fmt.Sprintf("%s (%s)", strings.TrimRight(refusal.Message, "."), why)
	}
	if refusal.Reason != "" {
		why += ", and " + refusal.Reason
	}
	if strings.HasSuffix(why, "(no changes without a user)") {
		why = "no one can be asked about it"
		if p.Mode() == policy.ModeDefault {
			why = "this run may only read"
		}
	}
	said := t.Spec().Name + " is not available: " + why + "."
	if len(modes) == 0 {
		return said + " Only other rules would allow it; `minigem policies` lists them."
	}
	return said + " Add --approval-mode=" + modes[0].Flag() + "."
}
