#!/bin/sh
# Logs what the agent did, one JSON object per line, which is just what the hook
# reads. It prints nothing, so it changes nothing. Calls may run in parallel, so
# each line is written at once and lines never mix.
umask 077 # nobody else may read what tools read and print
log=${AUDIT_LOG:-$HOME/agent-audit.jsonl}

# Some shells exit with 2 if a file cannot be written, and that would block.
(
  set -e
  line=$(mktemp)
  trap 'rm -f "$line"' EXIT
  { cat; echo; } > "$line"
  dd if="$line" bs=1048576 2>/dev/null >> "$log"
) || { echo "nothing was added to $log" >&2; false; }
