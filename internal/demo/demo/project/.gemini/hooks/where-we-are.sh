#!/bin/sh
# BeforeAgent: context for this prompt alone.
echo '{"hookSpecificOutput": {"additionalContext": "The next release is Friday."}}'
