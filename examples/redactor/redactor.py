#!/usr/bin/env python3
"""Takes e-mail addresses and keys out of what the model says, before anybody
sees it. It runs for each chunk of the stream: what is split between two chunks
is not found."""
import json
import re
import sys

SECRETS = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+|\b(?:sk|ghp|AIza)[-_\w]{8,}")

chunk = json.load(sys.stdin)["llm_response"]
candidates = chunk.get("candidates") or [{}]
parts = candidates[0].get("content", {}).get("parts", [])
redacted = [SECRETS.sub("[redacted]", p) if isinstance(p, str) else p for p in parts]
if redacted != parts:
    candidate = {"content": {"role": "model", "parts": redacted}}
    if "finishReason" in candidates[0]:
        candidate["finishReason"] = candidates[0]["finishReason"]
    json.dump({"hookSpecificOutput": {"llm_response": {"candidates": [candidate]}}}, sys.stdout)
