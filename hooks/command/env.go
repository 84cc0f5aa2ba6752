package command

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"minigem/hooks"
)

// variable is a reference as settings files write it: $NAME, ${NAME} or
// ${NAME:-default}.
var variable = regexp.MustCompile(`\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::-([^}]*))?\})`)

// environment returns base, then added, then the hook's own variables. References in the
// values of the last are expanded, as in every string of a settings file
// (core/hooks/hookRunner.ts). Values of extensions may be secrets and are left alone.
func environment(base, added []string, h hooks.Hook) []string {
	env := slices.Concat(base, added)
	given := map[string]string{}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		given[name] = value
	}
	for _, name := range slices.Sorted(maps.Keys(h.Env)) {
		value := h.Env[name]
		if h.Source.Layer != hooks.LayerExtension {
			value = expand(value, given)
		}
		env = append(env, name+"="+value)
	}
	return env
}

// expand leaves references alone that are not set and have no default.
func expand(s string, given map[string]string) string {
	return variable.ReplaceAllStringFunc(s, func(ref string) string {
		m := variable.FindStringSubmatch(ref)
		if value, ok := given[m[1]+m[2]]; ok {
			return value
		}
		if strings.Contains(ref, ":-") {
			return m[3]
		}
		return ref
	})
}
