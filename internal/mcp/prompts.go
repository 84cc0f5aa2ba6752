package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"minigem/internal/text"
)

// Prompt is a prompt that a server offers. Its texts are clean.
type Prompt struct {
	Server      string
	Name        string
	Description string
	args        []promptArg
	session     *Session
}

type promptArg struct {
	name     string
	required bool
}

func (s *Session) listPrompts(ctx context.Context) ([]Prompt, error) {
	var out []Prompt
	for p, err := range s.connection().Prompts(ctx, nil) {
		if err == nil && len(out) == maxOffered {
			err = fmt.Errorf("there are more than %d", maxOffered)
		}
		if err != nil {
			return nil, err
		}
		if text.Line(p.Name) != p.Name || p.Name == "" {
			continue // it cannot be typed
		}
		one := Prompt{Server: s.server.Name, Name: p.Name, Description: clip(cleanLine(cmp.Or(p.Description, p.Title)), 200),
			session: s}
		for _, a := range p.Arguments {
			if a != nil {
				one.args = append(one.args, promptArg{a.Name, a.Required})
			}
		}
		out = append(out, one)
	}
	return out, nil
}

// Usage describes the prompt's arguments: `--name="..."` for each, in brackets if it is
// optional.
func (p Prompt) Usage() string {
	var out []string
	for _, a := range p.args {
		one := "--" + cleanLine(a.name) + `="..."`
		if !a.required {
			one = "[" + one + "]"
		}
		out = append(out, one)
	}
	return strings.Join(out, " ")
}

// Fill asks the server for the prompt with the arguments in line. They are
// --name=value, --name="a value", or the values of the required arguments in order. If
// there is only one, it gets the whole line (cli/services/McpPromptLoader.ts).
func (p Prompt) Fill(ctx context.Context, line string) (string, error) {
	args, err := p.arguments(line)
	if err != nil {
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(p.session.server.Timeout, DefaultTimeout))
	defer cancel()
	res, err := ask(limited, p.session, func(client *mcp.ClientSession) (*mcp.GetPromptResult, error) {
		return client.GetPrompt(limited, &mcp.GetPromptParams{Name: p.Name, Arguments: args})
	})
	if err != nil {
		return "", fmt.Errorf("the MCP server %s did not give the prompt %s: %s", p.Server, p.Name, worded(err))
	}
	var texts []string
	for _, m := range res.Messages {
		switch c := m.Content.(type) {
		case *mcp.TextContent:
			texts = append(texts, c.Text)
			continue
		case *mcp.EmbeddedResource:
			if c.Resource != nil && c.Resource.Blob == nil {
				texts = append(texts, cleanLine(c.Resource.URI)+"\n"+untrusted(clip(c.Resource.Text, maxText/2)))
				continue
			}
		}
		return "", fmt.Errorf("the prompt %s of the MCP server %s holds more than text, which cannot be sent", p.Name,
			p.Server)
	}
	all := clip(text.Clean(strings.Join(texts, "\n\n")), maxText)
	if strings.TrimSpace(all) == "" {
		return "", fmt.Errorf("the prompt %s of the MCP server %s is empty", p.Name, p.Server)
	}
	return all, nil
}

var (
	namedArg = regexp.MustCompile(`--([^=\s]+)=(?:"((?:\\.|[^"\\])*)"|(\S*))`)
	plainArg = regexp.MustCompile(`"((?:\\.|[^"\\])*)"|(\S+)`)
	escaped  = regexp.MustCompile(`\\(.)`)
)

func (p Prompt) arguments(line string) (map[string]string, error) {
	args := map[string]string{}
	rest := namedArg.ReplaceAllStringFunc(line, func(m string) string {
		f := namedArg.FindStringSubmatch(m)
		args[f[1]] = f[3] + escaped.ReplaceAllString(f[2], "$1")
		return " "
	})
	var values []string
	for _, f := range plainArg.FindAllStringSubmatch(rest, -1) {
		values = append(values, f[2]+escaped.ReplaceAllString(f[1], "$1"))
	}
	var open []string
	for _, a := range p.args {
		if _, given := args[a.name]; a.required && !given {
			open = append(open, a.name)
		}
	}
	if len(open) == 1 && len(values) > 0 {
		args[open[0]] = strings.Join(values, " ")
		return args, nil
	}
	if len(values) < len(open) {
		return nil, errors.New("missing: --" + strings.Join(open[len(values):], ", --") + "; it is " + p.Usage())
	}
	for i, name := range open {
		args[name] = values[i]
	}
	return args, nil
}
