package acp

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"minigem/agent"
	"minigem/internal/commands"
	"minigem/internal/mcp/entry"
	"minigem/internal/slash"
	"minigem/llm"
)

// mostBlocks limits the parts of one prompt.
const mostBlocks = 256

// read converts what the editor sent to a prompt: text, in which commands and files
// named with an "@" work as elsewhere, links to files, which are read the same way, and
// embedded content.
func (c *conversation) read(ctx context.Context, blocks []acp.ContentBlock) (agent.Prompt, error) {
	if len(blocks) > mostBlocks {
		return agent.Prompt{}, wrong("the prompt has %d parts: the limit is %d", len(blocks), mostBlocks)
	}
	var said strings.Builder
	var beside []llm.Part
	for _, b := range blocks {
		switch {
		case b.Text != nil:
			said.WriteString(b.Text.Text)
		case b.ResourceLink != nil:
			said.WriteString(c.link(b.ResourceLink.Uri))
		default:
			part, err := embedded(b)
			if err != nil {
				return agent.Prompt{}, err
			}
			beside = append(beside, part)
		}
	}
	words := strings.TrimSpace(said.String())
	if words == "" && len(beside) == 0 {
		return agent.Prompt{}, wrong("the prompt is empty")
	}
	p := agent.Prompt{Text: words}
	if slash.Is(words) && len(beside) == 0 {
		filled, err := c.command(ctx, words)
		var unknown *slash.UnknownError
		if errors.As(err, &unknown) && unknown.Usage == "" {
			filled, err = commands.Expand(ctx, c.r, words, "", nil, c.think)
		}
		if err != nil || filled.Text == "" {
			return agent.Prompt{}, err
		}
		p = filled
	}
	if p.Parts == nil {
		p.Parts = c.r.Files().Include(ctx, p.Text, c.think)
	}
	if p.Parts == nil && words != "" {
		p.Parts = []llm.Part{llm.Text{Text: p.Text}}
	}
	p.Parts = append(p.Parts, beside...)
	p.Context, c.before = c.before, ""
	return p, nil
}

// link returns the text for a link in a prompt.
func (c *conversation) link(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return " @" + uri + " "
	}
	path := filepath.FromSlash(u.Path)
	if rel := c.r.Workspace.Rel(path); rel != "" {
		path = rel
	}
	return " @" + strings.ReplaceAll(path, " ", `\ `) + " "
}

// embedded converts content that the editor embedded in a prompt. It is untrusted data.
func embedded(b acp.ContentBlock) (llm.Part, error) {
	blob := func(mime, data string) (llm.Part, error) {
		raw, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			return nil, wrong("a part of the prompt (%s) is not base64: %s", mime, err)
		}
		return llm.Blob{MIMEType: mime, Data: raw}, nil
	}
	switch {
	case b.Image != nil:
		return blob(b.Image.MimeType, b.Image.Data)
	case b.Audio != nil:
		return blob(b.Audio.MimeType, b.Audio.Data)
	case b.Resource != nil && b.Resource.Resource.TextResourceContents != nil:
		r := b.Resource.Resource.TextResourceContents
		return llm.Text{
			Text: fmt.Sprintf("\n--- Content from referenced files ---\nContent from @%s:\n%s\n--- End of content ---", r.Uri,
				r.Text)}, nil
	case b.Resource != nil && b.Resource.Resource.BlobResourceContents != nil:
		r := b.Resource.Resource.BlobResourceContents
		mime := "application/octet-stream"
		if r.MimeType != nil {
			mime = *r.MimeType
		}
		return blob(mime, r.Blob)
	}
	return nil, wrong("a part of the prompt is of an unknown kind")
}

// mostServers limits the MCP servers of one session.
const mostServers = 64

// serversOf converts the MCP servers that the editor configures.
func serversOf(given []acp.McpServer) (map[string]entry.Server, error) {
	if len(given) > mostServers {
		return nil, wrong("mcpServers has %d entries: the limit is %d", len(given), mostServers)
	}
	out := map[string]entry.Server{}
	headers := func(list []acp.HttpHeader) map[string]string {
		m := map[string]string{}
		for _, h := range list {
			m[h.Name] = h.Value
		}
		return m
	}
	for _, s := range given {
		var name string
		var one entry.Server
		switch {
		case s.Stdio != nil:
			name, one = s.Stdio.Name, entry.Server{Command: s.Stdio.Command, Args: s.Stdio.Args, Env: map[string]string{}}
			for _, e := range s.Stdio.Env {
				one.Env[e.Name] = e.Value
			}
		case s.Http != nil:
			name, one = s.Http.Name, entry.Server{Type: "http", URL: s.Http.Url, Headers: headers(s.Http.Headers)}
		case s.Sse != nil:
			name, one = s.Sse.Name, entry.Server{Type: "sse", URL: s.Sse.Url, Headers: headers(s.Sse.Headers)}
		}
		if name == "" || one.Command == "" && one.URL == "" {
			return nil, wrong("an entry of mcpServers has no name, or neither command nor url")
		}
		out[name] = one
	}
	return out, nil
}
