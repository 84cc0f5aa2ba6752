#!/bin/sh
# BeforeToolSelection: the model is offered these tools and no others.
echo '{"hookSpecificOutput": {"toolConfig": {"mode": "AUTO", "allowedFunctionNames": ["read_file", "replace", "write_file", "run_shell_command"]}}}'
