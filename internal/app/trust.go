package app

import (
	"fmt"
	"path/filepath"
	"strings"

	"minigem/internal/exit"
	"minigem/internal/text"
	"minigem/internal/trust"
)

// FolderTrust says whether minigem loads what the folder contains
// (docs/spec/contract.md 6).
type FolderTrust struct {
	Trusted  bool
	Why      string       // who or what decided
	Contents []trust.Item // what would be used but is not loaded; nil if trusted
	Open     bool         // no decision was made, so a folder that brings nothing is trusted
	dir      string
}

// decideTrust consults, in this order, the flag, the environment, the settings and the
// user's list. A folder with nothing to load needs no trust, unless the user refused
// it.
func decideTrust(sys *System, f *Options, c *Configuration, enabled bool) FolderTrust {
	t := FolderTrust{dir: c.Dir}
	fromEnv := trust.ByEnvironment(sys.Getenv("GEMINI_CLI_TRUST_WORKSPACE"))
	switch {
	case f.SkipTrust:
		t.Trusted, t.Why = true, "--skip-trust"
	case fromEnv == trust.Trusted:
		t.Trusted, t.Why = true, "GEMINI_CLI_TRUST_WORKSPACE"
	case !enabled:
		t.Trusted, t.Why = true, "security.folderTrust.enabled is false"
	}
	made := appeared(c)
	if t.Trusted {
		if made != "" {
			c.Notices = append(c.Notices, made+", but this run trusts the folder by "+t.Why)
		}
		return t
	}
	rules, warnings, err := trust.Load(c.TrustedFolders())
	if err != nil {
		warnings = append(warnings, err.Error())
	}
	c.Notices = append(c.Notices, warnings...)
	decision := rules.Decide(c.Dir)
	if fromEnv == trust.Untrusted {
		decision = trust.Untrusted
	}
	if decision == trust.Trusted && made == "" {
		t.Trusted, t.Why = true, c.TrustedFolders()
		return t
	}
	t.Contents = trust.Contents(c.Dir, c.Home)
	t.Why = "it has not been trusted yet"
	switch decision {
	case trust.Untrusted:
		t.Why = "it is marked as untrusted"
	case trust.Trusted:
		t.Why, t.Contents = made, append(t.Contents, trust.Named("what is new", ".", nil))
	}
	t.Open = decision != trust.Untrusted
	t.Trusted = t.Open && len(t.Contents) == 0
	return t
}

// appeared says which files that minigem would load have appeared since commands ran
// here in a sandbox. It returns "" if there are none, or the user has agreed to them.
func appeared(c *Configuration) string {
	names, err := trust.Appeared(c.TrustedFolders(), c.Dir)
	switch {
	case err != nil:
		return err.Error()
	case len(names) == 0:
		return ""
	}
	return list(c, names) + " did not exist before commands ran here in a sandbox, and you have not agreed to it"
}

// list joins paths for display.
func list(c *Configuration, paths []string) string {
	var out []string
	for _, path := range paths {
		out = append(out, c.Relative(path))
	}
	return text.VisibleLine(strings.Join(out, ", "))
}

// narrow reduces Contents to what would be used. If that cannot be determined because
// files are broken, all of Contents stays. A folder with nothing left is trusted like
// one that brings nothing, and its settings stay unread.
func (t *FolderTrust) narrow(sys *System, f *Options) {
	if t.Trusted || len(t.Contents) == 0 {
		return
	}
	as := *f
	as.SkipTrust = true
	if c, err := Configure(sys, &as); err == nil {
		t.Contents = c.Brings()
		t.Trusted = t.Open && len(t.Contents) == 0
	}
}

// TrustedFolders returns the path of the file that records the user's decisions about
// folders.
func (c *Configuration) TrustedFolders() string {
	return filepath.Join(c.DotGemini, "trustedFolders.json")
}

// RequireTrusted returns the error that ends a run without a terminal in a folder whose
// contents the user has not trusted.
func (t FolderTrust) RequireTrusted() error {
	if t.Trusted || len(t.Contents) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "this folder is not trusted (%s), and it contains:\n", t.Why)
	for _, item := range t.Contents {
		fmt.Fprintf(&b, "  %s\n", item)
	}
	b.WriteString("Look at it, then run minigem trust here. For one run: --skip-trust, or " +
		"GEMINI_CLI_TRUST_WORKSPACE=true.")
	return exit.Errorf(exit.Untrusted, "%s", b.String())
}

// TrustFolder trusts the folder and its current hooks and agents.
func (c *Configuration) TrustFolder() error {
	if err := trust.Set(c.TrustedFolders(), c.Dir, trust.Folder); err != nil {
		return err
	}
	if err := c.Agents().Agree(); err != nil {
		return err
	}
	return c.TrustStore().Trust(c.ProjectDir, c.ProjectHooks())
}
