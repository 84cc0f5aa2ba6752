// Package docs embeds minigem's documentation, for agents that answer questions about
// it.
package docs

import "embed"

//go:generate go test . -count=1 -update
//go:generate go test ../internal/archtest -count=1 -run PackagesPage -update
//go:generate go test ../hooks/schema ../hooks/author/lint -count=1 -run Fresh -update
//go:generate go test ../e2e/testbed -count=1 -run TestDocs -update-docs

// Files contains the pages, each in Markdown, in one folder.
//
//go:embed *.md
var Files embed.FS
