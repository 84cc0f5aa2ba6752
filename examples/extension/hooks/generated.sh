#!/bin/sh
# Keeps files that a program has written from being edited by hand: the next run
# of the program would undo it. They say so in their first lines.
path=$(sed -n 's/.*"file_path":"\([^"\\]*\)".*/\1/p')

if [ -f "$path" ] && head -n 5 -- "$path" | grep -q 'generated.*DO NOT EDIT'; then
  echo "$path is generated: change what it is made from." >&2
  exit 2
fi
exit 0
