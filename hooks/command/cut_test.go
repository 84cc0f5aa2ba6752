package command

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/internal/proc"
	"minigem/internal/thorough"
)

// forms are ways to say something, as they stand on lines of their own among
// other output; the decision is that of a short stream.
var forms = []struct {
	name, text string
	says       string // on stdout
	stderr     string
}{
	{"an object", `{"decision":"deny","reason":"no"}`, "deny", "deny"},
	{"block", `{"decision":"block","reason":"no"}`, "deny", "deny"},
	{"a stop", `{"continue":false,"stopReason":"no"}`, "stop", "stop"},
	{"an ask", `{"decision":"ask","reason":"no"}`, "ask", "ask"},
	{"on several lines", "{\n  \"decision\": \"deny\",\n  \"reason\": \"no\"\n}", "deny", "deny"},
	{"CRLF", "{\r\n  \"decision\": \"deny\"\r\n}\r", "deny", "deny"},
	{"in an array", `[{"decision":"deny"}]`, "deny", "deny"},
	{"escaped letters", `{"decision":"\u0064eny"}`, "deny", "deny"},
	{"after words", `checking... {"decision":"deny"}`, "deny", ""},
	{"before words", `{"decision":"deny"} so there`, "deny", ""},
	{"with a reason of 20 KB", `{"reason":"` + strings.Repeat("r", 20<<10) + `","decision":"deny"}`, "deny", "deny"},
	{"before a field of 20 KB", `{"decision":"deny","x":"` + strings.Repeat("r", 20<<10) + `"}`, "deny", "deny"},
	{"between fields of 200 KB", `{"x":"` + strings.Repeat("r", 200<<10) + `","decision":"deny","y":"` + strings.Repeat("r", 200<<10) + `"}`, "deny", "deny"},
	{"escaped letters of a key", `{"\u0064ecision":"deny"}`, "deny", "deny"},
	{"escaped letters before a field of 20 KB", `{"d\u0065cision":"\u0064eny","x":"` + strings.Repeat("r", 20<<10) + `"}`, "deny", "deny"},
	{"escaped letters between fields of 100 KB", `{"x":"` + strings.Repeat("r", 100<<10) + `","c\u006Fntinue":false,"y":[` + strings.Repeat(`{"decision":"ask"},`, 5000) + `1]}`, "stop", "stop"},
	{"escaped letters, never closed", `{"\u0064ecision":"de\u006ey"`, "deny", ""},
	{"a stop after many lines", "{\n" + strings.Repeat("  \"x\": [1, true, {\"y\": null}],\n", 3000) + "\"continue\": false\n}", "stop", "stop"},
	{"a long quoted deny", `{"systemMessage":"{\"decision\":\"deny\"}","x":"` + strings.Repeat("r", 5<<10) + `"}`, "", ""},
	{"never closed", `{"decision":"deny"`, "deny", ""},
	{"a comma too many", `{"decision":"deny",}`, "deny", ""},
	{"as Python shows it", `{'decision': 'deny'}`, "deny", ""},
	{"bare keys", "{\n decision: \"deny\",\n}", "deny", ""},
	{"encoded twice", `"{\"decision\":\"deny\"}"`, "deny", ""},
	{"NUL bytes", "{\"dec\x00ision\":\"de\x00ny\"}", "deny", "deny"},
	{"UTF-16", "{\x00\"\x00d\x00e\x00c\x00i\x00s\x00i\x00o\x00n\x00\"\x00:\x00\"\x00d\x00e\x00n\x00y\x00\"\x00}\x00", "deny", "deny"},
	{"bytes that are not UTF-8", "{\"decision\":\"deny\",\"reason\":\"caf\xe9\"}", "deny", "deny"},
	{"an allow", `{"decision":"allow"}`, "", ""},
	{"talk", `print {"decision":"deny"} to block`, "", ""},
	{"a quoted deny", `{"systemMessage":"{\"decision\":\"deny\"}"}`, "", ""},
	{"words alone", `the decision: "deny"`, "", ""},
}

// noises are what stands around a form, as a unit that is repeated.
var noises = []struct{ name, unit string }{
	{"lines", "all is well here\n"},
	{"one line", "x"},
	{"NUL bytes", "\x00"},
	{"code", "if a { b(\"c\") } else { d[1] }\n"},
	{"talk of decisions", "print {\"decision\":\"deny\"} to block\n"},
}

// What is kept here: the search does not depend on how much that is, and less
// is sooner searched.
const (
	headKept = 100 << 10
	tailKept = 16 << 10
	much     = 200 << 10
)

// positions are how much noise stands before and after a form.
var positions = []struct {
	name          string
	before, after int
}{
	{"at the start", 0, much},
	{"in the middle", much, much},
	{"across the end of the head", headKept - 8, much},
	{"just after the head", headKept + 2, much},
	{"just before the tail", much, tailKept + 60},
	{"across the start of the tail", much, tailKept - 8},
	{"at the end", much, 0},
	{"across a window", 80<<10 + 2*(64<<10) - 9, much},
}

// TestADecisionBeyondWhatIsKept: a hook says the same wherever it says it, among
// however much.
func TestADecisionBeyondWhatIsKept(t *testing.T) {
	t.Parallel()
	for _, noise := range noises {
		t.Run(noise.name, func(t *testing.T) {
			t.Parallel()
			for n, f := range forms {
				out, errs := said(f.text, "", false), said(f.text, "", true)
				assert.Equal(t, []string{f.says, f.stderr}, []string{out, errs}, f.name)
				for i, p := range positions {
					if i%3 != 1 && noise.name != "lines" || !thorough.Asked() && (i+n)%3 != 0 && i != 1 {
						continue // everywhere once is enough, and in the middle always
					}
					short := among(filled(noise.unit, min(p.before, 4<<10)), f.text, filled(noise.unit, min(p.after, 4<<10)))
					out, errs := said(short, "", false), said(short, "", true)
					stream := among(filled(noise.unit, p.before), f.text, filled(noise.unit, p.after))
					if strings.HasPrefix(noise.name, "talk") { // where what is kept ends, half of it may stand and count
						assert.GreaterOrEqual(t, strength(said(stream, "", false)), strength(out), "%s, %s on stdout", f.name, p.name)
						assert.GreaterOrEqual(t, strength(said(stream, "", true)), strength(errs), "%s, %s on stderr", f.name, p.name)
						continue
					}
					assert.Equal(t, out, said(stream, "", false), "%s, %s on stdout", f.name, p.name)
					assert.Equal(t, errs, said(stream, "", true), "%s, %s on stderr", f.name, p.name)
				}
			}
		})
	}
}

func strength(said string) int { return slices.Index([]string{"", "ask", "deny", "stop"}, said) }

// among puts text on lines of its own between before and after.
func among(before, text, after string) string {
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += "\n"
	}
	return before + text + "\n" + after
}

// said is the decision of a hook that writes a stream, in pieces of random
// lengths.
func said(stream, seed string, stderr bool) string {
	const head, tail = headKept, tailKept
	s := newStream(hooks.Hook{Event: protocol.BeforeTool}, stderr)
	o := proc.Output{Head: []byte(stream)}
	if len(stream) > head+tail {
		b := []byte(stream)
		o = proc.Output{Head: b[:head], Tail: b[len(b)-tail:], Dropped: int64(len(b) - head - tail)}
		r := rand.New(rand.NewPCG(uint64(len(stream)), uint64(len(seed))))
		s.scan.Write(b[:head])
		for rest := b[head:]; len(rest) > 0; {
			n := min(len(rest), 1+r.IntN(50<<10))
			s.scan.Write(rest[:n])
			rest = rest[n:]
		}
	}
	ran := protocol.Ran{Stdout: s.kept(o)}
	if stderr {
		ran.Stdout, ran.Stderr = []byte("text"), ran.Stdout
	}
	a := protocol.Parse(protocol.BeforeTool, ran).Output
	if a.Stop {
		return "stop"
	}
	if a.Decision == protocol.Allow {
		return ""
	}
	return string(a.Decision)
}

// filled is at least n bytes of whole units.
func filled(unit string, n int) string { return strings.Repeat(unit, (n+len(unit)-1)/len(unit)) }

// TestAScanOfTheWorst: what is full of braces and of what looks like a decision
// hides none.
func TestAScanOfTheWorst(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"{", `{"a":`, "x", "\n", `{"decision":"deny" x `, `decision deny `, "{}", "\x00", `\u00`} {
		block := []byte(filled(unit, much))
		s := protocol.Gemini().NewScan(protocol.BeforeTool, false)
		deny := []byte("\n" + `{"continue":false,"stopReason":"no"}` + "\n")
		for i := range 8 {
			s.Write(block)
			if i == 4 {
				s.Write(deny)
			}
		}
		assert.JSONEq(t, string(deny), string(s.Found(much, 8*much)), unit)
	}
}

func FuzzADecisionBeyondWhatIsKept(f *testing.F) {
	f.Add("x\n", "{", uint32(much-1), uint32(5))
	f.Add("{\"a\":", "\"", uint32(much-1), uint32(much-1))
	f.Fuzz(func(t *testing.T, before, after string, n, m uint32) {
		if before == "" || after == "" {
			return
		}
		const stop = `{"continue":false,"stopReason":"no"}`
		stream := among(filled(before, int(n%much)), stop, filled(after, int(m%much)))
		short := among(before, stop, after)
		if said(short, "", false) == "stop" && said(stream, before, false) != "stop" {
			t.Fatalf("%d of %q and %d of %q took the stop away", n, before, m, after)
		}
	})
}
