// Package app contains what every way of using minigem starts from: the [System] outside
// the program, the [Options] of a run, and the [Configuration], which [Configure] reads
// before anything runs. Flags are in cmd, and internal/wiring makes a session of it.
package app
