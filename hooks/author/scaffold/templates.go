package scaffold

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"minigem/hooks/protocol"
)

// A template describes the example hook of an event: it answers if a field of its input
// contains a text. template is what is made for one event.
type template struct {
	Does    string   // for the comment at the top
	Matcher string   // empty: none
	Tool    string   // the tool that the case calls; empty means write_file
	Field   []string // path in the payload
	Holds   string
	Says    string   // the answer as JSON, with the placeholder NAME
	Script  string   // the script of the case, with the placeholders NAME and EVENT
	Files   string   // the files of the case, including the model's part
	Async   []string // for an async hook: the prompt on which it answers, and what the model does
	Try     string   // the change to a sample payload on which it answers; empty if it needs none
}

//go:embed templates.json
var templatesJSON []byte

// templateOf returns the template of an event.
func templateOf(e protocol.Event) (template, bool) {
	var all map[protocol.Event]template
	err := json.Unmarshal(templatesJSON, &all)
	t, ok := all[e]
	return t, ok && err == nil
}

// needs lists the programs that a language requires.
var needs = map[string]string{"py": "python3", "js": "node", "go": "go"}

// testCase returns the case that proves the hook.
func (m *making) testCase() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The %s hook %s %s.\n", m.o.Event, m.o.Name, m.t.Does)
	if p := needs[m.o.Language]; p != "" {
		fmt.Fprintf(&b, "needs %s\n", p)
	}
	if m.o.Language == "go" {
		b.WriteString("timeout 120s\n") // the first build on a machine takes long
	}
	b.WriteString("use ../../settings.json .gemini/settings.json\n")
	if m.hook.Program.Path != "" {
		fmt.Fprintf(&b, "use ../%[1]s.%[2]s .gemini/hooks/%[1]s.%[2]s\n", m.o.Name, m.o.Language)
	}
	b.WriteString(strings.NewReplacer("NAME", m.o.Name, "EVENT", string(m.o.Event)).Replace(m.t.Script))
	b.WriteString("\n" + m.t.Files)
	return b.String()
}

// program writes the program, with a comment that says what hooks read and answer.
func (t template) program(name string, event protocol.Event, language string) string {
	about := fmt.Sprintf(
		"%s %s.\n\nIt reads one JSON object on stdin: minigem hooks payload %s shows it.\n"+
			"Its answer is JSON on stdout and nothing else; words for the log go to stderr.\n"+
			"Exit 0: done. Exit 2: blocks, the reason on stderr. Anything else is a failure.", name, t.Does, event)
	comment := func(mark string) string {
		return mark + " " + strings.ReplaceAll(strings.ReplaceAll(about, "\n", "\n"+mark+" "), mark+" \n", mark+"\n") + "\n"
	}
	retry := retries(event)
	switch language {
	case "py":
		return "#!/usr/bin/env python3\n" + comment("#") + t.python(name, retry)
	case "js":
		return "#!/usr/bin/env node\n" + comment("//") + t.javascript(name, retry)
	case "go":
		return comment("//") + t.golang(name, retry)
	}
	return "#!/usr/bin/env bash\n" + comment("#") + t.shell(name, retry)
}

// shell writes the script for bash. It searches the payload as text, because jq may not
// be installed.
func (t template) shell(name string, retry bool) string {
	key := t.Field[len(t.Field)-1]
	text := "set -eu\ninput=$(cat)\n\n"
	if retry {
		text += "# one retry is enough\ncase $input in *'\"stop_hook_active\":true'*) exit 0 ;; esac\n\n"
	}
	answer := strings.ReplaceAll(t.answer(name), "'", `'\''`)
	return text +
		fmt.Sprintf("# jq reads it better: %s\ncase $input in\n  *'\"%s\":'*'%s'*) printf '%%s\\n' '%s' ;;\nesac\n",
			"jq -r ."+strings.Join(t.Field, "."), key, t.Holds, answer)
}

// python writes the program for Python 3, without other packages.
func (t template) python(name string, retry bool) string {
	text := "import json\nimport sys\n\npayload = json.load(sys.stdin)\n"
	if retry {
		text += "if payload[\"stop_hook_active\"]:\n    sys.exit(0)  # one retry is enough\n"
	}
	text += "value = payload\nfor name in " + list(t.Field) +
		":\n    value = value.get(name, \"\") if isinstance(value, dict) else \"\"\n"
	return text + fmt.Sprintf("if %s in str(value):\n    print(%s)\n", quoted(t.Holds), quoted(t.answer(name)))
}

// javascript writes the program for Node.js, without other packages.
func (t template) javascript(name string, retry bool) string {
	text := "const payload = JSON.parse(require(\"fs\").readFileSync(0, \"utf8\"));\n"
	if retry {
		text += "if (payload.stop_hook_active) process.exit(0); // one retry is enough\n"
	}
	text += "let value = payload;\nfor (const name of " + list(t.Field) + ") value = value?.[name];\n"
	return text + fmt.Sprintf("if (JSON.stringify(value ?? \"\").includes(%s)) {\n  console.log(%s);\n}\n",
		quoted(t.Holds), quoted(t.answer(name)))
}

// golang writes the program for "go run".
func (t template) golang(name string, retry bool) string {
	text := "package main\n\nimport (\n\t\"encoding/json\"\n\t\"fmt\"\n\t\"os\"\n\t\"strings\"\n)\n\nfunc main() {\n" +
		"\tvar payload map[string]any\n" +
		"\tif err := json.NewDecoder(os.Stdin).Decode(&payload); err != nil {\n\t\tfmt.Fprintln(os.Stderr, err)\n" +
		"\t\tos.Exit(1)\n\t}\n"
	if retry {
		text += "\tif payload[\"stop_hook_active\"] == true {\n\t\treturn // one retry is enough\n\t}\n"
	}
	text += "\tvar value any = payload\n\tfor _, name := range []string{" + strings.Trim(list(t.Field), "[]") + "} {\n" +
		"\t\tobject, _ := value.(map[string]any)\n\t\tvalue = object[name]\n\t}\n"
	return text + fmt.Sprintf("\tif strings.Contains(fmt.Sprint(value), %s) {\n\t\tfmt.Println(%s)\n\t}\n}\n",
		quoted(t.Holds), quoted(t.answer(name)))
}

// list writes words as a list of Python or JavaScript.
func list(words []string) string {
	quotedWords := make([]string, len(words))
	for i, w := range words {
		quotedWords[i] = quoted(w)
	}
	return "[" + strings.Join(quotedWords, ", ") + "]"
}
