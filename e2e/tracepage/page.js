
"use strict";
// Everything is put in as text: nothing of a trace is ever markup.
const events = JSON.parse(document.getElementById("data").textContent);
const make = (tag, name, text) => {
  const e = document.createElement(tag);
  if (name) e.className = name;
  if (text !== undefined && text !== null) e.textContent = text;
  return e;
};
const at = (time) => Date.parse(time);
const ms = (n) => (n < 1 ? "<1 ms" : n < 10000 ? Math.round(n) + " ms" : (n / 1000).toFixed(1) + " s");
const pretty = (text) => {
  if (typeof text !== "string") return JSON.stringify(text, null, 2);
  try {
    const v = JSON.parse(text);
    return typeof v === "object" ? JSON.stringify(v, null, 2) : text;
  } catch {
    return text;
  }
};
const reports = events.map((e) => e.report);
const start = reports.reduce((n, r) => Math.min(n, at(r.started)), Infinity);
const end = reports.reduce((n, r) => Math.max(n, at(r.started) + r.duration_ms), -Infinity);
const whole = Math.max(end - start, 1);
const ran = (run) => run.status !== "skipped";
const bad = (run) => Boolean(run.failed) || run.decision === "deny" || run.decision === "stop";

function bar(lane, name, from, length) {
  const i = make("i", name);
  i.style.left = Math.min(100, ((from - start) / whole) * 100) + "%";
  i.style.width = Math.min(100, (length / whole) * 100) + "%";
  lane.append(i);
}

function row(e) {
  const r = e.report, details = make("details"), s = make("summary");
  const kind = (r.effect && r.effect.kind) || "none";
  const hooks = r.runs.filter(ran).map((x) => x.hook.name || x.hook.command).join(", ");
  const lane = make("span", "lane");
  bar(lane, "", at(r.started), r.duration_ms);
  for (const x of r.runs) if (ran(x) && x.started) bar(lane, bad(x) ? "run bad" : "run", at(x.started), x.duration_ms || 0);
  s.append(make("span", "seq", r.seq), make("span", "event", r.event), make("span", "subject", r.subject || ""),
    make("span", "effect " + (/^[a-z]+/.exec(kind) || ["none"])[0], kind === "none" ? "pass" : kind),
    make("span", "hooks", hooks || "no hook ran"), lane, make("span", "ms", ms(r.duration_ms)));
  details.append(s);
  details.addEventListener("toggle", () => { if (details.open && details.children.length === 1) details.append(body(e)); });
  details.found = (r.event + " " + (r.subject || "") + " " + kind + " " + r.runs.map((x) => [x.hook.name, x.hook.command, x.stdout, x.stderr].join(" ")).join(" ")).toLowerCase();
  details.changes = kind !== "none";
  return details;
}

function part(to, title, text, name) {
  if (text === undefined || text === null || text === "") return;
  to.append(make("h3", "", title), make("pre", name, text));
}

function line(to, name, text) { if (text) to.append(make("p", name, text)); }

function ending(x) {
  if (x.status === "left") return "still running when the event went on";
  if (x.timed_out) return "timed out";
  if (x.error) return "could not run: " + x.error;
  if (x.signal) return "ended by signal " + x.signal;
  return "exit " + x.exit;
}

function hook(x, input) {
  const h = make("div", "hook" + (ran(x) ? " ran" : "") + (bad(x) ? " bad" : "")), p = make("p");
  p.append(make("strong", "", x.hook.name || x.hook.command), make("span", "where", "  " + (x.hook.file || x.hook.layer || "") + (x.hook.line ? ":" + x.hook.line : "")));
  h.append(p);
  if (!ran(x)) { line(h, "quiet", "did not run: " + x.skipped); return h; }
  line(h, "", ending(x) + ", " + ms(x.duration_ms || 0) + (x.decision && x.decision !== "proceed" ? ", says " + x.decision : ""));
  if (x.hook.name) line(h, "quiet", x.hook.command);
  if (x.stdin && x.stdin !== input) part(h, "stdin", pretty(x.stdin));
  part(h, "stdout", x.stdout && pretty(x.stdout) + (x.stdout_cut ? "\n(cut off here)" : ""));
  part(h, "stderr", x.stderr && x.stderr + (x.stderr_cut ? "\n(cut off here)" : ""));
  line(h, "warning", x.failed && "failed: " + x.failed);
  for (const w of x.warnings || []) line(h, "warning", "ignored: " + w);
  for (const u of x.upstream || []) line(h, "quiet", u);
  return h;
}

function diff(text) {
  const pre = make("pre");
  const kinds = { "+": "add", "-": "del", "@": "hunk" };
  for (const l of text.replace(/\n$/, "").split("\n")) pre.append(make("span", kinds[l[0]] || "same", l || " "));
  return pre;
}

function body(e) {
  const r = e.report, b = make("div", "body");
  if (r.verdict && r.verdict.reason) line(b, "effect", r.verdict.decision + ": " + r.verdict.reason);
  if (e.diff) b.append(make("h3", "", "what changed"), diff(e.diff));
  else if (r.effect) {
    part(b, "before", r.effect.before && pretty(r.effect.before));
    part(b, "after", r.effect.after && pretty(r.effect.after));
  }
  for (const x of r.runs) b.append(hook(x, r.input));
  part(b, "merge", (r.merge || []).map((m) => m.hook + ": " + m.what).join("\n"));
  part(b, "told to the user", (r.messages || []).map((m) => (m.text || m.Text || "")).join("\n"));
  part(b, "warnings", (r.warnings || []).join("\n"));
  part(b, "input", r.input && pretty(r.input));
  return b;
}

const rows = events.map(row);
document.getElementById("events").append(...rows);
const runs = reports.flatMap((r) => r.runs.filter(ran));
document.getElementById("summary").textContent = reports.length + " events in " + ms(end - start) + ", " + runs.length + " hook runs (" +
  ms(runs.reduce((n, x) => n + (x.duration_ms || 0), 0)) + "), " + reports.filter((r) => r.verdict && ["deny", "stop"].includes(r.verdict.decision)).length + " denied or stopped, " +
  runs.filter((x) => x.failed).length + " failed";
const text = document.getElementById("text"), only = document.getElementById("effects");
function filter() {
  const want = text.value.toLowerCase();
  for (const d of rows) d.hidden = !d.found.includes(want) || (only.checked && !d.changes);
}
text.addEventListener("input", filter);
only.addEventListener("change", filter);
document.getElementById("filters").addEventListener("submit", (e) => e.preventDefault());
// PAGE.html#open shows the first events open.
if (location.hash === "#open") for (const d of rows.slice(0, 20)) d.open = true;
