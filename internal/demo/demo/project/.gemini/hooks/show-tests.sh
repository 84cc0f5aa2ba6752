#!/bin/sh
# AfterAgent: an answer that does not show the tests is sent back, once.
input=$(cat)
case $input in
*'"stop_hook_active":true'*) exit 0 ;; # sent back once already
*'tests pass'*) exit 0 ;;              # the answer shows them
*'slug.sh'*) ;;                        # work was done
*) exit 0 ;;
esac
echo '{"decision": "deny", "reason": "Run bash test.sh and say what it prints before you call it done."}'
