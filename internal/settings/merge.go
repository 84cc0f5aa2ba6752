package settings

// strategy says how a higher layer's value is merged with a lower one's.
type strategy int

const (
	replace   strategy = iota // objects merged key by key, anything else replaced
	union                     // the items of both, without duplicates
	concat                    // the items of both
	shallow                   // an object whose members are replaced as a whole
	intersect                 // the items that are in both
)

// strategies are the strategies by dotted key (cli/config/settingsSchema.ts). Every
// "hooks.<Event>" is concatenated too, see strategyOf.
var strategies = map[string]strategy{
	"tools.exclude": union,
	"context.fileFiltering.customIgnoreFilePaths":   union,
	"advanced.excludedEnvVars":                      union,
	"extensions.disabled":                           union,
	"skills.disabled":                               union,
	"hooksConfig.disabled":                          union,
	"policyPaths":                                   union,
	"adminPolicyPaths":                              union,
	"mcp.excluded":                                  union,
	"mcp.allowed":                                   intersect,
	"context.includeDirectories":                    concat,
	"mcpServers":                                    shallow,
	"security.environmentVariableRedaction.blocked": union,
}

func strategyOf(path string, depth int, root string) strategy {
	if root == "hooks" && depth == 2 {
		return concat
	}
	return strategies[path]
}

// merge merges high onto low and returns a new tree. It modifies neither.
func merge(low, high *node) *node { return mergeAt(low, high, "", 0, "") }

func mergeAt(low, high *node, path string, depth int, root string) *node {
	if low == nil || low.kind != high.kind {
		return high
	}
	how := strategyOf(path, depth, root)
	switch {
	case high.kind == object:
		return mergeObjects(low, high, path, depth, root, how == shallow)
	case high.kind == array && how != replace:
		return mergeArrays(low, high, how)
	}
	return high
}

func mergeObjects(low, high *node, path string, depth int, root string, shallow bool) *node {
	out := &node{kind: object, origin: high.origin, members: append([]member(nil), low.members...)}
	at := make(map[string]int, len(low.members))
	for i, m := range low.members {
		at[m.key] = i
	}
	for _, m := range high.members {
		if depth == 0 {
			root = m.key
		}
		i, both := at[m.key]
		value := m.value
		if both && !shallow {
			value = mergeAt(low.members[i].value, m.value, join(path, m.key), depth+1, root)
		}
		if both {
			out.members[i].value, out.members[i].origin = value, value.origin
			continue
		}
		out.members = append(out.members, member{m.key, value.origin, value})
	}
	return out
}

func mergeArrays(low, high *node, how strategy) *node {
	out := &node{kind: array, origin: high.origin}
	seen := map[string]bool{} // keyed by their JSON
	if how == intersect {
		for _, it := range low.items {
			seen[string(it.json())] = true
		}
		for _, it := range high.items {
			if seen[string(it.json())] {
				out.items = append(out.items, it)
			}
		}
		return out
	}
	for _, it := range append(append([]*node(nil), low.items...), high.items...) {
		if how == concat {
			out.items = append(out.items, it)
			continue
		}
		if text := string(it.json()); !seen[text] {
			seen[text] = true
			out.items = append(out.items, it)
		}
	}
	return out
}
