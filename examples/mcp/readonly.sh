#!/bin/sh
# Lets the agent read through MCP servers, but change nothing: a server's tool runs
# only if its name begins with a word for reading. A new server, or a new tool, is
# refused until somebody adds it here.
tool=$(sed -n 's/.*"mcp_context":{[^{}]*"tool_name":"\([A-Za-z0-9_.-]*\)".*/\1/p')

case $tool in
get* | list* | read* | search* | find* | describe*) exit 0 ;;
esac
echo "The MCP tool ${tool:-that was called} may change something: ask the user to do it." >&2
exit 2
