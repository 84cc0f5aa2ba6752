package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"minigem/llm"
	"minigem/session"
)

// Continue resumes the project's last session.
func ExampleContinue() {
	home, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	project, err := session.OpenProject(filepath.Join(home, ".gemini"), "/work/project")
	if err != nil {
		panic(err)
	}
	for range 2 {
		s, err := session.Continue(session.Options{Project: project})
		if err != nil {
			panic(err)
		}
		s.Begin(context.Background())
		fmt.Println(s.Source(), len(s.Messages()))
		s.Append(llm.UserText("Hi"))
		s.Append(llm.ModelText("Hello."))
		s.End(context.Background(), "exit")
	}
	// Output:
	// startup 0
	// resume 2
}
