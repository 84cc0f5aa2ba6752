package trace_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/internal/waittest"
)

// A browser is Chromium with one page, driven through its debugging pipe by JSON
// messages, each ended by a NUL.
type browser struct {
	t       *testing.T
	in      *os.File
	out     *bufio.Reader
	id      int
	session string
	events  []message // in the order of arrival
}

type message struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct{ Message string }
}

// browse opens html and waits until it is loaded.
func browse(t *testing.T, html string) *browser {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, []byte(html), 0o600))
	theirIn, ourOut, err := os.Pipe()
	require.NoError(t, err)
	ourIn, theirOut, err := os.Pipe()
	require.NoError(t, err)
	profile, err := os.MkdirTemp("", "minigem-chromium-")
	require.NoError(t, err)
	cmd := exec.CommandContext(waittest.Lifetime(t), program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-background-networking", "--disable-dev-shm-usage", "--user-data-dir="+profile, "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // file descriptors 3 and 4
	require.NoError(t, cmd.Start())
	require.NoError(t, theirIn.Close())
	require.NoError(t, theirOut.Close())
	b := &browser{t: t, in: ourOut, out: bufio.NewReader(ourIn)}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has nothing to save
		_ = cmd.Wait()
		_ = ourOut.Close()
		_ = ourIn.Close()
		_ = os.RemoveAll(profile) // its children may still write there
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Network", "Log", "Runtime"} {
		b.call(domain+".enable", nil, nil)
	}
	b.call("Page.navigate", map[string]any{"url": "file://" + file}, nil)
	b.wait("Page.loadEventFired")
	return b
}

// call sends a command and waits for its result.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	b.id++
	data, err := json.Marshal(map[string]any{"id": b.id, "method": method, "params": params, "sessionId": b.session})
	require.NoError(b.t, err)
	data = []byte(strings.Replace(strings.Replace(string(data), `,"sessionId":""`, "", 1), `"params":null,`, "", 1))
	_, err = b.in.Write(append(data, 0))
	require.NoError(b.t, err)
	for {
		m := b.read()
		if m.ID != b.id {
			continue
		}
		require.Nil(b.t, m.Error, "%s: %+v", method, m.Error)
		if result != nil {
			require.NoError(b.t, json.Unmarshal(m.Result, result))
		}
		return
	}
}

func (b *browser) read() message {
	b.t.Helper()
	data, err := b.out.ReadBytes(0)
	require.NoError(b.t, err)
	var m message
	require.NoError(b.t, json.Unmarshal(data[:len(data)-1], &m))
	if m.Method != "" {
		b.events = append(b.events, m)
	}
	return m
}

func (b *browser) wait(method string) {
	b.t.Helper()
	for {
		if b.read().Method == method {
			return
		}
	}
}

// is evaluates JavaScript, also a promise, and returns the result as JSON.
func (b *browser) is(code string) string {
	b.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": code, "returnByValue": true, "awaitPromise": true}, &r)
	require.Empty(b.t, string(r.ExceptionDetails), code)
	return string(r.Result.Value)
}

// becomes waits until code evaluates to want, as JSON. The effect of a key or a click
// may come a moment later.
func (b *browser) becomes(want, code string) {
	b.t.Helper()
	waittest.Until(b.t, func() bool { return b.is(code) == want }, "%s is %s", code, want)
}

// keys presses keys one after the other. A key of one character types it.
func (b *browser) keys(names ...string) {
	b.t.Helper()
	codes := map[string]int{"Tab": 9, "Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40}
	for _, name := range names {
		down := map[string]any{"type": "keyDown", "key": name, "windowsVirtualKeyCode": codes[name]}
		switch {
		case name == "Enter":
			down["text"] = "\r"
		case len(name) == 1:
			down["text"] = name
		}
		b.call("Input.dispatchKeyEvent", down, nil)
		b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": name, "windowsVirtualKeyCode": codes[name]}, nil)
	}
}

// complaints returns the errors that the browser reported, and what the page's policy
// blocked.
func (b *browser) complaints() (all []string) {
	for _, e := range b.events {
		if e.Method == "Log.entryAdded" || e.Method == "Runtime.exceptionThrown" || e.Method == "Runtime.consoleAPICalled" {
			all = append(all, string(e.Params))
		}
	}
	return all
}

func (b *browser) requests() (urls []string) {
	for _, e := range b.events {
		var p struct{ Request struct{ URL string } }
		if e.Method == "Network.requestWillBeSent" && json.Unmarshal(e.Params, &p) == nil {
			urls = append(urls, p.Request.URL)
		}
	}
	return urls
}

// Nothing in a trace becomes markup, hidden text is spelled out, the page makes no
// requests, and its own style and script are allowed.
func TestHostileTraceInABrowser(t *testing.T) {
	t.Parallel()
	b := browse(t, page(t, "trace", events(t, 3)))
	assert.Equal(t, `"trace"`, b.is("document.title"))
	assert.Equal(t, "3", b.is("document.querySelectorAll('details').length"))
	b.is("document.getElementById('open').click()")
	b.becomes("3", "document.querySelectorAll('.body').length")
	assert.Equal(t, "0", b.is("document.querySelectorAll('img').length"))
	assert.Equal(t, "2", b.is("document.scripts.length"))
	assert.Equal(t, `"sticky"`, b.is("getComputedStyle(document.querySelector('header')).position"), "the style is in force")
	assert.Equal(t, `"trace"`, b.is("document.title"), "after all was opened")
	assert.Empty(t, b.complaints())
	require.Len(t, b.requests(), 1)
	assert.True(t, strings.HasPrefix(b.requests()[0], "file://"), b.requests())
}

// one returns a trace of one event in which a hook printed text.
func one(t *testing.T, name, text string) []json.RawMessage {
	t.Helper()
	line, err := protocol.Encode(hooks.Report{
		Seq: 1, Event: protocol.BeforeTool, Subject: name, Agent: hooks.Subagent{ID: "1", Type: "helper"}, Started: time.Unix(1e9, 0), Duration: time.Millisecond,
		Runs: []hooks.Run{{Hook: hooks.Hook{Event: protocol.BeforeTool, Name: name}, Exit: hooks.Exit{Stdout: []byte(text)}}},
	})
	require.NoError(t, err)
	return []json.RawMessage{line}
}

func TestUnseenAndHugeTextsInABrowser(t *testing.T) {
	t.Parallel()
	b := browse(t, page(t, "t", one(t, "\u202egpj.exe\u202c", "\x1b[31mred\u200b\n\ttab"+strings.Repeat("x", 2<<20))))
	assert.Equal(t, `"\\u202egpj.exe\\u202c in helper"`, b.is("document.querySelector('.subject').textContent"))
	b.is("document.querySelector('details').open = true")
	b.becomes("1", "document.querySelectorAll('.hook pre').length")
	assert.Equal(t, `"\\u001b[31mred\\u200b\n\ttab"`, b.is("document.querySelector('.hook pre').textContent.slice(0, 24)"))
	assert.Equal(t, "true", b.is("document.querySelector('.hook pre').textContent.length < 60000"), "not all of it at once")
	assert.Regexp(t, `"show all 2,097,\d+ characters"`, b.is("document.querySelector('.hook button').textContent"))
	b.is("document.querySelector('.hook button').click()")
	assert.Equal(t, "true", b.is("document.querySelector('.hook pre').textContent.length > 2 << 20"))
	assert.Empty(t, b.complaints())
}

// The keyboard reaches the filter, its switch and each event. Printing opens all
// events.
func TestKeysAndPaperInABrowser(t *testing.T) {
	t.Parallel()
	reports := append(events(t, 2), one(t, "needle", "found")...)
	reports[2] = json.RawMessage(strings.Replace(string(reports[2]), `"seq":1,`, `"seq":3,`, 1))
	b := browse(t, page(t, "t", reports))
	b.keys("/", "n", "e", "e", "d", "l", "e")
	b.becomes(`"needle"`, "document.getElementById('text').value")
	b.becomes(`"1 of 3 shown"`, "document.getElementById('shown').textContent")
	b.keys("ArrowDown", "Enter")
	b.becomes(`["3",true]`, "[document.activeElement.firstChild.textContent, document.activeElement.parentNode.open]")
	b.keys("ArrowUp", "Escape")
	b.becomes(`["","text"]`, "[document.getElementById('shown').textContent, document.activeElement.id]")
	b.keys("Tab", "Tab", "Tab", "Tab")
	b.becomes(`"1"`, "document.activeElement.firstChild.textContent")
	b.keys("ArrowDown", "ArrowDown", "ArrowDown")
	b.becomes(`"3"`, "document.activeElement.firstChild.textContent")
	b.becomes("1", "document.querySelectorAll('details[open]').length")

	b.is("window.addEventListener('beforeprint', () => { window.paper = document.querySelectorAll('details[open] .body').length })")
	var pdf struct{ Data []byte }
	b.call("Page.printToPDF", nil, &pdf)
	b.becomes("3", "window.paper")
	assert.Greater(t, len(pdf.Data), 5000)
	b.becomes("1", "document.querySelectorAll('details[open]').length")
	assert.Empty(t, b.complaints())
}

// A long session is cheap for the browser on any machine: a row has few nodes until it
// is opened, rows out of view are not laid out, and neither scrolling nor filtering
// builds anything. Filtering changes each row once.
func TestThousandEventsInABrowser(t *testing.T) {
	t.Parallel()
	b := browse(t, page(t, "trace", events(t, 1000)))
	assert.Equal(t, "1000", b.is("document.querySelectorAll('details').length"))
	assert.Contains(t, b.is("document.getElementById('summary').textContent"), "1000 events in ")
	require.Equal(t, "0", b.is("document.querySelectorAll('.body').length"), "what a row holds is built when it is opened")
	assert.Equal(t, "0", b.is("[...document.querySelectorAll('details')].filter((d) => d.querySelectorAll('*').length > 14).length"))
	assert.Equal(t, `["auto"]`, b.is("[...new Set([...document.querySelectorAll('details')].map((d) => getComputedStyle(d).contentVisibility))]"))
	b.is(`(() => { window.built = 0; window.changed = 0; window.watching = new MutationObserver(window.count = (records) => {
		for (const r of records) r.type === "childList" ? window.built += r.target.id === "shown" ? 0 : r.addedNodes.length : window.changed++;
	}); window.watching.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["hidden", "open", "class", "style"] }) })()`)
	const counts = "(window.count(window.watching.takeRecords()), [window.built, window.changed])"
	assert.Equal(t, "[0,0]", b.is("scrollTo(0, document.body.scrollHeight / 2), scrollTo(0, document.body.scrollHeight), "+counts), "scrolling")
	filter := "((f) => { f.value = %q; f.dispatchEvent(new Event('input')) })(document.getElementById('text')), " + counts
	assert.Equal(t, "[0,1000]", b.is(fmt.Sprintf(filter, "nothing has this")), "filtering")
	assert.Equal(t, `"0 of 1000 shown"`, b.is("document.getElementById('shown').textContent"))
	assert.Equal(t, "[0,2000]", b.is(fmt.Sprintf(filter, "")), "all of them again")
	b.is("document.querySelector('details').open = true")
	b.becomes("1", "document.querySelectorAll('.body').length")
}
