package settings

import (
	"slices"
	"strings"
)

// narrowing says how a project's value of a restricting key is combined with the
// user's or the system's. The project may restrict more, never less.
type narrowing int

const (
	anyValue       narrowing = iota // the project's value applies, or is added
	keepTrue                        // true stays true
	keepFalse                       // false stays false
	keepSet                         // a value that is set stays as it is
	inBoth                          // a list: only the items that both have
	inEither                        // a list: the items of either
	whileRedacting                  // the project's value is dropped if lower layers redact
)

// restricting lists the keys whose values restrict something. A value that is not valid
// ends the run, and so does an unknown name that is spelled like one of these.
var restricting = map[string]narrowing{
	"admin":                    anyValue, // and everything below it
	"admin.skills.enabled":     keepFalse,
	"adminPolicyPaths":         anyValue,
	"advanced.excludedEnvVars": anyValue,
	"context.fileFiltering.customIgnoreFilePaths":   anyValue,
	"extensions.disabled":                           anyValue,
	"mcp.allowed":                                   anyValue, // every layer is intersected anyway
	"mcp.excluded":                                  anyValue,
	"mcpServers.*.excludeTools":                     anyValue,
	"mcpServers.*.includeTools":                     anyValue,
	"policyPaths":                                   anyValue,
	"security":                                      anyValue,
	"security.allowedExtensions":                    keepSet,
	"security.auth.enforcedType":                    keepSet,
	"security.blockGitExtensions":                   keepTrue,
	"security.disableAlwaysAllow":                   keepTrue,
	"security.disableYoloMode":                      keepTrue,
	"security.environmentVariableRedaction.allowed": whileRedacting,
	"security.environmentVariableRedaction.enabled": keepTrue,
	"skills.disabled":                               anyValue,
	"skills.enabled":                                keepFalse,
	"tools.confirmationRequired":                    inEither,
	"tools.core":                                    inBoth,
	"tools.exclude":                                 anyValue,
	"tools.sandbox":                                 anyValue, // see Holding
}

// olderNames maps restricting keys of Gemini CLI before 0.61, and of other programs, to
// what to write instead.
var olderNames = map[string]string{
	"allowMCPServers":        "mcp.allowed",
	"coreTools":              "tools.core",
	"enforcedAuthType":       "security.auth.enforcedType",
	"excludeMCPServers":      "mcp.excluded",
	"excludedProjectEnvVars": "advanced.excludedEnvVars",
	"excludeTools":           "tools.exclude",
	"permissions":            "tools.exclude, or rules in a policy file",
	"sandbox":                "tools.sandbox",
}

// restricts reports whether key is a restricting key, or is below one.
func restricts(key string) bool {
	key, _, _ = strings.Cut(key, "[") // key may be an item of a list
	key = anyServer(key)
	for {
		if _, ok := restricting[key]; ok {
			return true
		}
		dot := strings.LastIndexByte(key, '.')
		if dot < 0 {
			return false
		}
		key = key[:dot]
	}
}

// narrow removes the values of a project's file that would lift restrictions of the
// layers below, and warns about them.
func (l *Loaded) narrow(below, project *node) {
	r := &reader{layer: LayerWorkspace, file: project.origin.File}
	for key, rule := range restricting {
		set := find(project, key)
		if set == nil {
			continue
		}
		held := find(below, key)
		if rule == inBoth && held != nil {
			set.items = slices.DeleteFunc(set.items, func(it *node) bool { return !slices.ContainsFunc(held.items, it.equals) })
		}
		if rule == inEither && held != nil {
			set.items = append(slices.DeleteFunc(set.items, func(it *node) bool {
				return slices.ContainsFunc(held.items, it.equals)
			}), held.items...)
		}
		if rule == whileRedacting {
			held = find(below, "security.environmentVariableRedaction.enabled")
		}
		if held == nil || !rule.lifts(held, set) {
			continue
		}
		dot := strings.LastIndexByte(key, '.')
		find(project, key[:dot]).remove(key[dot+1:])
		r.warn(set.origin, key, WarnRestriction, "a project cannot lift a restriction of %s; ignored", held.origin)
	}
	slices.SortFunc(r.warnings, func(a, b Warning) int { return strings.Compare(a.Key, b.Key) })
	l.Warnings = append(l.Warnings, r.first()...)
}

// lifts reports whether set, a project's value, would lift the restriction held.
func (rule narrowing) lifts(held, set *node) bool {
	switch rule {
	case keepTrue:
		return held.text == "true" && set.text != "true"
	case keepFalse:
		return held.text == "false" && set.text != "false"
	case keepSet:
		return !holdsNothing(held.json()) && !held.equals(set)
	case whileRedacting:
		return held.text == "true"
	}
	return false
}

func (n *node) equals(m *node) bool { return string(n.json()) == string(m.json()) }

// holdsNothing reports whether value cannot restrict anything.
func holdsNothing(value []byte) bool {
	return slices.Contains([]string{"null", "false", `""`, "[]", "{}"}, string(value))
}

// instead returns what to write instead of an unknown key that seems to be a
// restriction, or "" if it does not.
func (u Unknown) instead() string {
	name, _, _ := strings.Cut(u.Key, ".")
	if to := olderNames[name]; to != "" {
		return to
	}
	if restricts(u.Suggestion) {
		return u.Suggestion
	}
	return ""
}

// fault says why u has no effect and what to write, or returns "" if there is no
// advice.
func (u Unknown) fault() string {
	to := u.instead()
	if to == "" {
		return ""
	}
	if to == u.Key {
		to = `{"` + strings.ReplaceAll(to, ".", `": {"`) + `": ...}` + strings.Repeat("}", strings.Count(to, "."))
		return "has a dot in its name, and would have no effect: write " + to
	}
	return "is not known, and would have no effect: write " + to
}
