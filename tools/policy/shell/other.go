package shell

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// ParsePOSIX is Parse for a line that runs in a shell which may not be bash, as
// sh is where there is none. What shells read differently is an error: bash
// compares in [[ a > b ]], and another shell writes the file b; a string in $'
// ends elsewhere.
func ParsePOSIX(text string) (Line, error) {
	line, err := Parse(text)
	if err != nil {
		return Line{}, err
	}
	w := &walker{line: text}
	if err := w.script(text, syntax.LangPOSIX); err != nil {
		return Line{}, err
	}
	judgeDirectoryChange(w.commands)
	if strings.Contains(text, "$'") || !reflect.DeepEqual(sources(line.Commands), sources(w.commands)) {
		return Line{}, errors.New("bash and other shells read it differently, and there is no bash")
	}
	for _, c := range slices.Concat(line.Commands, w.commands) {
		if slices.Contains(bashWords, c.Name()) {
			return Line{}, errors.New(c.Name() + " is of bash, and there is no bash")
		}
	}
	return line, nil
}

// bashWords are keywords and builtins of bash that other shells take for the
// name of a program.
var bashWords = []string{"[[", "function", "select", "coproc", "time", "let", "declare", "typeset", "local", "mapfile", "readarray", "shopt", "source", "builtin", "caller", "compgen", "complete", "disown", "dirs", "pushd", "popd", "enable", "help", "logout", "suspend"}

// sources are what commands say, with what is known of them.
func sources(commands []Command) (out []string) {
	for _, c := range commands {
		out = append(out, string(rune('0'+int(c.Kind)))+c.Source)
	}
	return out
}

// powerShellReads are the lines of PowerShell that are known to only read.
var powerShellReads = []string{"pwd", "ls", "dir", "get-location", "get-childitem"}

// plainChars are the characters that PowerShell and bash take alike.
const plainChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:+- "

// ParsePowerShell is Parse for a line that PowerShell runs. Of its grammar
// nothing is known but words of plain characters: any other line is an error.
// Only the names of the current folder and of what is in it are harmless.
func ParsePowerShell(text string) (Line, error) {
	for _, r := range text {
		if !strings.ContainsRune(plainChars, r) {
			return Line{}, errors.New("it is a line of PowerShell that holds more than plain words")
		}
	}
	line, err := Parse(text)
	if err != nil {
		return Line{}, err
	}
	for i := range line.Commands {
		line.Commands[i].Safe = slices.Contains(powerShellReads, strings.ToLower(strings.TrimSpace(text)))
	}
	return line, nil
}
