package protocol

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// FuzzADenyAmongGarbage: what stands on the lines before and after a deny takes
// nothing of it away, unless all of it together is an answer that says something
// else.
func FuzzADenyAmongGarbage(f *testing.F) {
	for _, s := range [][2]string{
		{"", ""}, {"checking", "done"}, {"{", "}"}, {"[", "]"}, {"{{{{", `{"a":`}, {"\xff\xfe", "\x00"}, {"\x00\x01", "\ufeff"}, {`"`, `"`}, {"a\x00b\x00", ""},
		{"function f() {", `{"decision":"allow"}`}, {"{'a': 1", `"decision":"allow"}`}, {"{decision: 'ask',", ""}, {strings.Repeat("{", 300), "x"},
	} {
		f.Add(s[0], s[1])
	}
	begun := regexp.MustCompile(`\{\s*["}]`) // an object that could go on with the deny in it
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

// TestNoiseIsReadInTime: a mebibyte of whatever is worst.
func TestNoiseIsReadInTime(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	for _, unit := range []string{
		"{", `{"`, `{"a":`, `{"a":[`, "{}", `{"a":1}x`, "[", `"`, `\`, "\n{", `decision: "deny" `, `{decision: "deny" `, `"decision":"deny",`, `continue: false `, "x{ decision: 'ask' } y ", `reason: "`,
	} {
		text := strings.Repeat(unit, size/len(unit))
		began := time.Now()
		Parse(BeforeTool, Ran{Stdout: []byte(text), Stderr: []byte(text)})
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("a mebibyte of %q took %v", unit, took)
		} else if took > time.Second {
			t.Logf("a mebibyte of %q took %v", unit, took)
		}
	}
}
