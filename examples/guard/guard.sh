#!/bin/sh
# Keeps the agent from destroying things and from reading secrets. It looks at
# the whole input as text, so that it needs neither jq nor Python: a command
# that only mentions these words is refused too.
input=$(cat)

# Exit 2 blocks, and what stands on stderr is the reason that the model reads.
refuse() {
  echo "$1" >&2
  exit 2
}

case $input in
*'rm -rf'* | *'rm -fr'* | *'git push --force'* | *'git push -f'* | *'mkfs'*)
  refuse 'Commands that cannot be undone are for people. Say what you want to have done instead.' ;;
*'.env'* | *'.pem'* | *'id_rsa'*)
  refuse 'Files with secrets are not yours to read. Ask the user for what you need.' ;;
esac
exit 0
