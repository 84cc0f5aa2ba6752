package contextfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	source "github.com/yuin/goldmark/text"

	"minigem/internal/text"
	"minigem/tools/workspace"
)

// maxDepth is how deep imports may nest. (core/utils/memoryImportProcessor.ts)
const maxDepth = 5

// An import is "@" and a path, at the start or after white space.
var importToken = regexp.MustCompile(`(^|\s)@([^\s@<>"'` + "`" + `]+)`)

// importing is the state while importing into one file.
type importing struct {
	*loader
	root  string   // real path that imports must stay in
	chain []string // real paths of the files being imported, outermost first
	flat  *[]File  // if set, collects imports instead of inserting them into the text
	left  *int     // how many bytes may still be imported
}

// maxImported limits the bytes that one context file imports. A file in which every
// word is an import would otherwise use all memory.
const maxImported = 4 * maxFile

// imports replaces the imports in body, which was read from path, with the files.
func (l *loader) imports(body, path, root string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	if root == "" {
		root = filepath.Dir(real)
	} else if r, err := filepath.EvalSymlinks(root); err == nil {
		root = r
	}
	left := maxImported
	in := importing{loader: l, root: root, chain: []string{real}, left: &left}
	if !l.flat {
		return in.expand(body, filepath.Dir(real))
	}
	var files []File
	in.flat = &files
	out := in.expand(body, filepath.Dir(real))
	for _, f := range files {
		name := in.relative(f.Path)
		out = fmt.Sprintf("%s\n\n--- File: %s ---\n%s\n--- End of File: %s ---", strings.TrimSpace(out), name,
			strings.TrimSpace(f.Text), name)
	}
	return out
}

func (in importing) expand(body, dir string) string {
	if !strings.Contains(body, "@") {
		return body
	}
	code := codeRanges(body)
	var b strings.Builder
	last := 0
	for _, m := range importToken.FindAllStringSubmatchIndex(body, -1) {
		at := m[3] // after the white space, at the "@"
		for len(code) > 0 && code[0][1] <= at {
			code = code[1:]
		}
		if len(code) > 0 && code[0][0] <= at {
			continue
		}
		put, used := in.one(body[m[4]:m[5]], dir)
		if used == 0 {
			continue
		}
		b.WriteString(body[last:at] + put)
		last = m[4] + used
	}
	return b.String() + body[last:]
}

// one returns the replacement for "@token", and how much of token was the path. used is
// 0 if it is not an import.
func (in importing) one(token, dir string) (put string, used int) {
	path, used := resolve(token, dir)
	if used == 0 {
		return "", 0
	}
	token = token[:used]
	content, err := in.load(path)
	switch {
	case err != nil:
		in.warn(in.chain[len(in.chain)-1], "import of %s: %v", token, err)
		return fmt.Sprintf("<!-- not imported: %s: %v -->", strings.ReplaceAll(token, "--", "- -"), err), used
	case in.flat != nil:
		return "@" + token, used
	}
	name := in.relative(path)
	return fmt.Sprintf("<!-- Imported from: %s -->\n%s\n<!-- End of import from: %s -->", name, strings.TrimSpace(content),
		name), used
}

// resolve finds the path at the beginning of token: all of it, or all but the
// punctuation of a sentence. If it is not a file and does not look like one, as in
// "@someone", it is not an import.
func resolve(token, dir string) (path string, used int) {
	trimmed := strings.TrimRight(token, ".,;:!?)]}")
	for _, t := range []string{token, trimmed} {
		if t == "" {
			continue
		}
		path := t
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, filepath.FromSlash(t))
		}
		if _, err := os.Stat(path); err == nil {
			return path, len(t)
		}
	}
	if strings.HasPrefix(trimmed, "./") || strings.HasPrefix(trimmed, "../") || strings.HasPrefix(trimmed, "/") ||
		strings.HasSuffix(trimmed, ".md") {
		if !filepath.IsAbs(trimmed) {
			return filepath.Join(dir, filepath.FromSlash(trimmed)), len(trimmed)
		}
		return trimmed, len(trimmed)
	}
	return "", 0
}

var (
	errOutside   = errors.New("outside the project")
	errProtected = errors.New("it is protected, as from the tools")
	errCycle     = errors.New("imports itself")
	errDepth     = fmt.Errorf("nested deeper than %d", maxDepth)
	errNotFound  = errors.New("there is no such file")
	errTooMuch   = fmt.Errorf("the imports of one file are more than %d MiB", maxImported>>20)
)

// load reads an imported file with its own imports.
func (in importing) load(path string) (string, error) {
	// For a path outside, not even the file's existence is revealed.
	if !text.Inside(in.root, realParent(path)) {
		return "", errOutside
	}
	real, err := filepath.EvalSymlinks(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errNotFound
	case err != nil:
		return "", cause(err)
	case !text.Inside(in.root, real):
		return "", errOutside
	case in.protected(path) || in.protected(real):
		return "", errProtected
	case slices.Contains(in.chain, real):
		return "", errCycle
	case len(in.chain) > maxDepth:
		return "", errDepth
	}
	if in.flat != nil && slices.ContainsFunc(*in.flat, func(f File) bool { return f.Path == real }) {
		return "", nil
	}
	if *in.left <= 0 {
		return "", errTooMuch
	}
	body, err := in.read(real)
	if err != nil {
		return "", cause(err)
	}
	*in.left -= len(body)
	at := 0
	if in.flat != nil {
		at = len(*in.flat)
		*in.flat = append(*in.flat, File{Path: real})
	}
	in.chain = append(slices.Clip(in.chain), real)
	body = in.expand(body, filepath.Dir(real))
	if in.flat != nil {
		(*in.flat)[at].Text = body
	}
	return body, nil
}

// protected reports whether no file tool may read path, which is in the root.
func (in importing) protected(path string) bool {
	rel, ok := text.Below(in.root, path)
	return ok && workspace.Protected(rel) != ""
}

// realParent resolves the links in path's directory, as far as it exists.
func realParent(path string) string {
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(real, filepath.Base(path))
	}
	return filepath.Clean(path)
}

// leadsInto reports whether path, with all links followed, is in root.
func leadsInto(root, path string) bool {
	r, err1 := filepath.EvalSymlinks(root)
	p, err2 := filepath.EvalSymlinks(path)
	return err1 == nil && err2 == nil && text.Inside(r, p)
}

func (in importing) relative(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if rel, ok := text.Below(in.root, path); ok {
		return filepath.ToSlash(rel)
	}
	return path
}

// codeRanges finds code spans and code blocks, as half-open byte ranges.
func codeRanges(body string) [][2]int {
	content := []byte(body)
	var ranges [][2]int
	add := func(s source.Segment) { ranges = append(ranges, [2]int{s.Start, s.Stop}) }
	doc := goldmark.DefaultParser().Parse(source.NewReader(content))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			for i := range n.Lines().Len() {
				add(n.Lines().At(i))
			}
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					add(t.Segment)
				}
			}
		}
		return ast.WalkContinue, nil
	})
	slices.SortFunc(ranges, func(a, b [2]int) int { return a[0] - b[0] })
	return ranges
}
