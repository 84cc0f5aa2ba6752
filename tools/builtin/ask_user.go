package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"minigem/tools"
)

// askUserSchema is what the model is shown. How many options a choice has is checked by
// Prepare.
const askUserSchema = `{
  "type": "object",
  "properties": {
    "questions": {
      "type": "array", "minItems": 1, "maxItems": 4, "description": "One to four questions, asked together.",
      "items": {
        "type": "object",
        "properties": {
          "question": {"type": "string", "minLength": 1, "description": "The question."},
          "header": {"type": "string", "minLength": 1, "description": "One or two words shown above it."},
          "type": {"type": "string", "enum": ["choice", "text", "yesno"],
            "description": "What kind of answer it wants."},
          "options": {
            "type": "array", "description": "For 'choice': two to four answers to choose from.",
            "items": {
              "type": "object",
              "properties": {
                "label": {"type": "string", "minLength": 1, "description": "The answer, in a few words."},
                "description": {"type": "string", "description": "What it means."}
              },
              "required": ["label", "description"]
            }
          },
          "multiSelect": {"type": "boolean", "description": "For 'choice': several may be chosen. Default: false."},
          "placeholder": {"type": "string", "description": "For 'text': an example of an answer."}
        },
        "required": ["question", "header", "type"]
      }
    }
  },
  "required": ["questions"]
}`

// Question is one question of ask_user.
type Question struct {
	// Question is the text; it may have several lines.
	Question string `json:"question"`
	// Header is shown above the question: one or two words.
	Header string `json:"header"`
	// Type is "choice", "text" or "yesno".
	Type string `json:"type"`
	// Options are the two to four answers of a "choice"; ignored for other types.
	Options []Option `json:"options"`
	// MultiSelect lets several options of a "choice" be chosen.
	MultiSelect bool `json:"multiSelect"`
	// Placeholder is an example of the answer to a "text"; may be empty.
	Placeholder string `json:"placeholder"`
}

// Option is an answer to choose.
type Option struct {
	// Label is the answer, in a few words; the model gets it as the answer.
	Label string `json:"label"`
	// Description says what it means.
	Description string `json:"description"`
}

// Asker asks the user questions.
type Asker interface {
	// AskQuestions returns answers by the index of the question; a question without one
	// was not answered. ok is false if the user dismissed the questions. It returns
	// soon after ctx has ended. answers may be nil. An error means that the user could
	// not be asked at all.
	AskQuestions(ctx context.Context, qs []Question) (answers map[int]string, ok bool, err error)
}

// Dialogue is an [Asker] for which several calls can be one dialogue: what the user types
// between two of them is for the next one.
type Dialogue interface {
	Asker
	// Together calls ask with an Asker for one dialogue, which must not be used after ask
	// has returned.
	Together(ask func(Asker))
}

// Together calls ask once: with a dialogue of a if a is a [Dialogue], else with a. It
// returns when ask has.
func Together(a Asker, ask func(Asker)) {
	if d, ok := a.(Dialogue); ok {
		d.Together(ask)
		return
	}
	ask(a)
}

// AskOne asks one question. ok is false if the user dismissed it, if it could not be
// asked, or if ctx has ended; the answer does not count then. asker may be nil, which is
// a session without a user.
func AskOne(ctx context.Context, asker Asker, q Question) (answer string, ok bool) {
	if asker == nil {
		return "", false
	}
	answers, ok, err := asker.AskQuestions(ctx, []Question{q})
	return answers[0], ok && err == nil && ctx.Err() == nil
}

// dismissed is what the model reads if the user closes the questions. It is a result
// and no error: the model goes on without an answer.
const dismissed = "User dismissed the questions without answering."

// AskUser returns the tool ask_user (core/tools/ask-user.ts). It asks one to four
// questions and returns {"answers": {"0": "..."}} to the model. Questions that the user
// dismissed are no error. An error of asker is [tools.ErrExecutionFailed]. It must not be
// offered without a user.
func AskUser(asker Asker) tools.Tool {
	return tool("ask_user", askUserSchema,
		tools.Info{DisplayName: "Ask User", Kind: tools.KindCommunicate, Markdown: true, Sequential: true},
		askUserCall{asker: asker})
}

// askUserCall is one set of questions, asked together. The answers go by the index in
// Questions.
type askUserCall struct {
	asker Asker

	Questions []Question `json:"questions"`
}

// Complete implements tools.Completer. Beyond the schema, a question and its header must not be
// blank, and a "choice" has two to four options. A literal \n, as models write it,
// becomes a line break.
func (c *askUserCall) Complete(map[string]any) error {
	for i, q := range c.Questions {
		c.Questions[i].Question = strings.ReplaceAll(q.Question, `\n`, "\n") // models write it so
		if strings.TrimSpace(q.Question) == "" || strings.TrimSpace(q.Header) == "" {
			return invalid("Question %d: 'question' and 'header' must be non-empty.", i+1)
		}
		if n := len(q.Options); q.Type == "choice" && (n < 2 || n > 4) {
			return invalid("Question %d: type 'choice' requires 2 to 4 options, not %d.", i+1,
				n)
		}
	}
	return nil
}

// Intent implements tools.Invocation. It names the headers of the questions.
func (c *askUserCall) Intent() tools.Intent {
	headers := make([]string, len(c.Questions))
	for i, q := range c.Questions {
		headers[i] = q.Header
	}
	return tools.Intent{Description: "Asking user: " + strings.Join(headers, ", ")}
}

// Run implements tools.Invocation. It waits for the user, however long that takes, or
// until ctx ends.
func (c *askUserCall) Run(ctx context.Context) (tools.Result, error) {
	answers, ok, err := c.asker.AskQuestions(ctx, c.Questions)
	switch {
	case ctx.Err() != nil:
		return tools.Result{}, context.Cause(ctx)
	case err != nil:
		return tools.Result{}, tools.Errorf(tools.ErrExecutionFailed, "asking the user: %w", err)
	case !ok:
		return tools.TextResult(dismissed, "User dismissed dialog"), nil
	}
	show := "User answered:"
	given := map[string]string{}
	for i, q := range c.Questions {
		if a, ok := answers[i]; ok {
			given[strconv.Itoa(i)] = a
			show += fmt.Sprintf("\n  %s → %s", q.Header, a)
		}
	}
	if len(given) == 0 {
		show = "User submitted without answering questions."
	}
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err = enc.Encode(map[string]any{"answers": given})
	return tools.TextResult(strings.TrimSuffix(text.String(), "\n"), show), err
}
