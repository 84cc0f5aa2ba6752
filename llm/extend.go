package llm

// Extends reports whether longer begins with the very messages of shorter: the same
// parts at the same place in memory, which are never changed once they are made.
// Callers use it to find out whether a result computed from shorter can be continued
// for longer. If both slices share their memory, one comparison is enough, so the cost
// does not grow with the conversation. It is only correct if messages are never
// overwritten in place; History in agent and compress requires that of its
// implementations. Every slice extends an empty one.
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

// Identical reports whether a and b are the same message in memory and not only equal:
// role, number of parts and the address of the first part are compared. Two messages of
// one role without parts are identical.
func Identical(a, b Message) bool {
	if a.Role != b.Role || len(a.Parts) != len(b.Parts) {
		return false
	}
	return len(a.Parts) == 0 || &a.Parts[0] == &b.Parts[0]
}
