package lint

import (
	"fmt"
	"strings"
)

// Doc is docs/LINT.md.
func Doc() string {
	var b strings.Builder
	b.WriteString(`# What hooks lint finds

` + "`minigem hooks lint`" + ` looks at hooks without running them. Every kind of finding has a code that does not change. An **error** means that a hook does
not run or does nothing, a **warning** that it probably does not do what was meant, a **note** is good to know. Exit codes: 0 no errors and
warnings, 1 some, 42 wrong usage, 52 a settings file cannot be read. ` + "`--fix`" + ` does what is clear, and keeps comments and order. ` + "`--format json`" + ` is for
programs, ` + "`--format sarif`" + ` for code scanning. Programs in the shell's language are parsed; of Python and JavaScript only plain signs are seen.
` + "`--for claude,codex`" + ` finds as well what those agents make of the same hooks, from what was measured on them.

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
