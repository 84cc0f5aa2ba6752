package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"minigem/e2e/fakegemini"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/llm/script"
)

// fakeAPICommand serves the Gemini API from a script, for tests of any client.
func fakeAPICommand(sys *app.System) *cobra.Command {
	var addr, log, faults, key string
	var strict, nonStrict bool
	cmd := &cobra.Command{
		Use:   "fake-api SCRIPT",
		Short: "Serve the Gemini API from a fake-responses file",
		Long: `Serves streamGenerateContent, generateContent and countTokens from a
fake-responses file, and prints what GOOGLE_GEMINI_BASE_URL has to be. Ends on
an interrupt.

A line of the script may have a "fault" in place of a response or beside it:
  {"method": "generateContentStream", "fault": {"status": 429, "retryDelay": "2s"}}
  {"method": "generateContentStream", "response": [...], "fault": {"after": 1, "cut": true}}
Others: "garbage", "silent", "perDay", "message", "reason", "chunkDelay".`,
		Example: "  minigem fake-api answers.jsonl --log requests.jsonl &\n  GEMINI_API_KEY=x GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8089 minigem -p hello",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			entries, err := script.ParseFile(args[0])
			if err != nil {
				return exit.With(exit.Input, err)
			}
			o := fakegemini.Options{Entries: entries, NonStrict: nonStrict, Strict: strict, Key: key}
			if o.Faults, err = parseFaults(faults); err != nil {
				return exit.With(exit.Input, err)
			}
			if log != "" {
				f, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
				if err != nil {
					return exit.Errorf(exit.Input, "opening the log: %w", err)
				}
				defer f.Close()
				o.LogTo = f
			}
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return serveFakeAPI(ctx, sys.Stdout, addr, o)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&addr, "addr", "127.0.0.1:8089", "`address` to listen on; port 0 picks a free one")
	fs.StringVar(&log, "log", "", "append each request to a `file`, as JSON lines; credentials are left out")
	fs.StringVar(&faults, "faults", "", `faults by request, as a JSON array: [{"request": 2, "status": 503}]`)
	fs.StringVar(&key, "key", "", "the only API `key` that is taken")
	fs.BoolVar(&strict, "strict", true, "refuse requests that the real API would refuse")
	fs.BoolVar(&nonStrict, "non-strict-script", false, "each request takes the next answer of its method")
	return cmd
}

func parseFaults(s string) ([]fakegemini.Fault, error) {
	if s == "" {
		return nil, nil
	}
	var faults []fakegemini.Fault
	if err := json.Unmarshal([]byte(s), &faults); err != nil {
		return nil, fmt.Errorf("reading --faults: %w", err)
	}
	return faults, nil
}

// serveFakeAPI serves until ctx ends.
func serveFakeAPI(ctx context.Context, out io.Writer, addr string, o fakegemini.Options) error {
	url, stop, err := fakegemini.New(o).Start(addr)
	if err != nil {
		return exit.Errorf(exit.Input, "%w", err)
	}
	defer stop()
	fmt.Fprintf(out, "GOOGLE_GEMINI_BASE_URL=%s\n", url)
	<-ctx.Done()
	return nil
}
