#!/bin/sh
# BeforeTool: rewrites the arguments. What it prints is merged over them.
case $(cat) in
*"deploy.sh production"*)
	echo '{"hookSpecificOutput": {"tool_input": {"command": "bash deploy.sh staging"}}}' ;;
esac
