package hooks

// Difference describes something that another agent does differently from minigem. It is
// for authors who test hooks here and run them there.
type Difference struct {
	// ID identifies the difference for programs and does not change between versions.
	ID string
	// Agent is the other agent, with its version.
	Agent string
	// When says in which situation the agents differ.
	When string
	// There says what the other agent does, to be read after its name.
	There string
	// Here says what minigem does, to be read after its name.
	Here string
	// Source is the file of the agent's source that shows it; may be empty.
	Source string
	// Shown is a set of places, joined by |, that show it in addition to the manual;
	// hooks/elsewhere names them.
	Shown int
}

// String returns the difference as a sentence. A Difference without an ID comes from the
// JSON of a report, which has only its text; that text, in There, is returned as it is.
func (d Difference) String() string {
	if d.ID == "" {
		return d.There
	}
	return d.When + ": " + d.Effect()
}

// Effect says what both agents do: "Gemini CLI 0.61 blocks; minigem warns and goes on".
func (d Difference) Effect() string { return d.Agent + " " + d.There + "; minigem " + d.Here }
