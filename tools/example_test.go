package tools_test

import (
	"context"
	"fmt"
	"strings"

	"minigem/tools"
)

// Func makes a tool from a function. The fields of its struct are the arguments.
func ExampleFunc() {
	type in struct {
		Text string `json:"text" jsonschema:"what to shout"`
	}
	shout, err := tools.Func("shout", "Says it louder.", tools.KindOther, func(_ context.Context, a in) (string, error) {
		return strings.ToUpper(a.Text) + "!", nil
	})
	if err != nil {
		panic(err)
	}
	call, err := shout.Prepare(map[string]any{"text": "hello"})
	if err != nil {
		panic(err)
	}
	result, err := call.Run(context.Background())
	fmt.Println(result.Display, err)
	_, err = shout.Prepare(map[string]any{})
	fmt.Println(err)
	// Output:
	// HELLO! <nil>
	// params must have required property 'text'
}

// For an unknown name, the error suggests similar ones.
func ExampleRegistry_NotFound() {
	read, err := tools.Func("read_notes", "Reads the notes.", tools.KindRead, func(context.Context, struct{}) (string, error) { return "", nil })
	if err != nil {
		panic(err)
	}
	fmt.Println(tools.NewRegistry(read).NotFound("read_note"))
	// Output: Tool "read_note" not found. Did you mean "read_notes"?
}
