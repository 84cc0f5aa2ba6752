package program

import (
	"regexp"
	"strings"
)

// chains are what Python and JavaScript write to read a field of an object that
// they have in a variable, and alternatives what they write between a field and one
// that is read where it is missing.
var (
	chains = map[Language]func() *regexp.Regexp{
		Python: pattern(`[\w)]((?:\[["']\w+["']\]|\.get\(["']\w+["'](?:, *(?:\{\}|None|""|''))?\))+)`),
		Script: pattern(`[\w)]((?:\??\.[A-Za-z_]\w*|(?:\?\.)?\[["']\w+["']\])+)(\()?`),
	}
	alternatives = map[Language]string{Python: " or ", Script: "||"}
	inChain      = pattern(`(?:\.get\(|\[)["'](\w+)["']|\.([A-Za-z_]\w*)`)
)

// chain keeps which fields a line of Python or JavaScript reads.
func (f *Facts) chain(n int, line string) {
	re := chains[f.Lang]
	if re == nil {
		return
	}
	var found [][]string
	for _, m := range re().FindAllStringSubmatch(line, -1) {
		var path []string
		for _, name := range inChain().FindAllStringSubmatch(m[1], -1) {
			path = append(path, name[1]+name[2])
		}
		if len(m) > 2 && m[2] != "" {
			path = path[:len(path)-1] // a method
		}
		if len(path) > 0 {
			found = append(found, path)
		}
	}
	if len(found) > 0 && (strings.Contains(line, alternatives[f.Lang]) || strings.Contains(line, "??")) {
		f.Fields = append(f.Fields, Field{n, found})
		return
	}
	for _, path := range found {
		f.Fields = append(f.Fields, Field{n, [][]string{path}})
	}
}
