#!/bin/sh
# Keeps the agent from writing files that are not its own: keys and lock files. It
# checks the file that would be written, however its path is spelled, and refuses
# what it cannot read. The shell writes files too, but a guard for command lines has
# to read them as a shell does: see ../forcepush.

# Exit 2 blocks, and the model reads stderr as the reason.
refuse() {
  echo "$1" >&2
  exit 2
}

# field NAME prints tool_input.NAME of the payload on stdin. It fails if that is not
# a JSON object, or if the value has escapes, which paths do not need. awk parses
# the JSON, so that neither jq nor Python is needed; a mere pattern would also match
# a file_path inside another argument.
field() {
  awk -v want="\"$1\"" '
    { text = text $0 "\n" }
    END {
      while (match(text, /"([^"\\]|\\.)*"|[][{}:,]/)) {
        token = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (token == "{" || token == "[") key[++depth] = ""
        else if (token == "}" || token == "]") depth--
        else if (token == ":") key[depth] = last
        else if (token == ",") key[depth] = ""
        else if (depth == 2 && key[1] == "\"tool_input\"" && key[2] == want) value = token
        else last = token
        seen = 1
      }
      if (!seen || depth != 0 || index(value, "\\")) exit 1
      print substr(value, 2, length(value) - 2)
    }'
}

path=$(field file_path) && [ -n "$path" ] || refuse 'The guard could not read which file this is, so it is not written.'
case $path in
*/ | */. | */.. | *[[:cntrl:]]*) refuse "$path is an odd name for a file: spell it plainly." ;;
esac
[ ${#path} -le 4096 ] || refuse 'That is no path: no file has so long a name.'

# A link counts as its target. A file that does not exist yet counts by its name.
real=$(readlink -f -- "$path" 2>/dev/null) || real=$path
for file in "$path" "$real"; do
  file=$(printf '/%s' "$file" | tr '[:upper:]' '[:lower:]' | sed 's/[[:space:]]*$//')
  case ${file##*/} in
  *.pem | id_rsa | id_ecdsa | id_ed25519) refuse "$path is a key: ask the user to write it." ;;
  *.lock | go.sum | package-lock.json) refuse "$path is written by its package manager: run that instead." ;;
  esac
done
exit 0
