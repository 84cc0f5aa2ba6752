package acp

import (
	"strings"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"minigem/agent/event"
)

// Of what a command has printed so far, the end is shown, and not at every write.
const (
	mostLive  = 8 << 10
	livePause = 100 * time.Millisecond
)

// printed is what the calls that run have printed, by their ids.
type printed struct {
	mu  sync.Mutex // held while it is sent: nothing comes behind the result of a call
	end map[string]string
	due map[string]*time.Timer
}

// output notes what a call prints, and shows it within livePause.
func (c *conversation) output(e event.ToolOutput) {
	p := &c.live
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.end == nil {
		p.end, p.due = map[string]string{}, map[string]*time.Timer{}
	}
	all := p.end[e.CallID] + e.Text
	p.end[e.CallID] = strings.ToValidUTF8(all[max(len(all)-mostLive, 0):], "")
	if p.due[e.CallID] == nil {
		p.due[e.CallID] = time.AfterFunc(livePause, func() { c.showPrinted(e.CallID) })
	}
}

func (c *conversation) showPrinted(id string) {
	p := &c.live
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.due[id] == nil {
		return // the call has its result
	}
	delete(p.due, id)
	c.update(acp.UpdateToolCall(acp.ToolCallId(id), acp.WithUpdateStatus(acp.ToolCallStatusInProgress),
		acp.WithUpdateContent(texts(p.end[id]))))
}

// forgetPrinted ends the output of a call, whose result follows.
func (c *conversation) forgetPrinted(id string) {
	p := &c.live
	p.mu.Lock()
	defer p.mu.Unlock()
	if due := p.due[id]; due != nil {
		due.Stop()
	}
	delete(p.due, id)
	delete(p.end, id)
}
