package docs_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// section is one file of docs/promises: a heading, perhaps a remark, and promises
// with blank lines between them.
type section struct {
	file     string
	title    string
	remark   string
	promises []promise
}

// promise is one paragraph: the number and the words, then indented lines with one
// proof each: "testbed NAME", a case of e2e/testdata/cases; "script NAME", a script of
// e2e/testdata/script; "case TEXT", the cases of hooks/hookstest whose names begin with
// TEXT; "PACKAGE.TestName"; or "none: WHY".
type promise struct {
	number string
	words  string
	proofs []string
}

var promiseStart = regexp.MustCompile(`^(\d+\.\d+) `)

func readPromises(t *testing.T) []section {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("promises", "*.txt"))
	require.NoError(t, err)
	var all []section
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		s, err := parseSection(string(data))
		require.NoError(t, err, file)
		s.file = filepath.Base(file)
		all = append(all, s)
	}
	return all
}

func parseSection(text string) (section, error) {
	var s section
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		title, rest, _ := strings.Cut(paragraph, "\n")
		if heading, ok := strings.CutPrefix(title, "# "); ok {
			s.title, s.remark = heading, rest
			continue
		}
		number := promiseStart.FindStringSubmatch(paragraph)
		if number == nil {
			return s, fmt.Errorf("%q does not begin with the number of a promise", title)
		}
		p := promise{number: number[1]}
		var words []string
		for line := range strings.SplitSeq(strings.TrimPrefix(paragraph, number[0]), "\n") {
			if proof, ok := strings.CutPrefix(line, "\t"); ok {
				p.proofs = append(p.proofs, proof)
			} else {
				words = append(words, line)
			}
		}
		p.words = strings.Join(words, " ")
		s.promises = append(s.promises, p)
	}
	return s, nil
}

// TestEveryPromiseHasItsProof checks that the promises are numbered in order and
// that each proof exists.
func TestEveryPromiseHasItsProof(t *testing.T) {
	t.Parallel()
	sections := readPromises(t)
	require.NotEmpty(t, sections)
	for i, s := range sections {
		require.NotEmpty(t, s.promises, s.title)
		for j, p := range s.promises {
			require.Equal(t, fmt.Sprintf("%d.%d", i, j+1), p.number,
				"add a promise at the end of its file: numbers do not change")
			assert.NotEmpty(t, p.words, p.number)
			assert.NotEmpty(t, p.proofs, "%s has no proof: name a test on an indented line below it", p.number)
			for _, proof := range p.proofs {
				assert.True(t, exists(t, proof), "%s (%s): there is no %q", p.number, p.words, proof)
			}
		}
	}
}

// TestPromisesPage compares PROMISES.md with docs/promises.
func TestPromisesPage(t *testing.T) {
	t.Parallel()
	generated(t, "PROMISES.md", promisesPage(readPromises(t)))
}

const promisesHead = `# What is promised

<!-- Generated from docs/promises by go generate ./docs. -->

This is what minigem promises to hook authors. Each section links to a file that names the tests behind each promise. A
test fails if its promise is broken, and ` + "`go test ./docs`" +
	` fails if a promise names no test, or one that does not
exist. An empty box has nothing to test, and says why. [HOOKS.md](HOOKS.md) is the manual.
`

// promisesPage has no totals: two changes that add promises to different files
// would conflict there.
func promisesPage(sections []section) string {
	var page strings.Builder
	page.WriteString(promisesHead)
	for i, s := range sections {
		fmt.Fprintf(&page, "\n## %d. %s\n\n", i, s.title)
		if s.remark != "" {
			fmt.Fprintf(&page, "%s\n\n", s.remark)
		}
		fmt.Fprintf(&page, "The tests: [%s](promises/%s)\n\n", s.file, s.file)
		for _, p := range s.promises {
			box, words := "x", p.words
			if why, ok := strings.CutPrefix(p.proofs[0], "none: "); ok {
				box, words = " ", words+": "+why
			}
			fmt.Fprintf(&page, "- [%s] **%s** %s\n", box, p.number, words)
		}
	}
	return page.String()
}

// contractNames returns the names of the cases of hooks/hookstest.
var contractNames = sync.OnceValue(func() (names []string) {
	files, err := filepath.Glob("../hooks/hookstest/testdata/*.toml")
	for _, file := range files {
		var cases struct{ Case []struct{ Name string } }
		data, errRead := os.ReadFile(file)
		err = errors.Join(err, errRead, toml.Unmarshal(data, &cases))
		for _, c := range cases.Case {
			names = append(names, c.Name)
		}
	}
	if err != nil {
		panic(err)
	}
	return names
})

// exists reports whether a proof exists. Tests of other systems, or with build tags,
// are found too.
func exists(t *testing.T, proof string) bool {
	t.Helper()
	kind, name, _ := strings.Cut(proof, " ")
	switch kind {
	case "none:":
		return name != ""
	case "case":
		return name != "" && slices.ContainsFunc(contractNames(), func(n string) bool { return strings.HasPrefix(n, name) })
	case "testbed", "script":
		dir := map[string]string{"testbed": "cases", "script": "script"}[kind]
		_, err := os.Stat(filepath.Join("..", "e2e", "testdata", dir, name+".txtar"))
		return err == nil
	}
	dot := strings.LastIndexByte(proof, '.')
	if dot < 0 {
		return false
	}
	files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(proof[:dot]), "*_test.go"))
	require.NoError(t, err)
	return slices.ContainsFunc(files, func(file string) bool {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		name := "\nfunc " + proof[dot+1:]
		return strings.Contains(string(source), name+"(t *testing.T) {") ||
			strings.Contains(string(source), name+"(f *testing.F) {")
	})
}
