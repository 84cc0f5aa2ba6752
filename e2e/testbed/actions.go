package testbed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"minigem/internal/proc"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
)

func doUse(r *runner, c Command) error {
	from := filepath.Join(filepath.Dir(r.c.Path), filepath.FromSlash(c.Args[0]))
	to := usedAs(c)
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no %s: use copies what is in the folder of the case", from)
	}
	if info, err := os.Stat(from); err == nil && !info.IsDir() && slices.ContainsFunc(r.c.files, func(s section) bool {
		return r.place.target(s.name) == r.place.target(to)
	}) {
		return fmt.Errorf("nothing is copied, because the case already has a section %s: remove one of them", to)
	}
	home, _ := r.o.Lookup("HOME")
	top, err := surroundings(r.c.Path, home)
	if at, linkErr := real(from); errors.Join(err, linkErr) != nil || !inside(at, top) {
		return fmt.Errorf("%s is not in %s: use copies from the repository around the case or, without one, from the "+
			"nearest folder with agent settings such as .gemini: move the file there", from, top)
	}
	if err := r.place.use(from, to, r.c.files); err != nil {
		return fmt.Errorf("copying %s into the workspace: %w", c.Args[0], err)
	}
	r.rec.r.used = append(r.rec.r.used, [2]string{r.place.target(to), filepath.ToSlash(from)})
	return nil
}

// usedAs returns the workspace name of what a use command copies. That is the second
// argument, or else the source path from its first dot folder on (or its last element),
// because settings and hooks are looked up by such names.
func usedAs(c Command) string {
	if len(c.Args) > 1 {
		return c.Args[1]
	}
	parts := strings.Split(path.Clean(filepath.ToSlash(c.Args[0])), "/")
	at := slices.IndexFunc(parts, func(part string) bool {
		return strings.HasPrefix(part, ".") && part != ".." && part != "."
	})
	if at < 0 {
		at = len(parts) - 1
	}
	return path.Join(parts[at:]...)
}

func doNeeds(r *runner, c Command) error {
	for _, program := range c.Args {
		if !r.finds(program) && r.skipped == "" {
			r.skipped = "there is no " + program + " here"
		}
		if program == "go" && r.skipped == "" {
			caches := goCaches(r.place.top, r.o.Lookup)
			r.env = append(caches, r.env...) // what the case sets itself comes later, and wins
			r.allows.caches(caches)
		}
	}
	return nil
}

// finds reports whether the case's PATH leads to program.
func (r *runner) finds(program string) bool {
	path, _ := r.o.Lookup("PATH")
	return slices.ContainsFunc(filepath.SplitList(path), func(dir string) bool {
		_, err := proc.Look(filepath.Join(dir, program))
		return err == nil
	})
}

// doDiffers does nothing: see Case.Differs.
func doDiffers(*runner, Command) error { return nil }

func doEnv(r *runner, c Command) error {
	r.env = append(r.env, c.Args...)
	return nil
}

func doMode(r *runner, c Command) error {
	r.setup.Mode = c.Args[0]
	return nil
}

func doTrust(r *runner, c Command) error {
	r.setup.Trust = Trust(c.Args[0])
	return nil
}

func doInteractive(r *runner, _ Command) error {
	r.ask = true
	return nil
}

func doTimeout(r *runner, c Command) error {
	d, err := time.ParseDuration(c.Args[0])
	if r.timeout = d; r.o.Elsewhere {
		r.timeout = max(d, r.o.Timeout) // the timeout is meant for minigem, which starts at once
	}
	return err
}

func doPrompt(r *runner, c Command) error {
	if err := r.open(false); err != nil || r.session == nil {
		return err
	}
	text, err := rawText(c.Text)
	if err != nil {
		return err
	}
	if t, ok := r.session.(*talk); ok {
		return t.enter(text) // how it ends is reported later
	}
	o := r.session.Prompt(r.ctx, text)
	r.rec.mu.Lock()
	defer r.rec.mu.Unlock()
	r.rec.r.Outcomes = append(r.rec.r.Outcomes, o)
	var cannot *CannotError
	if errors.As(o.Err, &cannot) {
		return cannot
	}
	return nil
}

var outcomes = map[string]policy.Outcome{
	"once": policy.ProceedOnce, "always": policy.ProceedAlways, "no": policy.Cancel,
}

func doAnswer(r *runner, c Command) error {
	r.rec.mu.Lock()
	defer r.rec.mu.Unlock()
	r.answers = append(r.answers, c)
	return nil
}

func doStart(r *runner, _ Command) error { return r.open(false) }

func doClear(r *runner, _ Command) error {
	if err := r.open(false); err != nil || r.session == nil {
		return err
	}
	if t, ok := r.session.(*talk); ok {
		return t.enter("/clear")
	}
	r.session.Clear(r.ctx)
	r.rec.transcript(r.session.Transcript())
	return nil
}

func doCompress(r *runner, _ Command) error {
	if err := r.open(false); err != nil || r.session == nil {
		return err
	}
	return r.session.Compress(r.ctx)
}

func doResume(r *runner, _ Command) error {
	r.close()
	return r.open(true)
}

func doEnd(r *runner, _ Command) error {
	r.close()
	return nil
}

// Approve implements toolcall.Approver with the queued answers.
func (r *runner) Approve(_ context.Context, q toolcall.Question) toolcall.Answer {
	if a, ok := r.answer(q); ok {
		return a
	}
	r.fail(Failure{
		Where: r.c.Path, Expected: "an answer to each permission prompt",
		Actual: fmt.Sprintf("no answer was left for the one about %s: add a line such as: answer once", q.Call.Name),
	})
	return toolcall.Answer{Outcome: policy.Cancel}
}

// answer takes the next queued answer, or returns false if none is left.
func (r *runner) answer(q toolcall.Question) (toolcall.Answer, bool) {
	r.rec.mu.Lock()
	defer r.rec.mu.Unlock()
	r.rec.r.Questions = append(r.rec.r.Questions, q)
	if len(r.answers) == 0 {
		return toolcall.Answer{}, false
	}
	word, feedback, _ := strings.Cut(r.answers[0].Text, " ")
	r.answers = r.answers[1:]
	return toolcall.Answer{Outcome: outcomes[word], Feedback: strings.TrimSpace(feedback)}, true
}

// unasked records a vacuous check for each queued answer that no question used.
func (r *runner) unasked() {
	for _, c := range r.answers {
		r.checks = append(r.checks,
			Check{Where: c.Where(), Command: c.Source, Passed: true, Vacuous: "no permission was asked for"})
	}
}
