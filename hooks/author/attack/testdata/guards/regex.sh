#!/bin/bash
# Looks for an expression in the command.
command=$(jq -r '.tool_input.command // empty')
if [[ $command =~ git\ push\ .*(--force|-f) || $command =~ rm\ -(rf|fr) ]]; then
  echo "This is forbidden here." >&2
  exit 2
fi
