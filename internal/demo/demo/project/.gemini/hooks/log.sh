#!/bin/sh
# Notes which event fired.
grep -o '"hook_event_name":"[A-Za-z]*"' | cut -d'"' -f4 >>events.txt
