#!/bin/sh
# Lets the agent read through MCP servers, and change nothing there: of the tools
# of any server those run whose names begin with a word for reading. A server
# that is new, or has a new tool, is refused until somebody says otherwise here.
tool=$(sed -n 's/.*"mcp_context":{[^{}]*"tool_name":"\([A-Za-z0-9_.-]*\)".*/\1/p')

case $tool in
get* | list* | read* | search* | find* | describe*) exit 0 ;;
esac
echo "The MCP tool ${tool:-that was called} may change something: ask the user to do it." >&2
exit 2
