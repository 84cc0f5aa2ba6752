#!/bin/sh
# Notes which event fired.
event=$(sed -n 's/.*"hook_event_name":"\([A-Za-z]*\)".*/\1/p')
echo "$event" >>events.txt
