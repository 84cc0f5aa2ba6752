package shell

import (
	"errors"
	"reflect"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// ParsePOSIX is [Parse] for a line that runs in a shell which may not be bash, as sh on a
// machine without bash. A line that shells read differently is an error.
func ParsePOSIX(text string) (Line, error) {
	line, err := Parse(text)
	if err != nil {
		return Line{}, err
	}
	other, err := parse(text, syntax.LangPOSIX)
	if err != nil {
		return Line{}, err
	}
	if strings.Contains(text, "$'") || !reflect.DeepEqual(line, other) {
		return Line{}, errors.New("bash and other shells read it differently, and there is no bash")
	}
	return line, nil
}

// plainLine is made of characters that PowerShell and bash take alike.
var plainLine = option(`^[\w./:+ -]*$`)

// ParsePowerShell is [Parse] for a line that PowerShell runs. Only words of plain
// characters (letters, digits, "_./:+-" and blanks) are known of its grammar: any other
// line is an error.
func ParsePowerShell(text string) (Line, error) {
	if !plainLine().MatchString(text) {
		return Line{}, errors.New("it is a line of PowerShell that holds more than plain words")
	}
	return Parse(text)
}
