package builtin

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/thorough"
	"minigem/tools/workspace"
)

func TestNeedles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern string
		want    string // needles, with "~" before those that ignore case
		exact   bool
	}{
		// Literals.
		{`func`, "func", true},
		{`(?i)FUNC`, "~func", true},
		{`(?i)ask`, "~ask \u017f \u212a", false},
		{`(?i)größe`, "~gr", false},
		{`a\nb`, "a\nb", false},
		{`x\r`, "x\r", false},
		// The rarest part of a sequence.
		{`func\s+(\w+)Error`, "Error", false},
		{`(?i)the\s+quick`, "~quick \u212a", false},
		{`x*needle+`, "needl", false},
		// Alternatives need all of their branches.
		{`foo|quux`, "foo quux", true},
		{`(foo|quux)\d`, "foo quux", false},
		{`foo|\d+`, "", false},
		{`a1|b2|c3|d4|e5|f6|g7|h8|i9`, "", false},
		// Repetitions.
		{`(?:abc)+`, "abc", true},
		{`(?:abc){2,3}`, "abc", false},
		{`(?:abc){0,3}`, "", false},
		{`(?:abc)?`, "", false},
		// Nothing to look for.
		{``, "", false},
		{`\w+`, "", false},
		{`[a-z]+\d`, "", false},
		{`\x{fffd}`, "", false},
	} {
		re, err := syntax.Parse(tt.pattern, syntax.Perl)
		require.NoError(t, err)
		ns, exact := needles(re)
		var got []string
		for _, n := range ns {
			got = append(got, map[bool]string{true: "~"}[n.fold]+string(n.text))
		}
		if len(ns) == 3 { // the outer two come in any order
			assert.ElementsMatch(t, strings.Fields(tt.want), got, tt.pattern)
		} else {
			assert.Equal(t, tt.want, strings.Join(got, " "), tt.pattern)
		}
		assert.Equal(t, tt.exact, exact, tt.pattern)
	}
}

// slowly returns the expected result of a search, line by line.
func slowly(pattern string, text []byte) (found []string) {
	re := regexp.MustCompile(pattern)
	sc := bufio.NewScanner(bytes.NewReader(text))
	sc.Buffer(nil, 1<<20)
	for n := 1; sc.Scan(); n++ {
		if re.Match(sc.Bytes()) {
			found = append(found, fmt.Sprint(n, ":", sc.Text()))
		}
	}
	return found
}

func TestSearchAgreesWithRegexp(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	words := []string{"func", "Func", "needle", "NEEDLE", "ask", "a\u017fK", "as\u212a", "x", " ", "\t", "Error", "größe", "GRÖSSE", "foo", "quux", "\r", "123", ""}
	patterns := []string{`func`, `(?i)func`, `(?i)ask`, `(?i)größe`, `func\s+\w*Error`, `(?i)^x.*needle$`, `foo|quux`, `\d+`, `^$`, ``, `(?i)e{2}`, `a\nb`, `k\b`, `(?i)k`, `[^x]needle`, `[0-9]{3}`, `[A-Z]{4,}\s*\d`, `[äö]+`, `[^\sa-z]{3}`, `(?i)[kq]{2}`, `\d[A-Z]|x`}
	for range thorough.Times(8, 40) {
		var b strings.Builder
		for range 200 {
			for range rnd.IntN(5) {
				b.WriteString(words[rnd.IntN(len(words))])
			}
			b.WriteByte('\n')
		}
		text := strings.ReplaceAll(b.String(), "\r\n", "\n") // Scanner and search both drop one \r, but not two
		for _, p := range patterns {
			caseless, _ := strings.CutPrefix(p, "(?i)")
			lines, err := compileLines(caseless, "", false, caseless == p)
			require.NoError(t, err)
			s := &textSearch{pattern: lines}
			s.buffers.New = func() any { b := make([]byte, 512); return &b } // so that files are read in many pieces
			var got []string
			for _, h := range s.file(context.Background(), strings.NewReader(text), int64(len(text))) {
				got = append(got, fmt.Sprint(h.number, ":", h.text))
			}
			require.Equal(t, slowly(p, []byte(text)), got, "pattern %q", p)
		}
	}
}

func TestByteRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern string
		length  int // 0 means that the run is not used
		text    string
		at      int
	}{
		{`\w+[0-9]{3}x*`, 3, "a12b45c678", 7},
		{`[0-9]{3}`, 3, "123", 0},
		{`[0-9]{3}`, 3, "12", 2},
		{`[0-9]{3}`, 3, "x12\n345", 4},
		{`[0-9]{4}`, 4, "123 12 1 x1234", 10},
		{`(?:[XYZ])+q?`, 1, "abcX", 3},
		{`[äö]`, 1, "aö", 1},
		{`[^0-9]+`, 0, "", 0},
		{`\w+`, 0, "", 0},
		{`[0-9]*`, 0, "", 0},
		{`[0-9]{2}|[a-z]`, 0, "", 0},
	} {
		re, err := syntax.Parse(tt.pattern, syntax.Perl)
		require.NoError(t, err)
		r := findRun(re)
		if tt.length == 0 {
			assert.Nil(t, r, tt.pattern)
			continue
		}
		require.NotNil(t, r, tt.pattern)
		assert.Equal(t, tt.length, r.length, tt.pattern)
		assert.Equal(t, tt.at, r.next([]byte(tt.text), 0), "%s in %q", tt.pattern, tt.text)
	}
}

func TestChunks(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("short\n", 100) + strings.Repeat("long", 1000) + "\nlast"
	for _, src := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
		c := chunks{src: src, buf: make([]byte, 64), size: int64(len(text))}
		var got strings.Builder
		for {
			chunk, last := c.next()
			got.Write(chunk)
			if last {
				break
			}
			require.Equal(t, byte('\n'), chunk[len(chunk)-1], "a piece ends with a line")
		}
		assert.Equal(t, text, got.String())
	}
}

func TestLineLongerThanAPiece(t *testing.T) {
	t.Parallel()
	text := "one\n" + strings.Repeat("x", 2*maxPiece) + " needle\nneedle\n"
	lines, err := compileLines("needle", "", true, true)
	require.NoError(t, err)
	s := &textSearch{pattern: lines}
	s.buffers.New = func() any { b := make([]byte, 64<<10); return &b }
	hits := s.file(context.Background(), strings.NewReader(text), int64(len(text)))
	require.Len(t, hits, 2)
	assert.Equal(t, []int{2, 3}, []int{hits[0].number, hits[1].number})
}

// The first matches in the order of paths are found, for any number of workers.
func TestSearchIsDeterministic(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 60 {
		file := filepath.Join(dir, fmt.Sprintf("d%d", i%7), fmt.Sprintf("f%02d", i))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("hit\n", i%4)), 0o666))
	}
	w, err := workspace.New(dir)
	require.NoError(t, err)
	var first []fileHits
	for i := range 20 {
		lines, err := compileLines("hit", "", true, true)
		require.NoError(t, err)
		s := &textSearch{pattern: lines, limit: 11}
		files, more, err := s.run(context.Background(), w, "", workspace.Walk{Workers: 1 + i%8})
		require.NoError(t, err)
		assert.True(t, more)
		if first == nil {
			first = files
		}
		require.Equal(t, first, files)
	}
	n := 0
	for _, f := range first {
		n += len(f.hits)
	}
	assert.Equal(t, 11, n)
	assert.Equal(t, "d0/f07", first[0].path)
}

func TestLookaroundsHaveATimeLimit(t *testing.T) {
	t.Parallel()
	lines, err := compileLines(`a(?=b)`, "", false, true)
	require.NoError(t, err)
	assert.True(t, lines.wants([]byte("xab")))
	assert.False(t, lines.wants([]byte("xac")))
	_, err = compileLines(`(?=`, "", false, true)
	require.Error(t, err)
}

func goSource(tb testing.TB) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		tb.Skip("needs the go command")
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(strings.TrimSpace(string(out)), "src"))
	require.NoError(tb, err)
	return dir
}

// BenchmarkSearch searches Go's own source tree, in comparison with ripgrep.
func BenchmarkSearch(b *testing.B) {
	src := goSource(b)
	w, err := workspace.New(src)
	require.NoError(b, err)
	for _, pattern := range []string{`goroutine`, `xyzzyq`, `func\s+\w+Error`, `the`, `err != nil|panic\(`, `[0-9]{4}-[0-9]{2}`} {
		b.Run(pattern, func(b *testing.B) {
			BesideRipgrep(b, func() {
				lines, err := compileLines(pattern, "", false, false)
				require.NoError(b, err)
				s := &textSearch{pattern: lines}
				_, _, err = s.run(context.Background(), w, "", workspace.Walk{Ignore: workspace.Ignore{Git: true, Gemini: true}})
				require.NoError(b, err)
			}, "-n", "-i", "--hidden", "--no-heading", pattern, src)
		})
	}
}
