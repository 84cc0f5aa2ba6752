#!/bin/sh
# SessionStart: what the model should know from the start.
echo '{"hookSpecificOutput": {"additionalContext": "Team rule: slugs use hyphens and keep letters and digits only."}}'
