package agent

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/llm"
)

// run is the state of one prompt.
type run struct {
	*Agent
	Hooks  Hooks // never nil
	given  Prompt
	prompt llm.Message // the prompt of this attempt, as the history has it
	notes  []note
	loop   detector
	loops  int // loops found in this attempt
	ids    ids
	usage  llm.Usage
	rounds int
}

// note is the context that a BeforeAgent hook added to a prompt. Requests of
// this run contain it; the history never does.
type note struct {
	prompt  llm.Message
	context string
}

// begin makes the state of a prompt. The ids of all calls in the history are taken,
// including those of earlier runs.
func (a *Agent) begin(p Prompt) *run {
	r := &run{Agent: a, Hooks: a.Hooks, given: p}
	if r.Hooks == nil {
		r.Hooks = noHooks{}
	}
	r.ids = a.idsOf(a.History.Messages())
	return r
}

// noText is what hooks read for an empty answer (core/core/client.ts).
const noText = "[no response text]"

// message is the prompt in the form in which it is sent: the session's context
// precedes the first text, in the same part (core/core/turn.ts).
func (p Prompt) message() llm.Message {
	parts := slices.Clone(p.Parts)
	if len(parts) == 0 {
		parts = []llm.Part{llm.Text{Text: p.Text}}
	}
	if p.Context == "" {
		return llm.Message{Role: llm.RoleUser, Parts: parts}
	}
	lead := strings.Trim(p.Context, "\n") + "\n\n"
	if first, ok := parts[0].(llm.Text); ok {
		first.Text = lead + first.Text
		parts[0] = first
	} else {
		parts = slices.Insert(parts, 0, llm.Part(llm.Text{Text: lead}))
	}
	return llm.Message{Role: llm.RoleUser, Parts: parts}
}

// addContext notes what BeforeAgent hooks add to prompt.
func (r *run) addContext(prompt llm.Message, context string) {
	if context != "" {
		r.notes = append(r.notes, note{prompt, strings.Trim(context, "\n")})
	}
}

// messages returns the messages of the next request, with each note after its
// prompt.
func (r *run) messages() []llm.Message {
	history := r.History.Messages()
	if messages, ok := r.sending.of(history, r.notes); ok {
		return messages
	}
	return normalize(r.searchNotes(history))
}

// searchNotes adds the notes to a history that was rewritten. The note of a
// prompt that was compressed away goes to the user's last message.
func (r *run) searchNotes(messages []llm.Message) []llm.Message {
	out := slices.Clone(messages)
	end := len(out)
	for _, n := range slices.Backward(r.notes) {
		at := lastEqual(out[:end], n.prompt)
		if at >= 0 {
			end = at
		} else if at = lastOf(out, llm.RoleUser); at < 0 {
			continue
		}
		out[at] = withNote(out[at], n)
	}
	return out
}

// lastEqual returns the index of the last message that equals m, or -1.
func lastEqual(messages []llm.Message, m llm.Message) int {
	for i, o := range slices.Backward(messages) {
		if o.Role == m.Role && reflect.DeepEqual(o.Parts, m.Parts) {
			return i
		}
	}
	return -1
}

// lastOf returns the index of the last message of the role, or -1.
func lastOf(messages []llm.Message, role llm.Role) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == role {
			return i
		}
	}
	return -1
}

// preamble returns a copy of the messages that clearContext keeps.
func (r *run) preamble() []llm.Message {
	all := r.History.Messages()
	n := 0
	if r.Config.Preamble != nil {
		n = min(r.Config.Preamble(), len(all))
	}
	return slices.Clone(all[:n])
}

// clear restarts the history for a retry. The user's own prompt stays: without
// it the model would know nothing but the hook's reason.
func (r *run) clear() {
	r.History.Replace(append(r.preamble(), r.given.message()))
	r.notes = slices.DeleteFunc(r.notes, func(n note) bool {
		return !reflect.DeepEqual(n.prompt, r.given.message())
	})
	r.loop.reset()
}

// undoPrompt removes the attempt's prompt if nothing was answered yet, so that
// a failed request leaves the history as it was (core/core/geminiChat.ts).
func (r *run) undoPrompt() {
	all := r.History.Messages()
	if n := len(all) - 1; n >= 0 && lastEqual(all[n:], r.prompt) == 0 {
		r.History.Rollback(n)
	}
}

// maxRetries returns how many answers in a row AfterAgent hooks may refuse.
func (r *run) maxRetries() int {
	if r.Config.MaxRetries > 0 {
		return r.Config.MaxRetries
	}
	return 10
}

// warnRetries tells the user that an answer is given although hooks refuse it.
func (r *run) warnRetries(v hooks.Verdict) {
	r.emit(event.Notice{Severity: "warning", Text: fmt.Sprintf(
		"AfterAgent hook %s refused %d answers in a row; the last one stands. Its reason: %s",
		strings.Join(v.Hooks, ", "), r.maxRetries()+1, v.Reason)})
}

// stopped announces that hooks of the event ev ended the run, and returns its result.
func (r *run) stopped(ev string, v hooks.Verdict) Result {
	r.emit(event.Stopped{Event: ev, Reason: v.Reason})
	return Result{Ending: Stopped, Reason: v.Reason}
}

// blocked announces that hooks of the event ev denied, and returns the result of the
// run.
func (r *run) blocked(ev string, v hooks.Verdict) Result {
	r.emit(event.Blocked{Event: ev, Reason: v.Reason})
	return Result{Ending: Blocked, Reason: v.Reason}
}

// cancelled returns the result of a run whose context has ended.
func cancelled(ctx context.Context) Result {
	err := context.Cause(ctx)
	return Result{Ending: Cancelled, Reason: err.Error(), Err: err}
}

// total completes the result of a run with what all its attempts used.
func (r *run) total(res Result) Result {
	if len(r.notes) > 0 {
		r.sending.forget() // notes belong to this run
	}
	res.Usage, res.Rounds = r.usage, r.rounds
	if res.Ending == Answered {
		res.Reason = ""
	}
	return res
}

// count adds the usage of one request; nil counts nothing.
func (r *run) count(u *llm.Usage) {
	if u == nil {
		return
	}
	r.promptTokens = u.Prompt
	r.usage.Prompt += u.Prompt
	r.usage.Candidates += u.Candidates
	r.usage.Total += u.Total
	r.usage.Cached += u.Cached
	r.usage.Thoughts += u.Thoughts
	r.usage.ToolUse += u.ToolUse
}

// emit gives e to the Sink, if there is one.
func (a *Agent) emit(e event.Event) {
	if a.Sink != nil {
		a.Sink.Emit(e)
	}
}

// now returns the time by Config.Now.
func (a *Agent) now() time.Time {
	if a.Config.Now != nil {
		return a.Config.Now()
	}
	return time.Now()
}

// sleep waits by Config.Sleep; without it, for d or until ctx ends.
func (a *Agent) sleep(ctx context.Context, d time.Duration) {
	if a.Config.Sleep != nil {
		a.Config.Sleep(ctx, d)
		return
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
