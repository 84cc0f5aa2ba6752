#!/usr/bin/env python3
"""Removes e-mail addresses and keys from the model's answer before anybody sees
it. It runs for each chunk of the stream, and shows only complete words: a word
that may continue is held back until the next chunk, so that no split secret is
missed. Gemini CLI does not send what came before (full_content), so there each
chunk is checked by itself. If the hook fails, the chunk that it could not check
is not shown either: see onError in its entry, and exit 2 for agents that do not
know onError."""
import json
import re
import sys

SECRETS = re.compile(
    r"\b(?!git@)[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # git@github.com is nobody's address
    r"|\bsk-[-_\w]{8,}|\bghp_\w{8,}|\bAIza[-_\w]{8,}")


def words(text):
    """Returns how much of the text is words that are over."""
    return max((m.end() for m in re.finditer(r"\s", text)), default=0)


def ready(text, full, last):
    """Returns what to show with this chunk: of the whole text so far, what is
    over now and was not before."""
    if not full.endswith(text):
        return text
    return full[words(full[:len(full) - len(text)]):len(full) if last else words(full)]


def redact(chunk, full):
    """Returns the candidate to use instead of the chunk's; None: it may stay."""
    candidate = (chunk.get("candidates") or [{}])[0]
    parts = (candidate.get("content") or {}).get("parts") or []
    text = chunk.get("text") or ""
    last = "finishReason" in candidate
    if text == "" and parts and not last:  # thoughts
        changed = [SECRETS.sub("[redacted]", p) for p in parts]
    else:
        changed = [SECRETS.sub("[redacted]", ready(text, full, last))]
        if "".join(parts) != text:  # thoughts before a text: another number of parts drops them
            changed = [""] * len(parts) + changed
    if changed == (parts or [""]):
        return None
    candidate = {"content": {"role": "model", "parts": changed}, "finishReason": candidate.get("finishReason")}
    return {k: v for k, v in candidate.items() if v is not None}


try:
    event = json.load(sys.stdin)
    changed = redact(event["llm_response"], event.get("full_content") or "")
except (ValueError, KeyError, TypeError, AttributeError) as e:
    print(f"The redactor could not read the answer: {e!r}", file=sys.stderr)
    sys.exit(2)
if changed:
    json.dump({"hookSpecificOutput": {"llm_response": {"candidates": [changed]}}}, sys.stdout)
