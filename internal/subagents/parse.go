package subagents

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"minigem/hooks/config"
	"minigem/internal/skills"
	"minigem/internal/text"
)

// parser parses the front matter of one definition.
type parser struct {
	file   string
	agent  Agent
	faults []string
	seen   map[string]bool
}

// fields maps each field that front matter may have to its parser.
var fields = map[string]func(*parser, *yaml.Node){
	"kind":         (*parser).kind,
	"name":         (*parser).name,
	"description":  (*parser).description,
	"display_name": func(p *parser, n *yaml.Node) { p.agent.DisplayName = text.Line(p.text(n)) },
	"tools":        (*parser).tools,
	"model":        (*parser).model,
	"temperature":  (*parser).temperature,
	"max_turns":    func(p *parser, n *yaml.Node) { p.agent.MaxTurns = p.count(n) },
	"timeout_mins": func(p *parser, n *yaml.Node) { p.agent.Timeout = time.Duration(p.count(n)) * time.Minute },
	"mcp_servers":  (*parser).servers,
	"hooks":        (*parser).hooks,
}

// remote lists fields of agents on other machines.
var remote = []string{"agent_card_url", "agent_card_json", "auth"}

// Parse parses a definition. Each fault begins with file and line.
func Parse(file, data string) (Agent, []string) {
	p := &parser{file: file, seen: map[string]bool{}}
	head, body, err := skills.Split(data)
	if err != nil {
		p.fault(1, "%s", err)
		return p.agent, p.faults
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(head), &doc); err != nil {
		p.fault(lineOf(err), "it is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
		return p.agent, p.faults
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		p.fault(2, "expected fields, such as name: reviewer")
		return p.agent, p.faults
	}
	p.head(doc.Content[0])
	p.agent.Instructions = strings.TrimSpace(text.Clean(body))
	if p.agent.Instructions == "" {
		p.fault(1, "it has no instructions: expected them below the second ---")
	}
	for _, need := range []string{"name", "description"} {
		if !p.seen[need] {
			p.fault(1, "it has no %s", need)
		}
	}
	return p.agent, p.faults
}

func (p *parser) fault(line int, format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf("%s:%d: %s", p.file, line, fmt.Sprintf(format, args...)))
}

// at returns the line of n in the file: the front matter begins on the second line.
func at(n *yaml.Node) int { return n.Line + 1 }

var yamlLine = regexp.MustCompile(`line (\d+)`)

func lineOf(err error) int {
	line := 1
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		_, _ = fmt.Sscan(m[1], &line)
	}
	return line + 1
}

func (p *parser) head(m *yaml.Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		name := text.VisibleLine(key.Value)
		read := fields[key.Value]
		switch {
		case p.seen[key.Value]:
			p.fault(at(key), "%s occurs twice", name)
		case slices.Contains(remote, key.Value):
			p.fault(at(key), "%s is of agents on other machines, which minigem does not reach", name)
		case read == nil:
			known := slices.Sorted(maps.Keys(fields))
			hint := text.DidYouMean(text.Nearest(key.Value, known))
			if hint == "" {
				hint = "; there are " + strings.Join(known, ", ")
			}
			p.fault(at(key), "there is no field %q%s", name, hint)
		case value.Kind == yaml.AliasNode:
			p.fault(at(value), "%s is an alias: write the value", name)
		default:
			read(p, value)
		}
		p.seen[key.Value] = true
	}
}

func (p *parser) text(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
		p.fault(at(n), "expected a text")
	}
	return strings.TrimSpace(n.Value)
}

func (p *parser) kind(n *yaml.Node) {
	if kind := p.text(n); kind != "local" {
		p.fault(at(n), "kind is %q: minigem has agents of the kind local alone", text.VisibleLine(kind))
	}
}

var validName = regexp.MustCompile(`^[a-z0-9_-]+$`)

func (p *parser) name(n *yaml.Node) {
	if p.agent.Name = p.text(n); !validName.MatchString(p.agent.Name) {
		p.fault(at(n), "name is %q: expected lower-case letters, digits, - and _", text.VisibleLine(p.agent.Name))
	}
}

func (p *parser) description(n *yaml.Node) {
	if p.agent.Description = text.Line(p.text(n)); p.agent.Description == "" {
		p.fault(at(n), "the description is empty: the model chooses by it")
	}
}

func (p *parser) model(n *yaml.Node) {
	if name := p.text(n); name != "inherit" {
		p.agent.Model = name
	}
}

func (p *parser) temperature(n *yaml.Node) {
	var t float64
	if n.Kind != yaml.ScalarNode || n.Decode(&t) != nil || math.IsNaN(t) || t < 0 || t > 2 {
		p.fault(at(n), "temperature: expected a number from 0 to 2")
		return
	}
	p.agent.Temperature = &t
}

// count parses a positive whole number.
func (p *parser) count(n *yaml.Node) int {
	var v int
	if n.Kind != yaml.ScalarNode || n.Decode(&v) != nil || v < 1 || v > 100_000 {
		p.fault(at(n), "expected a whole number above 0")
	}
	return v
}

func (p *parser) hooks(n *yaml.Node) {
	p.agent.Hooks = skills.ReadHooks(n)
	if why := p.agent.Hooks.Fault; why != "" {
		p.fault(at(n), "hooks: %s", why)
	}
}

func (p *parser) tools(n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		p.fault(at(n), "tools: expected a list of names, such as [read_file, grep_search]")
		return
	}
	p.agent.Tools = []string{}
	known := config.BuiltinTools()
	for _, item := range n.Content {
		name := p.text(item)
		if name != "*" && !strings.HasPrefix(name, "mcp_") && !strings.HasPrefix(name, "discovered_tool_") &&
			!slices.Contains(known, name) {
			p.fault(at(item), "there is no tool %q%s", text.VisibleLine(name), text.DidYouMean(text.Nearest(name, known)))
		}
		p.agent.Tools = append(p.agent.Tools, name)
	}
}
