#!/usr/bin/env python3
"""Takes e-mail addresses and keys out of what the model says, before anybody
sees it. It runs for each chunk of the stream: what is split between two chunks
is not found. Where it fails, what it could not look at is not shown either:
see onError in its entry, and exit 2 for programs that do not know that."""
import json
import re
import sys

SECRETS = re.compile(
    r"\b(?!git@)[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # git@github.com is nobody's address
    r"|\bsk-[-_\w]{8,}|\bghp_\w{8,}|\bAIza[-_\w]{8,}")


def redact(chunk):
    """Returns the candidate to put in place of the chunk's; None: it may stay."""
    candidate = (chunk.get("candidates") or [{}])[0]
    parts = (candidate.get("content") or {}).get("parts") or []
    redacted = [SECRETS.sub("[redacted]", p) if isinstance(p, str) else p for p in parts]
    if redacted == parts:
        return None
    changed = {"content": {"role": "model", "parts": redacted}}
    if "finishReason" in candidate:
        changed["finishReason"] = candidate["finishReason"]
    return changed


try:
    changed = redact(json.load(sys.stdin)["llm_response"])
except (ValueError, KeyError, TypeError, AttributeError) as e:
    print(f"The redactor could not read the answer: {e!r}", file=sys.stderr)
    sys.exit(2)
if changed:
    json.dump({"hookSpecificOutput": {"llm_response": {"candidates": [changed]}}}, sys.stdout)
