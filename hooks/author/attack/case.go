package attack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"minigem/hooks/protocol"
	"minigem/internal/atomicfile"
	"minigem/internal/boundedfile"
)

// AddTo adds the spellings that got through to a case for "hooks test" in file: the model
// calls each of them, and the hook must deny it. Calls that the case already has stay.
// The file and its folder are created if they are missing. A file that is not such a case
// is an error and is not changed.
func AddTo(file string, r Report) error {
	var calls []string
	have := map[string]bool{}
	add := func(call string) {
		if !have[call] && strings.HasPrefix(call, "call ") {
			have[call] = true
			calls = append(calls, call)
		}
	}
	data, err := boundedfile.Read(file, boundedfile.Written)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("adding to the case: %w", err)
	}
	for _, section := range txtar.Parse(data).Files {
		if section.Name == "model" {
			for l := range strings.Lines(string(section.Data)) {
				add(strings.TrimSpace(l))
			}
		}
	}
	if len(data) > 0 && len(calls) == 0 {
		return fmt.Errorf("%s is not a case that hooks attack wrote: name another file", file)
	}
	for _, x := range r.Through() {
		args, err := protocol.Encode(x.Args)
		if err != nil {
			return err
		}
		add("call " + x.Tool + " " + string(args))
	}
	if len(calls) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return atomicfile.WriteFile(file, []byte(caseText(file, r, calls)), 0o644)
}

// caseText writes the case: its settings and scripts by reference, and a model that
// makes each of the calls.
func caseText(file string, r Report, calls []string) string {
	var b strings.Builder
	name, _ := json.Marshal(r.Hook)
	fmt.Fprintf(&b, "# What got past %s once: %s.\n", oneLine(r.Hook), oneLine(r.Goal.Value))
	settings := settingsFolder(file)
	if settings != "" {
		b.WriteString("use " + settings + "\n")
	}
	for _, script := range r.Scripts {
		from, err := filepath.Rel(filepath.Dir(file), script)
		as, err2 := filepath.Rel(r.Goal.Dir, script)
		if err == nil && err2 == nil && filepath.IsLocal(as) && !strings.HasPrefix(as, ".gemini") {
			fmt.Fprintf(&b, "use %s %s\n", filepath.ToSlash(from), filepath.ToSlash(as))
		}
	}
	fmt.Fprintf(&b, "interactive\nprompt Try it\nfired BeforeTool %s decision=deny times=%d\n\n-- model --\n%s\n\n"+
		"text None of it.\n",
		name, len(calls), strings.Join(calls, "\n"))
	if settings == "" { // the hook is a script that no settings name
		fmt.Fprintf(&b, "\n-- hooks --\nbefore-tool * ./%s\n", strings.TrimPrefix(oneLine(r.Hook), "./"))
	}
	return b.String()
}

// settingsFolder is the .gemini folder above file, as a case names it, or "" if there is
// none.
func settingsFolder(file string) string {
	dir := filepath.Dir(file)
	rel := ""
	for at := dir; ; at = filepath.Dir(at) {
		if filepath.Base(at) == ".gemini" {
			return filepath.ToSlash(strings.TrimSuffix(rel, "/")) + " .gemini"
		}
		if _, err := os.Stat(filepath.Join(at, ".gemini")); err == nil {
			return filepath.ToSlash(filepath.Join(rel, ".gemini"))
		}
		if at == filepath.Dir(at) {
			return ""
		}
		rel += "../"
	}
}

// oneLine puts s on one line, for a comment or a line of the case.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
