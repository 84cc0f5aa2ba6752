package lint

import (
	"fmt"
	"strings"
)

// Doc returns the text of docs/LINT.md.
func Doc() string {
	var b strings.Builder
	b.WriteString(`# What hooks lint finds

` + "`minigem hooks lint`" + ` looks at hooks without running them. Every kind of finding has a code that does not change.

| severity | means |
|---|---|
| error | a hook does not run, or does nothing |
| warning | it probably does not do what was meant |
| note | good to know |

| exit code | means |
|---|---|
| 0 | no errors and no warnings |
| 1 | some |
| 42 | wrong usage |
| 52 | a settings file cannot be read |

- ` + "`--fix`" + ` makes the changes that are clear, and keeps comments and order.
- ` + "`--format json`" + ` is for programs, ` + "`--format sarif`" + ` for code scanning.
- ` + "`--for claude,codex`" + ` also reports what those agents would do with the same hooks, as measured on them.
- Shell scripts are parsed. In Python and JavaScript only plain signs are found.

This page is generated from the table of rules.

| code | | |
|---|---|---|
`)
	for _, r := range Rules {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", r.Code, strings.ToLower(r.Code), r.Severity, r.Title)
	}
	for _, r := range Rules {
		b.WriteString("\n" + r.Page())
	}
	return b.String()
}
