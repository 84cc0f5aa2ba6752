#!/usr/bin/env python3
"""Takes e-mail addresses and keys out of what the model says, before anybody
sees it. It runs for each chunk of the stream, and shows only words that are
over: what may go on in the next chunk comes with that one, so that nothing is
missed where it is split. Gemini CLI does not say what came before
(full_content): there each chunk stands alone. Where the hook fails, what it
could not look at is not shown either: see onError in its entry, and exit 2 for
programs that do not know that."""
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
