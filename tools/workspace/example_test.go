package workspace_test

import (
	"errors"
	"fmt"
	"os"

	"minigem/tools/workspace"
)

// A path is judged by where it leads. The zero Workspace holds nothing.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ws, err := workspace.New(dir)
	if err != nil {
		panic(err)
	}
	for _, path := range []string{"notes.txt", "sub/../notes.txt", "../../etc/passwd", ".env"} {
		_, err := ws.Resolve(path)
		fmt.Println(path, !errors.Is(err, workspace.ErrOutside))
	}
	// Output:
	// notes.txt true
	// sub/../notes.txt true
	// ../../etc/passwd false
	// .env false
}
