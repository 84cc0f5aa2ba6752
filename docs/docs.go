// Package docs is minigem's documentation, for agents that answer questions about
// it.
package docs

import "embed"

// Files are the pages, each in Markdown, in one folder.
//
//go:embed *.md
var Files embed.FS
