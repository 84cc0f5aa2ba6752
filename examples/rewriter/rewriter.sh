#!/bin/sh
# Makes "npm install" leave the scripts of packages alone, by changing the
# command before it runs. The command is taken out of the JSON as it is written
# there, escapes and all, and goes back in the same way, so that awk and sed do
# in place of jq. Gemini CLI 0.61 takes tool_input for all arguments there are:
# the command is the only one that the tool needs.
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
# npm where a command begins, in each command of a list. It stays what it was
# where only its name is the same, such as npm install-test, or is in a text.
changed=$(printf '%s\n' "$command" | sed -E \
  -e 's/^"npm (install|i|ci)([ ";&|])/"npm \1 --ignore-scripts\2/' \
  -e 's/((&&|\|\||;|\\n) *)npm (install|i|ci)([ ";&|\\])/\1npm \3 --ignore-scripts\4/g')
if [ "$changed" != "$command" ]; then
  printf '{"hookSpecificOutput": {"tool_input": {"command": %s}}}\n' "$changed"
fi
