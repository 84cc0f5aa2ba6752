package archtest

import (
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A phrase is one that a native speaker would not write, or that says too little.
type phrase struct {
	pattern *regexp.Regexp
	why     string
	better  string
	fine    *regexp.Regexp // correct English that contains it; nil for none
}

// phrases lists what comments, strings and pages must not say. To add to it, also add
// to the sentences of [TestPhrases].
var phrases = []phrase{
	{regexp.MustCompile(`\b[Ss]t(?:and|ands|ood) (?:in|at|there|beside|behind)\b`), "only people and things stand",
		"is in, comes after", regexp.MustCompile(`\bstands? in for\b`)},
	{regexp.MustCompile(`\bcomes? to (?:the same|this|nothing|\w+ events?)\b|\bwhat (?:\w+ )+comes? to\b`), "says nothing",
		"is, results in, reaches", nil},
	{regexp.MustCompile(`\b(?:came|comes?) of\b`), "says nothing", "the result of", nil},
	{regexp.MustCompile(`\bis none\b`), "none of what?", "is not one, does not exist", regexp.MustCompile(`\bthere is none\b`)},
	{regexp.MustCompile(`\bthat of the\b|\bthose of (?:a|the)\b`), "the reader looks for the noun", "repeat the noun", nil},
	{regexp.MustCompile(`\b[Ii]n (?:the |its )?place of\b`), "translated", "instead of", nil},
	{regexp.MustCompile(`\btakes? the place of\b`), "translated", "replaces", nil},
	{regexp.MustCompile(`\bof its own\b[^.]*\bof its own\b`), "twice in a sentence", "separate, its", nil},
	{regexp.MustCompile(`\bwhose own\b`), "a clause about a clause", "two sentences", nil},
	{regexp.MustCompile(`\b[Nn]obody (?:has|had|means?|meant|measured)\b`), "translated", "the passive: it has not been", nil},
	{regexp.MustCompile(`\bcalled so\b`), "translated", "with this name", nil},
	{regexp.MustCompile(`\bis there already\b`), "translated", "already exists", nil},
	{regexp.MustCompile(`\bfor ever\b`), "one word", "forever", nil},
	{regexp.MustCompile(`\b(?:[Oo]ut|[Ii]n)side of \w`), "one word too many", "outside, inside", nil},
	{regexp.MustCompile(`\b[Tt]ime-outs?\b`), "the field's word is another", "timeout", nil},
}

// anyPhrase matches where one of the phrases may match.
var anyPhrase = func() *regexp.Regexp {
	var all []string
	for _, p := range phrases {
		all = append(all, p.pattern.String())
	}
	return regexp.MustCompile(strings.Join(all, "|"))
}()

// bad returns the first phrase in text, with a few words around it; nil if it has none.
func bad(text string) (found *phrase, where string) {
	text = strings.Join(strings.Fields(text), " ")
	if !anyPhrase.MatchString(text) {
		return nil, "" // most texts
	}
	for i, p := range phrases {
		rest := text
		if p.fine != nil {
			rest = p.fine.ReplaceAllString(text, "")
		}
		if at := p.pattern.FindStringIndex(rest); at != nil {
			return &phrases[i], rest[max(0, at[0]-30):min(len(rest), at[1]+30)]
		}
	}
	return nil, ""
}

// foreign lists the files whose words are not ours to choose, and why.
var foreign = map[string]string{
	"docs/spec":                         "what the contract says",
	"internal/archtest/voice_test.go":   "the phrases themselves",
	"internal/archtest/figures_test.go": "the history of the limits",
}

// TestVoice checks that comments, strings and pages say none of the phrases.
func TestVoice(t *testing.T) {
	t.Parallel()
	looked := 0
	check := func(where, text string) {
		looked++
		if p, around := bad(text); p != nil {
			t.Errorf("%s: %q: %s; better: %s", where, around, p.why, p.better)
		}
	}
	eachSource(t, func(s *source) {
		if foreign[s.rel()] != "" {
			return
		}
		for _, group := range s.file.Comments {
			check(position(t, group.Pos()).String(), group.Text())
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				text, err := strconv.Unquote(l.Value)
				require.NoError(t, err)
				check(position(t, l.Pos()).String(), text)
			}
			return true
		})
	})
	require.Greater(t, looked, 10_000)
	require.NoError(t, filepath.WalkDir(root(t), func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root(t), path)
		switch rel = filepath.ToSlash(rel); {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || foreign[rel] != ""):
			return filepath.SkipDir
		case filepath.Ext(path) != ".md":
			return nil
		}
		data, err := os.ReadFile(path)
		for _, paragraph := range strings.Split(string(data), "\n\n") {
			check(rel, paragraph)
		}
		return err
	}))
}

// TestPhrases checks that each phrase is found, and that right English is not.
func TestPhrases(t *testing.T) {
	t.Parallel()
	missed := map[*phrase]bool{}
	for i := range phrases {
		missed[&phrases[i]] = true
	}
	for _, said := range []string{
		"what stands in the file", "It comes to the same.", "What came of it?", "a decision that is none",
		"like that of\nthe session", "those of a hook", "in place of the tool's", "It takes the place of the other.",
		"a process of its own with a group of its own", "a call whose own is unknown", "Nobody has measured it.",
		"a hook called so", "It is there already.", "It waits for ever.", "outside of it", "at the time-out",
	} {
		p, _ := bad(said)
		if assert.NotNil(t, p, said) {
			delete(missed, p)
		}
	}
	for p := range missed {
		t.Errorf("no sentence has %s", p.pattern)
	}
	for _, said := range []string{"nil if there\nis none", "what stands in for it", "when it comes to tools", "They come to an end."} {
		p, _ := bad(said)
		assert.Nil(t, p, said)
	}
}
