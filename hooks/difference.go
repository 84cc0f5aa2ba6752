package hooks

// Difference is something that another agent does differently from minigem: what
// an author should know who tests hooks here and lets them run there.
type Difference struct {
	ID     string // stays the same, for programs
	Agent  string // which agent, with its version
	When   string // when it is met
	There  string // what the agent does then, to be read after its name
	Here   string // what minigem does
	Source string // the file of the agent's source that shows it; it may be empty
	Shown  Shown
}

// Shown says who tells authors of a [Difference], beside the manual.
type Shown int

const (
	InReport  Shown = 1 << iota // the report of a run ([Run.Upstream])
	InExplain                   // hooks explain, which looks at settings and programs
)

// String is the difference as a sentence. It is empty where only the text of a
// difference is known that this version does not have, and that is given as it
// is.
func (d Difference) String() string {
	if d.ID == "" {
		return d.There
	}
	return d.When + ": " + d.Effect()
}

// Effect is what both do: "Gemini CLI 0.61 blocks; minigem warns and goes on".
func (d Difference) Effect() string { return d.Agent + " " + d.There + "; minigem " + d.Here }
