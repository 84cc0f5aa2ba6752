#!/bin/sh
# Keeps the agent from destroying things and from reading files with secrets.
# Only the arguments that name files, or are the command, are looked at: a
# prompt, a path of the project or a commit message may speak of .env. What
# stands in for a parser of JSON is awk, so that it needs neither jq nor Python.
input=$(cat)

# Exit 2 blocks, and what stands on stderr is the reason that the model reads.
refuse() {
  echo "$1" >&2
  exit 2
}

# field NAME prints the strings of tool_input.NAME, a line each or more; nothing
# where there is none. It fails where the input is no object of JSON.
field() {
  printf '%s' "$input" | awk -v want="\"$1\"" '
    function plain(s,    out, c) {
      for (s = substr(s, 2, length(s) - 2); match(s, /\\./); s = substr(s, RSTART + 2)) {
        c = substr(s, RSTART + 1, 1)
        out = out substr(s, 1, RSTART - 1) (c ~ /[nrtbfu]/ ? "\n" : c)
      }
      return out s
    }
    { text = text $0 "\n" }
    END {
      while (match(text, /"([^"\\]|\\.)*"|[][{}:,]/)) {
        token = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (token == "{" || token == "[") key[++depth] = ""
        else if (token == "}" || token == "]") depth--
        else if (token == ":") key[depth] = last
        else if (token == ",") { if (depth < 3) key[depth] = "" }
        else if (depth > 1 && key[1] == "\"tool_input\"" && key[2] == want) print plain(token)
        else last = token
        seen = 1
      }
      exit !seen || depth != 0
    }'
}

files=$(field file_path && field include && field include_pattern && field dir_path) ||
  refuse 'The guard could not read what you asked for, so it does not happen.'
command=$(field command)

# What is only said in a command is not done by it: messages of commits, and
# what is echoed.
doing=$(printf '%s\n' "$command" | sed -E \
  -e "s/ (-[[:alpha:]]*m|--message)[ =]?('[^']* [^']*'|\"[^\"\$\`]* [^\"\$\`]*\")/ /g" \
  -e 's/(^|[;&|] *)echo [^;&|<>$`(*?]*/\1/g')

# Where a command begins: in a line, after an operator, or behind what runs it.
start="(^|[;&|({\`]|(sudo|xargs|exec|do|then|else|env|time)[[:space:]]|-c +[\"'])[[:space:]]*([^[:space:]]*/)?"
forbidden="${start}(rm[[:space:]]([^;&|]*[[:space:]])?-(-recursive|[[:alpha:]]*[rR])|mkfs|git([[:space:]][^;&|]*)?[[:space:]]push[[:space:]]([^;&|]*[[:space:]])?(-f|--force)([[:space:]]|\$))"
if printf '%s\n' "$doing" | grep -Eq "$forbidden"; then
  refuse 'Commands that cannot be undone are for people. Say what you want to have done instead.'
fi

# The words of a command that may be files, and the files, a line each. The
# last part of a path decides: .env.example and id_rsa.pub hold no secrets.
{
  printf '%s\n' "$files"
  printf '%s\n' "$doing" | tr ' \t;&|<>(){}=,"`@:'"'" '\n'
} | {
  while IFS= read -r word; do
    case ${word##*/} in
    .env.example | .env.sample | .env.template) ;;
    .env | .env.* | .env\* | *.pem | id_rsa | id_ecdsa | id_ed25519)
      exit 2 ;;
    esac
  done
} || refuse 'Files with secrets are not yours to read. Ask the user for what you need.'
exit 0
