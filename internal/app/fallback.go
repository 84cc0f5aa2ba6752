package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"minigem/agent/event"
	"minigem/llm"
	"minigem/llm/openai"
	"minigem/tools/builtin"
)

// fallbacks are Google's models from the most able one to the one with the largest
// quota.
var fallbacks = []string{"gemini-3-pro-preview", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"}

// nextModel is the model to go on with after model, whose quota is used up: the
// next one of the list, else the nearest before it but the first; "" where all are used up, or
// it is not Google's.
func nextModel(model string, usedUp []string) string {
	if openai.Named(model) {
		return ""
	}
	at := slices.Index(fallbacks, model)
	switch { // one that is not in the list is as good as its kind
	case at >= 0:
	case strings.Contains(model, "flash-lite"):
		at = 3
	case strings.Contains(model, "flash"):
		at = 2
	default:
		at = 0
	}
	candidates := slices.Clone(fallbacks[at+1:])
	for i := at - 1; i > 0; i-- { // never the first one, which costs the most
		candidates = append(candidates, fallbacks[i])
	}
	for _, c := range candidates {
		if c != model && !slices.Contains(usedUp, c) {
			return c
		}
	}
	return ""
}

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
		next := nextModel(model, usedUp)
		if next == "" || set != fallbackAlways && !goOnWith(ctx, w.Asker, next, quota) {
			return "", llm.Sampling{}, false
		}
		r.ModelName, r.Compressor.ModelName = next, next
		r.sink.Emit(event.Notice{Severity: "warning", Text: fmt.Sprintf("The quota of %s is used up: this session goes on with %s.", model, next)})
		return next, SamplingFor(next), true
	}
}

// goOnWith asks the user; nobody there is a no.
func goOnWith(ctx context.Context, asker builtin.Asker, next string, quota *llm.Error) bool {
	if asker == nil {
		return false
	}
	answers, ok, err := asker.AskQuestions(ctx, []builtin.Question{{
		Header: "Quota", Type: "yesno", Question: fmt.Sprintf("%s. Go on with %s in this session?", quota.Message, next),
	}})
	return err == nil && ok && answers[0] == "Yes"
}
