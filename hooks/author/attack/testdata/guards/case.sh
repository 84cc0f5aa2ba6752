#!/bin/sh
# Looks at how the command begins.
case $(jq -r '.tool_input.command // empty') in
"git push --force"* | "git push -f"* | "rm -rf"* | "rm -fr"*)
  echo "This is forbidden here." >&2
  exit 2
  ;;
esac
