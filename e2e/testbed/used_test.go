package testbed

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestUsedAs: settings and hooks keep the folder by which they are looked up.
func TestUsedAs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"guard.sh"}, "guard.sh"},
		{[]string{"./guard.sh"}, "guard.sh"},
		{[]string{"../hooks/guard.sh"}, "guard.sh"},
		{[]string{"../hooks/"}, "hooks"},
		{[]string{".gemini"}, ".gemini"},
		{[]string{"../.gemini/"}, ".gemini"},
		{[]string{".gemini/settings.json"}, ".gemini/settings.json"},
		{[]string{"../../.claude/hooks/guard.sh"}, ".claude/hooks/guard.sh"},
		{[]string{"../x/.gemini/.env"}, ".gemini/.env"},
		{[]string{"../.env"}, ".env"},
		{[]string{"../.gemini/settings.json", "settings.json"}, "settings.json"},
	} {
		assert.Equal(t, tt.want, usedAs(Command{Args: tt.args}), "%q", tt.args)
	}
}
