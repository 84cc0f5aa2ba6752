package fakemodel

import (
	"minigem/e2e/fakegemini"
	"minigem/llm"
	"minigem/llm/script"
)

// serveGemini lets fakegemini answer, from the turns of this server.
func (x *exchange) serveGemini() {
	rec := &fakegemini.Request{Number: x.rec.Number, Time: x.rec.Time}
	defer func() {
		x.rec.Body, x.rec.Status, x.rec.Fault, x.rec.Parsed = rec.Body, rec.Status, rec.Fault, rec.Parsed
		x.rec.Problems = append(rec.Problems, x.rec.Problems...)
	}()
	x.s.gemini.Handle(x.ResponseWriter, x.req, rec, geminiSource{x})
}

// geminiSource gives fakegemini the turns.
type geminiSource struct{ x *exchange }

func (g geminiSource) Next(m script.Method, req llm.Request) (script.Entry, error) {
	return g.pick(m, req, true)
}

func (g geminiSource) Peek(m script.Method, req llm.Request) (script.Entry, error) {
	return g.pick(m, req, false)
}

func (g geminiSource) pick(m script.Method, req llm.Request, remove bool) (script.Entry, error) {
	x := g.x
	x.asked = asked{Request: req, schema: req.Sampling.JSONSchema}
	for _, t := range req.Tools {
		x.asked.tools = append(x.asked.tools, Tool{Name: t.Name, Kind: "function", Schema: t.Parameters})
	}
	x.rec.Tools = x.asked.tools
	x.rec.Side = m == script.Count || len(req.Tools) == 0 && !x.s.opts.ToolLess
	kind := m
	if m != script.Count && !x.s.opts.ToolLess {
		kind = script.Stream
		if x.rec.Side {
			kind = script.Whole
		}
	}
	e, err := x.pick(kind, remove)
	if err != nil {
		return e, err
	}
	return as(e, m), nil
}

// as makes an answer one of the method that was asked for.
func as(e script.Entry, m script.Method) script.Entry {
	if e.Method == script.Stream && m == script.Whole {
		var whole llm.Chunk
		for _, c := range e.Chunks {
			parts := append(whole.Parts, c.Parts...)
			whole, whole.Parts = c, parts
		}
		e.Chunks = []llm.Chunk{whole}
	}
	e.Method = m
	return e
}
