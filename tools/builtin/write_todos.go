package builtin

import (
	"context"
	"fmt"
	"strings"

	"minigem/tools"
)

// writeTodosSchema is the only schema of these tools that refuses unknown fields in an
// item.
const writeTodosSchema = `{
  "type": "object",
  "properties": {
    "todos": {
      "type": "array",
      "description": "The whole list; it replaces the one before.",
      "items": {
        "type": "object",
        "properties": {
          "description": {"type": "string", "description": "What is to be done."},
          "status": {"type": "string", "enum": ["pending", "in_progress", "completed", "cancelled", "blocked"],
            "description": "How far it is."}
        },
        "required": ["description", "status"],
        "additionalProperties": false
      }
    }
  },
  "required": ["todos"]
}`

// Todo is a task of the list that write_todos keeps. The tool checks the status and
// that no more than one task is in progress.
type Todo struct {
	// Description is one line for people.
	Description string `json:"description"`
	// Status is pending, in_progress, completed, cancelled or blocked.
	Status string `json:"status"`
}

// Todos is the display of write_todos: the whole list, which replaces the one before.
type Todos struct {
	// Todos is in the order of the model. It is the display of a result, and never null
	// there.
	Todos []Todo `json:"todos"`
}

// WriteTodos returns the tool write_todos (core/tools/write-todos.ts). It stores nothing:
// the list is what its last result displays.
func WriteTodos() tools.Tool {
	return tool("write_todos", writeTodosSchema,
		tools.Info{DisplayName: "WriteTodos", Kind: tools.KindThink, Markdown: true}, writeTodosCall{})
}

// writeTodosCall is the whole list, which replaces the one before.
type writeTodosCall struct{ Todos }

// Complete implements tools.Completer. It refuses a blank description, and a list with more
// than one task in progress.
func (c *writeTodosCall) Complete(map[string]any) error {
	working := 0
	for _, todo := range c.Todos.Todos {
		if strings.TrimSpace(todo.Description) == "" {
			return invalid("Each todo must have a non-empty description string")
		}
		if todo.Status == "in_progress" {
			working++
		}
	}
	if working > 1 {
		return invalid(`Invalid parameters: Only one task can be "in_progress" at a time.`)
	}
	return nil
}

// Intent implements tools.Invocation. People read how many tasks there are.
func (c *writeTodosCall) Intent() tools.Intent {
	if len(c.Todos.Todos) == 0 {
		return tools.Intent{Description: "Cleared todo list"}
	}
	return tools.Intent{Description: fmt.Sprintf("Set %d todo(s)", len(c.Todos.Todos))}
}

// Run implements tools.Invocation. It cannot fail. The display is a [Todos], which is
// never nil.
func (c *writeTodosCall) Run(context.Context) (tools.Result, error) {
	if len(c.Todos.Todos) == 0 {
		return tools.TextResult("Successfully cleared the todo list.", Todos{Todos: []Todo{}}), nil
	}
	text := "Successfully updated the todo list. The current list is now:"
	for i, todo := range c.Todos.Todos {
		text += fmt.Sprintf("\n%d. [%s] %s", i+1, todo.Status, todo.Description)
	}
	return tools.TextResult(text, c.Todos), nil
}
