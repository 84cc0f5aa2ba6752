package toolcall

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"minigem/agent/event"
	"minigem/hooks/protocol"
	"minigem/llm"
	"minigem/tools"
)

// defaultMaxOutput is the limit, in characters, if Runner.MaxOutput is 0.
const defaultMaxOutput = 40_000

// output is a result in the form for the model.
type output struct {
	text  string
	blobs []llm.Part
}

// encode joins the texts among parts; other parts stay separate.
// (core/scheduler/tool-executor.ts)
func encode(parts []llm.Part) output {
	var texts []string
	var o output
	for _, p := range parts {
		if t, ok := p.(llm.Text); ok {
			texts = append(texts, t.Text)
		} else {
			o.blobs = append(o.blobs, p)
		}
	}
	o.text = strings.Join(texts, "\n")
	if len(texts) == 0 && len(o.blobs) > 0 {
		o.text = fmt.Sprintf("Binary content provided (%d item(s)).", len(o.blobs))
	}
	return o
}

// response returns a result in the form for AfterTool hooks: llmContent is a
// string if everything is text, else a part or an array of parts in the API's
// form.
func response(res tools.Result, failure *tools.Error) protocol.ToolResponse {
	if failure != nil {
		return protocol.ToolResponse{
			LLMContent:    cmp.Or(failure.Content, failure.Message),
			ReturnDisplay: cmp.Or(failure.Display, failure.Message),
			Error:         &protocol.ToolError{Message: failure.Message, Type: string(failure.Type)},
		}
	}
	o := encode(res.Parts)
	out := protocol.ToolResponse{LLMContent: o.text, ReturnDisplay: shown(res, o)}
	if len(o.blobs) == 0 {
		return out
	}
	raw := make([]json.RawMessage, 0, len(res.Parts))
	for _, p := range res.Parts {
		data, err := llm.MarshalPart(p)
		if err != nil { // an Opaque part of invalid JSON
			data = []byte("null")
		}
		raw = append(raw, data)
	}
	out.LLMContent = raw
	if len(raw) == 1 {
		out.LLMContent = raw[0]
	}
	return out
}

// shown returns what people read: the display of the tool, else the text that the model
// gets.
func shown(res tools.Result, o output) any {
	if res.Display != nil {
		return res.Display
	}
	return o.text
}

// notes returns what is appended to a result: context of hooks, and a note if they
// changed the arguments.
func (c *call) notes(contexts ...string) string {
	var b strings.Builder
	for _, context := range contexts {
		if context = strings.Trim(context, "\n"); context != "" {
			b.WriteString("\n\n" + context)
		}
	}
	if c.changed {
		b.WriteString("\n\n" + changedNote)
	}
	return b.String()
}

// settle gives the call the result of its tool.
func (c *call) settle(res tools.Result, failure *tools.Error, notes string) {
	if failure != nil {
		failure.Display = cmp.Or(failure.Display, failure.Message)
		failure.Message += notes
		c.fail(failure)
		return
	}
	o := encode(res.Parts)
	c.record.Status = event.ToolSuccess
	c.record.Display = shown(res, o)
	c.record.Description = c.describe()
	if res.Truncatable {
		o.text = c.truncate(o.text)
	}
	c.done("output", o.text+notes, o.blobs)
}

// fail gives the call an error as its result.
func (c *call) fail(e *tools.Error) {
	c.record.Status = event.ToolError
	c.record.ErrorType, c.record.ErrorMessage = string(e.Type), e.Message
	c.record.Display = cmp.Or(e.Display, e.Message)
	if c.first != nil {
		c.record.Description = c.first.Spec().Description
	}
	c.done("error", e.Message, nil)
}

// cancel gives the call the result of a cancelled one; partial is its output
// until then.
func (c *call) cancel(ctx context.Context, partial string) {
	text := cancelledPrefix + context.Cause(ctx).Error()
	if partial != "" {
		text += "\n" + partial
	}
	c.dismiss(text)
}

// notRun is the answer to a call that never started; why follows.
const notRun = "not run: "

// dismiss answers a call that did not run, or not to its end, with text.
func (c *call) dismiss(text string) {
	c.record.Status = event.ToolCancelled
	c.record.ErrorMessage, c.record.Display = text, text
	if c.inv != nil {
		c.record.Description = c.describe()
	}
	c.done("error", text, nil)
}

// show fills in how t is shown; it may be nil.
func show(r *event.ToolRecord, t tools.Tool) {
	if t == nil {
		return
	}
	info := t.Info()
	r.DisplayName, r.Markdown = cmp.Or(info.DisplayName, r.DisplayName), info.Markdown
	if info.MCP != nil {
		r.MCPServer = info.MCP.Server
	}
}

// done completes the record. It uses the name and id that the model asked for, whatever
// ran in the end.
func (c *call) done(key, text string, blobs []llm.Part) {
	r := &c.record
	r.Call = c.asked
	if r.Args == nil {
		r.Args = c.asked.Args
	}
	r.Result = llm.ToolResult{ID: c.asked.ID, Name: c.asked.Name, Response: map[string]any{key: text}, Parts: blobs}
	r.DisplayName = c.asked.Name
	show(r, c.first)
	r.Finished = c.batch.now()
	if c.tails > 0 {
		c.keep(r.Status)
	}
	c.batch.finish(c)
}

// truncate reduces a long text to the first fifth and the last four fifths of
// the limit.
func (c *call) truncate(text string) string {
	limit := cmp.Or(c.batch.MaxOutput, defaultMaxOutput)
	if limit < 0 || utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)
	head := limit / 5
	tail := limit - head
	where := "the rest was not saved"
	if c.batch.Save != nil {
		if path, err := c.batch.Save(c.step, text); err == nil {
			where = "the full output is in " + path
		} else {
			where = "the full output could not be saved: " + err.Error()
		}
	}
	return fmt.Sprintf(
		"Output too long: these are its first %s and last %s characters; %s\n%s\n\n... [%s characters left out] ...\n\n%s",
		thousands(head), thousands(tail), where,
		string(runes[:head]), thousands(len(runes)-limit), string(runes[len(runes)-tail:]))
}

// thousands formats n with commas: 8,000.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
