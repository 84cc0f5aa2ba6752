package settings

import "strings"

// moved are keys of earlier releases and where their values stand now
// (cli/config/settings.ts). The new key wins where a file has both.
var moved = []struct {
	from, to string
	inverted bool // true means false
}{
	{"general.disableAutoUpdate", "general.enableAutoUpdate", true},
	{"ui.accessibility.disableLoadingPhrases", "ui.accessibility.enableLoadingPhrases", true},
	{"context.fileFiltering.disableFuzzySearch", "context.fileFiltering.enableFuzzySearch", true},
	{"tools.approvalMode", "general.defaultApprovalMode", false},
	{"experimental.codebaseInvestigatorSettings.enabled", "agents.overrides.codebase_investigator.enabled", false},
	{"experimental.codebaseInvestigatorSettings.maxNumTurns", "agents.overrides.codebase_investigator.runConfig.maxTurns", false},
	{"experimental.codebaseInvestigatorSettings.maxTimeMinutes", "agents.overrides.codebase_investigator.runConfig.maxTimeMinutes", false},
	{"experimental.codebaseInvestigatorSettings.model", "agents.overrides.codebase_investigator.modelConfig.model", false},
	{"experimental.cliHelpAgentSettings.enabled", "agents.overrides.cli_help.enabled", false},
}

// migrate moves the values of older keys to their new places.
func (r *reader) migrate(root *node) {
	for _, m := range moved {
		parent, name := parentOf(root, m.from)
		old := parent.get(name)
		if old == nil {
			continue
		}
		parent.remove(name)
		if follow(root, m.to) != nil {
			r.warn(old.origin, m.from, WarnDeprecated, "older key ignored: the file has %s too", m.to)
			continue
		}
		value := *old
		if m.inverted {
			switch old.text {
			case "true":
				value.text = "false"
			case "false":
				value.text = "true"
			}
			r.warn(old.origin, m.from, WarnDeprecated, "older key: write %s with the opposite value", m.to)
		} else {
			r.warn(old.origin, m.from, WarnDeprecated, "older key: write %s", m.to)
		}
		place(root, m.to, &value)
	}
}

// parentOf returns the object that a dotted key's last name stands in; nil
// where there is none.
func parentOf(root *node, key string) (*node, string) {
	at := strings.LastIndexByte(key, '.')
	if at < 0 {
		return root, key
	}
	return follow(root, key[:at]), key[at+1:]
}

func follow(n *node, key string) *node {
	for name := range strings.SplitSeq(key, ".") {
		n = n.get(name)
	}
	return n
}

// place puts a value under a dotted key, making the objects on the way. Where
// one of them is no object, the value is lost with the warning about that.
func place(root *node, key string, value *node) {
	names := strings.Split(key, ".")
	for _, name := range names[:len(names)-1] {
		next := root.get(name)
		if next == nil {
			next = &node{kind: object, origin: value.origin}
			root.set(name, next)
		}
		if next.kind != object {
			return
		}
		root = next
	}
	root.set(names[len(names)-1], value)
}
