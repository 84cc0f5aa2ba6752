package manage

import (
	"fmt"

	"minigem/internal/app"
	"minigem/internal/place"
)

// EditServers changes the settings file of scope and prints what was done.
func EditServers(sys *app.System, scope string, edit func(file string) (string, error)) error {
	c, err := app.Configure(sys, &app.Options{})
	if err != nil {
		return err
	}
	file, err := c.SettingsFile(scope)
	if err != nil {
		return err
	}
	done, err := edit(file)
	if err != nil {
		return place.EditError(err)
	}
	WarnUntrusted(c, sys)
	_, err = fmt.Fprintln(sys.Stdout, done)
	return err
}

// WarnUntrusted says what is left out because a folder is not trusted.
func WarnUntrusted(c *app.Configuration, sys *app.System) {
	if !c.Trust.Trusted {
		fmt.Fprintln(sys.Stderr, "[WARNING] this folder is not trusted: its settings are not read, and no MCP server is "+
			"started in it; minigem trust changes that")
	}
}
