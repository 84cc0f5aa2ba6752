#!/bin/sh
# Keeps the agent from writing files that others write: keys, lock files. It looks
# at the file that would be written, however its path is spelled, and refuses what
# it cannot read. The shell writes files, too: a guard of command lines has to read
# them as a shell does, which ../forcepush shows.

# Exit 2 blocks, and what stands on stderr is the reason that the model reads.
refuse() {
  echo "$1" >&2
  exit 2
}

# field NAME prints tool_input.NAME of what stands on stdin. It fails where that is
# not an object of JSON, and where the value has escapes, which paths do not need.
# What stands in for a parser of JSON is awk, so that it needs neither jq nor
# Python; a pattern alone would take a file_path in another argument for this one.
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

# Links count as what they lead to. Of a file that is not there yet, its name counts.
real=$(readlink -f -- "$path" 2>/dev/null) || real=$path
for file in "$path" "$real"; do
  file=$(printf '/%s' "$file" | tr '[:upper:]' '[:lower:]' | sed 's/[[:space:]]*$//')
  case ${file##*/} in
  *.pem | id_rsa | id_ecdsa | id_ed25519) refuse "$path is a key: ask the user to write it." ;;
  *.lock | go.sum | package-lock.json) refuse "$path is written by its package manager: run that instead." ;;
  esac
done
exit 0
