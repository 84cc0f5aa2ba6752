package testbed

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"minigem/hooks/protocol"
	"minigem/internal/text"
	"minigem/llm"
)

// RenderMessages formats messages for people and for patterns, one part a line:
//
//	user: hello
//	model: call read_file {"file_path":"a"}
//	user: result read_file {"output":"..."}
func RenderMessages(messages []llm.Message) string {
	var b strings.Builder
	for _, m := range messages {
		for _, p := range m.Parts {
			fmt.Fprintf(&b, "%s: %s\n", m.Role, RenderPart(p))
		}
	}
	return b.String()
}

// RenderPart formats a part as RenderMessages does.
func RenderPart(p llm.Part) string {
	switch p := p.(type) {
	case llm.Text:
		return p.Text
	case llm.Thought:
		return "thought " + p.Text
	case llm.ToolCall:
		return "call " + p.Name + " " + compact(p.Args)
	case llm.ToolResult:
		return "result " + p.Name + " " + compact(p.Response)
	case llm.Blob:
		return "blob " + p.MIMEType
	case llm.FileRef:
		return "file " + p.URI
	}
	return fmt.Sprintf("%T", p)
}

func compact(v any) string {
	data, err := protocol.Encode(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// renderRequest formats a request so that requests can be compared.
func renderRequest(r Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "model: %s\n", r.Model)
	for _, key := range strings.Fields("temperature topP topK maxOutputTokens mode allowed") {
		if v := requestValue(r, key); v != "" {
			fmt.Fprintf(&b, "%s: %s\n", key, v)
		}
	}
	fmt.Fprintf(&b, "tools: %s\n", strings.Join(toolNames(r), ", "))
	fmt.Fprintf(&b, "system: %s\n", r.System)
	b.WriteString(RenderMessages(r.Messages))
	return b.String()
}

// requestValue returns the value that a condition on a request tests. It is empty if the
// request does not set it.
func requestValue(r Request, key string) string {
	number := func(f *float64) string {
		if f == nil {
			return ""
		}
		return fmt.Sprint(*f)
	}
	switch key {
	case "text":
		return RenderMessages(r.Messages)
	case "new":
		return renderNew(r.Messages)
	case "system":
		return r.System
	case "model":
		return r.Model
	case "tools":
		return strings.Join(toolNames(r), ",")
	case "mode":
		return string(r.Choice.Mode)
	case "allowed":
		return strings.Join(r.Choice.Allowed, ",")
	case "temperature":
		return number(r.Sampling.Temperature)
	case "topP":
		return number(r.Sampling.TopP)
	case "topK":
		return number(r.Sampling.TopK)
	case "maxOutputTokens":
		if n := r.Sampling.MaxOutputTokens; n != nil {
			return fmt.Sprint(*n)
		}
	}
	return ""
}

func toolNames(r Request) []string {
	var names []string
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return names
}

// renderNew renders the last message, without the part on the session's environment.
func renderNew(messages []llm.Message) string {
	if len(messages) == 0 {
		return ""
	}
	last := messages[len(messages)-1]
	last.Parts = slices.DeleteFunc(slices.Clone(last.Parts), func(p llm.Part) bool {
		t, ok := p.(llm.Text)
		return ok && strings.HasPrefix(t.Text, "<session_context>")
	})
	return RenderMessages([]llm.Message{last})
}

// shorten replaces the paths of a case's folders by variables, and lines of its files by
// the corresponding lines of the case file.
func (r *Record) shorten(text string) string {
	if r.Workspace == "" {
		return text
	}
	for _, f := range r.sections {
		name := FileOf(r.Workspace, r.Home, f.name)
		if !strings.Contains(text, name) {
			continue
		}
		at := regexp.MustCompile(regexp.QuoteMeta(name) + `:(\d+)`)
		text = at.ReplaceAllStringFunc(text, func(s string) string {
			n, _ := strconv.Atoi(s[strings.LastIndex(s, ":")+1:]) // the pattern has digits there
			return fmt.Sprintf("%s:%d", r.file, f.line+n-1)
		})
	}
	for _, u := range r.used {
		text = strings.ReplaceAll(text, u[0], u[1])
	}
	return strings.NewReplacer(r.Workspace+"/", "", r.Workspace, "$PROJECT", r.Home, "$HOME").Replace(text)
}

// indent puts two blanks before each line.
func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  " + line)
	}
	return b.String()
}

// oneLine returns text on one line of at most n runes.
func oneLine(text string, n int) string {
	text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "⏎")
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return fmt.Sprintf("%s... (%d more)", string(runes[:n]), len(runes)-n)
}

// ends returns text on one line of about n runes. Of a longer text it keeps the beginning
// and the end.
func ends(text string, n int) string {
	text = oneLine(text, len(text))
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return fmt.Sprintf("%s ...(%d more)... %s", string(runes[:n/3]), len(runes)-n, string(runes[len(runes)-n+n/3:]))
}

func (r *Record) requestList() string {
	if len(r.Requests) == 0 {
		return "the model got no requests\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "the model got %s:\n", text.Plural(len(r.Requests), "request"))
	for i, req := range r.Requests {
		fmt.Fprintf(&b, "  %d %s  %s\n", i+1, req.Method, oneLine(r.shorten(renderNew(req.Messages)), 200))
	}
	return b.String()
}
