package jsonc

// MapTexts replaces every string in v by change of it, in place, and returns v. v is JSON
// as encoding/json decodes it into any. The names of members stay.
func MapTexts(v any, change func(string) string) any {
	switch v := v.(type) {
	case string:
		return change(v)
	case []any:
		for i := range v {
			v[i] = MapTexts(v[i], change)
		}
	case map[string]any:
		for k := range v {
			v[k] = MapTexts(v[k], change)
		}
	}
	return v
}
