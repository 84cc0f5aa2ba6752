package testbed

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/rogpeppe/go-internal/txtar"

	"minigem/hooks/author/inspect"
	"minigem/internal/atomicfile"
	"minigem/internal/text"
)

func judgeModelDiff(r *Record, c Command) verdict {
	n, _ := strconv.Atoi(c.Args[0])
	v := verdict{expected: fmt.Sprintf("the changes of request %d are those of %s", n, c.Args[1])}
	diff, err := r.diff(n)
	if err != nil {
		v.actual = err.Error()
		v.detail = r.requestList()
		return v
	}
	return r.compare(fmt.Sprintf("what hooks changed in request %d", n), diff, c.Args[1])
}

// diff returns what hooks changed in request n. It runs the case again without hooks and
// with the same answers of the model, so the requests differ only by what hooks did.
func (r *runner) diff(n int) (string, error) {
	got := r.rec.soFar()
	if n > len(got.Requests) {
		return "", fmt.Errorf("there is no request %d: the model got %s", n, text.Plural(len(got.Requests), "request"))
	}
	if r.muted == "*" {
		return "", nil // this is the run to compare with
	}
	plain, err := r.again(r.c, "*", nil)
	if err != nil {
		return "", err
	}
	without := plain.rec.soFar()
	before := ""
	if n <= len(without.Requests) {
		before = without.comparable(without.Requests[n-1])
	}
	return inspect.ChangedLines(before, got.comparable(got.Requests[n-1])), nil
}

// volatile matches the session ids in a request, which differ from run to run.
var volatile = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

func (r *Record) comparable(req Request) string {
	return volatile.ReplaceAllString(r.shorten(renderRequest(req)), "ID")
}

// rewrite puts new content into the sections of the case file.
func (c *Case) rewrite(updates map[string][]byte) (bool, error) {
	if len(updates) == 0 {
		return false, nil
	}
	a := txtar.Archive{Comment: c.source.Comment, Files: slices.Clone(c.source.Files)}
	left := map[string][]byte{}
	for name, data := range updates {
		left[name] = data
	}
	for i := range a.Files {
		if data, ok := left[a.Files[i].Name]; ok {
			a.Files[i].Data = data
			delete(left, a.Files[i].Name)
		}
	}
	for _, cmd := range c.Commands { // append new sections in the order of the script
		if n := len(cmd.Args); cmd.verb.Golden && n > 0 {
			if data, ok := left[cmd.Args[n-1]]; ok {
				a.Files = append(a.Files, txtar.File{Name: cmd.Args[n-1], Data: data})
				delete(left, cmd.Args[n-1])
			}
		}
	}
	if err := atomicfile.WriteFile(c.Path, txtar.Format(&a), 0o644); err != nil {
		return false, fmt.Errorf("updating the case: %w", err)
	}
	return true, nil
}
