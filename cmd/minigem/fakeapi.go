package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"minigem/e2e/fakemodel"
	"minigem/e2e/testbed"
	"minigem/internal/app"
	"minigem/internal/exit"
)

// fakeAPI holds the flags of fake-api.
type fakeAPI struct {
	testbed.FakeAPI
	addr, log string
}

// fakeAPICommand serves a model's API from a script, for tests of any client.
func fakeAPICommand(sys *app.System) *cobra.Command {
	f := fakeAPI{}
	cmd := &cobra.Command{
		Use:   "fake-api SCRIPT",
		Short: "Serve the API of a model from a script: Gemini, Anthropic, OpenAI",
		Long: `Serves the API of a model from a script, and prints the variable that sends a
client there, such as ANTHROPIC_BASE_URL=http://127.0.0.1:8089. Ends on an
interrupt. --protocol is one of
  gemini     streamGenerateContent, generateContent, countTokens
  anthropic  Anthropic Messages: /v1/messages, /v1/messages/count_tokens
  responses  OpenAI Responses: /v1/responses
  chat       OpenAI chat completions: /v1/chat/completions
The path of a request decides, so one server speaks all of them. A
fake-responses file with --protocol gemini serves Gemini only, in the file's
order.

SCRIPT is a fake-responses file (each line is a JSON object), or the short form
below. Requests that offer no tools (titles, summaries) get the answers that
are marked generate, else OK; with --every-request they take the next answer.

The short form:
` + textIndent(testbed.ModelSyntax),
		Example: "  minigem fake-api answers.jsonl --log requests.jsonl &\n" +
			"  GEMINI_API_KEY=x GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8089 minigem -p hello\n" +
			"  minigem fake-api --protocol anthropic script.txt &\n  ANTHROPIC_API_KEY=x " +
			"ANTHROPIC_BASE_URL=http://127.0.0.1:8089 claude -p hello",
		Args: withUsage(cobra.ExactArgs(1), "needs one script"),
		RunE: func(_ *cobra.Command, args []string) error {
			ctx, stop := exit.Context()
			defer stop()
			return f.serve(ctx, sys.Stdout, args[0])
		},
	}
	fs := cmd.Flags()
	fs.StringVar((*string)(&f.Protocol), "protocol", string(fakemodel.Gemini),
		"whose variable is printed: `gemini`, anthropic, responses or chat")
	fs.StringVar(&f.addr, "addr", "127.0.0.1:8089", "`address` to listen on; port 0 picks a free one")
	fs.StringVar(&f.log, "log", "", "append each request to a `file`, as JSON lines; credentials are left out")
	fs.StringVar(&f.Faults, "faults", "", `faults by request, as a JSON array: [{"request": 2, "status": 503}]`)
	fs.StringVar(&f.Key, "key", "", "the only API `key` to accept")
	fs.BoolVar(&f.Strict, "strict", true, "refuse requests that the real API would refuse")
	fs.BoolVar(&f.NonStrict, "non-strict-script", false, "each request takes the next answer of its method")
	fs.BoolVar(&f.EveryRequest, "every-request", false, "requests without tools also take the next answer")
	return cmd
}

// serve serves until ctx ends.
func (f fakeAPI) serve(ctx context.Context, out io.Writer, path string) error {
	if f.log != "" {
		file, err := os.OpenFile(f.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return exit.Errorf(exit.Input, "opening the log: %w", err)
		}
		defer file.Close()
		f.LogTo = file
	}
	url, stop, err := f.Start(path, f.addr)
	if err != nil {
		return exit.With(exit.Input, err)
	}
	defer stop()
	fmt.Fprintln(out, f.Protocol.Variable(url))
	<-ctx.Done()
	return nil
}
