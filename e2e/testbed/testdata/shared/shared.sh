#!/bin/sh
echo shared >&2
exit 2
