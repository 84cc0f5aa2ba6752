package llm

// Extends reports whether longer begins with the very messages of shorter: the
// same parts at the same place in memory, which are never changed once they are
// made. Slices that share their memory are not compared message by message, so
// the cost does not grow with the conversation. This needs messages that are
// never overwritten; History in agent and compress demands that of its
// implementations.
func Extends(longer, shorter []Message) bool {
	switch {
	case len(shorter) > len(longer):
		return false
	case len(shorter) == 0 || &shorter[0] == &longer[0]:
		return true
	}
	for i := range shorter {
		if !Identical(shorter[i], longer[i]) {
			return false
		}
	}
	return true
}

// Identical reports whether a and b are the same message in memory, not only
// equal ones.
func Identical(a, b Message) bool {
	if a.Role != b.Role || len(a.Parts) != len(b.Parts) {
		return false
	}
	return len(a.Parts) == 0 || &a.Parts[0] == &b.Parts[0]
}
