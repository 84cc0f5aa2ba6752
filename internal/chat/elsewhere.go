package chat

import (
	"errors"
	"strings"

	"minigem/internal/terminal"
)

// elsewhere lists commands of Gemini CLI 0.61 that minigem does not have, and what to
// do instead. They are recognized but not listed.
var elsewhere = []struct{ names, instead string }{
	{"bug-memory", "/bug writes a report; a profile of the memory is not taken"},
	{"corgi profile oncall voice", "minigem does not have it"},
	{"extensions explore", "extensions are on GitHub, under the topic gemini-cli-extension; /extensions install ADDRESS"},
	{"extensions link config", "minigem extensions link FOLDER and minigem extensions config NAME do it"},
	{"gemma", "minigem routes to no local model, but uses one that runs: minigem --model ollama/NAME"},
	{"ide", "an editor starts minigem itself, by the Agent Client Protocol: minigem --acp (docs/EDITORS.md)"},
	{"mcp schema", "/mcp desc shows what the model reads of each tool"},
	{"memory inbox", "minigem proposes nothing to remember by itself; /memory add TEXT"},
	{"model manage", "/model set NAME"},
	{"privacy", "prompts, and what the model reads, go to the model's server alone; what it does with them is that " +
		"server's policy. minigem sends nothing elsewhere, unless telemetry is on in the settings"},
	{"setup-github", "a workflow runs minigem as any other program: minigem -p PROMPT"},
	{"skills link", "minigem skills link FOLDER does it"},
	{"tasks bg background", "what runs in the background is the model's: ask it, or look with !ps"},
	{"terminal-setup", "a line end in the prompt is \\ before Enter, or Alt-Enter, which need no setup"},
	{"upgrade", "minigem has no plans to upgrade to; /model set NAME uses another model"},
}

// withElsewhere adds the commands in elsewhere to t.
func withElsewhere(t []row) []row {
	for _, e := range elsewhere {
		words := strings.Fields(e.names)
		told := func(*call) error { return errors.New(e.instead) }
		under := -1
		for i, c := range t {
			if c.Name == words[0] && len(words) > 1 {
				under = i
			}
		}
		if under < 0 {
			t = append(t, row{Name: words[0], Aliases: words[1:], Args: "[WORDS]", Hidden: true, Run: told})
			continue
		}
		t[under].Sub = append(t[under].Sub, row{Name: words[1], Aliases: words[2:], Args: "[WORDS]", Hidden: true,
			Run: told})
	}
	return t
}

// placeCommands returns the commands for signing in and for the line under the prompt.
func placeCommands() []row {
	return []row{
		{Name: "auth", Help: "sign in another way, from the next start on", Run: signIn, Sub: []row{
			{Name: "signin", Aliases: []string{"login"}, Help: "choose the way", Run: signIn},
			{Name: "signout", Aliases: []string{"logout"}, Help: "forget the key that is kept", Run: signOut},
		}},
		{Name: "footer", Aliases: []string{"statusline"}, Help: "turn the line under the prompt off, or on",
			Run: switchFooter},
	}
}

func signIn(t *call) error {
	if !newSignIn(t.live, t.runtime.Config).choose("", "\n") {
		t.term.Print(t.term.Dim("Everything stays as it is."))
		return nil
	}
	t.term.Print("It takes effect at the next start; minigem --resume latest continues this conversation.")
	return nil
}

func signOut(t *call) error {
	if err := t.runtime.Config.SignIn().Forget(); err != nil {
		return err
	}
	t.term.Print("The key of the Gemini API is forgotten; this session still has it. A variable of your shell is not " +
		"minigem's to change.")
	return nil
}

func switchFooter(t *call) error {
	c := t.runtime.Config
	hide := c.Settings.UI.HideFooter == nil || !*c.Settings.UI.HideFooter
	if err := c.SaveSetting(hide, "ui", "hideFooter"); err != nil {
		return err
	}
	c.Settings.UI.HideFooter = &hide
	if hide {
		t.term.SetStatus(terminal.Status{})
	}
	t.term.Print("The line under the prompt is " + map[bool]string{true: "off", false: "on"}[hide] + ".")
	return nil
}
