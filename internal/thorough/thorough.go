// Package thorough says how often tests repeat what is random or heavy.
package thorough

import "os"

// Variable asks for all repetitions; any value does.
const Variable = "MINIGEM_THOROUGH"

// Asked reports whether all repetitions are asked for.
func Asked() bool { return os.Getenv(Variable) != "" }

// Times is all where all is asked for, else ordinary.
func Times(ordinary, all int) int {
	if Asked() {
		return all
	}
	return ordinary
}
