#!/bin/sh
# Makes "npm install" leave the scripts of packages alone, by changing the
# command before it runs. The command is taken out of the JSON as it is written
# there, escapes and all, and goes back in the same way. Gemini CLI 0.61 takes
# tool_input for all arguments there are: the command is the only one that the
# tool needs.
command=$(sed -nE 's/.*"tool_input":\{[^}]*"command":"(([^"\\]|\\.)*)".*/\1/p')

case $command in
*--ignore-scripts*) ;;
'npm install'* | 'npm ci'*)
  printf '{"hookSpecificOutput": {"tool_input": {"command": "%s --ignore-scripts"}}}\n' "$command" ;;
esac
