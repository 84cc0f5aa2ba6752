package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"minigem/llm"
	"minigem/tools"
)

// Skill is a skill that a model may activate.
type Skill struct {
	// Name is the name by which the model calls it. The model chooses by Description.
	Name, Description string
	// Instructions is the text that the model gets when it activates the skill.
	Instructions string
	// Dir is the folder of the skill, with whatever else belongs to it.
	Dir string
	// Extension is the extension that brought it; empty if there is none.
	Extension string
}

// Skills configures activate_skill. Its functions are called concurrently.
type Skills struct {
	// List returns the skills that may be activated now; nil leaves activate_skill out.
	List func() []Skill
	// Tree draws the folder of a skill, for the model and for the user who is asked.
	// The text may have several lines. Required if List is set.
	Tree func(ctx context.Context, dir string) string
	// Activate makes the folder of a skill readable. Its error is the call's. It is
	// called in Run, before the model gets the instructions. Required if List is set.
	Activate func(Skill) error
}

// activateSkill is the tool. It is made anew for each declaration and each call, because
// the skills may change during a session.
type activateSkill struct {
	tools.Tool
	skills Skills
}

// ActivateSkill returns the tool activate_skill (core/tools/activate-skill.ts). Its
// declaration lists the skills that there are at that moment. The model gets the
// instructions and the tree of files; an error of Activate is [tools.ErrExecutionFailed].
func ActivateSkill(s Skills) tools.Tool { return activateSkill{s.tool(nil), s} }

// Spec implements tools.Tool.
func (t activateSkill) Spec() llm.ToolSpec { return t.skills.tool(t.skills.List()).Spec() }

// Prepare implements tools.Tool.
func (t activateSkill) Prepare(args map[string]any) (tools.Invocation, error) {
	return t.skills.tool(t.skills.List()).Prepare(args)
}

// tool makes the tool for the skills of list.
func (s Skills) tool(list []Skill) tools.Tool {
	name := map[string]any{"type": "string", "description": "The skill to activate."}
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	if names != nil {
		name["enum"] = names
	}
	b, err := json.Marshal(map[string]any{
		"type": "object", "properties": map[string]any{"name": name}, "required": []string{"name"},
		"additionalProperties": false,
	})
	if err != nil {
		panic(err) // unreachable: strings can be encoded
	}
	return tool("activate_skill", string(b),
		tools.Info{DisplayName: "Activate Skill", Kind: tools.KindOther, Markdown: true},
		activateSkillCall{skills: s, list: list})
}

// activateSkillCall activates one skill, with the text that it had when the call was
// prepared.
type activateSkillCall struct {
	skills Skills
	list   []Skill
	skill  Skill

	Name string `json:"name"`
}

// Complete implements tools.Completer. The skill has to be in the list at that moment.
func (c *activateSkillCall) Complete(map[string]any) error {
	for _, s := range c.list {
		if s.Name == c.Name {
			c.skill = s
			return nil
		}
	}
	return invalid("There is no skill %q.", c.Name)
}

// Intent implements tools.Invocation. It draws the folder of the skill, so that the user
// sees what the model may read.
func (c *activateSkillCall) Intent() tools.Intent {
	return tools.Intent{
		Description: c.skill.Name + ": " + c.skill.Description,
		Title:       "Activate Skill: " + c.skill.Name,
		Info: &tools.InfoIntent{
			Prompt: fmt.Sprintf("The model is told to follow the skill %s, and may read its files.\n\n%s\n\n%s",
				c.skill.Name, c.skill.Description, c.skills.Tree(context.Background(), c.skill.Dir))},
	}
}

// Run implements tools.Invocation. The model gets the instructions and the folder's tree
// in <activated_skill>.
func (c *activateSkillCall) Run(ctx context.Context) (tools.Result, error) {
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	if err := c.skills.Activate(c.skill); err != nil {
		return tools.Result{}, tools.Errorf(tools.ErrExecutionFailed, "activating the skill %s: %w", c.skill.Name, err)
	}
	tree := strings.TrimSpace(c.skills.Tree(ctx, c.skill.Dir))
	indent := func(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") }
	text := fmt.Sprintf(
		"<activated_skill name=%q>\n  <instructions>\n%s\n  </instructions>\n\n  <available_resources>\n%s\n"+
			"  </available_resources>\n</activated_skill>",
		c.skill.Name, indent(c.skill.Instructions), indent(tree))
	return tools.TextResult(text, fmt.Sprintf("Skill **%s** activated. Resources loaded from `%s`:\n\n%s", c.skill.Name,
		c.skill.Dir, tree)), nil
}
