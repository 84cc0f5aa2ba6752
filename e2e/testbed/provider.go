package testbed

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"minigem/e2e/fakemodel"
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
	script.Answers
	mu       sync.Mutex
	answers  *fakemodel.Queue
	agents   map[string]bool // subagents with answers of their own
	requests []Request
	missing  error  // the first request that had no answer
	none     string // why the case has no model; empty if it has one
}

func newProvider(c *Case) *provider {
	p := &provider{answers: fakemodel.NewQueue(c.Rounds), agents: map[string]bool{}}
	if c.Rounds == nil {
		p.none = "the case has no -- model -- section" + c.misspelt(modelSection)
	}
	p.Answers = p.answer
	for _, r := range c.Rounds {
		p.agents[r.Agent] = true
	}
	return p
}

// asks returns the agent whose answers a request takes. A subagent without
// answers takes the main agent's answers.
func (p *provider) asks(ctx context.Context) string {
	if name := hooks.SubagentOf(ctx).Type; p.agents[name] {
		return name
	}
	return ""
}

// next takes the answer for a request: the first remaining one of its agent and method.
func (p *provider) next(ctx context.Context, m script.Method, req llm.Request) (Round, error) {
	if err := ctx.Err(); err != nil {
		return Round{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = append(p.requests, Request{req, m})
	agent := p.asks(ctx)
	r, _, ok := p.answers.Take(agent, m, true)
	if ok {
		return r, nil
	}
	err := p.noAnswer(agent, m, req)
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

func (p *provider) noAnswer(agent string, m script.Method, req llm.Request) error {
	e := &llm.Error{Kind: llm.ErrScript, Message: fmt.Sprintf("request %d (%s) has no answer", len(p.requests), m)}
	switch {
	case agent != "":
		e.Hint = fmt.Sprintf("add one to the -- %s%s -- section", agentPrefix, agent)
	case p.none != "":
		e.Hint = p.none
	case m == script.Whole:
		e.Hint = `add an answer with a "generate" line to the -- model -- section`
	default:
		e.Hint = "add one to the -- model -- section, after a blank line"
	}
	if len(req.Messages) > 0 {
		e.Hint += "; the request ends with\n" + renderNew(req.Messages)
	}
	return e
}

// answer implements [script.Answers].
func (p *provider) answer(ctx context.Context, m script.Method, req llm.Request) (script.Entry, error) {
	r, err := p.next(ctx, m, req)
	if err == nil && r.Err != nil {
		err = r.Err
	}
	return r.Entry, err
}

// unused returns the answers that no request took.
func (p *provider) unused() []Round {
	return slices.DeleteFunc(p.answers.Left(), func(r Round) bool { return r.Repeat })
}

func (p *provider) asOfNow() ([]Request, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clip(p.requests), p.missing
}
