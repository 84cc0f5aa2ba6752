package notify_test

import (
	"context"
	"fmt"
	"strings"

	"minigem/notify"
)

// A Terminal writes one escape sequence per alert, without anything that could end the
// sequence early.
func ExampleTerminal() {
	var out strings.Builder
	t := &notify.Terminal{Out: &out, Method: notify.OSC9}
	t.Alert(context.Background(), notify.Alert{Title: "minigem", Body: "Waits for you"})
	fmt.Printf("%q\n", out.String())
	// Output: "\x1b]9;minigem | Waits for you\a"
}
