import json
import sys

TOOLS = ["get_issue", "close_issue"]


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "tracker", "version": "1"}}
    if method == "tools/list":
        return {"tools": [{"name": name, "inputSchema": {"type": "object", "properties": {"id": {"type": "integer"}}}} for name in TOOLS]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": params["name"] + " was called"}]}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = answer(message["method"], message.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
