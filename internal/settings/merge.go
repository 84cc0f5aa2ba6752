package settings

// strategy says how a higher layer's value meets a lower one's.
type strategy int

const (
	replace   strategy = iota // objects key by key, all else replaced
	union                     // the items of both, each once
	concat                    // the items of both
	shallow                   // object: each member replaced as a whole
	intersect                 // the items that stand in both
)

// strategies by dotted key (cli/config/settingsSchema.ts). Every "hooks.<Event>"
// is joined too, see strategyOf.
var strategies = map[string]strategy{
	"tools.exclude": union,
	"context.fileFiltering.customIgnoreFilePaths": union,
	"advanced.excludedEnvVars":                    union,
	"extensions.disabled":                         union,
	"skills.disabled":                             union,
	"hooksConfig.disabled":                        union,
	"policyPaths":                                 union,
	"adminPolicyPaths":                            union,
	"mcp.excluded":                                union,
	"mcp.allowed":                                 intersect,
	"context.includeDirectories":                  concat,
	"mcpServers":                                  shallow,
}

func strategyOf(path string, depth int, root string) strategy {
	if root == "hooks" && depth == 2 {
		return concat
	}
	return strategies[path]
}

// merge lays high over low and returns a new tree; neither is changed.
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
	for _, m := range high.members {
		if depth == 0 {
			root = m.key
		}
		value := m.value
		if !shallow {
			value = mergeAt(low.get(m.key), m.value, join(path, m.key), depth+1, root)
		}
		out.set(m.key, value)
	}
	return out
}

func mergeArrays(low, high *node, how strategy) *node {
	out := &node{kind: array, origin: high.origin}
	if how == intersect {
		for _, it := range high.items {
			if holds(low, it) {
				out.items = append(out.items, it)
			}
		}
		return out
	}
	for _, it := range append(append([]*node(nil), low.items...), high.items...) {
		if how == concat || !holds(out, it) {
			out.items = append(out.items, it)
		}
	}
	return out
}

func holds(list, item *node) bool {
	for _, it := range list.items {
		if it.equal(item) {
			return true
		}
	}
	return false
}
