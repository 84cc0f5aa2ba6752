// Package page is what the pages that minigem writes for a browser have in
// common: their look, and the policy that forbids them all but their own style
// and script. It keeps out what a page is about.
package page

import (
	"crypto/sha256"
	_ "embed" // the styles
	"encoding/base64"
	"fmt"
)

// Base is the style that all pages begin with.
//
//go:embed base.css
var Base string

// Table is the style of pages that are a table, behind Base: its first column
// stays in sight, and on a phone each row is a list of what data-agent names.
//
//go:embed table.css
var Table string

// Policy is the content of a page's Content-Security-Policy, for an attribute in
// double quotes: the page asks nobody for anything, and runs script alone.
func Policy(style, script string) string {
	return fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", digest(style), digest(script))
}

// digest names a text that the policy allows, and no other.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
