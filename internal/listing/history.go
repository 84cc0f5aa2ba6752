package listing

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/internal/app"
	"minigem/internal/boundedfile"
	"minigem/session"
)

// pastSessions is how many of the newest session files are searched for hook activity.
const pastSessions = 20

// ranHook identifies a hook at an event, as session files do.
type ranHook struct {
	Event protocol.Event
	ID    string
}

// pastRun summarizes what the project's newest sessions say about a hook.
type pastRun struct {
	Runs int
	Last string // result of the last event at which it ran: "deny, 12 ms"
}

// pastRuns reads the hook activity recorded in sessions of this project.
// Unreadable files are skipped.
func pastRuns(c *app.Configuration) map[ranHook]pastRun {
	past := map[ranHook]pastRun{}
	project, ok := session.FindProject(c.DotGemini, c.Dir)
	if !ok {
		return past
	}
	files := boundedfile.Find(project.Chats(), "*.jsonl")
	// Their names begin with the time, so the last ones are the newest.
	slices.Sort(files)
	for _, file := range files[max(0, len(files)-pastSessions):] {
		readPastRuns(file, past)
	}
	return past
}

func readPastRuns(file string, past map[ranHook]pastRun) {
	f, err := boundedfile.Open(file)
	if err != nil {
		return
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if !bytes.HasPrefix(lines.Bytes(), []byte(`{"minigem":{"hook":`)) {
			continue
		}
		var record struct {
			Minigem struct {
				Hook session.HookNote `json:"hook"`
			} `json:"minigem"`
		}
		if json.Unmarshal(lines.Bytes(), &record) != nil {
			continue
		}
		note := record.Minigem.Hook.Hook
		effect := note.Effect
		if effect == hooks.EffectNone {
			effect = "pass"
		}
		for _, id := range note.Ran {
			key := ranHook{note.Event, id}
			past[key] = pastRun{past[key].Runs + 1, fmt.Sprintf("%s, %d ms", cmp.Or(effect, "pass"), note.Millis)}
		}
	}
}
