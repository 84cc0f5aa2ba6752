#!/bin/bash
# Answers in JSON, from one expression of jq.
jq -c 'if (.tool_input.command // "" | test("git\\s+push.*(--force|\\s-f\\b)|rm\\s+-[a-z]*[rf][a-z]*[rf]"))
  then {decision: "deny", reason: "This is forbidden here."} else {} end'
