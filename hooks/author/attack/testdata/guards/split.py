#!/usr/bin/env python3
"""Splits the command as a shell would, and looks at its words."""
import json
import shlex
import sys

command = json.load(sys.stdin).get("tool_input", {}).get("command", "")
try:
    words = shlex.split(command)
except ValueError:
    words = []
if words[:2] == ["git", "push"] and ("--force" in words or "-f" in words) or words[:1] == ["rm"] and "-rf" in words:
    print("This is forbidden here.", file=sys.stderr)
    sys.exit(2)
