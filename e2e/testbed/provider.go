package testbed

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"minigem/hooks"
	"minigem/llm"
	"minigem/llm/script"
)

// Request is a request that the model received.
type Request struct {
	llm.Request
	Method script.Method
}

// provider answers from a case's rounds and records the requests. It is safe for
// concurrent use.
type provider struct {
	mu       sync.Mutex
	left     []Round
	repeated map[queue]*Round
	agents   map[string]bool // subagents with answers of their own
	requests []Request
	missing  error  // the first request that had no answer
	none     string // why the case has no model; empty if it has one
}

// queue identifies answers that are given in order.
type queue struct {
	agent  string
	method script.Method
}

func newProvider(c *Case) *provider {
	p := &provider{left: append([]Round(nil), c.Rounds...), repeated: map[queue]*Round{}, agents: map[string]bool{}}
	if c.Rounds == nil {
		p.none = "the case has no -- model -- section" + c.misspelt(modelSection)
	}
	for _, r := range c.Rounds {
		p.agents[r.Agent] = true
	}
	return p
}

// queue returns the queue for a request. A subagent without answers of its own shares the
// main agent's queue.
func (p *provider) queue(ctx context.Context, m script.Method) queue {
	if name := hooks.SubagentOf(ctx).Type; p.agents[name] {
		return queue{name, m}
	}
	return queue{"", m}
}

// next takes the answer for a request: the first remaining one of its agent and method.
func (p *provider) next(ctx context.Context, m script.Method, req llm.Request) (Round, error) {
	if err := ctx.Err(); err != nil {
		return Round{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = append(p.requests, Request{req, m})
	of := p.queue(ctx, m)
	for i, r := range p.left {
		if of != (queue{r.Agent, r.Method}) {
			continue
		}
		copy(p.left[1:], p.left[:i]) // shifts the front: the rest may be long
		p.left = p.left[1:]
		if r.Repeat {
			p.repeated[of] = &r
		}
		return r, nil
	}
	if r := p.repeated[of]; r != nil {
		return *r, nil
	}
	err := p.noAnswer(of, req)
	if p.missing == nil {
		p.missing = err
	}
	return Round{}, err
}

// note records a request that was answered elsewhere.
func (p *provider) note(r Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = append(p.requests, r)
}

func (p *provider) noAnswer(of queue, req llm.Request) error {
	e := &llm.Error{Kind: llm.ErrScript, Message: fmt.Sprintf("request %d (%s) has no answer", len(p.requests), of.method)}
	switch {
	case of.agent != "":
		e.Hint = fmt.Sprintf("add one to the -- %s%s -- section", agentPrefix, of.agent)
	case p.none != "":
		e.Hint = p.none
	case of.method == script.Whole:
		e.Hint = `add an answer with a "generate" line to the -- model -- section`
	default:
		e.Hint = "add one to the -- model -- section, after a blank line"
	}
	if len(req.Messages) > 0 {
		e.Hint += "; the request ends with\n" + renderNew(req.Messages)
	}
	return e
}

// Stream implements llm.Model.
func (p *provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		r, err := p.next(ctx, script.Stream, req)
		if err == nil && r.Err != nil {
			err = r.Err
		}
		if err != nil {
			yield(llm.Chunk{}, err)
			return
		}
		for _, c := range r.Chunks {
			if err := ctx.Err(); err != nil {
				yield(llm.Chunk{}, err)
				return
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

// Generate implements llm.Generator.
func (p *provider) Generate(ctx context.Context, req llm.Request) (llm.Chunk, error) {
	r, err := p.next(ctx, script.Whole, req)
	switch {
	case err != nil:
		return llm.Chunk{}, err
	case r.Err != nil:
		return llm.Chunk{}, r.Err
	}
	return r.Chunks[0], nil
}

// CountTokens implements llm.TokenCounter.
func (p *provider) CountTokens(ctx context.Context, req llm.Request) (int, error) {
	r, err := p.next(ctx, script.Count, req)
	return r.Tokens, err
}

// unused returns the answers that no request took.
func (p *provider) unused() []Round {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []Round
	for _, r := range p.left {
		if !r.Repeat {
			out = append(out, r)
		}
	}
	return out
}

func (p *provider) asOfNow() ([]Request, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clip(p.requests), p.missing
}
