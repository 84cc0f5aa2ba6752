package acp

import (
	"context"

	acp "github.com/coder/acp-go-sdk"

	"minigem/tools/workspace"
)

var _ workspace.Buffers = buffers{}

// buffers gives access to the files that the editor has open. It needs an editor that
// both reads and writes, because only the editor can save what it shows.
type buffers struct{ c *conversation }

// shareFiles makes tools read and write files as the editor shows them, if it offers
// that.
func (c *conversation) shareFiles() {
	c.server.mu.Lock()
	offered := c.server.client.Fs
	c.server.mu.Unlock()
	if offered.ReadTextFile && offered.WriteTextFile {
		c.r.Workspace.SetBuffers(buffers{c})
	}
}

// Read implements workspace.Buffers. On any error of the editor, the file on disk is
// used.
func (b buffers) Read(path string) (text string, ok bool) {
	res, err := b.c.server.conn.ReadTextFile(b.c.asking(), acp.ReadTextFileRequest{SessionId: b.c.id, Path: path})
	return res.Content, err == nil
}

// Write implements workspace.Buffers.
func (b buffers) Write(path, text string) error {
	_, err := b.c.server.conn.WriteTextFile(
		b.c.asking(), acp.WriteTextFileRequest{SessionId: b.c.id, Path: path, Content: text})
	return err
}

// asking returns the context for requests to the editor. It is the running prompt's, so
// that a cancel ends them too.
func (c *conversation) asking() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}
