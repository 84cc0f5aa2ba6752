package management

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestChatIsNoCommand: the chat is minigem without arguments, and "chat" alone says so.
func TestChatIsNoCommand(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `"chat" is not a command of minigem: minigem without arguments is the chat. If it is meant as a prompt: minigem -p "chat ..."`, refuse([]string{"chat"}, nil))
	assert.Empty(t, refuse([]string{"chat", "about", "this"}, nil))
}
