package command

import (
	"path/filepath"
	"slices"
	"strings"

	"minigem/internal/proc"
)

// setShell makes c run line with PowerShell: the one that ComSpec names, or else pwsh, or
// else Windows PowerShell (core/hooks/hookRunner.ts). By default PowerShell exits with 0
// or 1, whatever its last program exited with. An exit of 2 must survive.
func setShell(c *proc.Command, line string, env []string) {
	c.Path = powershell(lookup(env, "ComSpec"))
	c.Args = []string{"-NoProfile", "-NonInteractive", "-Command",
		line + "; if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }"}
}

// powershell returns the PowerShell to use.
func powershell(comSpec string) string {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(comSpec)), ".exe")
	if name == "powershell" || name == "pwsh" {
		return comSpec
	}
	if path, err := proc.Look("pwsh.exe"); err == nil {
		return path
	}
	return "powershell.exe"
}

// lookup finds a variable in an environment, whose names have no case here;
// the last one counts.
func lookup(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if k, v, _ := strings.Cut(kv, "="); strings.EqualFold(k, name) {
			return v
		}
	}
	return ""
}
