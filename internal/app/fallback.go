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

// Values of model.fallback. Empty means to ask the user.
const (
	fallbackAlways = "always"
	fallbackNever  = "never"
)

// fallback returns the function that chooses a model to continue with once the quota of
// model is used up, if the setting or the user agrees. The session continues with that
// model.
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

// goOnWith asks the user. If nobody can be asked, the answer is no.
func goOnWith(ctx context.Context, asker builtin.Asker, next string, quota *llm.Error) bool {
	said, ok := builtin.AskOne(ctx, asker, builtin.Question{
		Header: "Quota", Type: "yesno", Question: fmt.Sprintf("%s. Go on with %s in this session?", quota.Message, next),
	})
	return ok && said == "Yes"
}
