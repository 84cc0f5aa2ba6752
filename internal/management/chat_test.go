package management

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestChatIsNotACommand: minigem without arguments is the chat, and "minigem chat" says so.
func TestChatIsNotACommand(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `"chat" is not a command of minigem: minigem without arguments is the chat. If it is meant as a prompt: minigem -p "chat ..."`, refuse([]string{"chat"}, nil))
	assert.Empty(t, refuse([]string{"chat", "about", "this"}, nil))
}
