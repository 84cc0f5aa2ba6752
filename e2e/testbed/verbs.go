package testbed

import (
	_ "embed" // verbs.toml
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"

	"minigem/hooks/protocol"
	"minigem/internal/text"
	"minigem/tools/policy"
)

// kind is the kind of a command.
type kind string

const (
	setup     kind = "setup"     // the state in which a session starts
	action    kind = "action"    // what happens
	assertion kind = "assertion" // the expected outcome
)

// verb is a command of the script language: a row of verbs.toml, which says what the fields
// mean, and what it does.
type verb struct {
	Name, Usage, Text, Keys                             string
	Kind                                                kind
	Min, Max                                            int
	Raw, Plain, Golden, InTerminal, Headless, Elsewhere bool
	deed
}

// deed is what a verb does.
type deed struct {
	check    func(args []string) error
	checkAll func(c *Command) error             // like check, but sees the conditions too
	do       func(r *runner, c Command) error   // for setup and actions
	judge    func(r *Record, c Command) verdict // for assertions
}

// VerbDoc describes a command for help texts and documents.
type VerbDoc struct{ Kind, Usage, Text string }

// Verbs lists the commands of scripts, in the order of the documentation.
func Verbs() []VerbDoc {
	var out []VerbDoc
	for _, v := range verbs() {
		usage := strings.TrimSpace(v.Name + " " + v.Usage)
		if v.Keys != "" {
			usage += " [" + strings.ReplaceAll(v.Keys, " ", "] [") + "]"
		}
		out = append(out, VerbDoc{string(v.Kind), usage, v.Text})
	}
	return out
}

// VerbsHelp returns [Verbs] as a help text.
func VerbsHelp() string {
	var b strings.Builder
	titles := map[kind]string{setup: "Before the first prompt, or before resume:", action: "Actions:",
		assertion: "Assertions:"}
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

//go:embed verbs.toml
var verbFile []byte

// verbs returns all commands of the script language.
var verbs = sync.OnceValue(readVerbs)

func readVerbs() []verb {
	var file struct{ Verb []verb }
	if err := toml.Unmarshal(verbFile, &file); err != nil {
		panic(err) // unreachable: it is part of the program
	}
	do := deeds()
	for i := range file.Verb {
		file.Verb[i].deed = do[file.Verb[i].Name]
	}
	return file.Verb
}

// deeds says what the verbs of verbs.toml do.
func deeds() map[string]deed {
	return map[string]deed{
		"use":            {do: doUse},
		"needs":          {do: doNeeds},
		"differs":        {do: doDiffers},
		"env":            {check: checkEnv, do: doEnv},
		"allow":          {check: checkAllow, do: doAllow},
		"mode":           {check: checkMode, do: doMode},
		"trust":          {check: oneOf("on", "off", "new", "changed"), do: doTrust},
		"interactive":    {do: doInteractive},
		"terminal":       {check: checkColumns, do: doTerminal},
		"timeout":        {check: checkDuration, do: doTimeout},
		"prompt":         {do: doPrompt},
		"answer":         {check: checkAnswer, do: doAnswer},
		"type":           {do: doType},
		"key":            {check: checkKeys, do: doKey},
		"waitfor":        {do: doWaitfor},
		"idle":           {do: doIdle},
		"start":          {do: doStart},
		"clear":          {do: doClear},
		"compress":       {do: doCompress},
		"resume":         {do: doResume},
		"end":            {do: doEnd},
		"fired":          {check: checkEvent, judge: judgeFired},
		"not-fired":      {check: checkEvent, judge: judgeNotFired},
		"event":          {check: checkEvent, judge: judgeEvent},
		"watches":        {judge: judgeWatches},
		"portable":       {check: checkAgents, judge: judgePortable},
		"tool-ran":       {judge: judgeToolRan},
		"tool-result":    {judge: judgeToolResult},
		"asked":          {judge: judgeAsked},
		"model-requests": {check: checkNumber, judge: judgeRequests},
		"model-saw":      {check: checkRequest, judge: judgeModelSaw},
		"model-diff":     {check: checkDiff, judge: judgeModelDiff},
		"user-saw":       {judge: judgeStreams},
		"stdout":         {judge: judgeStreams},
		"screen":         {judge: judgeStreams},
		"stderr":         {judge: judgeStreams},
		"notice":         {judge: judgeStreams},
		"transcript":     {judge: judgeStreams},
		"file":           {check: checkLocal, judge: judgeFile},
		"exists":         {check: checkLocal, judge: judgeExists},
		"cmp":            {check: checkLocal, judge: judgeCmp},
		"exit":           {check: checkNumber, judge: judgeExit},
		"ending":         {check: checkEnding, judge: judgeEnding},
		"max-ms":         {check: checkNumber, judge: judgeMaxMS},
		"max-processes":  {check: checkNumber, judge: judgeMaxProcesses},
		"max-retries":    {check: checkNumber, judge: judgeMaxRetries},
		"holds":          {checkAll: checkHolds, judge: judgeHolds},
	}
}

func findVerb(name string) *verb {
	for _, v := range verbs() {
		if v.Name == name {
			return &v
		}
	}
	return nil
}

func verbNames() []string {
	var names []string
	for _, v := range verbs() {
		names = append(names, v.Name)
	}
	return names
}

// knows reports whether key is one of the verb's conditions.
func (v *verb) knows(key string) bool {
	return slices.ContainsFunc(strings.Fields(v.Keys), func(k string) bool {
		open, isOpen := strings.CutSuffix(k, "NAME")
		return k == key || isOpen && len(key) > len(open) && strings.HasPrefix(key, open)
	})
}

func (v *verb) checkArgs(c *Command) error {
	least, most := v.Min, v.Max
	if most == 0 {
		for word := range strings.FieldsSeq(v.Usage) {
			if most++; word[0] != '[' {
				least++
			}
		}
		if strings.HasSuffix(v.Usage, "...") {
			most = math.MaxInt
		}
	}
	if n := len(c.Args); n < least || n > most {
		return fmt.Errorf("%s has %s; expected: %s", v.Name, text.Plural(n, "argument"),
			strings.TrimSpace(v.Name+" "+v.Usage))
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
		return fmt.Errorf("%s needs a text; expected: %s %s", v.Name, v.Name, v.Usage)
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
