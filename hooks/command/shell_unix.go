//go:build !windows

package command

import (
	"minigem/hooks/config"
	"minigem/internal/proc"
)

// setShell makes c run line with bash -c, or sh -c if there is no bash.
func setShell(c *proc.Command, line string, _ []string) { c.Line = config.QuoteVariables(line) }
