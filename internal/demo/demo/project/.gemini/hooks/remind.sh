#!/bin/sh
# AfterTool: adds a line to what the model reads of the result.
echo '{"hookSpecificOutput": {"additionalContext": "Reminder: run bash test.sh after each change."}}'
