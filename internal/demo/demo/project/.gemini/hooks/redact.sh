#!/bin/sh
# AfterModel: takes a token out of the answer, before anybody sees or keeps it.
case $(cat) in
*tok-12345*)
	echo '{"hookSpecificOutput": {"llm_response": {"candidates": [{"content": {"role": "model", "parts": ["Done: slug.sh is fixed and deployed with [redacted]."]}, "finishReason": "STOP"}]}}}' ;;
esac
