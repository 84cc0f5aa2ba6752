package e2e

import (
	"fmt"
	"strings"
	"testing"

	"minigem/e2e/fakemodel"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// quotaOf makes the first n requests fail because a daily quota is used up.
func quotaOf(n int) (out []fakemodel.Fault) {
	for i := range n {
		out = append(out, fakemodel.Fault{Request: i + 1, Status: 429, PerDay: true, Message: "Quota exceeded"})
	}
	return out
}

// askedModels returns the models that were requested, in order.
func (a api) askedModels() (out []string) {
	for _, r := range a.Log() {
		if r.Side {
			continue
		}
		_, name, _ := strings.Cut(r.Path, "/models/")
		name, _, _ = strings.Cut(name, ":")
		out = append(out, fmt.Sprint(name, " ", r.Status))
	}
	return out
}

// TestWhenTheQuotaEnds: if the settings say so, another model replaces one whose quota is
// used up. Hooks see the request to it, and the session stays the same.
func TestWhenTheQuotaEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fallback, model string
		used            int
		want            []string
		code            int
	}{
		{"always", "gemini-2.5-pro", 1, []string{"gemini-2.5-pro 429", "gemini-2.5-flash 200"}, 0},
		{"always", "gemini-2.5-pro", 2, []string{"gemini-2.5-pro 429", "gemini-2.5-flash 429", "gemini-2.5-flash-lite 200"}, 0},
		{"always", "gemini-2.5-flash-lite", 1, []string{"gemini-2.5-flash-lite 429", "gemini-2.5-flash 200"}, 0},
		{"always", "flash-lite", 1, []string{"gemini-3.5-flash-lite 429", "gemini-3.8-flash 200"}, 0},
		{"always", "auto", 2, []string{"gemini-3.1-pro-preview 429", "gemini-3.8-flash 429", "gemini-3.5-flash-lite 200"}, 0},
		{"always", "gemini-2.5-pro", 3, []string{"gemini-2.5-pro 429", "gemini-2.5-flash 429", "gemini-2.5-flash-lite 429"}, 1},
		{"ask", "gemini-2.5-pro", 1, []string{"gemini-2.5-pro 429"}, 1}, // there is no user
		{"never", "gemini-2.5-pro", 1, []string{"gemini-2.5-pro 429"}, 1},
	} {
		t.Run(fmt.Sprint(c.fallback, " ", c.model, " ", c.used), func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{
				"../.gemini/settings.json": `{"model": {"fallback": "` + c.fallback + `"}, "hooks": {"BeforeModel": [{"hooks": [{"type": "command",
					"command": "cat >> \"$HOME/seen\"; echo >> \"$HOME/seen\""}]}]}}`,
			})
			server := startFakeAPI(t, textAnswers(t, "Hello.", 1), quotaOf(c.used)...)
			o := h.run(t, run{Args: []string{"-m", c.model, "-o", "json", "-p", "hi"}, Env: server.env()})
			assert.Equal(t, c.code, o.Code, o.Stderr)
			assert.Equal(t, c.want, server.askedModels())
			seen := h.read(t, "../seen")
			for _, asked := range c.want {
				name, _, _ := strings.Cut(asked, " ")
				assert.Contains(t, seen, `"model":"`+name+`"`)
			}
			ids := map[string]bool{}
			for line := range strings.Lines(seen) {
				if _, rest, ok := strings.Cut(line, `"session_id":"`); ok {
					ids[rest[:36]] = true
				}
			}
			assert.Len(t, ids, 1, "one session")
			if c.code == 0 {
				assert.Contains(t, o.Stdout, `"response": "Hello."`)
			} else {
				assert.Contains(t, o.Stderr+o.Stdout, "quota")
			}
		})
	}
}

// TestTheChatAsksWhenTheQuotaEnds: the user decides, and the rest of the session uses the
// replacement.
func TestTheChatAsksWhenTheQuotaEnds(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	server := startFakeAPI(t, textAnswers(t, "Hello.", 2), quotaOf(1)...)
	c := h.startChat(t, server.env(), "--skip-trust", "-m", "gemini-2.5-pro")
	c.waitReady()
	c.say("Hi")
	c.waitFor("Go on with gemini-2.5-flash in this session?")
	c.keys("y" + keyEnter)
	c.waitFor("Hello.")
	c.waitReady()
	c.say("And now?")
	c.waitUntil("answering again", func(text string) bool { return strings.Count(text, "Hello.") > 1 })
	c.quit()
	require.Equal(t, []string{"gemini-2.5-pro 429", "gemini-2.5-flash 200", "gemini-2.5-flash 200"}, server.askedModels())
}
