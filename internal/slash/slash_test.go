package slash_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/slash"
)

var errRefused = errors.New("refused")

// as passes the arguments themselves to the command.
func as(args string) string { return args }

// table records which command ran with which arguments.
func table(ran *[]string) slash.Table[string] {
	note := func(name string) func(string) error {
		return func(args string) error {
			*ran = append(*ran, name, args)
			return nil
		}
	}
	return slash.Table[string]{
		{Name: "help", Aliases: []string{"?"}, Help: "list the commands", Run: note("help")},
		{Name: "compress", Aliases: []string{"summarize", "compact"}, Args: "[MORE]", Help: "shorten the history",
			Run: note("compress")},
		{Name: "quit", Aliases: []string{"exit"}, Help: "leave", Run: func(string) error { return errRefused }},
		{Name: "hooks", Help: "manage hooks", Run: note("hooks"), Sub: []slash.Command[string]{
			{Name: "panel", Aliases: []string{"list", "show"}, Help: "list them", Run: note("hooks panel")},
			{Name: "disable", Args: "NAME", Help: "turn one off", Run: note("hooks disable"), Values: func(string) []string {
				return []string{"guard", "guard.sh", "lint"}
			}},
		}},
		{Name: "chat", Help: "keep conversations", Sub: []slash.Command[string]{
			{Name: "save", Args: "TAG", Help: "keep this one", Run: note("chat save")},
		}},
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line string
		ran  []string
		err  string
	}{
		// names, aliases, arguments
		{"/help", []string{"help", ""}, ""},
		{"?", []string{"help", ""}, ""},
		{"/compact", []string{"compress", ""}, ""},
		{"/compress  and   more ", []string{"compress", "and   more"}, ""},
		{"/hooks", []string{"hooks", ""}, ""},
		{"/hooks list", []string{"hooks panel", ""}, ""},
		{"/hooks disable ./check it.sh", []string{"hooks disable", "./check it.sh"}, ""},
		{"/exit", nil, "refused"},
		// what there is not
		{"/compres", nil, "there is no command /compres; did you mean /compress?"},
		{"/hepl", nil, "there is no command /hepl; did you mean /help?"},
		{"/sum", nil, "there is no command /sum; did you mean /summarize?"},
		{"/frobnicate", nil, "there is no command /frobnicate; /help lists them"},
		{"/", nil, "there is no command /; /help lists them"},
		{"/chat", nil, "there is no command /chat without a word after it; there is /chat save TAG"},
		{"/hooks lst", nil, "there is no command /hooks lst; did you mean /hooks list?"},
		{"/hooks guard", nil, "there is no command /hooks guard; there is /hooks panel | disable NAME"},
		// what does not fit
		{"/help me", nil, "/help takes nothing after it"},
		{"/hooks show all", nil, "/hooks panel takes nothing after it"},
		{"/hooks disable", nil, "it is /hooks disable NAME: turn one off"},
		{"/chat save  ", nil, "it is /chat save TAG: keep this one"},
		{"/chat sav x", nil, "there is no command /chat sav; did you mean /chat save?"},
	} {
		var ran []string
		err := table(&ran).Run(c.line, as)
		assert.Equal(t, c.ran, ran, c.line)
		if c.err == "" {
			require.NoError(t, err, c.line)
			continue
		}
		assert.EqualError(t, err, c.err, c.line)
	}
}

func TestIs(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"/help": true, "/nosuch thing": true, "?": true, "/": true, "/chat save a/b": true,
		"": false, "help": false, "what?": false, "// a comment": false, "/* a comment */": false,
		"/etc/passwd is a file": false,
	} {
		assert.Equal(t, want, slash.Is(line), line)
	}
}

// TestSuggest checks the order: names that begin with the word, then those with an
// alias that does, then those that contain its letters.
func TestSuggest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line     string
		texts    []string
		replaced int
	}{
		{"/", []string{"help ", "compress ", "quit ", "hooks ", "chat "}, 0},
		{"/h", []string{"help ", "hooks "}, 1},
		{"/H", []string{"help ", "hooks "}, 1},
		{"/ex", []string{"quit "}, 2},
		{"/hks", []string{"hooks "}, 3},
		{"/s", []string{"compress "}, 1},
		{"/hooks ", []string{"panel ", "disable "}, 0},
		{"/hooks d", []string{"disable "}, 1},
		{"/hooks sh", []string{"panel "}, 2},
		{"/hooks disable gu", []string{"guard", "guard.sh"}, 2},
		{"/hooks disable gds", []string{"guard.sh"}, 3},
		{"/nosuch x", nil, 0},
		{"/zzz", nil, 3},
		{"hello", nil, 0},
	} {
		all, replaced := table(new([]string)).Suggest(c.line, as)
		var texts []string
		for _, s := range all {
			texts = append(texts, s.Text)
		}
		assert.Equal(t, c.texts, texts, c.line)
		assert.Equal(t, c.replaced, replaced, c.line)
	}
	all, _ := table(new([]string)).Suggest("/co", as)
	assert.Equal(t, []slash.Suggestion{{Text: "compress ", Label: "/compress [MORE]", Help: "shorten the history"}}, all)
}

func TestHelp(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `  /help (?)                             list the commands
  /compress [MORE] (summarize, compact) shorten the history
  /quit (exit)                          leave
  /hooks                                manage hooks
    panel (list, show)                  list them
    disable NAME                        turn one off
  /chat                                 keep conversations
    save TAG                            keep this one
`, table(new([]string)).Help())
}
