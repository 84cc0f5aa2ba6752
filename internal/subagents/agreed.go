package subagents

import (
	"fmt"
	"path/filepath"

	"minigem/hooks/jsonc"
	"minigem/internal/boundedfile"
)

// Agreements is the file in which Gemini CLI and minigem record which agents of a
// project the user agreed to, by their contents (core/agents/acknowledgedAgents.ts).
type Agreements struct{ File string }

// AgreementsIn returns a user's file of agreements.
func AgreementsIn(dotGemini string) Agreements {
	return Agreements{filepath.Join(dotGemini, "acknowledgments", "agents.json")}
}

// Has reports whether the user agreed to a, in its current form, in the project at
// root. If the file cannot be read, the user has not agreed.
func (g Agreements) Has(root string, a Agent) bool {
	data, err := boundedfile.Read(g.File, boundedfile.Written)
	if err != nil {
		return false
	}
	doc, err := jsonc.Parse(g.File, data)
	return err == nil && a.Hash != "" && doc.Root().Get(root).Get(a.Name).Text() == a.Hash
}

// Add records that the user agreed to agents in their current form.
func (g Agreements) Add(root string, agents []Agent) error {
	if len(agents) == 0 {
		return nil
	}
	err := jsonc.Edit(g.File, 0o600, func(d *jsonc.Doc) error {
		for _, a := range agents {
			if err := d.Set(a.Hash, root, a.Name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("remembering that you agreed to agents: %w", err)
	}
	return nil
}
