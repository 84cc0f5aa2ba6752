package main

// Command lines in the documentation, for TestPages.

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"minigem/internal/app"
)

var aFlag = regexp.MustCompile(`^--[a-z][a-z-]*`)

// foreignFlags are flags of other programs that pages mention without the program.
var foreignFlags = []string{
	"--dangerously-skip-permissions", "--dangerously-bypass-hook-trust", "--allow-all", "--trust-folder", "--auto",
	"--skip-permissions-unsafe", // of other agents
	"--files", "--ignore-scripts", "--help",
}

// everyFlag returns the flags of all commands, and foreignFlags.
func everyFlag(cmd *cobra.Command) map[string]bool {
	known := map[string]bool{}
	for _, name := range foreignFlags {
		known[name] = true
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known["--"+f.Name] = true })
	for _, sub := range cmd.Commands() {
		maps.Copy(known, everyFlag(sub))
	}
	return known
}

// everyCommand returns minigem with everything that cobra adds at run time.
func everyCommand() *cobra.Command {
	root, _ := newRootCommand(&app.System{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}})
	root.InitDefaultHelpCmd()
	return root
}

var (
	separators = regexp.MustCompile(`\s(?:\|\|?|&&|;|>|2>|<)\s?|;|\x60|\s#\s`)
	variable   = regexp.MustCompile(`^\w+=\S*\s+`)
)

// linesOfMinigem returns the command lines of minigem in a snippet.
func linesOfMinigem(s snippet) []string {
	var all []string
	text := strings.ReplaceAll(s.text, "\\\n", " ")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if s.lang == "console" {
			typed, isCommand := strings.CutPrefix(line, "$ ")
			if !isCommand {
				continue
			}
			line = typed
		}
		for _, part := range separators.Split(line, -1) {
			part = strings.TrimSpace(part)
			for variable.MatchString(part) {
				part = variable.ReplaceAllString(part, "")
			}
			for _, name := range []string{"hooks ", "sessions ", "extensions ", "mcp ", "skills "} {
				if s.lang == inline && strings.HasPrefix(part, name) {
					part = "minigem " + part
				}
			}
			if part == "minigem" || strings.HasPrefix(part, "minigem ") {
				all = append(all, part)
			}
		}
	}
	return all
}

// faultOfCommand returns the word of a command line that minigem does not know.
func faultOfCommand(root *cobra.Command, line string) string {
	words := strings.Fields(line)[1:]
	if len(words) > 0 && words[0] == "help" {
		return ""
	}
	cmd := root
	for len(words) > 0 && cmd.HasSubCommands() && !strings.HasPrefix(words[0], "-") {
		next, _, err := cmd.Find(words[:1])
		switch {
		case err == nil && next != cmd:
			cmd, words = next, words[1:]
			continue
		case cmd == root: // a prompt
		case words[0] != strings.ToUpper(words[0]): // not a word such as COMMAND
			return fmt.Sprintf("%s has no subcommand %q", cmd.CommandPath(), words[0])
		}
		break
	}
	return faultOfFlags(cmd, words)
}

func faultOfFlags(cmd *cobra.Command, words []string) string {
	cmd.InitDefaultHelpFlag()
	quoted, was := false, "-"
	for _, word := range words {
		isServer := cmd.Name() == "add" && !strings.HasPrefix(word, "-") && !strings.HasPrefix(was, "-")
		if was = word; word == "--" || isServer { // the rest is for another program
			return ""
		}
		inQuotes := quoted
		if strings.Count(word, `"`)%2 == 1 || strings.Count(word, "'")%2 == 1 {
			quoted = !quoted
		}
		name, _, _ := strings.Cut(strings.Trim(word, "[],."), "=")
		switch {
		case inQuotes || !strings.HasPrefix(name, "-") || name == "-":
		case strings.HasPrefix(name, "--"):
			if cmd.Flags().Lookup(name[2:]) == nil && cmd.InheritedFlags().Lookup(name[2:]) == nil {
				return fmt.Sprintf("%s has no flag %s", cmd.CommandPath(), name)
			}
		case cmd.Flags().ShorthandLookup(name[1:2]) == nil:
			return fmt.Sprintf("%s has no flag %s", cmd.CommandPath(), name)
		}
	}
	return ""
}
