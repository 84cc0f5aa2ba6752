package protocol

import (
	"regexp"
	"strings"
	"testing"
)

// FuzzADenyAmongGarbage checks that the lines before and after a deny do not weaken it,
// unless all of the output together is an answer that says something else.
func FuzzADenyAmongGarbage(f *testing.F) {
	for _, s := range [][2]string{
		{"", ""}, {"checking", "done"}, {"{", "}"}, {"[", "]"}, {"{{{{", `{"a":`}, {"\xff\xfe", "\x00"}, {"\x00\x01", "\ufeff"}, {`"`, `"`}, {"a\x00b\x00", ""},
		{"function f() {", `{"decision":"allow"}`}, {"{'a': 1", `"decision":"allow"}`}, {"{decision: 'ask',", ""}, {strings.Repeat("{", 300), "x"},
	} {
		f.Add(s[0], s[1])
	}
	begun := regexp.MustCompile(`\{\s*["}]`) // an object that the deny could be part of
	f.Fuzz(func(t *testing.T, before, after string) {
		if begun.MatchString(before) {
			return
		}
		const deny = `{"decision":"deny","reason":"no"}`
		r := Parse(BeforeTool, Ran{Stdout: []byte(before + "\n" + deny + "\n" + after)})
		if r.Output.Decision != Deny && !r.Output.Stop {
			t.Fatalf("%q and %q took the deny away: %+v", before, after, r)
		}
	})
}

// noises are repeated to find the worst cost.
var noises = []string{
	"{", `{"`, `{"a":`, `{"a":[`, "{}", `{"a":1}x`, "[", `"`, `\`, "\n{", `decision: "deny" `, `{decision: "deny" `, `"decision":"deny",`, `continue: false `, "x{ decision: 'ask' } y ", `reason: "`,
	`{"\`, `{"a":"`, "\n{}", `{"a":1}` + "\n", `{"decision":"deny"}` + "\n", "[{}]\n", `{"a":{}`, `[{"a":1},`, `{"a":[1,{"b":{}}],`, "{ \t", "{\"a\":1e9,", "x {decision: 'ask', } y\n", `{reason: '`, `decision\\\`,
}

// TestNoiseIsReadInLinearTime counts the bytes that are examined. Their number per byte
// of the stream has a limit, however long the stream is.
func TestNoiseIsReadInLinearTime(t *testing.T) {
	t.Parallel()
	for _, unit := range noises {
		for _, size := range []int{1 << 9, 1 << 12} {
			text := strings.Repeat(unit, size/len(unit))
			// An object that is never closed, and nested ones.
			for _, text := range []string{text, `{"a":` + text, text + "}", text + strings.Repeat("}", size/len(unit))} {
				if found := findEmbedded(text); found.steps > 12*len(text) {
					t.Fatalf("%d bytes of %q: looked at %d to find objects", len(text), unit, found.steps)
				}
				r := &reader{event: BeforeTool, dialect: gemini}
				if r.holding(text, false); r.steps > 80*len(text) {
					t.Fatalf("%d bytes of %q: looked at %d to find what decides", len(text), unit, r.steps)
				}
			}
		}
	}
}

func BenchmarkNoise(b *testing.B) {
	for _, unit := range noises {
		text := []byte(strings.Repeat(unit, (1<<20)/len(unit)))
		b.Run(unit, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Parse(BeforeTool, Ran{Stdout: text, Stderr: text})
			}
		})
	}
}
