package app

import (
	"context"
	"errors"
	"fmt"

	"minigem/agent/event"
	"minigem/internal/models"
	"minigem/llm"
	"minigem/tools/builtin"
)

// What model.fallback may say; empty means to ask.
const (
	fallbackAlways = "always"
	fallbackNever  = "never"
)

// fallback says with which model the session goes on when the quota of model is
// used up: where the setting says so, or the user. It is the model of the session
// from then on; the session itself stays the same.
func (r *Runtime) fallback(w *Frontend) func(context.Context, string, error) (string, llm.Sampling, bool) {
	var usedUp []string
	return func(ctx context.Context, model string, err error) (string, llm.Sampling, bool) {
		var quota *llm.Error
		set := r.Config.Settings.Model.Fallback
		if !errors.As(err, &quota) || quota.Kind != llm.ErrQuota || set == fallbackNever {
			return "", llm.Sampling{}, false
		}
		usedUp = append(usedUp, model)
		next := models.Next(model, usedUp)
		if next == "" || set != fallbackAlways && !goOnWith(ctx, w.Asker, next, quota) {
			return "", llm.Sampling{}, false
		}
		choice, err := r.Config.models.Choose(models.Ask{Name: next})
		if err != nil {
			return "", llm.Sampling{}, false
		}
		next, r.asked = choice.Model, next
		r.ModelName, r.Compressor.ModelName = next, next
		r.sink.Emit(event.Notice{Severity: "warning", Text: fmt.Sprintf("The quota of %s is used up: this session goes on "+
			"with %s.", model, next)})
		return next, choice.Sampling, true
	}
}

// goOnWith asks the user; nobody there is a no.
func goOnWith(ctx context.Context, asker builtin.Asker, next string, quota *llm.Error) bool {
	said, ok := builtin.AskOne(ctx, asker, builtin.Question{
		Header: "Quota", Type: "yesno", Question: fmt.Sprintf("%s. Go on with %s in this session?", quota.Message, next),
	})
	return ok && said == "Yes"
}
