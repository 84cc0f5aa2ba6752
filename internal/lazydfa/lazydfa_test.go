package lazydfa

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"

	"minigem/internal/thorough"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// expressions are seeds: the constructs of the language, and what has gone wrong in
// automata before.
var expressions = []string{
	``, `a`, `abc`, `a|b`, `a*`, `a+?b`, `(a|ab)(c|bcd)`, `[0-9]{4}-[0-9]{2}`, `\w+[0-9]{6}\w+`, `x{3,5}y`, `(?:ab){2}`, `a{0}`,
	`^`, `$`, `^$`, `^a`, `a$`, `^a|b$`, `\Aab\z`, `(?m)^a$`, `(?m)^$`, `a(?m:$)`, `(?-m)a$`, `$a`, `a^`, `(?:^|x)a(?:$|y)`,
	`\b`, `\B`, `\ba\b`, `\Ba\B`, `a\b`, `\b_`, `\B\B`, `^\b`, `\b$`, `^\B$`, `a\bb`, `(?:\b|x)(?:\B|y)`,
	`.`, `(?s).`, `a.b`, `(?s)a.b`, `[^a]`, `[^\n]`, `\s+`, `\S`, `\r`, `\n`, `a\nb`, `\r$`,
	`(?i)k`, `(?i)straSSe`, `(?i)[k-s]`, `(?i)\x{17f}`, `ä`, `[ä-ü]+`, `\p{L}`, `\p{Greek}\P{L}`, `\x{fffd}`, `[^\x{fffd}]`, `\x{10ffff}`, `\x00`, `[[:^word:]]\w`,
	`(a*)*`, `(a|b)*abb`, `(?:a?){8}a{8}`, `[ab]*a[ab]{9}`, `.*.*=.*`,
}

var texts = []string{
	"", "a", "b\n", "\n", "\n\n", "\r\n", "a\r\nb\r", "\r\r\n", "abc\nabd", "x2024-11 y\n1234_56", "_a b", "foo123456bar", "Kelvin \u212a ſ",
	"grüße\xff\xfe", "\xc3", "\xc3\n\xa4", "\ufffd", "\xed\xa0\x80", "αβγ1", "a\x00b", "aaaaaaaa", "ababababab", "a=b", "\u2028", strings.Repeat("ab", 40),
}

// check compares an expression with package regexp, on a text and on its lines.
func check(t *testing.T, expr string, text []byte) {
	t.Helper()
	re, err := regexp.Compile(expr)
	m, merr := Compile(expr)
	if err != nil {
		require.Error(t, merr)
		return
	}
	require.NoError(t, merr)
	require.Equal(t, re.Match(text), m.Match(text), "%q in %q", expr, text)
	require.Equal(t, linesOf(re, text), foundBy(m, text), "%q in lines of %q", expr, text)
}

// linesOf returns the numbers of the lines that contain a match.
func linesOf(re *regexp.Regexp, text []byte) (numbers []int) {
	sc := bufio.NewScanner(bytes.NewReader(text))
	sc.Buffer(nil, len(text)+1)
	for n := 0; sc.Scan(); n++ {
		if re.Match(sc.Bytes()) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// foundBy is linesOf using NextLine.
func foundBy(m *Matcher, text []byte) (numbers []int) {
	for from := 0; ; {
		at := m.NextLine(text, from)
		if at < 0 {
			return numbers
		}
		numbers = append(numbers, bytes.Count(text[:at], []byte("\n")))
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			return numbers
		}
		from = at + end + 1
	}
}

func TestAgreesWithRegexp(t *testing.T) {
	t.Parallel()
	for _, expr := range expressions {
		for _, text := range texts {
			check(t, expr, []byte(text))
			check(t, "(?i)"+expr, []byte(text+"\n"+strings.ToUpper(text)))
		}
	}
}

func TestRandomExpressionsAgreeWithRegexp(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(11, 12))
	pick := func(from ...string) string { return from[rnd.IntN(len(from))] }
	for range thorough.Times(1000, 5000) {
		var expr, text strings.Builder
		for range 1 + rnd.IntN(8) {
			expr.WriteString(pick("a", "b", "K", "ä", ".", `\w`, `\d`, `\s`, `\b`, `\B`, "^", "$", "(?m:^)", "(?m:$)", "[a-c]", "[^b]", "(?i:k)", `\r`, `\n`, "|", "(?:", ")", "*", "+", "?", "{2}", "{1,3}"))
		}
		for range rnd.IntN(24) {
			text.WriteString(pick("a", "b", "c", "k", "\u212a", "ä", "1", "_", " ", "\n", "\r", "\r\n", "\xff", "\xc3"))
		}
		check(t, expr.String(), []byte(text.String()))
	}
}

// An expression with too many states is passed to package regexp, and the answers are
// right all along.
func TestGivesUp(t *testing.T) {
	t.Parallel()
	const expr = `[ab]*a[ab]{60}c|\w\s[ab]{3}z`
	rnd := rand.New(rand.NewPCG(13, 14))
	var text bytes.Buffer
	for range 60 {
		for range rnd.IntN(300) {
			text.WriteByte("ab"[rnd.IntN(2)])
		}
		text.WriteString([]string{"c", "", " ab", "1\taabz"}[rnd.IntN(4)] + "\n")
	}
	m, err := Compile(expr)
	require.NoError(t, err)
	m.left.Store(1 << 18)
	want := linesOf(regexp.MustCompile(expr), text.Bytes())
	assert.NotEmpty(t, want)
	assert.Equal(t, want, foundBy(m, text.Bytes()))
	assert.Negative(t, m.left.Load())
	assert.Equal(t, want, foundBy(m, text.Bytes()), "without tables")
	assert.True(t, m.Match(text.Bytes()))
}

// A full table is cleared, and matching continues.
func TestTableIsBounded(t *testing.T) {
	t.Parallel()
	m, err := Compile(`a[ab]{12}cc`)
	require.NoError(t, err)
	rnd := rand.New(rand.NewPCG(15, 16))
	text := make([]byte, 1<<17)
	for i := range text {
		text[i] = "aaaaaaaabbbbbbb\n"[rnd.IntN(16)]
	}
	table := m.take()
	at, ok := table.scan(text, 0, true)
	assert.True(t, ok)
	assert.Equal(t, -1, at)
	assert.Empty(t, linesOf(m.re, text))
	assert.Greater(t, table.begun, 2)
	assert.LessOrEqual(t, cap(table.rows), 2*maxTable)
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	m, err := Compile(`\b[a-z]+[0-9]{2}\b`)
	require.NoError(t, err)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			text := []byte(strings.Repeat("a1 b\n", i) + "zz42\n")
			for range 200 {
				assert.Equal(t, []int{i}, foundBy(m, text))
			}
		})
	}
	all.Wait()
}

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	_, err := Compile(`a(`)
	assert.EqualError(t, err, "error parsing regexp: missing closing ): `a(`")
}

func FuzzAgreesWithRegexp(f *testing.F) {
	for i, expr := range expressions {
		f.Add(expr, []byte(texts[i%len(texts)]))
	}
	f.Fuzz(func(t *testing.T, expr string, text []byte) {
		if len(expr) > 200 || len(text) > 4096 {
			t.Skip("nothing new in large ones")
		}
		check(t, expr, text)
	})
}

// BenchmarkNextLine compares the speed with that of package regexp.
func BenchmarkNextLine(b *testing.B) {
	text := []byte(strings.Repeat("\tif err := run(ctx, name); err != nil { // 2024-1\n", 20000))
	for _, expr := range []string{`[0-9]{4}-[0-9]{2}`, `(?i)func\s+\w+Error`, `\bgo\s+test\b`} {
		m, err := Compile(expr)
		require.NoError(b, err)
		for name, find := range map[string]func(){"lazydfa": func() { m.NextLine(text, 0) }, "regexp": func() { linesOf(m.re, text) }} {
			b.Run(fmt.Sprintf("%s/%s", expr, name), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					find()
				}
			})
		}
	}
}
