package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"minigem/e2e/fakegemini"
	"minigem/e2e/fakemodel"
	"minigem/e2e/testbed"
	"minigem/internal/app"
	"minigem/internal/exit"
)

// fakeAPI is what the flags of fake-api say.
type fakeAPI struct {
	protocol, addr, log, faults, key string
	strict, nonStrict, every         bool
}

// fakeAPICommand serves the API of a model from a script, for tests of any
// client.
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
The path of a request decides, so that all are served at once; with a
fake-responses file and --protocol gemini, Gemini alone, in the file's order.

SCRIPT is a fake-responses file (each line is a JSON object), or the short form
below. Requests that offer no tools (titles, summaries) get the answers that are
marked generate, else OK; with --every-request they take the next answer.

A line of a fake-responses file may have a "fault" in place of a response or
beside it:
  {"method": "generateContentStream", "fault": {"status": 429, "retryDelay": "2s"}}
  {"method": "generateContentStream", "response": [...], "fault": {"after": 1, "cut": true}}
Others: "garbage", "silent", "perDay", "message", "reason", "chunkDelay", "final".

The short form:
` + textIndent(testbed.ModelSyntax),
		Example: "  minigem fake-api answers.jsonl --log requests.jsonl &\n  GEMINI_API_KEY=x GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8089 minigem -p hello\n" +
			"  minigem fake-api --protocol anthropic script.txt &\n  ANTHROPIC_API_KEY=x ANTHROPIC_BASE_URL=http://127.0.0.1:8089 claude -p hello",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return f.serve(ctx, sys.Stdout, args[0])
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.protocol, "protocol", string(fakemodel.Gemini), "whose variable is printed: `gemini`, anthropic, responses or chat")
	fs.StringVar(&f.addr, "addr", "127.0.0.1:8089", "`address` to listen on; port 0 picks a free one")
	fs.StringVar(&f.log, "log", "", "append each request to a `file`, as JSON lines; credentials are left out")
	fs.StringVar(&f.faults, "faults", "", `faults by request, as a JSON array: [{"request": 2, "status": 503}]`)
	fs.StringVar(&f.key, "key", "", "the only API `key` that is taken")
	fs.BoolVar(&f.strict, "strict", true, "refuse requests that the real API would refuse")
	fs.BoolVar(&f.nonStrict, "non-strict-script", false, "each request takes the next answer of its method")
	fs.BoolVar(&f.every, "every-request", false, "requests without tools take the next answer, too")
	return cmd
}

// fakeServer is either of the servers.
type fakeServer interface {
	Start(addr string) (url string, stop func(), err error)
}

// serve serves until ctx ends.
func (f fakeAPI) serve(ctx context.Context, out io.Writer, path string) error {
	protocol := fakemodel.Protocol(f.protocol)
	if !slices.Contains(fakemodel.Protocols, protocol) {
		return exit.Errorf(exit.Input, "--protocol %q is not gemini, anthropic, responses or chat", f.protocol)
	}
	faults, err := parseFaults(f.faults)
	if err != nil {
		return exit.With(exit.Input, err)
	}
	var log io.Writer
	if f.log != "" {
		file, err := os.OpenFile(f.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return exit.Errorf(exit.Input, "opening the log: %w", err)
		}
		defer file.Close()
		log = file
	}
	server, err := f.server(path, protocol, faults, log)
	if err != nil {
		return exit.With(exit.Input, err)
	}
	url, stop, err := server.Start(f.addr)
	if err != nil {
		return exit.Errorf(exit.Input, "%w", err)
	}
	defer stop()
	fmt.Fprintln(out, protocol.Variable(url))
	<-ctx.Done()
	return nil
}

// server reads the script, whose form says which server is needed.
func (f fakeAPI) server(path string, protocol fakemodel.Protocol, faults []fakegemini.Fault, log io.Writer) (fakeServer, error) {
	turns, short, err := testbed.ReadModel(path)
	if err != nil {
		return nil, err
	}
	if protocol == fakemodel.Gemini && !short {
		return fakegemini.New(fakegemini.Options{Entries: fakemodel.Entries(turns), NonStrict: f.nonStrict, Strict: f.strict, Key: f.key, Faults: faults, LogTo: log}), nil
	}
	return fakemodel.New(fakemodel.Options{Turns: turns, ToolLess: f.every, Strict: f.strict, Key: f.key, Faults: faults, LogTo: log}), nil
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
