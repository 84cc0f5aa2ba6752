#!/bin/sh
# Keeps a log of what the agent did, one JSON object a line: what the hook reads
# is that already. It says nothing, and so changes nothing. Calls run side by
# side: each line is written at once, so that no two of them are mixed.
umask 077 # what tools read and say is for nobody else
log=${AUDIT_LOG:-$HOME/agent-audit.jsonl}

# Some shells exit 2 where a file cannot be written, and that would block.
(
  set -e
  line=$(mktemp)
  trap 'rm -f "$line"' EXIT
  { cat; echo; } > "$line"
  dd if="$line" bs=1048576 2>/dev/null >> "$log"
) || { echo "nothing was added to $log" >&2; false; }
