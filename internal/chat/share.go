package chat

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"minigem/internal/app"
	"minigem/internal/atomicfile"
	"minigem/internal/terminal"
	"minigem/internal/text"
	"minigem/llm"
)

// share writes the conversation to a new file, as Markdown or JSON depending on its
// extension. Secrets are masked.
func share(t *call) error {
	name := t.args
	if len(t.conversation()) == 0 {
		return errors.New("the conversation is still empty")
	}
	name = cmp.Or(name, fmt.Sprintf("gemini-conversation-%d.json", t.sys.Now().UnixMilli()))
	path := name
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		path = filepath.Join(t.runtime.Config.Home, rest)
	}
	path = text.Abs(t.runtime.Config.Dir, path)
	var data []byte
	var err error
	switch filepath.Ext(path) {
	case ".json":
		data, err = json.MarshalIndent(t.conversation(), "", "  ")
	case ".md":
		data = []byte(markdownOf(t.conversation()))
	default:
		return fmt.Errorf("%s: the file must end in .md or .json", name)
	}
	switch {
	case err != nil:
		return err
	case app.Exists(path):
		return fmt.Errorf("%s already exists", name)
	}
	if err := atomicfile.WriteFile(path, t.runtime.Config.Mask(data), 0o600); err != nil {
		return fmt.Errorf("writing the conversation: %w", err)
	}
	t.term.Print("Written: " + terminal.Clean(t.shortenHome(path)))
	return nil
}

// markdownOf renders a conversation for people: messages, calls and results.
func markdownOf(messages []llm.Message) string {
	var sections []string
	add := func(format string, args ...any) { sections = append(sections, fmt.Sprintf(format, args...)) }
	last := llm.Role("")
	for _, m := range messages {
		text := strings.TrimSpace(llm.PartsText(m.Parts))
		if m.Role != last && (text != "" || m.Role == llm.RoleModel) {
			add("## %s", map[llm.Role]string{llm.RoleUser: "User", llm.RoleModel: "Model"}[m.Role])
			last = m.Role
		}
		if text != "" {
			add("%s", text)
		}
		for _, c := range m.Calls() {
			add("Calls `%s`:\n\n%s", c.Name, fenced("json", indented(c.Args)))
		}
		for _, r := range llm.PartsResults(m.Parts) {
			add("`%s` returns:\n\n%s", r.Name, resultBlock(r))
		}
	}
	return strings.Join(sections, "\n\n") + "\n"
}

// resultBlock renders a plain output as it is, and anything else as JSON.
func resultBlock(r llm.ToolResult) string {
	if text, ok := r.Response["output"].(string); ok && len(r.Response) == 1 {
		return fenced("", text)
	}
	return fenced("json", indented(r.Response))
}

func indented(v map[string]any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(v) // it was decoded from JSON
	return b.String()
}

// fenced returns a code block with a fence that s does not contain.
func fenced(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}
