package jsonc

// MapTexts changes the strings in v, which is made of JSON as encoding/json decodes it
// into any, in place, and returns it. The names of members stay.
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
