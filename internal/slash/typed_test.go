package slash

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestTyped checks that what the user typed is recovered from what the model was told.
func TestTyped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ message, typed, printed string }{
		{Ran("git status", " clean\n"), "!git status", "clean"},
		{Ran("cat <<END\na\nEND", ""), "!cat <<END\na\nEND", ""},
		{"Look at @a.go" + referenced + "\nContent from @a.go:\nx\n--- End of content ---", "Look at @a.go", ""},
		{"I ran this command: it failed", "I ran this command: it failed", ""},
		{"Hello\n", "Hello", ""},
	} {
		typed, printed := Typed(c.message)
		assert.Equal(t, []string{c.typed, c.printed}, []string{typed, printed})
	}
}
