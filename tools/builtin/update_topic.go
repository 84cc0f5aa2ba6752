package builtin

import (
	"context"
	"strings"
	"sync"

	"minigem/tools"
)

// updateTopicSchema requires the next step only: title and summary are for a change of
// topic.
const updateTopicSchema = `{
  "type": "object",
  "properties": {
    "title": {"type": "string", "description": "What the work is about, in a few words, where that changed."},
    "summary": {"type": "string",
      "description": "What was found out or done so far, and what comes next, in a few sentences."},
    "strategic_intent": {"type": "string", "description": "What the next steps are for, in one sentence."}
  },
  "required": ["strategic_intent"]
}`

// topics remembers the title of the current session only, in order to display a title
// once.
type topics struct {
	session func() string

	mu    sync.Mutex
	title map[string]string // by session
}

// UpdateTopic returns the tool update_topic (core/tools/topicTool.ts). session returns
// the id of the session, whose topic it is. A title that the session has already is not
// displayed again. Nothing is stored.
func UpdateTopic(session func() string) tools.Tool {
	return tool("update_topic", updateTopicSchema, tools.Info{
		DisplayName: "Update Topic Context", Kind: tools.KindThink, Markdown: true, Sequential: true, First: true,
	}, updateTopicCall{topics: &topics{session: session}})
}

// updateTopicCall has its texts on one line each, except Summary.
type updateTopicCall struct {
	topics *topics

	Title   string `json:"title"`
	Summary string `json:"summary"`
	Aim     string `json:"strategic_intent"`
}

// Complete implements tools.Completer. It refuses a blank strategic_intent.
func (c *updateTopicCall) Complete(map[string]any) error {
	one := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	c.Title, c.Summary, c.Aim = one(c.Title), strings.TrimSpace(c.Summary), one(c.Aim)
	return required("strategic_intent", c.Aim)
}

// Intent implements tools.Invocation. It is the same whether or not the title is new.
func (c *updateTopicCall) Intent() tools.Intent {
	in := tools.Intent{Description: "Update tactical intent: \"" + c.Aim + "\""}
	if c.Title != "" {
		in.Description = "Update topic to: \"" + c.Title + "\""
	}
	return in
}

// Run implements tools.Invocation. A new title is displayed as a heading, with the
// summary; otherwise only the intent is.
func (c *updateTopicCall) Run(ctx context.Context) (tools.Result, error) {
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	t, session := c.topics, c.topics.session()
	t.mu.Lock()
	fresh := c.Title != "" && c.Title != t.title[session]
	if fresh {
		t.title = map[string]string{session: c.Title}
	}
	t.mu.Unlock()
	if !fresh {
		return tools.TextResult("Strategic Intent: "+c.Aim, "> "+c.Aim), nil
	}
	said, show := "Current topic: \""+c.Title+"\"", "## "+c.Title
	if c.Summary != "" {
		said, show = said+"\nTopic summary: "+c.Summary, show+"\n\n"+c.Summary
	}
	return tools.TextResult(said+"\n\nStrategic Intent: "+c.Aim, show+"\n\n> "+c.Aim), nil
}
