package testbed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"minigem/agent"
	"minigem/hooks/config"
	"minigem/internal/proc"
	"minigem/tools/toolcall"
)

// Chat is a session in a terminal. It runs by itself, and its user acts by typing. Its
// methods are safe for concurrent use.
type Chat interface {
	// Done is closed when the user has left, or the chat could not begin.
	Done() <-chan struct{}
	// Exit is the command's exit code; only after Done.
	Exit() int
	// Hooks returns all configured hooks. There are none until the user was asked for
	// trust.
	Hooks() config.Loaded
	// Transcript returns the path of the session's file, or "" if there is none yet.
	Transcript() string
}

// ChatDriver opens a chat in Setup.Terminal.
type ChatDriver func(ctx context.Context, s Setup) (Chat, error)

// talk implements Session with a chat and its window: each method types what the user
// would.
type talk struct {
	Chat
	r    *runner
	w    *window
	stop context.CancelFunc
	idle chan struct{}
	over bool  // the chat has ended, and its output is kept
	lost error // why a wait failed; nothing more is typed after that

	prompted bool // nothing was typed since the last prompt
}

// errLost means that an action was skipped because an earlier one failed.
var errLost = errors.New("not done: what was waited for before it never came")

// limit returns how long a single wait may take.
func (r *runner) limit() time.Duration { return r.timeout / 3 }

// await waits until good reports that the screen is as expected.
func (t *talk) await(expected string, good func() bool) error {
	if t.lost != nil {
		return errLost
	}
	ok, rests := false, t.r.muted != "" && t.prompted
	err := t.w.until(t.r.ctx, t.r.limit(), t.Done(), func() bool {
		ok = good()
		return ok || rests && t.w.rests()
	})
	if err == nil && !ok { // what a muted hook would have shown never comes
		err = errors.New("it does not, and the chat waits for a prompt")
	}
	if t.lost = err; err != nil {
		return &screenError{expected: expected, actual: err, text: t.w.text()}
	}
	return nil
}

// A screenError is a wait that failed.
type screenError struct {
	expected string
	actual   error
	text     string
}

func (e *screenError) Error() string { return e.actual.Error() }

func (e *screenError) Unwrap() error { return e.actual }

// Prompt implements Session. See enter, which returns an error.
func (t *talk) Prompt(_ context.Context, text string) Outcome {
	return Outcome{Result: agent.Result{Err: t.enter(text)}}
}

// enter types text into an empty prompt. It does not wait for the answer.
func (t *talk) enter(text string) error {
	if err := t.await("an empty prompt", t.w.isReady); err != nil {
		return err
	}
	if strings.Contains(text, "\n") {
		text = "\x1b[200~" + text + "\x1b[201~" // as a paste, so that its lines stay together
	}
	t.prompted = true
	t.w.submitted()
	return t.w.press(text + "\r")
}

// Clear implements Session. See enter, which returns an error.
func (t *talk) Clear(context.Context) { _ = t.enter("/clear") }

// Compress implements Session.
func (t *talk) Compress(context.Context) error { return t.enter("/compress") }

// End implements Session. It types /quit, unless the user has left already.
func (t *talk) End(context.Context) {
	if err := t.leave(); err != nil && !errors.Is(err, errLost) && t.r.ctx.Err() == nil {
		t.r.failScreen(Failure{Where: t.r.c.Path}, err)
	}
	t.stop()
	<-t.Done()
	t.w.close()
	t.r.left(t)
}

func (t *talk) leave() error {
	gone := false
	err := t.await("an empty prompt, so that /quit ends the chat", func() bool {
		select {
		case <-t.Done():
			gone = true
			return true
		default:
			return t.w.isReady()
		}
	})
	if err != nil || gone {
		return err
	}
	if err := t.w.press("/quit\r"); err != nil {
		return err
	}
	select {
	case <-t.Done():
	case <-t.r.ctx.Done():
	}
	return nil
}

// left records how the chat ended and keeps what the screen showed.
func (r *runner) left(t *talk) {
	screen := t.w.text()
	t.over = true
	r.rec.mu.Lock()
	defer r.rec.mu.Unlock()
	r.rec.r.before, r.rec.r.now = r.rec.r.before+screen, ""
	if n := len(r.rec.r.Outcomes); n > 0 {
		r.rec.r.Outcomes[n-1].Exit = t.Exit()
		return
	}
	r.rec.r.Outcomes = append(r.rec.r.Outcomes, Outcome{Exit: t.Exit()})
}

// asked and finished are called from the chat's goroutines.
func (r *runner) asked(q toolcall.Question) {
	r.rec.mu.Lock()
	defer r.rec.mu.Unlock()
	r.rec.r.Questions = append(r.rec.r.Questions, q)
}

func (r *runner) finished(res agent.Result) {
	r.rec.mu.Lock()
	defer r.rec.mu.Unlock()
	r.rec.r.Outcomes = append(r.rec.r.Outcomes, Outcome{Result: res})
}

// openChat opens the session of a case with a terminal.
func (r *runner) openChat(ctx context.Context, s Setup) (Session, error) {
	if r.o.Chat == nil {
		return nil, errors.New("a terminal is not available there")
	}
	w, err := openWindow(r.columns)
	if err != nil {
		return nil, err
	}
	idle := make(chan struct{})
	s.Idle, s.Terminal, s.Asked, s.Finished = idle, w.tty, r.asked, r.finished
	ctx, stop := context.WithCancel(ctx)
	chat, err := r.o.Chat(ctx, s)
	if err != nil {
		stop()
		w.close()
		return nil, err
	}
	return &talk{Chat: chat, r: r, w: w, stop: stop, idle: idle}, nil
}

// look records what only an open session knows. It copies the screen only if the next
// command reads it, because the copy grows with the case.
func (r *runner) look(next Command) {
	if r.session == nil {
		return
	}
	r.rec.transcript(r.session.Transcript())
	config := r.session.Hooks()
	t, isTalk := r.session.(*talk)
	screen := ""
	reads := isTalk && !t.over && next.readsScreen()
	if reads {
		screen = t.w.text()
	}
	r.rec.mu.Lock()
	defer r.rec.mu.Unlock()
	r.rec.r.Config = config
	if reads {
		r.rec.r.now = screen
	}
}

func (c Command) readsScreen() bool {
	v := c.verb
	return v != nil && (v.Name == "screen" || v.Name == "user-saw" || v.Name == "cmp" && c.Args[0] == "screen")
}

// failScreen reports a failed wait.
func (r *runner) failScreen(f Failure, err error) {
	f.Actual = err.Error()
	var s *screenError
	if errors.As(err, &s) {
		f.Expected, f.Detail = s.expected, screenDetail(s.text)
	}
	r.fail(f)
}

func screenDetail(text string) string {
	if strings.TrimSpace(text) == "" {
		return "the screen is empty\n"
	}
	return "the screen shows\n" + indent(clip(text, 4000))
}

func doTerminal(r *runner, c Command) error {
	r.columns = windowColumns
	if len(c.Args) > 0 {
		r.columns, _ = strconv.Atoi(c.Args[0]) // checked when the case was read
	}
	w, err := openWindow(r.columns)
	switch {
	case errors.Is(err, proc.ErrNoTerminal):
		r.skipped = cmp.Or(r.skipped, err.Error())
	case err != nil:
		return err
	default:
		w.close()
	}
	return nil
}

// chat returns the chat, which it opens if there is none. The result is nil if it could
// not be opened, which was reported.
func (r *runner) chat() (*talk, error) {
	if err := r.open(false); err != nil {
		return nil, err
	}
	t, _ := r.session.(*talk)
	return t, nil
}

func doType(r *runner, c Command) error {
	text, err := rawText(c.Text)
	if err != nil {
		return err
	}
	return r.press(text)
}

func doKey(r *runner, c Command) error {
	for _, name := range c.Args {
		if err := r.press(keyNamed(name)); err != nil {
			return err
		}
		if name == "esc" {
			// If keys followed at once, the program would take them for the same escape
			// sequence.
			time.Sleep(escapeTime)
		}
	}
	return nil
}

// escapeTime is longer than any program waits for the rest of an escape sequence.
const escapeTime = 120 * time.Millisecond

func (r *runner) press(keys string) error {
	t, err := r.chat()
	if err != nil || t == nil {
		return err
	}
	if t.lost != nil {
		return errLost
	}
	select {
	case <-t.Done():
		return errors.New("the keys cannot be typed: the chat has ended")
	default:
	}
	t.prompted = false
	return t.w.press(keys)
}

func doIdle(r *runner, _ Command) error {
	t, err := r.chat()
	if err != nil || t == nil {
		return err
	}
	if err := t.await("an empty prompt", t.w.isReady); err != nil {
		return err
	}
	select {
	case t.idle <- struct{}{}:
		return nil
	case <-t.Done():
		return errors.New("the user cannot be idle: the chat has ended")
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
}

func doWaitfor(r *runner, c Command) error {
	text, err := rawText(c.Text)
	if err != nil {
		return err
	}
	t, err := r.chat()
	if err != nil || t == nil {
		return err
	}
	return t.await(fmt.Sprintf("the screen shows %q", text), func() bool { return t.w.find(text) })
}

// namedKeys maps the names of keys to what they send. The names ctrl-a to ctrl-z work as
// well.
var namedKeys = map[string]string{
	"enter": "\r", "tab": "\t", "shift-tab": "\x1b[Z", "esc": "\x1b", "space": " ", "backspace": "\x7f",
	"delete": "\x1b[3~",
	"up":     "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
}

// keyNamed returns what a key sends, or "" if there is no such key.
func keyNamed(name string) string {
	if keys, ok := namedKeys[name]; ok {
		return keys
	}
	if letter, ok := strings.CutPrefix(name, "ctrl-"); ok {
		if len(letter) == 1 && letter[0] >= 'a' && letter[0] <= 'z' {
			return string(letter[0] - 'a' + 1)
		}
		return ""
	}
	if utf8.RuneCountInString(name) == 1 {
		return name
	}
	return ""
}

func keyNames() []string {
	var names []string
	for name := range namedKeys {
		names = append(names, name)
	}
	slices.Sort(names)
	return append(names, "ctrl-c", "ctrl-d")
}

func checkKeys(args []string) error {
	for _, a := range args {
		if keyNamed(a) == "" {
			return fmt.Errorf("%q is not a key%s; a single character is one too, and type is for more", a, meant(a, keyNames()))
		}
	}
	return nil
}

func checkColumns(args []string) error {
	if len(args) == 0 {
		return nil
	}
	if n, err := strconv.Atoi(args[0]); err != nil || n < 20 || n > 400 {
		return fmt.Errorf("%q is not a width: expected a number of columns from 20 to 400", args[0])
	}
	return nil
}
