package testbed_test

import (
	"fmt"

	"minigem/e2e/testbed"
)

// A case is one file: the script, and the sections that it needs.
func ExampleParse() {
	c, err := testbed.Parse("guard.txtar", []byte("# The guard holds.\nprompt Change it\nfired BeforeTool guard decision=deny\n-- settings.json --\n{}\n-- model --\ntext No.\n"))
	if err != nil {
		panic(err)
	}
	fmt.Println(c.Name, "-", c.Title)
	for _, command := range c.Commands {
		fmt.Println(command.Where(), command.Source)
	}
	// Output:
	// guard - The guard holds.
	// guard.txtar:2 prompt Change it
	// guard.txtar:3 fired BeforeTool guard decision=deny
}
