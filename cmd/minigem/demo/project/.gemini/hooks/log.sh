#!/bin/sh
# Notes which event fired.
sed -n 's/.*"hook_event_name":"\([A-Za-z]*\)".*/\1/p' >>events.txt
