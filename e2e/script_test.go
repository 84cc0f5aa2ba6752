package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"minigem/e2e/fakemodel"
	"minigem/e2e/testbed"
	"minigem/hooks/protocol"
	"minigem/internal/sandbox"
	"minigem/llm"
)

// The scripts in testdata/script are sessions as users have them: a project, a scripted
// model served over HTTP, and the built binary. In addition to testscript's commands
// (exec, stdout, stderr, cmp, exists, grep, env, stdin) they have
//
//	fake-api FILE           serve the Gemini API from FILE (see parseAnswers)
//	minigem ARGS            run it; it must succeed ("! minigem": must fail)
//	exits CODE minigem ARGS run it; it must exit with CODE
//	model-requests N        the model was asked N times
//	request N has TEXT      the N-th request holds TEXT, as testbed.RenderMessages shows it
//	request N system TEXT   its system instruction does
//	request N model NAME    it went to that model
//	request N offers TOOL   it declares TOOL to the model
//	request N mode MODE [TOOL...]   it says so in its tool config
//	record-hooks            write down what hooks of every event are given
//	event EVENT times=N     that event happened N times
//	hook-input EVENT N has TEXT     the N-th such payload holds TEXT
//	transcript has TEXT     the session file holds TEXT, as showTranscript shows it;
//	                        "! transcript has": nowhere, not even in its bytes, or
//	                        there is no file
//	no-orphans              nothing that was started here still runs
//
// All but fake-api, exits, record-hooks and no-orphans can be negated. Verbs of the testbed
// mean the same as there. What the testbed can express is a case in testdata/cases instead.
// The project is the script's directory, HOME is $WORK/.home, and the folder is trusted.
// After every run each session file is read, and each call in it must have its result. The
// real API must accept every request.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		WorkdirRoot:        t.TempDir(), // without it, -run of one script leaves a folder
		RequireUniqueNames: true,
		Setup:              setUpScript,
		Cmds:               scriptCommands(t),
		Condition:          condition,
	})
}

// TestSeeds runs the examples of the documents that minigem was made from: five
// descriptions of Gemini CLI's hooks, of different ages. The archives contain scripts,
// settings and answers as in the documents. If one contradicts minigem, a comment at the
// case says so, and the assertions follow minigem.
func TestSeeds(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/seeds",
		WorkdirRoot:        t.TempDir(),
		RequireUniqueNames: true,
		Setup:              setUpScript,
		Cmds:               scriptCommands(t),
	})
}

func scriptCommands(t *testing.T) map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"fake-api": cmdFakeAPI, "minigem": cmdMinigem, "exits": cmdExits,
		"model-requests": cmdRequests, "request": cmdRequest, "transcript": cmdTranscript,
		"record-hooks": cmdRecordHooks, "event": cmdEvent, "hook-input": cmdHookInput,
		"no-orphans": func(ts *testscript.TestScript, _ bool, _ []string) { assertNoOrphans(t, ts.Getenv(orphanMark)) },
	}
}

// condition implements [sandbox]: commands can be fully confined here.
func condition(name string) (bool, error) {
	if name != "sandbox" {
		return false, fmt.Errorf("there is no condition %q", name)
	}
	s, err := sandbox.Open(context.Background(), sandbox.Options{})
	if err != nil {
		return false, nil
	}
	return s.Partial() == "", s.Close()
}

// apiKey is the key under which a script stores its fake API.
type apiKey struct{}

type apiSlot struct{ server *fakemodel.Server }

func setUpScript(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, ".home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	env.Values[apiKey{}] = &apiSlot{}
	env.Vars = append(env.Vars,
		"HOME="+home,
		"TERM=dumb",
		"PATH="+filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"),
		"GEMINI_CLI_TRUST_WORKSPACE=true",
		"GEMINI_MODEL=gemini-2.5-flash",
		orphanMark+"="+env.WorkDir,
	)
	return nil
}

func cmdFakeAPI(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: fake-api FILE")
	}
	entries, err := parseAnswers(args[0], ts.ReadFile(args[0]))
	ts.Check(err)
	server := fakemodel.New(fakemodel.Options{Entries: entries, Strict: true})
	url, stop, err := server.Start("127.0.0.1:0")
	ts.Check(err)
	ts.Defer(stop)
	ts.Value(apiKey{}).(*apiSlot).server = server
	ts.Setenv("GEMINI_API_KEY", "test-key-of-the-fake-api")
	ts.Setenv("GOOGLE_GEMINI_BASE_URL", url)
}

func cmdMinigem(ts *testscript.TestScript, neg bool, args []string) {
	code := runInScript(ts, args)
	if (code != 0) != neg {
		ts.Fatalf("minigem ended with exit code %d", code)
	}
}

func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || args[1] != "minigem" {
		ts.Fatalf("usage: exits CODE minigem ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if code := runInScript(ts, args[2:]); code != want {
		ts.Fatalf("minigem ended with exit code %d, not %d", code, want)
	}
}

func runInScript(ts *testscript.TestScript, args []string) int {
	code := 0
	if err := ts.Exec(binary, args...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("running minigem: %v", err)
		}
		code = exit.ExitCode()
	}
	for _, file := range transcriptsIn(ts.Getenv("HOME")) {
		ts.Check(checkTranscript(file))
	}
	if s := ts.Value(apiKey{}).(*apiSlot).server; s != nil {
		for _, r := range s.Log() {
			if len(r.Problems) > 0 {
				ts.Fatalf("request %d would be refused by the API: %q", r.Number, r.Problems)
			}
		}
	}
	return code
}

func apiLog(ts *testscript.TestScript) []fakemodel.Request {
	s := ts.Value(apiKey{}).(*apiSlot).server
	if s == nil {
		ts.Fatalf("there is no fake-api in this script")
	}
	return s.Log()
}

func cmdRequests(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: model-requests N")
	}
	if got := len(apiLog(ts)); (strconv.Itoa(got) == args[0]) == neg {
		ts.Fatalf("the model got %d requests", got)
	}
}

func cmdRequest(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: request N has|system|model|offers|mode WHAT...")
	}
	log := apiLog(ts)
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	if n < 1 || n > len(log) {
		ts.Fatalf("there is no request %d: the model got %d", n, len(log))
	}
	req := log[n-1].Parsed
	ok, shown := judgeRequest(req, args[1], args[2:])
	if ok == neg {
		ts.Fatalf("request %d:\n%s", n, shown)
	}
}

// judgeRequest reports whether req satisfies the condition, and returns what it looked at.
func judgeRequest(req llm.Request, verb string, want []string) (ok bool, shown string) {
	switch verb {
	case "has":
		shown = testbed.RenderMessages(req.Messages)
		return strings.Contains(shown, strings.Join(want, " ")), shown
	case "system":
		return strings.Contains(req.System, strings.Join(want, " ")), req.System
	case "model":
		return req.Model == want[0], req.Model
	case "offers":
		var names []string
		for _, t := range req.Tools {
			names = append(names, t.Name)
		}
		return slices.Contains(names, want[0]), strings.Join(names, "\n")
	case "mode":
		ok = string(req.Choice.Mode) == want[0] && slices.Equal(req.Choice.Allowed, want[1:])
		return ok, fmt.Sprint(req.Choice.Mode, req.Choice.Allowed)
	}
	return false, "unknown question " + verb
}

func cmdTranscript(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || args[0] != "has" {
		ts.Fatalf("usage: transcript has TEXT")
	}
	var shown, raw string
	if files := transcriptsIn(ts.Getenv("HOME")); len(files) > 0 {
		file := files[len(files)-1]
		raw = ts.ReadFile(file)
		var err error
		shown, err = showTranscript(file)
		ts.Check(err)
	}
	text := strings.Join(args[1:], " ")
	switch found := strings.Contains(shown, text); {
	case !neg && !found:
		ts.Fatalf("it is not in the session file:\n%s", shown)
	case neg && (found || strings.Contains(raw, text)):
		ts.Fatalf("it is in the session file:\n%s", shown)
	}
}

// cmdRecordHooks adds hooks to the user's settings, so that the project only has the
// script's own.
func cmdRecordHooks(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: record-hooks")
	}
	dir := filepath.Join(ts.Getenv("HOME"), "hook-inputs")
	ts.Check(os.MkdirAll(dir, 0o700))
	settings, err := recorderSettings(dir, nil)
	ts.Check(err)
	file := filepath.Join(ts.Getenv("HOME"), ".gemini", "settings.json")
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o700))
	ts.Check(os.WriteFile(file, settings, 0o600))
}

// payloadsOf returns the recorded payloads of an event, oldest first.
func payloadsOf(ts *testscript.TestScript, event string) []string {
	if !slices.Contains(protocol.Events, protocol.Event(event)) {
		ts.Fatalf("%s is not an event", event)
	}
	all, err := recordedIn(filepath.Join(ts.Getenv("HOME"), "hook-inputs"))
	ts.Check(err)
	var out []string
	for _, p := range all {
		if strings.Contains(p, `"hook_event_name":"`+event+`"`) {
			out = append(out, p)
		}
	}
	return out
}

func cmdEvent(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: event EVENT times=N")
	}
	if got := len(payloadsOf(ts, args[0])); ("times="+strconv.Itoa(got) == args[1]) == neg {
		ts.Fatalf("%s happened %d times", args[0], got)
	}
}

func cmdHookInput(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 4 || args[2] != "has" {
		ts.Fatalf("usage: hook-input EVENT N has TEXT")
	}
	payloads := payloadsOf(ts, args[0])
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	if n < 1 || n > len(payloads) {
		ts.Fatalf("%s was fired %d times", args[0], len(payloads))
	}
	if strings.Contains(payloads[n-1], strings.Join(args[3:], " ")) == neg {
		ts.Fatalf("%s %d:\n%s", args[0], n, payloads[n-1])
	}
}
