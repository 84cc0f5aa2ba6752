
// Runs the hooks above as commands: exit 2 refuses, with stderr as the reason.
import { spawnSync } from "node:child_process"

export const Portable = async ({ directory }) => {
  const fire = (event, payload) => {
    let refused
    for (const h of hooks) {
      if (h.event !== event || (h.tools && !h.tools.includes(payload.tool_name))) continue
      const input = JSON.stringify({ hook_event_name: event, cwd: directory, ...payload })
      const run = spawnSync("sh", ["-c", h.command], { input, cwd: directory, encoding: "utf8", timeout: h.timeout })
      if (run.status === 2) refused ??= run.stderr.trim() || "refused by a hook"
    }
    if (refused !== undefined) throw new Error(refused)
  }
  const events = ["session.created", "session.idle"]
  return {
    event: async ({ event }) => {
      if (events.includes(event.type)) fire(event.type, {})
    },
    "chat.message": async (_, output) => fire("chat.message", { prompt: output.parts.map((p) => p.text ?? "").join("") }),
    "tool.execute.before": async (input, output) =>
      fire("tool.execute.before", { tool_name: input.tool, tool_use_id: input.callID, tool_input: output.args }),
    "tool.execute.after": async (input, output) =>
      fire("tool.execute.after", { tool_name: input.tool, tool_use_id: input.callID, tool_input: input.args, tool_response: output.output }),
  }
}
