package policy

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/pelletier/go-toml/v2"

	"minigem/internal/atomicfile"
	"minigem/internal/boundedfile"
	"minigem/tools"
)

// Priorities of rules from the user's "always" answers (core/policy/config.ts).
const (
	prioritySession = 3950
	prioritySaved   = 950 // in the user's tier
)

// Remember applies the user's answer to the question about a call. "Always" on
// an edit switches the session to auto_edit; on anything else it adds a rule,
// for the current mode and more permissive ones: for a command, its root
// commands; for an MCP tool, the tool or its server. Other outcomes change
// nothing.
func (e *Engine) Remember(c Call, outcome Outcome) {
	c.Tool = canonical(c.Tool)
	switch outcome {
	case ProceedAlways, ProceedAlwaysTool:
		if isEdit(c.Info) {
			e.raiseMode(ModeAutoEdit)
			return
		}
		e.remember(c, outcome)
	case ProceedAlwaysServer:
		e.remember(c, outcome)
	case ProceedAlwaysAndSave:
		e.remember(c, outcome)
		e.save(c)
	}
}

func isEdit(info tools.Info) bool { return info.Kind == tools.KindEdit }

// raiseMode never makes the session stricter.
func (e *Engine) raiseMode(m Mode) {
	if slices.Index(modes, e.Mode()) < slices.Index(modes, m) {
		e.SetMode(m)
	}
}

func (e *Engine) remember(c Call, outcome Outcome) {
	now := e.Mode()
	for _, r := range granted(c, outcome) {
		r.Priority = prioritySession
		r.Modes = slices.Clone(modes[slices.Index(modes, now):])
		r.Place = Place{File: "allowed in this session"}
		if err := r.compile(); err != nil {
			continue // unreachable: granted quotes text of the call
		}
		e.mu.Lock()
		e.rules = append(slices.Clone(e.rules), r)
		sortRules(e.rules)
		e.mu.Unlock()
	}
}

// granted returns the rules that allow what the user meant. There are none for
// a command line whose commands are not known.
func granted(c Call, outcome Outcome) []Rule {
	r := Rule{Decision: Allow, Tools: []string{c.Tool}}
	switch {
	case c.Info.MCP != nil && outcome == ProceedAlwaysServer:
		r.Server, r.Tools = c.Info.MCP.Server, nil
	case c.Info.MCP != nil:
		r.Server, r.Tools = c.Info.MCP.Server, []string{c.Info.MCP.Tool}
	case c.Tool == shellTool:
		command, _ := c.Args["command"].(string)
		if r.Prefixes = RootCommands(command); len(r.Prefixes) == 0 {
			return nil
		}
		r.Inside = isRedirected(command)
	case isEdit(c.Info):
		// A saved rule allows edits of this one file only.
		path, ok := c.Args["file_path"].(string)
		if !ok {
			return nil
		}
		r.Args = regexp.QuoteMeta(stable(map[string]any{"file_path": path})[1:])
		r.Args = r.Args[:len(r.Args)-len(`\}`)]
	}
	return []Rule{r}
}

// savedRule is a rule in the form of a policy file.
type savedRule struct {
	ToolName      []string `toml:"toolName"`
	MCPName       string   `toml:"mcpName,omitempty"`
	Decision      string   `toml:"decision"`
	Priority      int      `toml:"priority"`
	CommandPrefix []string `toml:"commandPrefix,omitempty"`
	ArgsPattern   string   `toml:"argsPattern,omitempty"`
}

// save appends the rules to the file of saved rules, unless they are in it.
func (e *Engine) save(c Call) {
	if e.options.SavedRules == "" {
		return
	}
	var doc struct {
		Rule []savedRule `toml:"rule"`
	}
	for _, r := range granted(c, ProceedAlwaysAndSave) {
		doc.Rule = append(doc.Rule, savedRule{
			ToolName: r.Tools, MCPName: r.Server, Decision: r.Decision.String(), Priority: prioritySaved,
			CommandPrefix: r.Prefixes, ArgsPattern: r.Args,
		})
	}
	if len(doc.Rule) == 0 {
		return
	}
	text, err := toml.Marshal(doc)
	if err == nil {
		err = appendRules(e.options.SavedRules, text)
	}
	if err != nil && e.options.SaveFailed != nil {
		e.options.SaveFailed(fmt.Errorf("saving the rule to %s: %w; it holds for this session only", e.options.SavedRules,
			err))
	}
}

// appendRules replaces the file as a whole, so that readers never see half of
// it.
func appendRules(file string, text []byte) error {
	old, err := boundedfile.Read(file, boundedfile.Written)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if bytes.Contains(old, bytes.TrimSpace(text)) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if len(old) > 0 {
		old = append(bytes.TrimRight(old, "\n"), "\n\n"...)
	}
	return atomicfile.WriteFile(file, append(old, text...), 0o600)
}
