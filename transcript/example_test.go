package transcript_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"minigem/internal/redact"
	"minigem/llm"
	"minigem/transcript"
)

// Read returns what a Writer appends. Secrets are masked when they are written.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path, now := filepath.Join(dir, "session.jsonl"), transcript.At(time.Unix(0, 0))
	w, err := transcript.Create(path, transcript.Meta{SessionID: "one", StartTime: now, LastUpdated: now}, redact.NewMask([]string{"hunter2-hunter2"}).Bytes)
	if err != nil {
		panic(err)
	}
	m := transcript.Message{ID: "1", Timestamp: now, Type: "user"}
	m.Content.Parts = []llm.Part{llm.Text{Text: "The key is hunter2-hunter2."}}
	if err := w.Append(m); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	f, err := transcript.Read(path)
	if err != nil {
		panic(err)
	}
	fmt.Println(f.Meta.SessionID, llm.PartsText(f.Messages[0].Content.Parts))
	// Output: one The key is [REDACTED].
}
