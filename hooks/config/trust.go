package config

// Trust in a project's hooks:
//
//   - A hook of the project is trusted if a hook with the same fingerprint was trusted
//     before. The fingerprint is its event, matcher, condition, name, skill or agent, what
//     it runs, its environment, and the contents of the project's script files that its
//     command runs (see scripts).
//   - The files that these scripts load from their folder or from the project's root
//     count too, as far as their text shows them.
//   - Environments, headers and addresses are kept as hashes, because they may hold
//     secrets.
//   - The fingerprints are kept in a file that only minigem uses. Gemini CLI's
//     trusted_hooks.json is updated too, so that it does not warn about what the user
//     approved here. An entry there means only that a warning was once printed, and is
//     not trusted here.

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/jsonc"
	"minigem/hooks/protocol"
	"minigem/internal/boundedfile"
	"minigem/internal/text"
)

// The file of minigem's fingerprints, and the one of Gemini CLI, both in the user's
// .gemini folder.
const (
	trustFile         = "trusted_hooks_minigem.json"
	upstreamTrustFile = "trusted_hooks.json"
	// maxTrusted bounds the fingerprints of a project that are kept in addition to those
	// being trusted: the project's other hooks and hooks of other branches.
	maxTrusted = 2000
	// maxHashed bounds how many bytes of a script count.
	maxHashed = 64 << 20
)

// TrustStatus says how a project's hook compares with what was trusted before.
type TrustStatus string

const (
	// TrustNew means that no trusted hook of the event has its name or runs the same.
	TrustNew TrustStatus = "new"
	// TrustChanged means that a trusted hook of the event has its name or runs the same,
	// but something else differs.
	TrustChanged TrustStatus = "changed"
	// TrustKnown means that the hook was trusted exactly as it is.
	TrustKnown TrustStatus = "trusted"
)

// TrustCheck is the result of [TrustStore.Check] for one hook.
type TrustCheck struct {
	// Index is the hook's position in Config.Hooks.
	Index int
	// Hook is a copy of the hook.
	Hook hooks.Hook
	// Status says how the hook compares with what was trusted.
	Status TrustStatus
	// First reports whether [TrustStore.Trust] was never called for this project.
	First bool
	// Changed lists what differs from the last trusted state, such as "command",
	// "matcher", "env" or "script hooks/x.sh". TrustChanged only.
	Changed []string
	// Scripts lists the script files that count, sorted, with slashes and relative to the
	// project if they are in it.
	Scripts []string
}

// TrustStore remembers trusted hooks in files of the directory Dir, usually ~/.gemini.
// It is safe for concurrent use, also by several processes. Trust is by the clean path
// of a project's root: a copy of the project elsewhere is not trusted.
type TrustStore struct{ Dir string }

// fingerprint is the stored state of a hook when it was trusted.
type fingerprint struct {
	Event   protocol.Event `json:"event"`
	Matcher string         `json:"matcher,omitempty"`
	If      string         `json:"if,omitempty"`
	Name    string         `json:"name,omitempty"`
	Command string         `json:"command"`
	hooks.Handler
	Within  string            `json:"within,omitempty"`  // the skill or agent that brings it
	Env     string            `json:"env,omitempty"`     // hash; empty: no variables
	Scripts map[string]string `json:"scripts,omitempty"` // hash by file
}

// Check compares the hooks of c that came with the project at root, from its settings
// or from an extension in it, with what was trusted there. Disabled hooks are left out.
// If the store cannot be read, all are new and the error says why. Check changes
// nothing; see [Apply]. It reads the scripts of the hooks, up to 64 MiB of each.
func (s TrustStore) Check(root string, c hooks.Config) ([]TrustCheck, error) {
	known, err := s.load()
	_, asked := known[filepath.Clean(root)]
	var checks []TrustCheck
	for i, h := range c.Hooks {
		if !s.OfProject(h, root) || h.Disabled != "" {
			continue
		}
		f := fingerprintOf(h, root)
		status, changed := f.compare(known[filepath.Clean(root)])
		checks = append(checks, TrustCheck{Index: i, Hook: h, Status: status, First: !asked, Changed: changed,
			Scripts: slices.Sorted(maps.Keys(f.Scripts))})
	}
	return checks, err
}

// OfProject reports whether h came with the project at root: from its settings, or from
// an extension in its .gemini/extensions.
func (s TrustStore) OfProject(h hooks.Hook, root string) bool {
	dir := filepath.Join(root, ".gemini")
	return h.Source.OfProject() ||
		h.Source.Layer == hooks.LayerExtension && dir != filepath.Clean(s.Dir) &&
			inside(filepath.Join(dir, "extensions"), h.Source.File)
}

// Trust remembers hooks of the project at root as they are now, with their scripts as
// they are on disk now. Called with no hooks, it remembers that the user was asked;
// [TrustCheck.First] is false afterwards. It also updates Gemini CLI's list. Of the
// project's other fingerprints the latest 2,000 are kept. On error nothing new may be
// trusted, or only Gemini CLI's list may be out of date.
func (s TrustStore) Trust(root string, hooks []hooks.Hook) error {
	root = filepath.Clean(root)
	fingerprints := make([]fingerprint, len(hooks))
	for i, h := range hooks {
		fingerprints[i] = fingerprintOf(h, root)
	}
	path := filepath.Join(s.Dir, trustFile)
	err := jsonc.Update(path, 0o600, func(data []byte) ([]byte, error) {
		known, err := parseTrust(path, data)
		if err != nil {
			return nil, err
		}
		known[root] = withNow(known[root], fingerprints)
		out, err := json.MarshalIndent(known, "", "  ")
		return append(out, '\n'), err
	})
	if err != nil {
		return fmt.Errorf("remembering trusted hooks: %w", err)
	}
	return s.tellUpstream(root, hooks)
}

// withNow moves now to the end of known. Of the rest the latest maxTrusted are kept, in
// their order.
func withNow(known, now []fingerprint) []fingerprint {
	current := map[string]bool{}
	out := []fingerprint{} // an entry, though it is empty: the user was asked
	for _, f := range now {
		if key := f.key(); !current[key] {
			current[key] = true
			out = append(out, f)
		}
	}
	others := slices.DeleteFunc(slices.Clone(known), func(f fingerprint) bool { return current[f.key()] })
	return append(others[max(0, len(others)-maxTrusted):], out...)
}

// key is equal for equal fingerprints.
func (f fingerprint) key() string {
	data, _ := json.Marshal(f) // keys of maps are sorted; strings always marshal
	return string(data)
}

// Apply writes checks of c into it: new and changed hooks get a [hooks.Hook.Note], and if
// hold is true they also become untrusted, so that they do not run. Trusted hooks lose
// both.
func Apply(c *hooks.Config, checks []TrustCheck, hold bool) {
	for _, check := range checks {
		h := &c.Hooks[check.Index]
		h.Note, h.Untrusted = check.Note(), ""
		if hold {
			h.Untrusted = h.Note
		}
	}
}

// Note says what is new about a hook, as a clause such as "new since you last trusted
// this project's hooks". It is empty if the hook is trusted.
func (c TrustCheck) Note() string {
	switch {
	case c.Status == TrustNew && c.First:
		return "this project's hooks were never trusted"
	case c.Status == TrustNew:
		return "new since you last trusted this project's hooks"
	case c.Status == TrustChanged:
		return "changed since you last trusted this project's hooks: " + strings.Join(c.Changed, ", ")
	}
	return ""
}

// load reads the store. A file that cannot be parsed is set aside, so that the user can
// trust anew.
func (s TrustStore) load() (map[string][]fingerprint, error) {
	path := filepath.Join(s.Dir, trustFile)
	data, err := boundedfile.Read(path, boundedfile.Kept)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading trusted hooks: %w", err)
	}
	known, err := parseTrust(path, data)
	if err != nil {
		return nil, fmt.Errorf("reading trusted hooks: %w", boundedfile.SetAside(path, err))
	}
	return known, nil
}

// parseTrust reads fingerprints by project. No data is an empty store.
func parseTrust(path string, data []byte) (map[string][]fingerprint, error) {
	known := map[string][]fingerprint{}
	if len(data) == 0 {
		return known, nil
	}
	if err := json.Unmarshal(data, &known); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if known == nil {
		return nil, fmt.Errorf("%s: it holds null", path)
	}
	return known, nil
}

// tellUpstream adds hooks to Gemini CLI's list, whose entries are name:command. A file in
// another form is left alone, because it is not ours.
func (s TrustStore) tellUpstream(root string, hooks []hooks.Hook) error {
	path := filepath.Join(s.Dir, upstreamTrustFile)
	err := jsonc.Update(path, 0o600, func(data []byte) ([]byte, error) {
		doc, err := jsonc.Parse(path, data)
		if err != nil {
			return data, nil
		}
		listed := doc.Root().Get(root).Strings()
		for _, h := range hooks {
			key := h.Name + ":" + h.Target()
			if slices.Contains(listed, key) {
				continue
			}
			if err := doc.Append(key, root); err != nil {
				return data, nil
			}
			listed = append(listed, key)
		}
		return doc.Bytes(), nil
	})
	if err != nil {
		return fmt.Errorf("remembering trusted hooks for Gemini CLI: %w", err)
	}
	return nil
}

// fingerprintOf returns the present state of h. Values that may be secret are hashed, and
// statusMessage is left out, because it is only shown.
func fingerprintOf(h hooks.Hook, root string) fingerprint {
	f := fingerprint{Event: h.Event, Matcher: h.Matcher, If: h.If, Name: h.Name, Command: h.Command, Handler: h.Handler,
		Within: h.Within.String()}
	f.StatusMessage = "" // it is only shown
	if shown := h.Shown().URL; shown != h.URL {
		f.URL = shown + " " + hash([]byte(h.URL))
	}
	f.Headers = maps.Clone(h.Headers)
	for name, value := range f.Headers {
		f.Headers[name] = hash([]byte(value))
	}
	if len(h.Env) > 0 {
		env, _ := json.Marshal(h.Env) // sorted by name; strings always marshal
		f.Env = hash(env)
	}
	for _, file := range scripts(h, root) {
		if f.Scripts == nil {
			f.Scripts = map[string]string{}
		}
		f.Scripts[relative(root, file)] = hashFile(file)
	}
	return f
}

// compare looks f up. Changes are relative to the last of several earlier states.
func (f fingerprint) compare(known []fingerprint) (TrustStatus, []string) {
	var before *fingerprint
	for i := range known {
		k := &known[i]
		if k.Command == f.Command && reflect.DeepEqual(*k, f) { // the first is quick
			return TrustKnown, nil
		}
		if k.Event == f.Event && (k.target() == f.target() || f.Name != "" && k.Name == f.Name) {
			before = k
		}
	}
	if before == nil {
		return TrustNew, nil
	}
	var changed []string
	for _, c := range []struct{ what, before, now string }{
		{"command", before.Command, f.Command}, {"matcher", before.Matcher, f.Matcher}, {"if", before.If, f.If},
		{"name", before.Name, f.Name}, {"skill or agent", before.Within, f.Within}, {"env", before.Env, f.Env},
	} {
		if c.before != c.now {
			changed = append(changed, c.what)
		}
	}
	changed = append(changed, before.Handler.Differing(f.Handler)...)
	both := maps.Clone(before.Scripts)
	if both == nil {
		both = map[string]string{}
	}
	maps.Copy(both, f.Scripts)
	for _, file := range slices.Sorted(maps.Keys(both)) {
		if before.Scripts[file] != f.Scripts[file] {
			changed = append(changed, "script "+file)
		}
	}
	return TrustChanged, changed
}

// target returns what the hook runs.
func (f fingerprint) target() string {
	return hooks.Hook{Command: f.Command, Handler: f.Handler}.Target()
}

// relative returns a file's path relative to the project, which is the same in another
// checkout.
func relative(root, file string) string {
	if rel, ok := text.Below(root, file); ok {
		return filepath.ToSlash(rel)
	}
	return file
}

// hash returns the SHA-256 of data, marked as such.
func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// hashFile returns the hash of the contents, or "unreadable".
func hashFile(path string) string {
	f, err := boundedfile.Open(path)
	if err != nil {
		return "unreadable"
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, maxHashed)); err != nil {
		return "unreadable"
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}
