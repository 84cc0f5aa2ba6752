#!/bin/bash
# Looks for the words in all that it reads.
if grep -qE 'push --force|rm -rf'; then
  echo "This is forbidden here." >&2
  exit 2
fi
