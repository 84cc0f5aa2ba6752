package config

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"minigem/hooks/jsonc"
	"minigem/internal/boundedfile"
)

// maxLoaded bounds the files that one hook is known to load, and maxNames what one of
// them may name: each name costs some sixty looks at the disk.
const (
	maxLoaded = 200
	maxNames  = 2000
)

// loadLine matches lines that load or run other files, in the languages that hooks
// are written in; loadName matches what may be a file or module in one.
var (
	loadLine = sync.OnceValue(func() *regexp.Regexp {
		const verbs = `import|require|require_relative|from|source|include|exec|spawn|node|python3?|bash|sh|ruby|perl`
		return regexp.MustCompile(`(?m)^[^#\n]*?(?:^|[\s;|&(={])(?:` + verbs + `)[\s("'].*$|^\s*\.\s.*$`)
	})
	// loadName matches what may be a file or a module in such a line.
	loadName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\w./@-]+`) })
)

// programSuffixes are the suffixes of files that hooks load as code.
var programSuffixes = []string{".py", ".js", ".mjs", ".cjs", ".ts", ".sh", ".bash", ".rb", ".pl", ".pm", ".php", ".lua"}

// withLoaded adds to files what they load from their own folder or from root. It also
// adds what words of a command name as a module (python3 -m tools.g) or as a script of
// package.json (npm run guard). It only reads the text of the files, so it does not see
// names that a program computes at run time.
func withLoaded(files, words []string, root string) []string {
	for _, word := range words {
		files = append(files, modules(word, root)...)
		if slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, word) {
			files = append(files, modules("package.json", root)...)
		}
	}
	seen := map[string]bool{}
	for i := 0; i < len(files) && i < maxLoaded; i++ {
		if seen[files[i]] {
			continue
		}
		seen[files[i]] = true
		data, err := boundedfile.Read(files[i], boundedfile.Written)
		if err != nil {
			continue
		}
		names := loadName().FindAllString(loading(files[i], data, words), maxNames)
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			for _, dir := range []string{filepath.Dir(files[i]), root} {
				for _, file := range modules(name, dir) {
					if !seen[file] && inside(root, file) {
						files = append(files, file)
					}
				}
			}
		}
	}
	return files
}

// loading returns the part of a file that may load others: of package.json the
// scripts that words name.
func loading(file string, data []byte, words []string) string {
	if filepath.Base(file) != "package.json" {
		return strings.Join(loadLine().FindAllString(string(data), -1), "\n")
	}
	var out []string
	if doc, err := jsonc.Parse(file, data); err == nil {
		for _, m := range doc.Root().Get("scripts").Members() {
			if slices.Contains(words, m.Name) {
				out = append(out, m.Value.Text())
			}
		}
	}
	return strings.Join(out, "\n")
}

// modules returns the files in dir that name may mean: a path, with or without its
// suffix, a folder's main file, or a module's name with dots.
func modules(name, dir string) []string {
	name = strings.Trim(strings.TrimPrefix(name, "./"), "/")
	if name == "" || strings.Contains(name, "node_modules") {
		return nil
	}
	var out []string
	add := func(rel string) {
		if path := filepath.Join(dir, filepath.FromSlash(rel)); regular(path) {
			out = append(out, path)
		}
	}
	if slices.Contains(programSuffixes, filepath.Ext(name)) || name == "package.json" {
		add(name)
	}
	for _, base := range slices.Compact([]string{name, strings.ReplaceAll(strings.Trim(name, "."), ".", "/")}) {
		if strings.Trim(base, "./") == "" {
			continue
		}
		for _, suffix := range programSuffixes {
			add(base + suffix)
		}
		for _, main := range []string{"/__init__.py", "/__main__.py", "/index.js", "/index.mjs"} {
			add(base + main)
		}
	}
	return out
}
