// Package page has what all HTML pages of minigem share: their style, and the
// policy that forbids everything but their own style and script.
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

// Table is the style of pages with a table, after Base: its first column stays
// in sight, and on a phone each row is a list with the labels in data-agent.
//
//go:embed table.css
var Table string

// Policy returns a page's Content-Security-Policy, for an attribute in double
// quotes: the page makes no requests, and runs only script.
func Policy(style, script string) string {
	return fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'",
		digest(style), digest(script))
}

// digest identifies the text that the policy allows.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
