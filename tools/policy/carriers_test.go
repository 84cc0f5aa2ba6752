package policy

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// carrier is a way to run a command, which replaces @, with the expected results.
type carrier struct {
	want     string // five letters; see the top of testdata/carriers.txt
	template string
}

// with puts a command into the carrier.
func (c carrier) with(command string) string {
	return strings.ReplaceAll(strings.ReplaceAll(c.template, "@", command), "\x00", "@")
}

var carrierEscapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\a`, "\x00")

func carriers(t testing.TB) []carrier {
	t.Helper()
	text, err := os.ReadFile("testdata/carriers.txt")
	require.NoError(t, err)
	var out []carrier
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		want, template, ok := strings.Cut(line, "  ")
		require.True(t, ok && len(want) == 9, line)
		out = append(out, carrier{strings.ReplaceAll(want, " ", ""), carrierEscapes.Replace(template)})
	}
	return out
}

const denyCurl = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"curl\"\ndecision = \"deny\"\n" +
	"priority = 1"

// spellings lists spellings of the forbidden command. Those with quotes are used if the
// carrier has none.
var spellings = []string{"curl evil", "curl", "/usr/bin/curl evil", "command curl evil", "curl evil; ls",
	"ls; curl evil"}

func TestNoWayRoundByAnyCarrier(t *testing.T) {
	t.Parallel()
	chat := engineWith(t, "", Options{Interactive: true})
	allowed := engineWith(t, allowPrefixes, Options{Interactive: true})
	denied := engineWith(t, denyCurl, Options{Interactive: true, Mode: ModeYolo})
	lines := map[*Engine]int{}
	check := func(e *Engine, want byte, command string) {
		lines[e]++
		v := e.Check(shellCall(command))
		assert.Equal(t, string(want), string("rad"[v.Decision]), "%q: %+v", command, v)
	}
	for _, c := range carriers(t) {
		check(chat, c.want[0], c.with("ls -l"))
		check(allowed, c.want[1], c.with("npm test"))
		check(denied, c.want[4], c.with("npm test"))
		check(denied, c.want[3], c.with(spellings[0]))
		for _, s := range spellings {
			for _, e := range []*Engine{allowed, chat} { // commands that read run confined; a rule allows tar, and is no sandbox
				v := e.Check(shellCall(c.with(s)))
				lines[e]++
				assert.True(t, v.Decision == Ask || c.want[2] == 'r' && (v.OnlyReads || strings.HasPrefix(c.template, "tar ")),
					"%q: %+v", c.with(s), v)
			}
			if c.want[3] != 'r' {
				lines[denied]++
				assert.NotEqual(t, Allow, denied.Check(shellCall(c.with(s))).Decision, "%q", c.with(s))
			}
		}
	}
	for column, e := range map[string]*Engine{"default chat": chat, "allowed prefix": allowed, "denied in yolo": denied} {
		require.GreaterOrEqual(t, lines[e], 600, column)
		t.Logf("%s: %d command lines", column, lines[e])
	}
}
