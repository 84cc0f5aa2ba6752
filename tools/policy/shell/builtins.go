package shell

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// builtins are the commands of bash itself that evaluate their arguments, or
// change what later commands mean, with what is dangerous about a call of each.
var builtins = map[string]func(args []Word) string{
	"declare": declaration, "typeset": declaration, "local": declaration,
	"export": exported, "readonly": declaration,
	"read": setsNamed, "mapfile": setsNamed, "readarray": setsNamed, "getopts": setsNamed, "unset": setsNamed,
	"printf": formats,
	"wait":   func(args []Word) string { return setsAfter(args, "p") },
	"test":   testsVariable, "[": testsVariable,
	"let":     always("evaluates what its arguments hold"),
	"alias":   unlessAlone("lets later commands mean others"),
	"unalias": always("lets later commands mean others"),
	"enable":  unlessAlone("lets later commands mean others"),
	"hash": func(args []Word) string {
		return dangerIf(hasOption(args, "p") || anyUnknown(args), "lets later commands mean others")
	},
	"bind":     unlessAlone("runs commands when keys are pressed"),
	"complete": unlessAlone("runs commands when words are completed"),
	"compgen":  always("runs commands that complete words"),
	"compopt":  always("changes how words are completed"),
	"fc":       always("runs commands again"),
	"history":  unlessAlone("changes which commands may run again"),
	"set":      setsOptions,
	"shopt":    setsShellOptions,
}

const (
	changesMeaning  = "sets a variable that the shell or programs may heed"
	evaluatesNames  = "evaluates what its arguments hold"
	unknownArgument = "has arguments that are not known, and some make it run commands"
)

func always(what string) func([]Word) string { return func([]Word) string { return what } }

func unlessAlone(what string) func([]Word) string {
	return func(args []Word) string { return dangerIf(len(args) > 0, what) }
}

// declared are the words of a declaration.
func declared(d *syntax.DeclClause) []Word {
	words := []Word{{Text: d.Variant.Value, Known: true}}
	for _, a := range d.Args {
		switch {
		case a.Name == nil:
			words = append(words, word(a.Value))
		case a.Index != nil || a.Array != nil:
			words = append(words, Word{Text: a.Name.Value + "=", Array: true})
		case a.Naked:
			words = append(words, Word{Text: a.Name.Value, Known: true})
		case a.Value == nil:
			words = append(words, Word{Text: a.Name.Value + "=", Known: true})
		default:
			v := word(a.Value)
			words = append(words, Word{Text: a.Name.Value + "=" + v.Text, Known: v.Known})
		}
	}
	return words
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// declaration: -i has values evaluated and -n has them mean other variables,
// now and later.
func declaration(args []Word) string { return declares(args, harmlessVariable, true) }

// exported: export makes an array of a text only where -a is given.
func exported(args []Word) string {
	return declares(args, harmlessEnvironment, hasOption(args, "aA"))
}

// declares: with arrays a value that begins with a parenthesis is read as the
// list of an array, and what stands in it is expanded once more.
func declares(args []Word, harmless func(string) bool, arrays bool) string {
	for _, a := range args {
		name, value, assigned := strings.Cut(a.Text, "=")
		name = strings.TrimSuffix(name, "+")
		switch {
		case assigned && arrays && !a.Array && (!a.Known || strings.HasPrefix(value, "(")):
			return evaluatesNames
		case !a.Known && !(assigned && variableName.MatchString(name)):
			return unknownArgument
		case strings.HasPrefix(a.Text, "-") || strings.HasPrefix(a.Text, "+"):
			if strings.Trim(a.Text[1:], "aAfFgprx-") != "" {
				return evaluatesNames
			}
			if strings.Contains(a.Text, "x") {
				harmless = harmlessEnvironment
			}
		case !variableName.MatchString(name):
			return evaluatesNames
		case !harmless(name):
			return changesMeaning
		}
	}
	return ""
}

// setsNamed: any argument may be the name of a variable that is set, whose
// index is evaluated.
func setsNamed(args []Word) string {
	for _, a := range args {
		switch {
		case !a.Known:
			return unknownArgument
		case strings.Contains(a.Text, "["):
			return evaluatesNames
		case variableName.MatchString(a.Text) && !harmlessVariable(a.Text):
			return changesMeaning
		}
	}
	return dangerIf(hasOption(args, "Cc"), "runs a command for what it reads")
}

// setsByFormat: %n sets the variable that its argument names.
var setsByFormat = regexp.MustCompile(`%[-+ #'0-9*.hjlLtz]*n`)

func formats(args []Word) string {
	if slices.ContainsFunc(args, func(a Word) bool { return setsByFormat.MatchString(a.Text) }) {
		return setsNamed(args)
	}
	return setsAfter(args, "v")
}

// setsAfter: only the option with that letter names a variable.
func setsAfter(args []Word, letter string) string {
	for _, a := range args {
		switch {
		case mayBeOption(a):
			return unknownArgument
		case strings.HasPrefix(a.Text, "-"+letter) && len(a.Text) > 2:
			return setsNamed([]Word{{Text: a.Text[2:], Known: true}})
		case strings.HasPrefix(a.Text, "-"+letter):
			return setsNamed(args)
		case !strings.HasPrefix(a.Text, "-") || a.Text == "--":
			return ""
		}
	}
	return ""
}

// testsVariable: -v and -R evaluate an index. What is not known may be one.
func testsVariable(args []Word) string {
	if hasWord(args, "-v", "-R") {
		return evaluatesNames
	}
	return dangerIf(slices.ContainsFunc(args, mayBeOption), unknownArgument)
}

// setsOptions: options by which commands are echoed or fail are harmless, and
// so are the values of $1, $2 and so on.
func setsOptions(args []Word) string {
	for i, a := range args {
		switch {
		case mayBeOption(a):
			return unknownArgument
		case a.Text == "--" || !strings.HasPrefix(a.Text, "-") && !strings.HasPrefix(a.Text, "+"):
			return ""
		case strings.Trim(a.Text[1:], "eufCo") != "":
			return "changes how later commands are read"
		case strings.HasSuffix(a.Text, "o") && i+1 < len(args):
			if !slices.Contains([]string{"pipefail", "errexit", "nounset", "noglob", "noclobber"}, args[i+1].Text) {
				return "changes how later commands are read"
			}
		}
	}
	return ""
}

// setsShellOptions: those about file patterns are harmless.
func setsShellOptions(args []Word) string {
	harmless := []string{"-s", "-u", "-q", "-p", "nullglob", "globstar", "dotglob", "failglob", "nocaseglob", "nocasematch", "lastpipe", "inherit_errexit"}
	return dangerIf(slices.ContainsFunc(args, func(a Word) bool {
		return !a.Known || !slices.Contains(harmless, a.Text)
	}), "changes how later commands are read")
}
