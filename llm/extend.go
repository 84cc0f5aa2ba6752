package llm

// Extends reports whether longer begins with the very messages of shorter: the
// same parts in the same place of memory, which are never changed after they
// were made. Where both share their memory it does not look at each message, so
// that asking costs the same however long a conversation has become.
//
// Nobody may write over messages that others have seen; History in agent and
// compress says so of its implementations.
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

// Identical reports whether a and b are one message, not only equal ones.
func Identical(a, b Message) bool {
	if a.Role != b.Role || len(a.Parts) != len(b.Parts) {
		return false
	}
	return len(a.Parts) == 0 || &a.Parts[0] == &b.Parts[0]
}
