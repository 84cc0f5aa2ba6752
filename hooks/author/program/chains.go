package program

import (
	"regexp"
	"strings"
)

// chains match how Python and JavaScript read a field of an object in a variable.
// alternatives are their operators for a fallback field.
var (
	chains = map[Language]func() *regexp.Regexp{
		Python: pattern(`[\w)]((?:\[["']\w+["']\]|\.get\(["']\w+["'](?:, *(?:\{\}|None|""|''))?\))+)`),
		Script: pattern(`[\w)]((?:\??\.[A-Za-z_]\w*|(?:\?\.)?\[["']\w+["']\])+)(\()?`),
	}
	alternatives = map[Language]string{Python: " or ", Script: "||"}
	inChain      = pattern(`(?:\.get\(|\[)["'](\w+)["']|\.([A-Za-z_]\w*)`)
)

// chain records the fields that a line of Python or JavaScript reads.
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
			path = path[:len(path)-1] // the last name is a method
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
