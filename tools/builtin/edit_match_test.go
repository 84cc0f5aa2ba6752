package builtin

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools"
)

func edited(old, new string) args {
	return args{"file_path": "f", "instruction": "i", "old_string": old, "new_string": new}
}

func many(old, new string) args {
	a := edited(old, new)
	a["allow_multiple"] = true
	return a
}

func TestReplace(t *testing.T) {
	t.Parallel()
	lines := func(from, to int) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			b.WriteString("l" + string(rune('A'+i%26)) + strings.Repeat("x", i) + "\n")
		}
		return b.String()
	}
	long := lines(1, 30)
	for _, tt := range []struct {
		name      string
		was       string
		args      args
		want      string
		errorType tools.ErrorType
	}{
		// exact
		{"one", "hello world\n", edited("hello", "bye"), "bye world\n", ""},
		{"dollar is literal", "a $1 b\n", edited("$1", "$$&$1"), "a $$&$1 b\n", ""},
		{"several lines", "a\nb\nc\n", edited("a\nb", "x"), "x\nc\n", ""},
		{"all", "a a\na\n", many("a", "b"), "b b\nb\n", ""},
		{"new contains old", "a a\n", many("a", "aa"), "aa aa\n", ""},
		{"delete a line", "a\nb\n", edited("a\n", ""), "b\n", ""},
		{"delete everything", "a\n", edited("a\n", ""), "", ""},
		{"too many", "a a\n", edited("a", "b"), "a a\n", tools.ErrEditMismatch},
		{"too many before no change", "a a\n", edited("a", "a"), "a a\n", tools.ErrEditMismatch},
		{"no change", "a\n", edited("a", "a"), "a\n", tools.ErrEditNoChange},
		{"nothing found", "a\n", edited("nope", "b"), "a\n", tools.ErrEditNoOccurrence},
		{"exists", "a\n", edited("", "b"), "a\n", tools.ErrCreateExisting},
		// line ends
		{"CRLF", "a\r\nb\r\nc\r\n", edited("a\nb", "x\ny"), "x\r\ny\r\nc\r\n", ""},
		{"CRLF asked for", "a\r\nb\r\n", edited("a\r\nb", "x\r\ny"), "x\r\ny\r\n", ""},
		{"CRLF in the argument alone", "a\nb\n", edited("a\r\nb", "x\r\ny"), "x\ny\n", ""},
		{"mixed ends stay", "a\r\nb\nc\r\n", edited("b", "x"), "a\r\nx\nc\r\n", ""},
		{"no final newline stays", "a\nb", edited("b", "c\n"), "a\nc", ""},
		{"final newline stays", "a\nb\n", edited("b\n", "c"), "a\nc\n", ""},
		// encodings
		{"BOM", "\ufeffa\n", edited("a", "b"), "\ufeffb\n", ""},
		{"UTF-16 LE", "\xff\xfeh\x00\xe9\x00\r\x00\n\x00", edited("hé\n", "jü\n"), "\xff\xfej\x00\xfc\x00\r\x00\n\x00", ""},
		{"UTF-16 BE", "\xfe\xff\x00h", edited("h", "😀"), "\xfe\xff\xd8\x3d\xde\x00", ""},
		{"UTF-32 LE", "\xff\xfe\x00\x00h\x00\x00\x00", edited("h", "j"), "\xff\xfe\x00\x00j\x00\x00\x00", ""},
		{"UTF-32 BE", "\x00\x00\xfe\xff\x00\x00\x00h", edited("h", "j"), "\x00\x00\xfe\xff\x00\x00\x00j", ""},
		{"Latin-1 is not damaged", "caf\xe9 x\n", edited("x", "y"), "caf\xe9 x\n", tools.ErrEditPreparation},
		{"odd UTF-16 is not damaged", "\xff\xfeh\x00i", edited("h", "y"), "\xff\xfeh\x00i", tools.ErrEditPreparation},
		{"NUL stays", "a\x00b\n", edited("a", "c"), "c\x00b\n", ""},
		// flexible: lines without the space around them
		{"indentation", "func a() {\n\tif x {\n\t\tfoo( a, b )\n\t}\n}\n", edited("if x {\n  foo( a, b )\n}", "if y {\n  bar()\n}"), "func a() {\n\tif y {\n\t  bar()\n\t}\n}\n", ""},
		{"all, each with its own", "  a\n    b\nx\n\ta\n\tb\n", many("a\n  b", "c\n  d"), "  c\n    d\nx\n\tc\n\t  d\n", ""},
		{"too many flexible", "  a\n    b\nx\n\ta\n\tb\n", edited("a\n  b", "c\n  d"), "  a\n    b\nx\n\ta\n\tb\n", tools.ErrEditMismatch},
		{"with the newline", "  a\n  b\nc\n", edited("a\nb\n", "x\n"), "  x\nc\n", ""},
		{"delete with the newline", "  a\n  b\nc\n", edited("a\nb\n", ""), "c\n", ""},
		{"indented argument", "\tif a {\n\t}\n", edited("    if a {\n    }", "    if b {\n      c\n    }"), "\tif b {\n\t  c\n\t}\n", ""},
		{"blank old is nothing", "a\n\nb\n", edited(" \n ", "x"), "a\n\nb\n", tools.ErrEditNoOccurrence},
		{"blank lines get no space", "\ta\n\tb\n", edited("a\n b", "a\n\nb"), "\ta\n\n\tb\n", ""},
		// tokens: any space between words and brackets
		{"brackets", "  foo(a,b) {\n", edited("foo ( a , b )", "bar(a)"), "  bar(a) {\n", ""},
		{"brackets as they are", "  foo( a ) {\n  x\n", edited("foo ( a )", "bar(a)"), "  bar(a) {\n  x\n", ""},
		{"over lines", "\tfoo(\n\t\ta,\n\t)\n", edited("foo( a, )", "bar()"), "\tbar()\n", ""},
		{"words do not run together", "returnx\n", edited("return  x", "y"), "returnx\n", tools.ErrEditNoOccurrence},
		{"not in the middle of a line", "a foo( b )\n", edited("foo (b)", "x"), "a foo( b )\n", tools.ErrEditNoOccurrence},
		{"newline belongs to it", "foo( a )\nb\n", edited("foo (a)\n", "bar\n"), "bar\nb\n", ""},
		// fuzzy
		{"a letter", "one\nthe quick brown fox jumps\nthree\n", edited("the quick brown fix jumps", "QUICK"), "one\nQUICK\nthree\n", ""},
		{"newline at its end", "one\nthe quick brown fox jumps\nthree\n", edited("the quick brown fix jumps\n", "QUICK\n"), "one\nQUICK\nthree\n", ""},
		{"indentation too", "\tthe quick brown fox jumps\n", edited("the quick brown fix jumps", "QUICK"), "\tQUICK\n", ""},
		{"too different", "the quick brown fox jumps\n", edited("the slow white fox jumps", "x"), "the quick brown fox jumps\n", tools.ErrEditNoOccurrence},
		{"too short", "abcdefghi\n", edited("abcdefghj", "x"), "abcdefghi\n", tools.ErrEditNoOccurrence},
		{"two", "the quick brown fox 1\nthe quick brown fox 2\n", edited("the quick brown fox 3", "x"), "the quick brown fox 1\nthe quick brown fox 2\n", tools.ErrEditMismatch},
		{"two allowed", "the quick brown fox 1\nthe quick brown fox 2\n", many("the quick brown fox 3", "x"), "x\nx\n", ""},
		// placeholders
		{"placeholder", "a\n", edited("a", "b\n// rest of code ...\n"), "a\n", tools.ErrInvalidParams},
		{"placeholder in parentheses", "a\n", edited("a", "  (unchanged methods ...)"), "a\n", tools.ErrInvalidParams},
		{"placeholder that was there", "a\n// rest of code ...\n", edited("a\n// rest of code ...", "b\n// rest of code ..."), "b\n// rest of code ...\n", ""},
		{"only sounds like one", "a\n", edited("a", "the rest of code ... is here"), "the rest of code ... is here\n", ""},
		// long
		{"in a long file", long, edited("lPxxxxxxxxxxxxxxx\n", "NEW\n"), strings.Replace(long, "lPxxxxxxxxxxxxxxx\n", "NEW\n", 1), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			ws := project(t, dir, map[string]string{"f": tt.was})
			_, failed := call(t, Replace(ws), tt.args)
			if tt.errorType == "" {
				require.Nil(t, failed)
			} else if assert.NotNil(t, failed) {
				assert.Equal(t, tt.errorType, failed.Type, failed.Message)
			}
			assert.Equal(t, tt.want, get(t, dir, "f"))
		})
	}
}

// FuzzFindEdits checks that, for any text, the matches are in order, do not overlap,
// and lie within the text, and that applying them changes nothing else.
func FuzzFindEdits(f *testing.F) {
	f.Add("a\n  b\n", "a\nb\n", "x\n")
	f.Add("the quick brown fox\n", "the quick brown fix", "x")
	f.Add("f( a ) {\n}\n", "f (a) {", "")
	f.Fuzz(func(t *testing.T, content, old, new string) {
		if old == "" {
			return
		}
		m := findEdits(content, old, new)
		got := m.apply(content)
		at, done := 0, 0
		for _, x := range m.found {
			require.LessOrEqual(t, done, x.start)
			require.LessOrEqual(t, x.start, x.end)
			require.LessOrEqual(t, x.end, len(content))
			kept := content[done:x.start]
			require.Equal(t, kept, got[at:at+len(kept)])
			at += len(kept)
			require.Equal(t, x.text, got[at:at+len(x.text)])
			at, done = at+len(x.text), x.end
		}
		require.Equal(t, content[done:], got[at:])
		if strings.Contains(content, old) {
			require.Equal(t, strings.ReplaceAll(content, old, new), got)
		}
	})
}
