package testbed

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"minigem/hooks/protocol"
	"minigem/internal/text"
	"minigem/tools/policy"
)

// kind is the kind of a command.
type kind string

const (
	setup     kind = "setup"  // the state in which a session starts
	action    kind = "action" // what happens
	assertion kind = ""       // the expected outcome
)

// verb is a command of the script language.
type verb struct {
	name  string
	kind  kind
	usage string // its arguments
	text  string // what it does, one sentence
	keys  string // the keys of its conditions, separated by blanks

	min, max int  // number of arguments; 0 means as in usage
	raw      bool // the rest of the line is one text
	plain    bool // no word is a condition
	golden   bool // the last argument names a section to compare with

	inTerminal bool // only valid in a terminal
	headless   bool // only valid without a terminal
	check      func(args []string) error
	checkAll   func(c *Command) error             // like check, but sees the conditions too
	do         func(r *runner, c Command) error   // for setup and actions
	judge      func(r *Record, c Command) verdict // for assertions
	elsewhere  bool                               // can also be judged on another program
}

// VerbDoc describes a command for help texts and documents.
type VerbDoc struct{ Kind, Usage, Text string }

// Verbs lists the commands of scripts, in the order of the documentation.
func Verbs() []VerbDoc {
	var out []VerbDoc
	for _, v := range verbs() {
		usage := strings.TrimSpace(v.name + " " + v.usage)
		if v.keys != "" {
			usage += " [" + strings.ReplaceAll(v.keys, " ", "] [") + "]"
		}
		out = append(out, VerbDoc{cmp.Or(string(v.kind), "assertion"), usage, v.text})
	}
	return out
}

// VerbsHelp returns [Verbs] as a help text.
func VerbsHelp() string {
	var b strings.Builder
	titles := map[kind]string{setup: "Before the first prompt, or before resume:", action: "Actions:",
		"assertion": "Assertions:"}
	last := kind("")
	for _, v := range Verbs() {
		if kind(v.Kind) != last {
			last = kind(v.Kind)
			fmt.Fprintf(&b, "\n%s\n", titles[last])
		}
		fmt.Fprintf(&b, "  %s\n      %s\n", text.Hanging(v.Usage, 6), text.Hanging(v.Text, 6))
	}
	return b.String()
}

// Keys that several verbs share.
const (
	runKeys   = "decision reason effect message warning failed exit subject agent stdin stdout stderr upstream times"
	eventKeys = "decision reason effect subject agent before after times"
	modelKeys = "text new system model tools tool mode allowed temperature topP topK maxOutputTokens"
	toolKeys  = "args arg.NAME status times"
)

// verbs returns all commands of the script language.
func verbs() []verb {
	return slices.Concat(setupVerbs, actionVerbs, hookVerbs, portableVerbs, modelVerbsOfScripts, outcomeVerbs, budgetVerbs,
		holdsVerbs)
}

var setupVerbs = []verb{
	{name: "use", kind: setup, usage: "PATH [AS]", plain: true, do: doUse, elsewhere: true,
		text: "Copies a file or folder, relative to the case file, into the workspace: as AS, or under its own name, " +
			"which starts at a folder with a dot (.gemini/settings.json keeps its folder). If the case has a section with " +
			"that name, nothing is copied."},
	{name: "needs", kind: setup, usage: "PROGRAM...", plain: true, do: doNeeds, elsewhere: true,
		text: "Skips the case if one of the programs is missing. With go, the case builds with the caches of this " +
			"machine, GOCACHE and GOMODCACHE."},
	{name: "differs", kind: setup, usage: "WHY", raw: true, do: doDiffers, elsewhere: true,
		text: "Says why the case has another result in Gemini CLI: on gemini its cell is then known, where it would be " +
			"fail."},
	{name: "env", kind: setup, usage: "NAME=VALUE...", plain: true, check: checkEnv, do: doEnv,
		elsewhere: true,
		text:      "Adds to the environment, in which PATH, HOME, TMPDIR and LANG are set."},
	{name: "allow", kind: setup, usage: "network | write PATH", min: 1, max: 2, plain: true, check: checkAllow,
		do: doAllow, elsewhere: true,
		text: "Lets the case's programs leave their own folder: to connect to other machines, or to write to a " +
			"file or folder. The report says so."},
	{name: "mode", kind: setup, usage: "MODE", plain: true, check: checkMode, do: doMode, elsewhere: true,
		text: "Sets the approval mode: default, auto_edit, yolo or plan. Without it, the mode is yolo."},
	{name: "trust", kind: setup, usage: "on|off|new|changed", plain: true,
		check: oneOf("on", "off", "new", "changed"), do: doTrust,
		text: "Says whether the user trusts the project: yes, no, since before it had its hooks, or since before they " +
			"were changed."},
	{name: "interactive", kind: setup, plain: true, do: doInteractive, headless: true,
		text: "Lets the agent ask for permission, in mode default unless mode says otherwise; see answer."},
	{name: "terminal", kind: setup, usage: "[COLUMNS]", plain: true, check: checkColumns, do: doTerminal,
		text: "Runs the chat in a terminal (80 columns wide), in mode default unless mode says otherwise. Its user's " +
			"input is typed: see type, key, waitfor and screen."},
	{name: "timeout", kind: setup, usage: "DURATION", plain: true, check: checkDuration, do: doTimeout,
		elsewhere: true,
		text:      "Gives the case this much time, such as 5s, instead of 30s."},
}

var actionVerbs = []verb{
	{name: "prompt", kind: action, usage: "TEXT", raw: true, do: doPrompt, elsewhere: true,
		text: `Submits a prompt; "..." around it allows for \n. The first one starts the session. In a terminal it waits ` +
			`for an empty prompt first, and does not wait afterwards.`},
	{name: "answer", kind: action, usage: "once|always|no [FEEDBACK]", raw: true, check: checkAnswer, do: doAnswer,
		headless: true,
		text:     "Queues the answer to a later permission prompt."},
	{name: "type", kind: action, usage: "TEXT", raw: true, do: doType, inTerminal: true,
		text: `Types text in the terminal, whatever is shown there; "..." around it keeps blanks at its ends.`},
	{name: "key", kind: action, usage: "KEY...", plain: true, check: checkKeys, do: doKey,
		inTerminal: true,
		text: "Presses keys in the terminal: enter, esc, tab, shift-tab, space, backspace, delete, up, down, left, " +
			"right, home, end, ctrl-a to ctrl-z, or a character."},
	{name: "waitfor", kind: action, usage: "TEXT", raw: true, do: doWaitfor, inTerminal: true,
		text: "Waits until the terminal shows a text, below the last submitted prompt and after the text that was last " +
			"waited for, for at most a third of the case's time (10s)."},
	{name: "idle", kind: action, plain: true, do: doIdle, inTerminal: true,
		text: "Pretends that the user has left an empty prompt idle for long enough that Notification hooks fire. It does " +
			"not wait for them."},
	{name: "start", kind: action, plain: true, do: doStart, text: "Starts the session without a prompt."},
	{name: "clear", kind: action, plain: true, do: doClear, text: "Does what /clear does."},
	{name: "compress", kind: action, plain: true, do: doCompress, text: "Does what /compress does."},
	{name: "resume", kind: action, plain: true, do: doResume,
		text: "Ends the session and resumes it in a new one."},
	{name: "end", kind: action, plain: true, do: doEnd,
		text: "Ends the session, in a terminal with /quit. It ends by itself after the last action."},
}

func findVerb(name string) *verb {
	for _, v := range verbs() {
		if v.name == name {
			return &v
		}
	}
	return nil
}

func verbNames() []string {
	var names []string
	for _, v := range verbs() {
		names = append(names, v.name)
	}
	return names
}

// knows reports whether key is one of the verb's conditions.
func (v *verb) knows(key string) bool {
	return slices.ContainsFunc(strings.Fields(v.keys), func(k string) bool {
		open, isOpen := strings.CutSuffix(k, "NAME")
		return k == key || isOpen && len(key) > len(open) && strings.HasPrefix(key, open)
	})
}

func (v *verb) checkArgs(c *Command) error {
	least, most := v.min, v.max
	if most == 0 {
		for word := range strings.FieldsSeq(v.usage) {
			if most++; word[0] != '[' {
				least++
			}
		}
		if strings.HasSuffix(v.usage, "...") {
			most = math.MaxInt
		}
	}
	if n := len(c.Args); n < least || n > most {
		return fmt.Errorf("%s has %s; expected: %s", v.name, text.Plural(n, "argument"),
			strings.TrimSpace(v.name+" "+v.usage))
	}
	if v.checkAll != nil {
		return v.checkAll(c)
	}
	if v.check != nil {
		return v.check(c.Args)
	}
	return nil
}

func (v *verb) checkText(c Command) error {
	if c.Text == "" {
		return fmt.Errorf("%s needs a text; expected: %s %s", v.name, v.name, v.usage)
	}
	if v.check != nil {
		return v.check([]string{c.Text})
	}
	_, err := rawText(c.Text)
	return err
}

// rawText returns the text of a raw verb, without its quotes if it is quoted.
func rawText(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return s, nil
	}
	out, err := strconv.Unquote(s)
	if err != nil {
		return "", fmt.Errorf(`%s is not quoted text: expected "..." with \n, \t, \" and \\ in it`, s)
	}
	return out, nil
}

func oneOf(values ...string) func([]string) error {
	return func(args []string) error {
		if slices.Contains(values, args[0]) {
			return nil
		}
		return fmt.Errorf("%q is not one of them%s", args[0], meant(args[0], values))
	}
}

func checkEnv(args []string) error {
	for _, a := range args {
		if name, _, ok := strings.Cut(a, "="); !ok || name == "" {
			return fmt.Errorf("%q is not a NAME=VALUE", a)
		}
	}
	return nil
}

func checkMode(args []string) error {
	_, err := policy.ParseMode(args[0])
	return err
}

func checkDuration(args []string) error {
	if d, err := time.ParseDuration(args[0]); err != nil || d <= 0 {
		return fmt.Errorf("%q is not a duration such as 5s or 500ms", args[0])
	}
	return nil
}

func checkAnswer(args []string) error {
	word, _, _ := strings.Cut(args[0], " ")
	return oneOf("once", "always", "no")([]string{word})
}

// checkEvent checks that the first argument is an event.
func checkEvent(args []string) error {
	var names []string
	for _, e := range protocol.Events {
		names = append(names, string(e))
	}
	if known := CanonicalEvent(args[0]); known != "" {
		args[0] = known // foreign names are for cases of other agents
		return nil
	}
	return fmt.Errorf("%q is not an event%s", args[0], meant(args[0], names))
}

// checkLocal checks that arguments are paths in the workspace.
func checkLocal(args []string) error {
	for _, a := range args {
		if !filepath.IsLocal(filepath.FromSlash(a)) {
			return fmt.Errorf("%q lies outside the workspace: expected a path in it", a)
		}
	}
	return nil
}

func checkNumber(args []string) error {
	if n, err := strconv.Atoi(args[len(args)-1]); err != nil || n < 0 {
		return fmt.Errorf("%q is not a number", args[len(args)-1])
	}
	return nil
}
