package scaffold

import (
	"encoding/json"
	"fmt"
	"strings"

	"minigem/hooks/protocol"
)

// retries reports whether a hook of ev can send an answer back and then reads the next
// one.
func retries(ev protocol.Event) bool {
	return ev == protocol.AfterAgent || ev == protocol.SubagentStop
}

// reason returns the text in the answer: its reason for refusing, or the context that
// it adds.
func (t template) reason() string {
	var says struct {
		Reason   string
		Specific struct{ AdditionalContext string } `json:"hookSpecificOutput"`
	}
	if json.Unmarshal([]byte(t.Says), &says) != nil {
		return ""
	}
	return says.Reason + says.Specific.AdditionalContext
}

// server returns a program that serves hooks until it is stopped. skeleton is the
// language's template, with the placeholders ANSWER, FIELD, HOLDS, AGAIN and NAME.
func (t template) server(o Options, skeleton string) string {
	again := map[bool]map[string]string{
		true: {"py": "    if again:\n        return \"\"  # one retry is enough\n",
			"js": "  if (again) return \"\"; // one retry is enough\n"},
		false: {},
	}[retries(o.Event)][o.Language]
	mark := map[string]string{"py": "#", "js": "//"}[o.Language]
	about := fmt.Sprintf("%[1]s %[2]s %[3]s.\n%[1]s\n", mark, o.Name, t.Does)
	return strings.NewReplacer("ABOUT\n", about, "AGAIN\n", again, "ANSWER", quoted(t.answer(o.Name)), "FIELD",
		list(t.Field), "HOLDS", quoted(t.Holds), "NAME", o.Name,
		"EVENT", string(o.Event)).Replace(skeleton)
}

// webServers are the programs of http hooks by language, with placeholders in capitals.
var webServers = map[string]string{
	"py": `#!/usr/bin/env python3
ABOUT
# It is asked by POST: minigem hooks payload EVENT shows the body. Its answer is JSON
# or nothing, with the status 200; anything else is a failure. With "serve" it answers
# for as long as it runs; without, it reads one body on stdin.
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def answer(payload):
    again = payload.get("stop_hook_active", False)
    value = payload
    for name in FIELD:
        value = value.get(name, "") if isinstance(value, dict) else ""
AGAIN
    return ANSWER if HOLDS in str(value) else ""


class Hook(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # one connection for all

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        text = answer(json.loads(body)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


if sys.argv[1:] == ["serve"]:
    ThreadingHTTPServer(("127.0.0.1", 8787), Hook).serve_forever()
print(answer(json.load(sys.stdin)))
`,
	"js": `#!/usr/bin/env node
ABOUT
// It is asked by POST: minigem hooks payload EVENT shows the body. Its answer is JSON
// or nothing, with the status 200; anything else is a failure. With "serve" it answers
// for as long as it runs; without, it reads one body on stdin.
const fs = require("fs");
const http = require("http");

function answer(payload) {
  const again = payload.stop_hook_active;
  let value = payload;
  for (const name of FIELD) value = value?.[name];
AGAIN
  return JSON.stringify(value ?? "").includes(HOLDS) ? ANSWER : "";
}

function serve(request, response) {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => {
    try {
      response.end(answer(JSON.parse(body)));
    } catch (error) {
      response.statusCode = 500;
      response.end(String(error));
    }
  });
}

if (process.argv[2] === "serve") {
  http.createServer(serve).listen(8787, "127.0.0.1");
} else {
  console.log(answer(JSON.parse(fs.readFileSync(0, "utf8"))));
}
`,
}

// mcpServers are the programs of mcp_tool hooks by language, with the same
// placeholders.
var mcpServers = map[string]string{
	"py": `#!/usr/bin/env python3
ABOUT
# It is an MCP server on stdin and stdout, one request a line, whose tool "judge" is
# called with the input from the settings. What the tool says is the answer:
# JSON or nothing.
import json
import sys

TOOL = {
    "name": "judge",
    "description": "For the hook NAME: not to be called by the model.",
    "inputSchema": {"type": "object", "properties": {"value": {"type": "string"}, "again": {"type": "string"}}},
}


def answer(value, again):
AGAIN
    return ANSWER if HOLDS in value else ""


def result(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "NAME", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        given = params.get("arguments", {})
        text = answer(given.get("value", ""), given.get("again") == "true")
        return {"content": [{"type": "text", "text": text}]}
    return {}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        said = result(request["method"], request.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": said}), flush=True)
`,
	"js": `#!/usr/bin/env node
ABOUT
// It is an MCP server on stdin and stdout, one request a line, whose tool "judge" is
// called with the input from the settings. What the tool says is the answer:
// JSON or nothing.
const readline = require("readline");

const tool = {
  name: "judge",
  description: "For the hook NAME: not to be called by the model.",
  inputSchema: { type: "object", properties: { value: { type: "string" }, again: { type: "string" } } },
};

function answer(value, again) {
AGAIN
  return value.includes(HOLDS) ? ANSWER : "";
}

function result(method, params) {
  switch (method) {
    case "initialize":
      return { protocolVersion: params.protocolVersion, capabilities: { tools: {} },
        serverInfo: { name: "NAME", version: "1" } };
    case "tools/list":
      return { tools: [tool] };
    case "tools/call": {
      const { value = "", again } = params.arguments ?? {};
      return { content: [{ type: "text", text: answer(value, again === "true") }] };
    }
  }
  return {};
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  if (request.id === undefined) return;
  console.log(JSON.stringify({ jsonrpc: "2.0", id: request.id, result: result(request.method, request.params ?? {}) }));
});
`,
}
