package subagents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/subagent"
	"minigem/internal/mcp/entry"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func TestParse(t *testing.T) {
	t.Parallel()
	a, faults := Parse("a.md", "---\nkind: local\nname: code-reviewer\ndescription: >\n  Reads\n  changes.\ndisplay_name: Reviewer\nmcp_servers:\n  git:\n    command: git-mcp\n    args: [-v]\n    include_tools: [log]\ntools:\n  - read_file\n  - mcp_git_*\nmodel: inherit\ntemperature: 0.2\nmax_turns: 5\ntimeout_mins: 2\n---\n\nRead ${query}.\n")
	require.Empty(t, faults)
	warm := 0.2
	assert.Equal(t, Agent{DisplayName: "Reviewer", Servers: []Server{{Name: "git", Server: entry.Server{Command: "git-mcp", Args: []string{"-v"}, IncludeTools: []string{"log"}}}}, Definition: subagent.Definition{
		Name: "code-reviewer", Description: "Reads changes.", Instructions: "Read ${query}.", Tools: []string{"read_file", "mcp_git_*"},
		Temperature: &warm, MaxTurns: 5, Timeout: 2 * time.Minute,
	}}, a)
	plain, faults := Parse("a.md", "---\r\nname: a\r\ndescription: b\r\nmodel: flash\r\n---\r\nc\r\n")
	require.Empty(t, faults)
	assert.Equal(t, "flash", plain.Model)
	assert.Nil(t, plain.Tools, "all of the caller's")
	none, faults := Parse("a.md", "---\nname: a\ndescription: b\ntools: []\n---\nc")
	require.Empty(t, faults)
	assert.NotNil(t, none.Tools, "none at all")
}

// TestFaults checks that anything that cannot be honoured is reported with its line,
// and that nothing of the file is used.
func TestFaults(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]string{
		"name: a\ndescription: b\nmaxTurns: 3":                       `a.md:4: there is no field "maxTurns"; did you mean "max_turns"?`,
		"name: a\ndescription: b\nqqqqqqqq: 3":                       `a.md:4: there is no field "qqqqqqqq"; there are description, `,
		"name: a\ndescription: b\nname: c":                           "a.md:4: name occurs twice",
		"name: A b\ndescription: b":                                  `a.md:2: name is "A b": expected lower-case letters, digits, - and _`,
		"name: a":                                                    "a.md:1: it has no description",
		"description: a":                                             "a.md:1: it has no name",
		"name: a\ndescription: ' '":                                  "a.md:3: the description is empty",
		"name: a\ndescription: b\ntools: read_file":                  "a.md:4: tools: expected a list of names",
		"name: a\ndescription: b\ntools:\n- read_fil":                `a.md:5: there is no tool "read_fil"; did you mean "read_file"?`,
		"name: a\ndescription: b\ntools: [[x]]":                      "a.md:4: expected a text",
		"name: a\ndescription: b\nmax_turns: 0":                      "a.md:4: expected a whole number above 0",
		"name: a\ndescription: b\ntimeout_mins: soon":                "a.md:4: expected a whole number above 0",
		"name: a\ndescription: b\ntemperature: .nan":                 "a.md:4: temperature: expected a number from 0 to 2",
		"name: a\ndescription: b\nkind: remote":                      `a.md:4: kind is "remote"`,
		"name: a\ndescription: b\nagent_card_url: http://x":          "a.md:4: agent_card_url is of agents on other machines",
		"name: a\ndescription: b\nmcp_servers: x":                    "a.md:4: mcp_servers: expected names with a server each",
		"name: a\ndescription: b\nmcp_servers:\n  x: y":              "a.md:5: mcp_servers: x: expected fields, such as command",
		"name: a\ndescription: b\nmcp_servers:\n  x:\n    comand: y": `a.md:6: x: there is no field "comand"; did you mean "command"?`,
		"name: a\ndescription: b\nmcp_servers:\n  x:\n    args: y":   "a.md:6: x: args has another type",
		"name: a\ndescription: b\nmcp_servers:\n  x:\n    auth: {}":  "a.md:6: x: minigem has no auth for the server of one agent",
		"name: a\ndescription: b\nmcp_servers:\n  \"\\e[31m\": {}":   "is no name for an MCP server",
		"name: a\nx: &b c\ndescription: *b":                          "a.md:4: description is an alias",
		"name: [a":                                                   "it is not YAML",
		"- name":                                                     "a.md:2: expected fields",
		"name: a\ndescription: 3":                                    "a.md:3: expected a text",
		"name: a\ndescription: b\n\"\\e[31mred\": x":                 `<U+001B>`,
	} {
		_, faults := Parse("a.md", "---\n"+head+"\n---\nbody\n")
		require.NotEmpty(t, faults, head)
		assert.Contains(t, strings.Join(faults, "\n"), want, head)
	}
	for _, whole := range []string{"", "name: a", "---\nname: a\ndescription: b\n---\n \n"} {
		_, faults := Parse("a.md", whole)
		assert.NotEmpty(t, faults, whole)
	}
}

func TestDiscover(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, agent string) {
		write(t, filepath.Join(dir, name), "---\nname: "+agent+"\ndescription: of "+name+"\n---\nbody\n")
	}
	file("project/a.md", "a")
	file("project/_draft.md", "draft")
	file("project/sub/b.md", "deep")
	file("project/notes.txt", "notes")
	file("project/held.md", "c") // takes no name away from others
	file("user/a.md", "a")
	file("user/b.md", "builtin")
	file("user/c.md", "c")
	write(t, filepath.Join(dir, "user", "z.md"), "no head")
	found, problems := Discover([]Agent{{Definition: subagent.Definition{Name: "builtin"}}}, []Source{
		{Dir: filepath.Join(dir, "project"), Name: "project", Agreed: func(a Agent) bool { return a.Name != "c" }}, {Dir: filepath.Join(dir, "user"), Name: "user"}, {Dir: filepath.Join(dir, "none"), Name: "none"},
	})
	var names []string
	for _, a := range found {
		names = append(names, a.Source+" "+a.Name+" "+a.Description)
	}
	assert.Equal(t, NotAgreed, found[2].Off)
	assert.Equal(t, []string{" builtin ", "project a of project/a.md", "project c of project/held.md", "user c of user/c.md"}, names)
	require.Len(t, problems, 3)
	assert.Contains(t, problems[0], "user/a.md is not used: "+filepath.Join(dir, "project", "a.md")+" has the same name, and is used instead")
	assert.Contains(t, problems[1], "user/b.md is not used: one that is built in has the same name, and is used instead")
	assert.Contains(t, problems[2], "z.md:1: it must begin with")
}

// TestAgreements checks that an agreement applies to one project, and to the file as it
// was.
func TestAgreements(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.md")
	save := func(body string) Agent {
		write(t, path, "---\nname: a\ndescription: b\n---\n"+body)
		a, faults := Read(path)
		require.Empty(t, faults)
		return a
	}
	g := AgreementsIn(filepath.Join(dir, "home"))
	a := save("do this")
	assert.False(t, g.Has("/p", a))
	require.NoError(t, g.Add("/p", []Agent{a}))
	assert.True(t, g.Has("/p", a))
	assert.False(t, g.Has("/other", a))
	changed := save("do that")
	assert.False(t, g.Has("/p", changed))
	require.NoError(t, g.Add("/p", []Agent{changed}))
	assert.False(t, g.Has("/p", a))
	require.NoError(t, os.WriteFile(g.File, []byte(`{"/p": {"a": ""}}`), 0o600))
	assert.False(t, g.Has("/p", Agent{Definition: subagent.Definition{Name: "a"}}), "nothing is no hash")
}

// FuzzParse checks that, whatever a definition contains, one without faults can be
// called and named.
func FuzzParse(f *testing.F) {
	f.Add("---\nname: a\ndescription: b\ntools: [read_file]\n---\nbody")
	f.Add("---\nname: &x a\n<<: *x\n---\n")
	f.Fuzz(func(t *testing.T, data string) {
		a, faults := Parse("f.md", data)
		for _, fault := range faults {
			if !strings.HasPrefix(fault, "f.md:") {
				t.Errorf("no place: %s", fault)
			}
		}
		if len(faults) == 0 && (!validName.MatchString(a.Name) || a.Description == "" || a.Instructions == "" || strings.ContainsAny(a.Description, "\n\x1b")) {
			t.Errorf("%+v", a)
		}
	})
}
