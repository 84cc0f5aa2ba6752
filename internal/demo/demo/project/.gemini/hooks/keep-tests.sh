#!/bin/sh
# BeforeTool: exit status 2 blocks, stderr is the reason that the model reads.
case $(cat) in
*'"file_path":"test.sh"'*)
	echo "test.sh is not yours to change: fix slug.sh instead." >&2
	exit 2 ;;
esac
