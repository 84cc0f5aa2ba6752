package scaffold

import (
	"fmt"
	"strings"

	"minigem/hooks/protocol"
)

// A template is what the hook of an event does to begin with: where a field of
// what it reads holds a text, it answers something.
type template struct {
	does    string   // for the comment at the top
	matcher string   // empty: none
	tool    string   // that the case calls; empty: write_file
	field   []string // path in the payload
	holds   string
	says    string // JSON; NAME stands for the hook's name
	script  string // of the case; NAME and EVENT stand for themselves
	files   string // of the case, the model's part too
	try     string // the change to a sample payload on which it answers; empty: it does as it is
}

// helper is an agent, for cases.
const helper = "-- .gemini/agents/helper.md --\n---\nname: helper\ndescription: Helps.\n---\nYou help.\n"

var templates = map[protocol.Event]template{
	protocol.SessionStart: {
		does: "tells the model about the project when a session starts", field: []string{"source"}, holds: "startup",
		says:   `{"hookSpecificOutput": {"additionalContext": "NAME: tests run with make test"}}`,
		script: "prompt Hello\nfired EVENT NAME effect=context\nmodel-saw 1 ~'tests run with make test'\n",
		files:  "-- model --\ntext Hi.\n",
		try:    "source=startup",
	},
	protocol.BeforeAgent: {
		does: "refuses prompts that ask for a deployment", field: []string{"prompt"}, holds: "deploy",
		says:   `{"decision": "deny", "reason": "NAME: deployments are made by people"}`,
		script: "prompt Please deploy it\nfired EVENT NAME decision=deny\nmodel-requests 0\n",
		try:    "prompt=deploy",
	},
	protocol.PreCompress: {
		does: "tells the user that the history is compressed", field: []string{"trigger"}, holds: "manual",
		says:   `{"systemMessage": "NAME: the history is compressed"}`,
		script: "prompt Hello\nprompt Go on\nprompt And on\ncompress\nfired EVENT NAME subject=manual message~'history is compressed'\n",
		files:  "-- model --\ntext Hi.\nrepeat\n\ngenerate\ntext <state_snapshot>short</state_snapshot>\nrepeat\n",
		try:    "trigger=manual",
	},
	protocol.PostCompact: {
		does: "tells the user that the history was compressed", field: []string{"trigger"}, holds: "manual",
		says:   `{"systemMessage": "NAME: the history was compressed"}`,
		script: "prompt Hello\nprompt Go on\nprompt And on\ncompress\nfired EVENT NAME subject=manual message~'history was compressed'\n",
		files: "-- model --\ntext This answer is long, so that a summary of it is shorter, for else nothing is " +
			"compressed.\nrepeat\n\ngenerate\ntext <state_snapshot>short</state_snapshot>\nrepeat\n",
		try: "trigger=manual",
	},
	protocol.BeforeModel: {
		does: "keeps passwords from being sent to the model", field: []string{"llm_request", "messages"}, holds: "password",
		says:   `{"decision": "deny", "reason": "NAME: this may hold a password"}`,
		script: "prompt The password is 1234\nfired EVENT NAME decision=deny\nmodel-requests 0\n",
		try:    "llm_request.messages.0.content=password",
	},
	protocol.BeforeToolSelection: {
		does: "leaves the model without tools where it is to explain", field: []string{"llm_request", "messages"},
		holds:  "Explain",
		says:   `{"hookSpecificOutput": {"toolConfig": {"mode": "NONE"}}}`,
		script: "prompt Explain it\nfired EVENT NAME effect=tools\nmodel-saw 1 mode=NONE\n",
		files:  "-- model --\ntext It is simple.\n",
		try:    "llm_request.messages.0.content=Explain",
	},
	protocol.AfterModel: {
		does: "stops answers that hold a password", field: []string{"llm_response", "text"}, holds: "password",
		says:   `{"decision": "deny", "reason": "NAME: the answer holds a password"}`,
		script: "prompt Tell me\nfired EVENT NAME decision=deny\n! stdout ~1234\n",
		files:  "-- model --\ntext The password is 1234.\n",
		try:    "llm_response.candidates.0.content.parts.0=password",
	},
	protocol.BeforeTool: {
		does: "keeps lock files from being written", matcher: "^(write_file|replace)$",
		field: []string{"tool_input", "file_path"}, holds: ".lock",
		says: `{"decision": "deny", "reason": "NAME: lock files are written by tools"}`,
		script: "prompt Pin it\nfired EVENT NAME decision=deny\n! tool-ran write_file\n! exists app.lock\n" +
			"model-saw last ~'written by tools'\n",
		files: "-- model --\ncall write_file {\"file_path\": \"app.lock\", \"content\": \"1\\n\"}\n\ntext I may not.\n",
		try:   "tool_input.file_path=app.lock",
	},
	protocol.PermissionRequest: {
		does: "refuses to change lock files where somebody would be asked", field: []string{"tool_input", "file_path"},
		holds: ".lock",
		says:  `{"decision": "deny", "reason": "NAME: lock files are written by tools"}`,
		script: "mode default\nprompt Pin it\nfired EVENT NAME decision=deny\n! exists app.lock\n" +
			"model-saw last ~'written by tools'\n",
		files: "-- model --\ncall write_file {\"file_path\": \"app.lock\", \"content\": \"1\\n\"}\n\ntext I may not.\n",
		try:   "tool_input.file_path=app.lock",
	},
	protocol.Notification: {
		does: "adds a line to permission prompts", matcher: "", field: []string{"notification_type"}, holds: "ToolPermission",
		says:   `{"systemMessage": "NAME: look twice"}`,
		script: "interactive\nanswer once\nprompt Write it\nfired EVENT NAME message~'look twice'\ntool-ran write_file\n",
		files:  "-- model --\ncall write_file {\"file_path\": \"a.txt\", \"content\": \"x\\n\"}\n\ntext Done.\n",
	},
	protocol.SubagentStart: {
		does: "keeps agents from tasks about a deployment", field: []string{"prompt"}, holds: "deploy",
		says: `{"decision": "deny", "reason": "NAME: deployments are made by people"}`,
		script: "prompt Let it be deployed\nfired EVENT NAME decision=deny\n! event BeforeModel agent=helper\n" +
			"model-saw last ~'made by people'\n",
		files: helper +
			"-- model --\ncall invoke_agent {\"agent_name\": \"helper\", \"prompt\": \"deploy it\"}\n\ntext I may not.\n",
		try: "prompt=deploy",
	},
	protocol.SubagentStop: {
		does: "sends an agent on, once, that leaves something to do", field: []string{"prompt_response"}, holds: "TODO",
		says: `{"decision": "deny", "reason": "NAME: finish what is marked TODO"}`,
		script: "prompt Let it be done\nfired EVENT NAME decision=deny times=1\n" +
			"model-saw 3 ~'finish what is marked TODO'\nmodel-saw last ~'All of it'\n",
		files: helper +
			"-- model --\ncall invoke_agent {\"agent_name\": \"helper\", \"prompt\": \"do it\"}\n\ntext Done.\n" +
			"-- model agent=helper --\ncall complete_task {\"result\": \"Half of it; TODO: the rest.\"}\n\n" +
			"call complete_task {\"result\": \"All of it.\"}\n",
		try: "prompt_response=TODO",
	},
	protocol.AfterTool: {
		does: "reminds the model of the tests when a file was written", matcher: "^(write_file|replace)$",
		field: []string{"tool_name"}, holds: "write_file",
		says:   `{"hookSpecificOutput": {"additionalContext": "NAME: run the tests now"}}`,
		script: "prompt Write it\nfired EVENT NAME effect=context\nmodel-saw last ~'run the tests now'\n",
		files:  "-- model --\ncall write_file {\"file_path\": \"a.txt\", \"content\": \"x\\n\"}\n\ntext Done.\n",
		try:    "tool_name=write_file",
	},
	protocol.PostToolUseFailure: {
		does: "tells the model what to do about a command that failed", field: []string{"error"}, holds: "Exit",
		says:   `{"hookSpecificOutput": {"additionalContext": "NAME: read the whole output before you try again"}}`,
		script: "prompt Test it\nfired EVENT NAME effect=context\nmodel-saw last ~'read the whole output'\n",
		files:  "-- model --\ncall run_shell_command {\"command\": \"exit 3\"}\n\ntext It failed.\n",
		try:    "error=Exit",
	},
	protocol.AfterAgent: {
		does: "sends an answer back, once, that leaves something to do", field: []string{"prompt_response"}, holds: "TODO",
		says: `{"decision": "deny", "reason": "NAME: finish what is marked TODO"}`,
		script: "prompt Do it\nfired EVENT NAME decision=deny times=1\nmodel-saw last ~'finish what is marked TODO'\n" +
			"max-retries 1\n",
		files: "-- model --\ntext Half of it; TODO: the rest.\n\ntext Still TODO, but this is all I can do.\n",
		try:   "prompt_response=TODO",
	},
	protocol.StopFailure: {
		does: "says what to do when the model is overloaded", field: []string{"error"}, holds: "overloaded",
		says:   `{"systemMessage": "NAME: try again in a minute"}`,
		script: "prompt Hello\nfired EVENT NAME subject=overloaded message~'try again'\n",
		files:  "-- model --\nerror 503 try later\n",
		try:    "error=overloaded",
	},
	protocol.SessionEnd: {
		does: "says good-bye", field: []string{"reason"}, holds: "exit",
		says:   `{"systemMessage": "NAME: good-bye"}`,
		script: "prompt Hello\nend\nfired EVENT NAME subject=exit message~good-bye\n",
		files:  "-- model --\ntext Hi.\n",
		try:    "reason=exit",
	},
}

// needs are the programs without which a language cannot run.
var needs = map[string]string{"py": "python3", "js": "node", "go": "go"}

// testCase is the case that proves the hook.
func (m *making) testCase() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The %s hook %s %s.\n", m.o.Event, m.o.Name, m.t.does)
	if p := needs[m.o.Language]; p != "" {
		fmt.Fprintf(&b, "needs %s\n", p)
	}
	if m.o.Language == "go" {
		b.WriteString("timeout 120s\n") // the first build of a machine takes long
	}
	b.WriteString("use ../../settings.json .gemini/settings.json\n")
	if m.hook.Program.Path != "" {
		fmt.Fprintf(&b, "use ../%[1]s.%[2]s .gemini/hooks/%[1]s.%[2]s\n", m.o.Name, m.o.Language)
	}
	b.WriteString(strings.NewReplacer("NAME", m.o.Name, "EVENT", string(m.o.Event)).Replace(m.t.script))
	b.WriteString("\n" + m.t.files)
	return b.String()
}

func (t template) program(name string, event protocol.Event, language string) string {
	about := fmt.Sprintf(
		"%s %s.\n\nIt reads one JSON object on stdin: minigem hooks payload %s shows it.\n"+
			"Its answer is JSON on stdout and nothing else; words for the log go to stderr.\n"+
			"Exit 0: done. Exit 2: blocks, the reason on stderr. Anything else is a failure.", name, t.does, event)
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

func (t template) shell(name string, retry bool) string {
	key := t.field[len(t.field)-1]
	text := "set -eu\ninput=$(cat)\n\n"
	if retry {
		text += "# one retry is enough\ncase $input in *'\"stop_hook_active\":true'*) exit 0 ;; esac\n\n"
	}
	answer := strings.ReplaceAll(t.answer(name), "'", `'\''`)
	return text +
		fmt.Sprintf("# jq reads it better: %s\ncase $input in\n  *'\"%s\":'*'%s'*) printf '%%s\\n' '%s' ;;\nesac\n",
			"jq -r ."+strings.Join(t.field, "."), key, t.holds, answer)
}

func (t template) python(name string, retry bool) string {
	text := "import json\nimport sys\n\npayload = json.load(sys.stdin)\n"
	if retry {
		text += "if payload[\"stop_hook_active\"]:\n    sys.exit(0)  # one retry is enough\n"
	}
	text += "value = payload\nfor name in " + list(t.field) +
		":\n    value = value.get(name, \"\") if isinstance(value, dict) else \"\"\n"
	return text + fmt.Sprintf("if %s in str(value):\n    print(%s)\n", quoted(t.holds), quoted(t.answer(name)))
}

func (t template) javascript(name string, retry bool) string {
	text := "const payload = JSON.parse(require(\"fs\").readFileSync(0, \"utf8\"));\n"
	if retry {
		text += "if (payload.stop_hook_active) process.exit(0); // one retry is enough\n"
	}
	text += "let value = payload;\nfor (const name of " + list(t.field) + ") value = value?.[name];\n"
	return text + fmt.Sprintf("if (JSON.stringify(value ?? \"\").includes(%s)) {\n  console.log(%s);\n}\n",
		quoted(t.holds), quoted(t.answer(name)))
}

func (t template) golang(name string, retry bool) string {
	text := "package main\n\nimport (\n\t\"encoding/json\"\n\t\"fmt\"\n\t\"os\"\n\t\"strings\"\n)\n\nfunc main() {\n" +
		"\tvar payload map[string]any\n" +
		"\tif err := json.NewDecoder(os.Stdin).Decode(&payload); err != nil {\n\t\tfmt.Fprintln(os.Stderr, err)\n" +
		"\t\tos.Exit(1)\n\t}\n"
	if retry {
		text += "\tif payload[\"stop_hook_active\"] == true {\n\t\treturn // one retry is enough\n\t}\n"
	}
	text += "\tvar value any = payload\n\tfor _, name := range []string{" + strings.Trim(list(t.field), "[]") + "} {\n" +
		"\t\tobject, _ := value.(map[string]any)\n\t\tvalue = object[name]\n\t}\n"
	return text + fmt.Sprintf("\tif strings.Contains(fmt.Sprint(value), %s) {\n\t\tfmt.Println(%s)\n\t}\n}\n",
		quoted(t.holds), quoted(t.answer(name)))
}

func list(words []string) string {
	quotedWords := make([]string, len(words))
	for i, w := range words {
		quotedWords[i] = quoted(w)
	}
	return "[" + strings.Join(quotedWords, ", ") + "]"
}
