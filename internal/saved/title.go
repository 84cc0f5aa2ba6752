package saved

import (
	"context"
	"time"

	"minigem/internal/app"
	"minigem/llm"
	"minigem/session"
)

const (
	titleTimeout = 15 * time.Second
	titleModel   = "gemini-2.5-flash-lite"
	titleAsk     = `Give this conversation between a user and a coding agent a title of at most 80 characters: ` +
		`what the user wanted, in
plain words, without quotes and without a full stop. Answer with the title alone.`
)

// TitleLatest asks the model for a title of the latest session, as Gemini CLI does
// before it lists sessions (cli/utils/sessions.ts). Without a model or a title, the
// list shows the first prompt.
func (s *Sessions) TitleLatest(f *app.Options) {
	model, err := s.Config.Source(f, nil).Open()
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), titleTimeout)
	defer cancel()
	// Errors are ignored: the user asked for the list.
	_ = session.TitleLatest(ctx, s.project, s.Config.Mask, func(ctx context.Context, conversation string) (string, error) {
		answer, err := model.Generate(ctx, llm.Request{
			Model: titleModel, Role: "utility_summarizer", System: titleAsk, Messages: []llm.Message{llm.UserText(conversation)},
		})
		return answer.Text(), err
	})
}
