#!/bin/sh
# Keeps a log of what the agent did, one JSON object a line: what the hook reads
# is that already. It says nothing, and so changes nothing.
log=${AUDIT_LOG:-$HOME/agent-audit.jsonl}
{ cat; echo; } >> "$log"
