#!/bin/sh
# Keeps generated files from being edited by hand, because the next run of the
# generator would undo it. Their first lines say that they are generated.
path=$(sed -n 's/.*"file_path":"\([^"\\]*\)".*/\1/p')

if [ -f "$path" ] && head -n 5 -- "$path" | grep -q 'generated.*DO NOT EDIT'; then
  echo "$path is generated: change what it is made from." >&2
  exit 2
fi
exit 0
