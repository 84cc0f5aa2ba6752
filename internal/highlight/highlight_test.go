package highlight

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// shown marks the kinds in a block with brackets: c for a comment, s for a string, k
// for a keyword, n for a number, f for a name.
func shown(language, code string) string {
	s := For(language)
	var b strings.Builder
	for line := range strings.Lines(code) {
		for _, span := range s.Line(strings.TrimSuffix(line, "\n")) {
			if span.Kind == Plain {
				b.WriteString(span.Text)
			} else {
				b.WriteString("‹" + " csknf"[span.Kind:span.Kind+1] + ":" + span.Text + "›")
			}
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, code, want string }{
		{"go", "func main() { // hi", "‹k:func› ‹f:main›() { ‹c:// hi›"},
		{"go", "s := `raw\nmore // no` + 'x' + \"a\\\"b\" + 0x1f", "s := ‹s:`raw›\n‹s:more // no`› + ‹s:'x'› + ‹s:\"a\\\"b\"› + ‹n:0x1f›"},
		{"golang", "/* a\nb */ return nil", "‹c:/* a›\n‹c:b */› ‹k:return› ‹k:nil›"},
		{"python", "@app.get\ndef f(x):  # \"no\"\n    \"\"\"One\n    two\"\"\"\n    return 'it''s'", "‹f:@app.get›\n‹k:def› ‹f:f›(x):  ‹c:# \"no\"›\n    ‹s:\"\"\"One›\n‹s:    two\"\"\"›\n    ‹k:return› ‹s:'it''s'›"},
		{"py", "n = a#b", "n = a#b"},
		{"bash", "FOO=1 # c\nif [ \"$x\" = 'a\nb' ]; then echo ${y}#no $1; fi", "‹f:FOO›=‹n:1› ‹c:# c›\n‹k:if› [ ‹s:\"$x\"› = ‹s:'a›\n‹s:b'› ]; ‹k:then› echo ‹f:${y}›#no ‹f:$1›; ‹k:fi›"},
		{"sh", "git commit -m \"don't\"", "git commit -m ‹s:\"don't\"›"},
		{"json", `{"a": "b", "c" : [1.5, true], "d\"e": null}`, `{‹f:"a"›: ‹s:"b"›, ‹f:"c"› : [‹n:1.5›, ‹k:true›], ‹f:"d\"e"›: ‹k:null›}`},
		{"js", "const f = async () => `a ${x}\nb`; f('x')", "‹k:const› f = ‹k:async› () => ‹s:`a ${x}›\n‹s:b`›; ‹f:f›(‹s:'x'›)"},
		{"ts", "interface A { readonly b: string }", "‹k:interface› A { ‹k:readonly› b: ‹k:string› }"},
		{"rust", "fn f<'a>(s: &'a str) -> char { '\\n' }", "‹k:fn› f<'a>(s: &'a ‹k:str›) -> ‹k:char› { ‹s:'\\n'› }"},
		{"sql", "select 'it''s' FROM t -- c", "‹k:select› ‹s:'it''s'› ‹k:FROM› t ‹c:-- c›"},
		{"yaml", "- name: don't # c\n  on: \"x\"", "- ‹f:name›: don't ‹c:# c›\n  ‹f:on›: ‹s:\"x\"›"},
		{"toml", "[a.b]\nc = 'd' # e", "‹k:[a.b]›\n‹f:c› = ‹s:'d'› ‹c:# e›"},
		{"html", "<a href=\"x\">don't</a><!-- c\nd -->", "‹k:<a› ‹f:href›=‹s:\"x\"›‹k:>›don't‹k:</a>›‹c:<!-- c›\n‹c:d -->›"},
		{"css", "a { color: red; /* c */ }", "a { color: red; ‹c:/* c */› }"},
		{"dockerfile", "FROM a AS b", "‹k:FROM› a ‹k:AS› b"},
		{"java", "char c = '\\''; // x", "‹k:char› c = ‹s:'\\''›; ‹c:// x›"},
		{"go:main.go", "var x", "‹k:var› x"},
		{"{.python}", "pass", "‹k:pass›"},
		{"python {cmd}", "pass", "‹k:pass›"},
		{"bash", "${" + strings.Repeat("x", 197) + "}", "‹f:${" + strings.Repeat("x", 197) + "}›"},
		{"bash", "${" + strings.Repeat("x", 198) + "}", "‹f:$›{" + strings.Repeat("x", 198) + "}"}, // the end is not searched for that far
		{"klingon", "if x // y", "if x // y"},
		{"go", "s := \"not closed", "s := ‹s:\"not closed›"},
	} {
		assert.Equal(t, c.want, shown(c.language, c.code), "%s", c.language)
	}
}

// TestEveryLanguage checks that each name leads to a language, and that each language
// can be read.
func TestEveryLanguage(t *testing.T) {
	t.Parallel()
	names := map[*language]int{}
	for name, l := range languages() {
		s := For(name)
		assert.True(t, s.Known(), name)
		names[l]++
	}
	for l, n := range names {
		assert.Len(t, l.Aliases, n-1, "an alias belongs to one language")
	}
}

// TestNothingIsCopied checks that the spans of a line are slices of the line itself, so
// that a line of one kind is not copied once per character.
func TestNothingIsCopied(t *testing.T) {
	t.Parallel()
	for name := range languages() {
		for _, code := range []string{";;;;", "${ ${ $", "'\\ \\\\ '", `"a" "b": c`, "<a b='c'>d</a>", "[ [ [", "a - b.c @d", "/* e */ # f", "0.1 é \xff"} {
			s, at := For(name), 0
			for _, span := range s.Line(code) {
				if span.Text == "" {
					continue
				}
				assert.Same(t, unsafe.StringData(code[at:]), unsafe.StringData(span.Text), "%s: %q of %q", name, span.Text, code)
				at += len(span.Text)
			}
		}
	}
}

// FuzzLine checks that no character is lost, whatever the code is, within the time
// allowed for a line of its length.
func FuzzLine(f *testing.F) {
	f.Add("go", "a\nb")
	f.Add("json", `{"a":"b" "c":"d"}`)
	f.Add("rust", "'\\")
	f.Add("html", "<\n<a '")
	f.Add("bash", "${ $")
	f.Add("go", strings.Repeat("\"\\", 10_000))
	f.Add("rust", strings.Repeat("'\\u", 10_000))
	f.Fuzz(func(t *testing.T, language, code string) {
		s := For(language)
		for line := range strings.Lines(code) {
			var b strings.Builder
			for _, span := range s.Line(line) {
				b.WriteString(span.Text)
			}
			if b.String() != line {
				t.Fatalf("%q became %q", line, b.String())
			}
		}
	})
}
