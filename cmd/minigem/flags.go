package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// version is what --version prints; a release build sets it with -ldflags.
var version = "0.1.0-dev"

// flags are the options of cli/config/config.ts, and minigem's own below them.
type flags struct {
	debug             bool
	model             string
	prompt            string
	promptInteractive string
	skipTrust         bool
	yolo              bool
	approvalMode      string
	policies          []string
	adminPolicies     []string
	allowedTools      []string
	allowedMCP        []string
	extensions        []string
	listExtensions    bool
	resume            string
	sessionFile       string
	sessionID         string
	listSessions      bool
	deleteSession     string
	includeDirs       []string
	screenReader      bool
	outputFormat      string
	rawOutput         bool
	acceptRawRisk     bool
	fake              string
	fakeNonStrict     string
	record            string

	recordCase        string
	force             bool
	hookTrace         string
	includeHookEvents bool

	query     []string // the positional prompt
	promptSet bool     // -p was given, be it empty
}

const longHelp = `minigem is a small coding agent, compatible with Gemini CLI on the wire, and the
testbed for people who write hooks for it.

  minigem                        chat in the terminal
  minigem -p "fix the tests"     one prompt, the answer on stdout
  cat log | minigem -p "why?"    the same, with what is piped in before it
  minigem demo                   what hooks can do, in one minute, offline

Without --approval-mode a one-shot run can read and search, and nothing else:
nobody is there to be asked. Add --approval-mode=auto_edit to let it edit files,
--yolo to let it do all it wants.

Flags come before the prompt, or behind a prompt in quotes. A first word that is a
command of Gemini CLI, Claude Code or Codex is no prompt, unless behind -p.

Exit codes: 0 done, 1 failed, 41 no credentials, 42 bad input, 52 bad settings,
53 turn limit, 54 a tool failed for good, 55 untrusted folder, 130 interrupted,
143 terminated.`

func newRootCommand(sys *system) *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:           "minigem [prompt...]",
		Short:         "A small coding agent, and the testbed for its hooks",
		Long:          longHelp,
		Version:       version,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.readQuery(cmd, args); err != nil {
				return newOutput(sys, f, nil).fatal(err)
			}
			f.promptSet = cmd.Flags().Changed("prompt")
			if err := f.check(); err != nil {
				return usageError(sys, cmd, err)
			}
			return runAgent(cmd.Context(), sys, f)
		},
	}
	cmd.SetVersionTemplate("{{.Version}}\n")
	cmd.SetOut(sys.Stdout)
	cmd.SetErr(sys.Stderr)
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError(sys, cmd, err) })
	cmd.CompletionOptions.HiddenDefaultCmd = true
	f.register(cmd.Flags())
	cmd.AddCommand(subcommands(sys)...)
	return cmd
}

func (f *flags) register(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.SetInterspersed(false) // readQuery says which flags behind the prompt are ours
	fs.StringVarP(&f.prompt, "prompt", "p", "", "run this `prompt`, appended to what is piped in, and exit")
	fs.StringVarP(&f.promptInteractive, "prompt-interactive", "i", "", "run this `prompt`, then stay in the chat")
	fs.StringVarP(&f.model, "model", "m", "", "the `model` to use")
	fs.StringVar(&f.approvalMode, "approval-mode", "", "what may run unasked: default, auto_edit, yolo or plan")
	fs.BoolVarP(&f.yolo, "yolo", "y", false, "the same as --approval-mode=yolo")
	fs.BoolVar(&f.skipTrust, "skip-trust", false, "trust this folder for this session")
	fs.StringVarP(&f.outputFormat, "output-format", "o", "", "text, json or stream-json")
	fs.StringVarP(&f.resume, "resume", "r", "", "resume a session: latest, its number in --list-sessions, or its `id`")
	fs.Lookup("resume").NoOptDefVal = "latest"
	fs.StringVar(&f.sessionID, "session-id", "", "the `id` of the new session")
	fs.StringVar(&f.sessionFile, "session-file", "", "start from a session `file` (JSON or JSONL)")
	fs.BoolVar(&f.listSessions, "list-sessions", false, "list this project's sessions and exit; where a model can be had, it first gives the latest one a title")
	fs.StringVar(&f.deleteSession, "delete-session", "", "delete a session, by its number or `id`, and exit")
	fs.StringSliceVar(&f.includeDirs, "include-directories", nil, "more `folders` that belong to the workspace")
	fs.StringSliceVar(&f.policies, "policy", nil, "policy `files` or folders in place of the user's")
	fs.StringSliceVar(&f.adminPolicies, "admin-policy", nil, "policy `files` or folders that win over all others")
	fs.StringSliceVar(&f.allowedTools, "allowed-tools", nil, "`tools` that run unasked")
	fs.StringSliceVar(&f.allowedMCP, "allowed-mcp-server-names", nil, "the MCP `servers` to start")
	fs.StringSliceVarP(&f.extensions, "extensions", "e", nil, "use these `extensions` alone; none: no extension")
	fs.BoolVarP(&f.listExtensions, "list-extensions", "l", false, "list the extensions and exit")
	fs.BoolVar(&f.screenReader, "screen-reader", false, "accepted for compatibility: output is plain where there is no terminal")
	fs.BoolVar(&f.rawOutput, "raw-output", false, "leave control sequences in the model's text")
	fs.BoolVar(&f.acceptRawRisk, "accept-raw-output-risk", false, "no warning about --raw-output")
	fs.StringVar(&f.hookTrace, "hook-trace", "", "write what every hook event did to this `file`, as JSON lines; to a .html, as a page")
	fs.BoolVar(&f.includeHookEvents, "include-hook-events", false, "hook events in stream-json too")
	fs.StringVar(&f.fake, "fake-responses", "", "answers of the model from a `file`, in order")
	fs.StringVar(&f.fakeNonStrict, "fake-responses-non-strict", "", "the same, each call taking the next answer of its method")
	fs.StringVar(&f.record, "record-responses", "", "append the model's answers to a `file`")
	fs.StringVar(&f.recordCase, "record-case", "", "make a test case of this run in a `file`, without secrets: minigem hooks test runs it")
	fs.BoolVar(&f.force, "force", false, "write over the file of --record-case")
	fs.BoolVarP(&f.debug, "debug", "d", false, "say on stderr what is being done")
}

// check says what contradicts itself (cli/config/config.ts).
func (f *flags) check() error {
	switch {
	case f.promptSet && len(f.query) > 0:
		return fmt.Errorf("the prompt stands both behind --prompt and alone: give it once")
	case f.promptSet && f.promptInteractive != "":
		return fmt.Errorf("--prompt and --prompt-interactive exclude each other")
	case f.yolo && f.approvalMode != "":
		return fmt.Errorf("--yolo and --approval-mode exclude each other: use --approval-mode=yolo")
	case countSet(f.resume, f.sessionID, f.sessionFile) > 1:
		return fmt.Errorf("only one of --resume, --session-id and --session-file can be given")
	case f.approvalMode != "" && !slices.Contains([]string{"default", "auto_edit", "yolo", "plan"}, f.approvalMode):
		return fmt.Errorf("--approval-mode is %q: it must be default, auto_edit, yolo or plan", f.approvalMode)
	case f.outputFormat != "" && !slices.Contains([]string{"text", "json", "stream-json"}, f.outputFormat):
		return fmt.Errorf("--output-format is %q: it must be text, json or stream-json", f.outputFormat)
	case f.sessionID != "" && strings.Trim(f.sessionID, idCharacters) != "":
		return fmt.Errorf("--session-id is %q: it may hold letters, digits, - and _", f.sessionID)
	}
	return nil
}

const idCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

func countSet(values ...string) int {
	n := 0
	for _, v := range values {
		if v != "" {
			n++
		}
	}
	return n
}

// usageError tells what is wrong with the command line, then how it goes. The
// exit code is Gemini CLI's 1 (cli/config/config.ts), but for the commands about
// hooks: there 1 is a finding, and bad input is 42.
func usageError(sys *system, cmd *cobra.Command, err error) error {
	for c := cmd; c != nil; c = c.Parent() {
		if c.Name() == "hooks" {
			return wrongUsage(sys, cmd, "%v", err)
		}
	}
	fmt.Fprintf(sys.Stderr, "minigem: %v\n\n%s\n", err, cmd.UsageString())
	return silent(exitGeneric)
}

// joinOptionalValues turns "--resume 3" into "--resume=3": the value of this
// flag may be left out, and the flag library only knows the joined form then.
func joinOptionalValues(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			return append(out, args[i:]...)
		}
		if (a == "-r" || a == "--resume") && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			i++
			a = "--resume=" + args[i]
		}
		out = append(out, a)
	}
	return out
}
