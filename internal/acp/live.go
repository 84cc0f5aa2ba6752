package acp

import (
	"strings"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"minigem/agent/event"
)

// The end of a running command's output is shown, but not updated at every write.
const (
	mostLive  = 8 << 10
	livePause = 100 * time.Millisecond
)

// printed holds the output of running calls, by call id.
type printed struct {
	mu  sync.Mutex // held while sending, so that no output follows the call's result
	end map[string]string
	due map[string]*time.Timer
}

// output records what a call prints and shows it within livePause.
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
		return // the call has already ended
	}
	delete(p.due, id)
	c.update(acp.UpdateToolCall(acp.ToolCallId(id), acp.WithUpdateStatus(acp.ToolCallStatusInProgress),
		acp.WithUpdateContent(texts(p.end[id]))))
}

// forgetPrinted discards the output of a call, because its result is about to be sent.
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
