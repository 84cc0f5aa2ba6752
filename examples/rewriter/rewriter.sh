#!/bin/sh
# Keeps "npm install" from running the scripts of packages, by changing the
# command before it runs. The command is cut out of the JSON with its escapes and
# put back in the same way, so awk and sed are enough and jq is not needed. Gemini
# CLI 0.61 takes tool_input for all arguments, but the command is the only one that
# the tool needs.
command=$(awk '
  { text = text $0 "\n" }
  END {
    while (match(text, /"([^"\\]|\\.)*"|[][{}:,]/)) {
      token = substr(text, RSTART, RLENGTH)
      text = substr(text, RSTART + RLENGTH)
      if (token == "{" || token == "[") key[++depth] = ""
      else if (token == "}" || token == "]") depth--
      else if (token == ":") key[depth] = last
      else if (token == ",") key[depth] = ""
      else if (depth == 2 && key[1] == "\"tool_input\"" && key[2] == "\"command\"") { print token; exit }
      else last = token
    }
  }')

case $command in
*--ignore-scripts*) exit 0 ;;
esac
# Matches npm at the beginning of each command in a list. Commands that only look
# similar, such as npm install-test, and npm in a text stay unchanged.
changed=$(printf '%s\n' "$command" | sed -E \
  -e 's/^"npm (install|i|ci)([ ";&|])/"npm \1 --ignore-scripts\2/' \
  -e 's/((&&|\|\||;|\\n) *)npm (install|i|ci)([ ";&|\\])/\1npm \3 --ignore-scripts\4/g')
if [ "$changed" != "$command" ]; then
  printf '{"hookSpecificOutput": {"tool_input": {"command": %s}}}\n' "$changed"
fi
