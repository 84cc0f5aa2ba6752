// Package thorough decides how often tests repeat random or heavy work.
package thorough

import "os"

// Variable requests all repetitions if it is set to anything.
const Variable = "MINIGEM_THOROUGH"

// Asked reports whether all repetitions are requested.
func Asked() bool { return os.Getenv(Variable) != "" }

// Times returns all if all repetitions are requested, else ordinary.
func Times(ordinary, all int) int {
	if Asked() {
		return all
	}
	return ordinary
}
