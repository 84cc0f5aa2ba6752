// Package extensions installs, updates, removes, configures and reads extensions in the
// folders and files of Gemini CLI, so that both programs see the same ones, and finds
// those in force. Git
// addresses are fetched with the installed git, which knows the user's proxies, keys
// and credential helpers. go-git would make the program larger and knows none of them.
// What hooks and models do with them is decided elsewhere.
package extensions

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"minigem/hooks/jsonc"
	"minigem/internal/boundedfile"
	"minigem/internal/stage"
	"minigem/internal/text"
)

// The files of Gemini CLI.
const (
	manifestFile   = "gemini-extension.json"
	installFile    = ".gemini-extension-install.json"
	enablementFile = "extension-enablement.json"
)

// Types of origins.
const (
	TypeGit     = "git"
	TypeRelease = "github-release"
	TypeLocal   = "local"
	TypeLink    = "link"
)

// Manifest is gemini-extension.json.
type Manifest struct {
	Name, Version string
	Servers       []Server // mcpServers, in their order
	Context       []string // contextFileName
	ExcludeTools  []string
	Settings      []Setting
	PlanDir       string // plan.directory
	Themes        int    // number of themes
	MigratedTo    string // the address that the next update uses
	Problems      []string
}

// Server is an entry of "mcpServers" as written, without "trust": an extension cannot
// trust itself.
type Server struct {
	Name string
	JSON json.RawMessage
}

// Setting is a value that an extension asks its user for.
type Setting struct {
	Name, Description, EnvVar string
	Sensitive                 bool // a secret, kept in the keychain
}

var (
	nameForm = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
	envForm  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// ReadManifest reads the manifest of the extension in dir.
func ReadManifest(dir string) (Manifest, error) {
	file := filepath.Join(dir, manifestFile)
	root, err := readJSON(file)
	if err != nil {
		return Manifest{}, err
	}
	m := Manifest{
		Name: root.Get("name").Text(), Version: root.Get("version").Text(), ExcludeTools: root.Get("excludeTools").Strings(),
		PlanDir: root.Get("plan", "directory").Text(), Themes: len(root.Get("themes").Elements()),
		MigratedTo: root.Get("migratedTo").Text(),
	}
	if !nameForm.MatchString(m.Name) {
		return m, fmt.Errorf("%s: %q is not a name for an extension: only letters, digits and dashes", file, m.Name)
	}
	if name := root.Get("contextFileName"); name.Kind() == jsonc.String {
		m.Context = []string{name.Text()}
	} else {
		m.Context = name.Strings()
	}
	if m.PlanDir != "" && !filepath.IsLocal(filepath.FromSlash(m.PlanDir)) {
		m.Problems = append(m.Problems, fmt.Sprintf("plan.directory is %q: it must lie in the project", m.PlanDir))
		m.PlanDir = ""
	}
	for _, s := range root.Get("mcpServers").Members() {
		s.Value.Remove("trust")
		m.Servers = append(m.Servers, Server{s.Name, s.Value.Standard()})
	}
	for _, s := range root.Get("settings").Elements() {
		one := Setting{s.Get("name").Text(), s.Get("description").Text(), s.Get("envVar").Text(), s.Get("sensitive").IsTrue()}
		if !envForm.MatchString(one.EnvVar) {
			m.Problems = append(m.Problems, fmt.Sprintf("line %d: %q cannot be the envVar of a setting", s.Line(), one.EnvVar))
			continue
		}
		m.Settings = append(m.Settings, one)
	}
	return m, nil
}

// NotForGeminiCLI says why Gemini CLI cannot read a manifest that minigem can read, or
// returns "". Gemini CLI's manifests are JSON without comments and trailing commas
// (cli/config/extension-manager.ts).
func NotForGeminiCLI(dir string) string {
	data, err := boundedfile.Read(filepath.Join(dir, manifestFile), boundedfile.Written)
	var any json.RawMessage
	if err == nil {
		err = json.Unmarshal(data, &any)
	}
	if err == nil {
		return ""
	}
	return fmt.Sprintf("%s: Gemini CLI does not load it, because it is not plain JSON: %s", manifestFile, err)
}

// Origin is where an extension was installed from, as recorded in its folder.
type Origin struct {
	Source          string `json:"source"`
	Type            string `json:"type"`
	Ref             string `json:"ref,omitempty"`
	AutoUpdate      bool   `json:"autoUpdate,omitempty"`
	AllowPreRelease bool   `json:"allowPreRelease,omitempty"`
	ReleaseTag      string `json:"releaseTag,omitempty"`
}

func readOrigin(dir string) (Origin, error) {
	root, err := readJSON(filepath.Join(dir, installFile))
	if errors.Is(err, fs.ErrNotExist) {
		return Origin{}, nil
	}
	if err != nil {
		return Origin{}, err
	}
	return Origin{
		Source: root.Get("source").Text(), Type: root.Get("type").Text(), Ref: root.Get("ref").Text(),
		AutoUpdate: root.Get("autoUpdate").IsTrue(), AllowPreRelease: root.Get("allowPreRelease").IsTrue(),
		ReleaseTag: root.Get("releaseTag").Text(),
	}, nil
}

// Installed is an extension in the folder of extensions.
type Installed struct {
	Manifest
	Origin Origin
	Folder string // below the folder of extensions
	Dir    string // where its files are; for a linked extension, its source
}

// Open reads the extension that is installed in folder.
func Open(folder string) (Installed, error) {
	origin, err := readOrigin(folder)
	if err != nil {
		return Installed{}, err
	}
	i := Installed{Origin: origin, Folder: folder, Dir: folder}
	if origin.Type == TypeLink && origin.Source != "" {
		i.Dir = origin.Source
	}
	i.Manifest, err = ReadManifest(i.Dir)
	return i, err
}

// ID returns Gemini CLI's name for the extension in the keychain.
func (i Installed) ID() string {
	of := i.Origin.Source
	if owner, repo, ok := onGitHub(of); ok {
		of = "https://github.com/" + owner + "/" + repo
	}
	sum := sha256.Sum256([]byte(cmp.Or(of, i.Name)))
	return hex.EncodeToString(sum[:])
}

func readJSON(file string) (jsonc.Node, error) {
	data, err := boundedfile.Read(file, boundedfile.Written)
	if err != nil {
		return jsonc.Node{}, err
	}
	doc, err := jsonc.Parse(file, data)
	if err != nil {
		return jsonc.Node{}, err
	}
	return doc.Root(), nil
}

// all returns the extensions that can be opened.
func (m *Manager) all() []Installed {
	stage.Settle(m.Dir)
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return nil
	}
	var out []Installed
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if i, err := Open(filepath.Join(m.Dir, e.Name())); err == nil {
			out = append(out, i)
		}
	}
	return out
}

// find finds an extension by its name, ignoring case, or by its source.
func (m *Manager) find(name string) (Installed, error) {
	var names []string
	for _, i := range m.all() {
		if strings.EqualFold(i.Name, name) || i.Origin.Source == name {
			return i, nil
		}
		names = append(names, i.Name)
	}
	return Installed{}, &UnknownError{Name: name, There: names}
}

// UnknownError means that there is no extension of that name.
type UnknownError struct {
	Name  string
	There []string // the existing ones
}

func (e *UnknownError) Error() string {
	if len(e.There) == 0 {
		return fmt.Sprintf("there is no extension %q: none is installed", e.Name)
	}
	return text.None("extension", e.Name, e.There, ": installed are "+strings.Join(e.There, ", "))
}
