#!/bin/sh
# BeforeModel: answers itself when somebody asks for the password. The model is
# never called.
case $(cat) in
*"staging password"*)
	echo '{"hookSpecificOutput": {"llm_response": {"candidates": [{"content": {"role": "model", "parts": ["Passwords are not for agents. Ask the vault: vault read staging."]}, "finishReason": "STOP"}]}}}' ;;
esac
