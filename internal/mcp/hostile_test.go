package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/waittest"
)

// misbehaving lists servers that follow the protocol until their tool is called, and
// what each one then writes. "%s" is replaced with the id of the call.
var misbehaving = map[string]struct {
	first  string // before the answer to initialize
	says   []string
	dies   bool
	silent bool // does not answer tools/list after the call
	want   string
}{
	"twice": {says: []string{answered("one"), answered("two"), answered("three")}, want: "one"},
	"another id": {
		says: []string{`{"jsonrpc":"2.0","id":99999,"result":{}}`, `{"jsonrpc":"2.0","id":"%s","result":{}}`,
			answered("one")}, want: "one"},
	"result and error": {
		says: []string{`{"jsonrpc":"2.0","id":%s,"result":{"content":[]},"error":{"code":1,"message":"no\u001b[2J"}}`},
		want: "error"},
	"long error": {
		says: []string{`{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":"` + strings.Repeat("a\u001b[2J", 100000) +
			`"}}`}, want: "error"},
	"null":        {says: []string{`{"jsonrpc":"2.0","id":%s,"result":null}`}, want: ""},
	"neither":     {says: []string{`{"jsonrpc":"2.0","id":%s}`}, want: "error"},
	"wrong types": {says: []string{`{"jsonrpc":"2.0","id":%s,"result":{"content":7}}`}, want: "error"},
	"unknown content": {says: []string{`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"smell"}]}}`},
		want: "error"},
	"text": {says: []string{"Traceback (most recent call last):", answered("one")}, want: "one"},
	"logs in JSON": {says: []string{`{"level":"info","msg":"called"}`, `["a"]`, "7", `"x"`, "{", "", "\r",
		answered("one")}, want: "one"},
	"a long text": {says: []string{strings.Repeat("x", 5<<20), answered("one")}, want: "one"},
	"chatty": {
		first: "Starting\x1b[2J...", says: []string{"[info] called", answered("one"), "[info] answered"}, want: "one"},
	"half of it":        {says: []string{`{"jsonrpc":"2.0","id":%s,"result":{"content":[`}, dies: true, want: "error"},
	"nothing, and dies": {dies: true, want: "error"},
	"dies for good":     {dies: true, want: "error"},
	"too much": {
		says: []string{`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"` + "BIG" + `"}]}}`},
		want: "error"},
	"deep": {
		says: []string{`{"jsonrpc":"2.0","id":%s,"result":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`},
		want: "error"},
	"asks before":          {first: asks, says: []string{answered("one")}, want: "one"},
	"asks meanwhile":       {says: []string{asks, answered("one")}, want: "one"},
	"changes before":       {first: strings.Repeat(changes, 100), says: []string{answered("one")}, want: "one"},
	"changes all the time": {says: []string{strings.Repeat(changes, 5000), answered("one")}, want: "one"},
	"changes, and is mute": {says: []string{changes, answered("one")}, silent: true, want: "one"},
}

const (
	changes = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n"
	asks    = `{"jsonrpc":"2.0","id":1,"method":"roots/list"}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"roots/list"}` +
		"\n" +
		`{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}` + "\n" +
		`{"jsonrpc":"2.0","id":3,"method":"elicitation/create","params":{"message":"x","requestedSchema":{"type":"object","properties":{}}}}` + "\n" +
		`{"jsonrpc":"2.0","id":"\u0000","method":"no/such"}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":[],"progress":-1}}`
)

func answered(text string) string {
	return `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"` + text + `"}]}}`
}

// misbehave runs the server.
func misbehave(name string) {
	does := misbehaving[name]
	called := false
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(lines.Bytes(), &m)
		switch m.Method {
		case "initialize":
			if name == "dies for good" && os.Remove("alive") == nil {
				fmt.Fprintln(os.Stderr, "no license")
				os.Exit(1)
			}
			if does.first != "" {
				fmt.Println(does.first)
			}
			fmt.Printf(
				`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"prompts":{},"resources":{}},"serverInfo":{"name":"x","version":"1"}}}`+"\n", m.ID)
		case "tools/list":
			if !called || !does.silent {
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"go","inputSchema":{"type":"object"}}]}}`+"\n",
					m.ID)
			}
		case "prompts/list":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"prompts":[{"name":"p"}]}}`+"\n", m.ID)
		case "resources/list":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"resources":[{"name":"r","uri":"a:b"}]}}`+"\n", m.ID)
		case "tools/call", "prompts/get", "resources/read":
			called = true
			for _, one := range does.says {
				one = strings.ReplaceAll(one, "%s", string(m.ID))
				fmt.Println(strings.Replace(one, "BIG", strings.Repeat("x", maxMessage), 1))
			}
			if does.dies {
				_ = os.WriteFile("alive", nil, 0o600)
				os.Exit(1)
			}
		}
	}
}

// TestMisbehaving checks that, whatever a server writes, a call ends with its answer or
// with a cleanly worded error, that the session ends too, and that the server's tools
// stay declared.
func TestMisbehaving(t *testing.T) {
	t.Parallel()
	for name, does := range misbehaving {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			session := connect(t, server(t, "misbehaving:"+name))
			require.Equal(t, "mcp_srv_go", names(session))
			tool, prompts := named(session, "go"), session.Prompts()
			res, err := run(t, waittest.Context(t), tool, map[string]any{})
			if does.want != "error" {
				require.NoError(t, err)
				assert.Equal(t, does.want, res.Display)
			} else {
				_, promptErr := prompts[0].Fill(waittest.Context(t), "")
				_, resourceErr := session.Read(waittest.Context(t), "a:b")
				require.Error(t, err)
				said := fmt.Sprint(err, promptErr, resourceErr)
				assert.NotContains(t, said, "\x1b")
				assert.Less(t, len(said), maxText+1<<20)
				if name == "long error" {
					require.Error(t, promptErr)
					require.Error(t, resourceErr)
				}
			}
			assert.Equal(t, "mcp_srv_go", names(session))
			session.Close()
		})
	}
}
