package hooks

import (
	"context"
	"slices"

	"minigem/hooks/protocol"
	"minigem/llm"
)

// beforeModel holds what BeforeModel hooks can change.
type beforeModel struct {
	read     *ModelRequest // what the hooks read
	change   requestChange // what happened to it since
	said     selection     // of all hooks so far
	response *protocol.LLMResponse
}

// BeforeModel fires before each request to the model, retries of a failed request
// included. Hooks can deny or stop it, change it, or answer for the model. What hooks
// with async said since the last request is added to req's messages first. If the request
// is not sent, it is kept for the next one.
func (e *Engine) BeforeModel(ctx context.Context, req *ModelRequest) BeforeModelOutcome {
	said := e.takeLate()
	req = e.withLate(req, said)
	if e.idle(protocol.BeforeModel) {
		return BeforeModelOutcome{Request: req}
	}
	offered := toolNames(req.Tools)
	settle := func(s beforeModel) beforeModel {
		return beforeModel{read: s.said.narrow(req, s.change.apply(s.read)), said: s.said, response: s.response}
	}
	s, v := fire(ctx, e, event[beforeModel]{
		name:  protocol.BeforeModel,
		state: beforeModel{read: req},
		stdin: func(b protocol.Base, s beforeModel) Payload { return modelPayload(b, s.read.hookJSON()) },
		apply: func(s beforeModel, a *answer) beforeModel {
			if a.LLMRequest != nil {
				s.change = s.change.and(readChange(s.read, a.LLMRequest, a), a)
				s.said = s.said.and(checkTools(offered, a.LLMRequest.ToolConfig, a), s.read, a)
			}
			if a.LLMResponse != nil {
				if s.response != nil {
					a.note("replaces the answer of an earlier hook")
				}
				a.note("answers for the model")
				s.response = a.LLMResponse
			}
			return s
		},
		next: settle,
		effect: func(s beforeModel, _ Verdict) Effect {
			if s.response != nil {
				return Effect{Kind: EffectSynthetic, After: encode(s.response)}
			}
			if s.read != req {
				return Effect{Kind: EffectRewrite, Before: req.hookJSON().Bytes(), After: s.read.hookJSON().Bytes()}
			}
			return Effect{Kind: EffectNone}
		},
	})
	if held := s.said.held(); held != nil {
		s.read = s.read.Next(s.read.Request)
		s.read.held = held
	}
	out := BeforeModelOutcome{Verdict: v, Request: s.read}
	if s.response != nil {
		out.Response = []llm.Chunk{syntheticChunk(s.response)}
	}
	if out.Denied() || out.Response != nil {
		e.putBack(said)
	}
	return out
}

// BeforeToolSelection fires after BeforeModel, with the request as that left it. Hooks
// can narrow or force the tools, nothing else. Hooks of the project cannot take back a
// restriction by other hooks. It returns the request to send: req itself if nothing
// changed.
func (e *Engine) BeforeToolSelection(ctx context.Context, req *ModelRequest) *ModelRequest {
	if e.idle(protocol.BeforeToolSelection) {
		return req
	}
	type state struct {
		read *ModelRequest
		said selection // of all hooks so far
	}
	settle := func(s state) state { return state{s.said.narrow(req, req), s.said} }
	offered := toolNames(req.selectable())
	s, _ := fire(ctx, e, event[state]{
		name:  protocol.BeforeToolSelection,
		state: state{read: req},
		stdin: func(b protocol.Base, s state) Payload { return modelPayload(b, s.read.hookJSON()) },
		apply: func(s state, a *answer) state {
			s.said = s.said.and(checkTools(offered, a.ToolConfig, a), s.read, a)
			return s
		},
		next: settle,
		effect: func(s state, _ Verdict) Effect {
			if s.said.whole() == nil {
				return Effect{Kind: EffectNone}
			}
			return Effect{Kind: EffectTools, Before: encode(hookToolConfig(req.Choice)), After: encode(s.said.whole())}
		},
		tools: offered,
	})
	return s.read
}

// AfterModel fires for each streamed chunk, and for a hook's own answer, before it is
// shown, stored or acted on. req is the request as it was sent. Calls for chunks of one
// answer must come in order, because full_content is collected from them.
func (e *Engine) AfterModel(ctx context.Context, req *ModelRequest, chunk llm.Chunk) AfterModelOutcome {
	if e.idle(protocol.AfterModel) {
		return AfterModelOutcome{Chunk: chunk}
	}
	return e.afterModel(ctx, req, chunk)
}

// afterModel is separate from AfterModel because what its functions capture goes to the
// heap, a cost that AfterModel must not have without hooks.
func (e *Engine) afterModel(ctx context.Context, req *ModelRequest, chunk llm.Chunk) AfterModelOutcome {
	type state struct {
		read, chunk llm.Chunk
		replaced    bool
		turn        int // of the sequential hook that reads it
	}
	texts := []string{chunk.Text()} // by turn
	s, v := fire(ctx, e, event[state]{
		name:  protocol.AfterModel,
		state: state{read: chunk, chunk: chunk},
		stdin: func(b protocol.Base, s state) Payload {
			form := hookChunk(s.read)
			if s.turn == len(texts) {
				texts = append(texts, s.read.Text())
			}
			return chunkPayload(b, req.hookJSON(), form, req.soFar(s.turn), s.read.Text())
		},
		apply: func(s state, a *answer) state {
			if a.LLMResponse == nil {
				return s
			}
			if s.replaced {
				a.note("replaces the chunk of an earlier hook")
			} else {
				a.note("replaces the chunk")
			}
			s.chunk, s.replaced = replaceChunk(s.read, a.LLMResponse, a), true
			return s
		},
		next: func(s state) state { s.read, s.turn = s.chunk, s.turn+1; return s },
		effect: func(s state, _ Verdict) Effect {
			if !s.replaced {
				return Effect{Kind: EffectNone}
			}
			return Effect{Kind: EffectReplace, Before: encode(hookChunk(chunk)), After: encode(hookChunk(s.chunk))}
		},
	})
	req.Said(texts...)
	return AfterModelOutcome{Verdict: v, Chunk: s.chunk, Replaced: s.replaced}
}

// Said appends to the text of the answer to r that AfterModel hooks have read so far,
// which they find in full_content. texts holds what each hook read, in turn, if they are
// sequential; otherwise a single text. [Engine.AfterModel] calls it.
func (r *ModelRequest) Said(texts ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for turn, text := range texts {
		if turn == len(r.answers) {
			r.answers = append(r.answers, nil)
		}
		r.answers[turn] = append(r.answers[turn], inString(text)...)
	}
}

// soFar returns the answer's text as the hook at position turn has read it, as a JSON
// string without its quotes.
func (r *ModelRequest) soFar(turn int) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	if turn >= len(r.answers) {
		return nil
	}
	return slices.Clip(r.answers[turn])
}
