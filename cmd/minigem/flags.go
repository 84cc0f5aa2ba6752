package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"minigem/internal/app"
	"minigem/internal/management"
)

// newRootCommand returns the command minigem and the options that its flags set. It has
// no subcommands if there are args which are all flags. Its arguments must have passed
// through [management.Arrange].
func newRootCommand(sys *app.System, args ...string) (cmd *cobra.Command, f *app.Options) {
	f = &app.Options{}
	version := false
	printVersion := func() { fmt.Fprintln(sys.Stdout, app.FullVersion()) }
	cmd = &cobra.Command{
		Use:           "minigem [prompt...]",
		Short:         "A small coding agent, and the testbed for its hooks",
		Long:          rootHelp,
		Example:       rootExample,
		Annotations:   map[string]string{management.MostUsed: rootFlags},
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if version {
				printVersion()
				return nil
			}
			f.Query = args
			f.PromptSet = cmd.Flags().Changed("prompt")
			if err := check(f); err != nil {
				return wrongUsage(sys, cmd, "%w", err)
			}
			return runAgent(cmd.Context(), sys, f)
		},
	}
	cmd.SetOut(sys.Stdout)
	cmd.SetErr(sys.Stderr)
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return wrongUsage(sys, cmd, "%w", err) })
	cmd.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := fmt.Fprint(cmd.OutOrStderr(), management.Usage(cmd))
		return err
	})
	cmd.CompletionOptions.HiddenDefaultCmd = true
	registerFlags(f, cmd.Flags())
	// Not cobra's --version: its template would link text/template, and then the linker
	// keeps every exported method of every type.
	cmd.Flags().BoolVarP(&version, "version", "v", false, "print the version and the commit")
	if len(args) > 0 && onlyFlags(args) {
		return cmd, f
	}
	cmd.AddCommand(strict(sys, &cobra.Command{Use: "version", Short: "Print the version and the commit", Hidden: true,
		Args: cobra.NoArgs, Run: func(*cobra.Command, []string) { printVersion() }}))
	cmd.SetHelpCommand(helpCommand(sys))
	for _, sub := range subcommands(sys) {
		cmd.AddCommand(strict(sys, sub))
	}
	return cmd, f
}

// onlyFlags reports whether no word of args can be a subcommand, and none asks for help.
func onlyFlags(args []string) bool {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.Usage = func() {}
	registerFlags(&app.Options{}, fs)
	return fs.Parse(args) == nil && fs.NArg() == 0
}

func registerFlags(f *app.Options, fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.SetInterspersed(false) // management.Arrange decides which flags after the prompt count
	fs.StringVarP(&f.Prompt, "prompt", "p", "", "run this `prompt`, after what is piped in, and exit")
	fs.StringVarP(&f.PromptInteractive, "prompt-interactive", "i", "", "run this `prompt`, then stay in the chat")
	fs.BoolVar(&f.ACP, "acp", false, "serve an editor: the Agent Client Protocol on standard input and output")
	fs.BoolVar(&f.ACP, "experimental-acp", false, "the older name of --acp")
	_ = fs.MarkHidden("experimental-acp")
	fs.StringVarP(&f.Model, "model", "m", "",
		"the `model` to use: one of Google's, openai/NAME, ollama/NAME, lmstudio/NAME or llamacpp/NAME")
	fs.StringVar(&f.ApprovalMode, "approval-mode", "", "what runs without asking: default, auto_edit, yolo, plan")
	fs.BoolVarP(&f.Yolo, "yolo", "y", false, "the same as --approval-mode=yolo")
	fs.BoolVar(&f.SkipTrust, "skip-trust", false, "trust this folder for this session")
	fs.StringVarP(&f.OutputFormat, "output-format", "o", "", "text, json or stream-json")
	fs.StringVarP(&f.Resume, "resume", "r", "", "resume a session: latest, its number, or its `id`")
	fs.Lookup("resume").NoOptDefVal = "latest"
	fs.StringVarP(&f.Worktree, "worktree", "w", "",
		"work in a new git worktree with this `name`; new: named after the time (experimental.worktrees)")
	fs.Lookup("worktree").NoOptDefVal = app.NewWorktree
	fs.StringVar(&f.SessionID, "session-id", "", "the `id` of the new session")
	fs.StringVar(&f.SessionFile, "session-file", "", "start from a session `file` (JSON or JSONL)")
	fs.BoolVar(&f.ListSessions, "list-sessions", false, "list this project's sessions and exit")
	fs.StringVar(&f.DeleteSession, "delete-session", "", "delete a session, by its number or `id`, and exit")
	fs.StringSliceVar(&f.IncludeDirs, "include-directories", nil, "more `folders` for the workspace")
	fs.StringSliceVar(&f.Policies, "policy", nil, "policy `files` or folders instead of the user's")
	fs.StringSliceVar(&f.AdminPolicies, "admin-policy", nil, "policy `files` or folders that win over all others")
	fs.StringSliceVar(&f.AllowedTools, "allowed-tools", nil, "`tools` that run without asking")
	fs.StringSliceVar(&f.AllowedMCP, "allowed-mcp-server-names", nil, "the MCP `servers` to start")
	fs.StringSliceVarP(&f.Extensions, "extensions", "e", nil, "use only these `extensions`; none: no extensions")
	fs.BoolVarP(&f.ListExtensions, "list-extensions", "l", false, "list the extensions and exit")
	fs.StringVarP(&f.Sandbox, "sandbox", "s", "",
		"confine shell commands: they can write only to the workspace and temporary files, without network")
	fs.Lookup("sandbox").NoOptDefVal = "true"
	fs.BoolVar(&f.ScreenReader, "screen-reader", false, "accepted, but has no effect: piped output is always plain")
	fs.BoolVar(&f.RawOutput, "raw-output", false, "leave control sequences in the model's text")
	fs.BoolVar(&f.AcceptRawRisk, "accept-raw-output-risk", false, "do not warn about --raw-output")
	fs.StringVar(&f.HookTrace, "hook-trace", "",
		"write what each hook event did to this `file`, as JSON lines, or as a page if it ends in .html")
	fs.IntVar(&f.BlockedExitCode, "blocked-exit-code", 0,
		"the exit `code` of a run that a hook blocked or stopped, 1 to 255")
	fs.BoolVar(&f.IncludeHookEvents, "include-hook-events", false, "hook events in stream-json too")
	fs.StringVar(&f.Fake, "fake-responses", "",
		"the model's answers from a `file`, in order: \"text Hello.\" or \"shell ls\", "+
			"with a blank line between two; see minigem fake-api --help")
	fs.StringVar(&f.FakeNonStrict, "fake-responses-non-strict", "",
		"the same, each call taking the next answer of its method")
	fs.StringVar(&f.Record, "record-responses", "", "append the model's answers to a `file`")
	fs.StringVar(&f.RecordCase, "record-case", "",
		"write this run to a `file` as a case for minigem hooks test, without secrets")
	fs.BoolVar(&f.Force, "force", false, "overwrite the file of --record-case")
	fs.BoolVarP(&f.Debug, "debug", "d", false, "report progress on stderr")
}

// joinOptionalValues turns "--resume 3" into "--resume=3", and does the same for
// --worktree. The values of these flags are optional, and the flag library then accepts
// only the joined form.
func joinOptionalValues(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			return append(out, args[i:]...)
		}
		long := map[string]string{"-r": "--resume", "--resume": "--resume", "-w": "--worktree", "--worktree": "--worktree"}[a]
		if long != "" && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			i++
			a = long + "=" + args[i]
		}
		out = append(out, a)
	}
	return out
}

// idCharacters are the characters that the id of a session may have.
const idCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// check returns an error if options contradict each other (cli/config/config.ts).
func check(f *app.Options) error {
	switch {
	case f.PromptSet && len(f.Query) > 0:
		return fmt.Errorf("the prompt is given twice, with --prompt and without it: give it once")
	case f.PromptSet && f.PromptInteractive != "":
		return fmt.Errorf("--prompt and --prompt-interactive exclude each other")
	case f.ACP && (f.PromptSet || f.PromptInteractive != "" || len(f.Query) > 0):
		return fmt.Errorf("--acp takes its prompts from the editor: leave the prompt out")
	case f.ACP && f.Worktree != "":
		return fmt.Errorf("--acp works in the folders that the editor names: leave --worktree out")
	case f.Worktree != "" && f.Resume != "":
		return fmt.Errorf("--worktree and --resume exclude each other: to resume, run --resume in the session's worktree")
	case f.Yolo && f.ApprovalMode != "":
		return fmt.Errorf("--yolo and --approval-mode exclude each other: use --approval-mode=yolo")
	case countSet(f.Resume, f.SessionID, f.SessionFile) > 1:
		return fmt.Errorf("only one of --resume, --session-id and --session-file can be given")
	case f.ApprovalMode != "" && !slices.Contains([]string{"default", "auto_edit", "yolo", "plan"}, f.ApprovalMode):
		return fmt.Errorf("--approval-mode is %q: it must be default, auto_edit, yolo or plan", f.ApprovalMode)
	case f.OutputFormat != "" && !slices.Contains([]string{"text", "json", "stream-json"}, f.OutputFormat):
		return fmt.Errorf("--output-format is %q: it must be text, json or stream-json", f.OutputFormat)
	case f.BlockedExitCode < 0 || f.BlockedExitCode > 255:
		return fmt.Errorf("--blocked-exit-code is %d: it must be from 1 to 255", f.BlockedExitCode)
	case f.SessionID != "" && strings.Trim(f.SessionID, idCharacters) != "":
		return fmt.Errorf("--session-id is %q: it may contain letters, digits, - and _", f.SessionID)
	}
	return nil
}

func countSet(values ...string) int {
	n := 0
	for _, v := range values {
		if v != "" {
			n++
		}
	}
	return n
}
