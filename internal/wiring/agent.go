package wiring

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/compress"
	"minigem/hooks"
	"minigem/internal/app"
	"minigem/internal/models"
	"minigem/internal/telemetry"
	"minigem/llm"
	"minigem/llm/openai"
	"minigem/notify"
	"minigem/session"
	"minigem/tools"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
)

func (r *Runtime) wireAgent(_ context.Context) error {
	model := r.Config.Settings.Model
	r.Compressor = r.compressorOf(r.Session, r.Models.Name)
	r.Compressor.Preamble = r.Session.Preamble
	r.runner = &toolcall.Runner{
		Registry: r.Registry, Offered: r.Policy.Offered,
		NotOffered: func(t tools.Tool) string { return notOffered(r.Policy, t) },
		Hooks:      r.Engine, Policy: r.Policy, Prepare: r.checkpoints(),
		// In the settings, 0 or less means no limit; for the Runner, only a negative value does.
		MaxOutput: cmp.Or(max(r.Config.Settings.Tools.TruncateToolOutputThreshold, 0), -1),
		Sink:      r.sink, Now: r.now,
		Save: func(call llm.ToolCall, text string) (string, error) {
			return session.SaveOutput(r.Session, call.ID, text)
		},
	}
	if r.front.Approver != nil {
		alerts := r.newAlerter()
		r.Alerts = alerts.notifier
		r.runner.Approver, r.runner.Notifier = alerts, alerts
	}
	r.Agent = &agent.Agent{
		Model:      r.telemetry.Model(r.Model, telemetry.RoleMain),
		History:    r.Session,
		Hooks:      r.Engine,
		Compressor: r.Compressor,
		Sink:       r.sink,
		Tools:      r.runner,
		Config: agent.Config{
			Model:                r.Models.Name,
			System:               r.SystemPrompt(),
			Preamble:             r.Session.Preamble,
			MaxSessionTurns:      &model.MaxSessionTurns,
			MaxRetries:           r.Config.Hooks.MaxRetries,
			DisableLoopDetection: model.DisableLoopDetection,
			Prepare: func(ctx context.Context) {
				r.MCP.Await(ctx)
				if r.Config.Settings.General.Plan.ModelRouting {
					r.Models.Route(r.Policy.Mode() == policy.ModePlan, r.Plans.Approved().Path != "")
				}
			},
			Fallback: r.Models.Fallback(model.Fallback, r.front.Asker, r.sink),
			Now:      r.now,
		},
	}
	r.Models.Taken = func(c models.Choice) {
		r.Compressor.ModelName, r.Agent.Config.Model, r.Agent.Config.Sampling = c.Model, c.Model, c.Sampling
	}
	s := r.system()
	s.Tools, _ = r.promptTools()
	if err := s.Write(r.sys.Getenv("GEMINI_WRITE_SYSTEM_MD")); err != nil { // a project's .env does not count
		r.warn(err.Error())
	}
	return r.Models.Use(r.Models.Asked)
}

// checkpoints returns the step that takes a checkpoint before each edit, or nil if the
// settings do not ask for it.
func (r *Runtime) checkpoints() func(context.Context, llm.ToolCall) {
	store := app.UndoStore(r.Config, r.Project, r.Workspace, r.now)
	store.Prune()
	if !r.Config.Settings.General.Checkpointing.Enabled {
		return nil
	}
	return store.BeforeEdits(r.Session, r.warn)
}

// compressorOf makes the compressor of one agent's history.
func (r *Runtime) compressorOf(h compress.History, model string) *compress.Compressor {
	var ask func(context.Context) int
	source := r.source()
	if o, err := openai.OptionsFor(model, source.Lookup); err == nil && source.Fake == "" {
		o.Version = source.Version
		ask = openai.New(o).ContextLength
	}
	return &compress.Compressor{
		History:   h,
		Ask:       ask,
		Model:     r.sideModel(telemetry.RoleCompressor),
		ModelName: model,
		Threshold: r.Config.Settings.Model.CompressionThreshold,
		Hooks:     compressHooks{r},
		Save:      func(callID, text string) (string, error) { return session.SaveOutput(r.Session, callID, text) },
		Report: func(res compress.Result) {
			e := event.Compressed{Before: res.Before, After: res.After, Status: int(res.Status)}
			if r.sink != nil && (res.Changed() || res.Trigger == compress.TriggerManual) {
				r.sink.Emit(e)
			}
			if res.Err != nil {
				r.warn("the history was not compressed: " + res.Err.Error())
			}
		},
		ReportMasked: func(m compress.Masked) {
			r.sink.Emit(event.Masked{Outputs: m.Outputs, Prunable: m.Prunable, Before: m.Before, After: m.After})
		},
	}
}

// Compress compresses the history for /compress.
func (r *Runtime) Compress(ctx context.Context) error {
	res := r.Compressor.Compress(ctx, 0)
	if res.Err != nil && !errors.Is(res.Err, context.Canceled) {
		return res.Err
	}
	return nil
}

// compressHooks fires the hook events around a compression.
type compressHooks struct{ r *Runtime }

func (h compressHooks) PreCompress(ctx context.Context, trigger string) string {
	return h.r.Engine.PreCompress(ctx, trigger)
}

// PostCompact fires SessionStart again if a summary replaced what hooks had said at the
// start of the session. A subagent has no session.
func (h compressHooks) PostCompact(ctx context.Context, trigger, summary string) string {
	h.r.Engine.PostCompact(ctx, trigger, summary)
	if summary == "" || hooks.SubagentOf(ctx) != (hooks.Subagent{}) {
		return ""
	}
	return strings.Trim(h.r.Engine.SessionStart(ctx, session.SourceCompact), "\n")
}

// alerter notifies the user of permission prompts. It fires the Notification hook for
// each, rings the terminal if the settings say so, and withdraws the alert once the
// prompt is answered. Prompts never overlap.
type alerter struct {
	notifier *notify.Notifier
	approver toolcall.Approver
	waiting  string // the message of the current prompt
}

// newAlerter makes the alerter of a session whose user can be asked. Only a chat in a
// terminal rings.
func (r *Runtime) newAlerter() *alerter {
	b := &alerter{notifier: &notify.Notifier{Title: "minigem", Hooks: notify.HookSink{Hooks: r.Engine}, Now: r.now},
		approver: r.front.Approver}
	if r.front.Bell != nil && r.Config.Settings.General.EnableNotifications {
		method, err := notify.ParseMethod(r.Config.Settings.General.NotificationMethod)
		if err != nil {
			r.warn("general.notificationMethod: " + err.Error())
		}
		b.notifier.Terminal = notify.NewTerminal(r.front.Bell, method, r.sys.LookupEnv)
	}
	return b
}

// Notify implements toolcall.Notifier.
func (b *alerter) Notify(ctx context.Context, kind, message string, details any) {
	b.waiting = message
	b.notifier.Notify(ctx, kind, message, details)
}

// Approve implements toolcall.Approver.
func (b *alerter) Approve(ctx context.Context, q toolcall.Question) toolcall.Answer {
	defer b.notifier.Settle(b.waiting)
	return b.approver.Approve(ctx, q)
}
