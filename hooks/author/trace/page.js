
"use strict";
// Everything is put in as text: nothing of a trace is ever markup.
const data = JSON.parse(document.getElementById("data").textContent);
// Characters that nobody sees, or that turn the text around them, are spelled
// out: a name cannot look like another one.
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const plain = (text) => String(text).replace(unseen, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
const make = (tag, name, text) => {
  const e = document.createElement(tag);
  if (name) e.className = name;
  if (text !== undefined && text !== null) e.textContent = plain(text);
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
const ran = (run) => run.status !== "skipped";
const bad = (run) => Boolean(run.failed) || run.decision === "deny" || run.decision === "stop";

// timeline is a row for each event, in one span of time.
function timeline(events) {
  const reports = events.map((e) => e.report);
  const start = reports.reduce((n, r) => Math.min(n, at(r.started)), Infinity);
  const end = reports.reduce((n, r) => Math.max(n, at(r.started) + r.duration_ms), -Infinity);
  const rows = events.map((e) => row(e, start, Math.max(end - start, 1)));
  rows.took = end - start;
  return rows;
}

function row(e, start, whole) {
  const r = e.report, details = make("details"), s = make("summary");
  let words; // made when they are first looked for
  const kind = (r.effect && r.effect.kind) || "none";
  const hooks = r.runs.filter(ran).map((x) => x.hook.name || x.hook.command).join(", ");
  const lane = make("span", "lane");
  const bar = (name, from, length) => {
    const i = make("i", name);
    i.style.left = Math.min(100, ((from - start) / whole) * 100) + "%";
    i.style.width = Math.min(100, (length / whole) * 100) + "%";
    lane.append(i);
  };
  bar("", at(r.started), r.duration_ms);
  for (const x of r.runs) if (ran(x) && x.started) bar(bad(x) ? "run bad" : "run", at(x.started), x.duration_ms || 0);
  lane.setAttribute("aria-hidden", "true");
  lane.title = "begins after " + ms(at(r.started) - start) + ", takes " + ms(r.duration_ms);
  const effect = (/^[a-z]+/.exec(kind) || ["none"])[0];
  s.append(make("span", "seq", r.seq), make("span", "event", r.event), make("span", "subject", (r.subject || "") + (r.agent_type ? " in " + r.agent_type : "")),
    make("span", "effect " + effect, kind !== "none" ? kind : hooks ? "pass" : "\u2013"),
    make("span", "hooks", hooks || "no hook ran"), lane, make("span", "ms", ms(r.duration_ms)));
  const reason = r.verdict && r.verdict.reason;
  if (reason || e.story) s.append(make("span", "story " + (reason ? effect : ""), (reason || e.story).slice(0, 400)));
  if (!hooks) details.className = "idle";
  details.append(s);
  details.fill = () => details.append(body(e));
  details.addEventListener("toggle", () => { if (details.open && details.children.length === 1) details.fill(); });
  details.found = (want) => (words ??= (r.event + " " + (r.subject || "") + " " + (r.agent_type || "") + " " + kind + " " + (e.story || "") + " " +
    r.runs.map((x) => [x.hook.name, x.hook.command, x.stdin, x.stdout, x.stderr].join(" ")).join(" ") + (r.input || "")).toLowerCase()).includes(want);
  details.changes = kind !== "none";
  return details;
}

const most = 50000; // characters that are shown at once

function part(to, title, text) {
  if (text === undefined || text === null || text === "") return;
  const pre = make("pre", "", text.slice(0, most));
  pre.tabIndex = 0; // so that keys can scroll it
  to.append(make("h3", "", title), pre);
  if (text.length <= most) return;
  const more = make("button", "", "show all " + text.length.toLocaleString("en") + " characters");
  more.type = "button";
  more.addEventListener("click", () => { pre.textContent = plain(text); more.remove(); });
  to.append(more);
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
  const where = make(/^\//.test(x.hook.file || "") ? "a" : "span", "where", (x.hook.file || x.hook.layer || "") + (x.hook.line ? ":" + x.hook.line : ""));
  if (where.tagName === "A") where.href = "file://" + encodeURI(x.hook.file);
  p.append(make("strong", "", x.hook.name || x.hook.command), "  ", where);
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
  pre.tabIndex = 0;
  const lines = text.replace(/\n$/, "").split("\n");
  lines.forEach((l, i) => {
    const span = make("span", kinds[l[0]] || "same", l || " ");
    const next = lines[i + 1] || "", last = lines[i - 1] || "";
    if (l[0] === "-" && next[0] === "+" && last[0] !== "-") mark(span, l, next);
    if (l[0] === "+" && last[0] === "-" && (lines[i - 2] || "")[0] !== "-" && next[0] !== "+") mark(span, l, last);
    pre.append(span);
  });
  return pre;
}

// mark shows in which words a line differs from the one that it replaced.
function mark(span, line, other) {
  const a = line.slice(1).split(/(\s+|[",{}\[\]])/), b = other.slice(1).split(/(\s+|[",{}\[\]])/);
  let from = 0, to = 0;
  while (from < Math.min(a.length, b.length) && a[from] === b[from]) from++;
  while (to < Math.min(a.length, b.length) - from && a[a.length - 1 - to] === b[b.length - 1 - to]) to++;
  const words = a.slice(from, a.length - to).join("");
  if (!from && !to || !words) return;
  span.textContent = line[0] + a.slice(0, from).join("");
  span.append(make("mark", "", words), to ? a.slice(-to).join("") : "");
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

// table is one with a head; cells are texts or elements.
function table(heads, lines) {
  const scroll = make("div", "scroll"), t = make("table"), head = make("tr"), rest = make("tbody"), top = make("thead");
  heads.forEach((h) => { const th = make("th", "", h); th.scope = "col"; head.append(th); });
  for (const cells of lines) {
    const tr = make("tr");
    cells.forEach((c, i) => {
      const cell = make(i ? "td" : "th");
      if (!i) cell.scope = "row";
      cell.dataset.agent = heads[i]; // what a phone shows before it
      cell.append(c instanceof Node ? c : plain(c));
      tr.append(cell);
    });
    rest.append(tr);
  }
  top.append(head); t.append(top, rest); scroll.append(t);
  return scroll;
}

const percentile = (sorted, p) => sorted[Math.max(0, Math.ceil((sorted.length * p) / 100) - 1)];

// plot is how long runs took: a column for each range, each twice as long as the one before.
function plot(times, ranges) {
  const columns = new Array(ranges).fill(0);
  for (const t of times) columns[Math.min(ranges - 1, Math.max(0, Math.floor(Math.log2(Math.max(t, 1)))))]++;
  const most = Math.max(...columns), bars = make("span", "plot");
  bars.title = columns.map((n, i) => n && n + " of " + ms(2 ** i) + " to " + ms(2 ** (i + 1))).filter(Boolean).join(", ");
  bars.setAttribute("role", "img");
  bars.setAttribute("aria-label", bars.title);
  for (const n of columns) {
    const column = make("i");
    column.style.height = n ? Math.max(12, (100 * n) / most) + "%" : "0";
    bars.append(column);
  }
  return bars;
}

// sums is a table of the hooks that ran: how often, what they decided, how long they took.
function sums(reports) {
  const hooks = new Map();
  for (const r of reports) for (const x of r.runs) if (ran(x)) {
    const name = x.hook.name || x.hook.command, key = r.event + " " + name;
    if (!hooks.has(key)) hooks.set(key, { name, event: r.event, times: [], said: new Map() });
    const h = hooks.get(key), word = x.failed ? "failed" : x.decision && x.decision !== "proceed" ? x.decision : "pass";
    h.times.push(x.duration_ms || 0);
    h.said.set(word, (h.said.get(word) || 0) + 1);
  }
  if (!hooks.size) return [];
  const all = [...hooks.values()], longest = all.reduce((n, h) => h.times.reduce((m, t) => Math.max(m, t), n), 1);
  const ranges = Math.max(8, Math.floor(Math.log2(longest)) + 1), said = (h) => {
    const span = make("span");
    for (const [word, n] of h.said) span.append(make("span", "said " + (word === "failed" ? "deny" : word === "pass" ? "none" : word), n + " " + word));
    return span;
  };
  return [make("h2", "", "Hooks"), table(["hook", "event", "runs", "decisions", "p50", "p95", "time, 1 ms to " + (2 ** ranges < 1000 ? 2 ** ranges + " ms" : Math.round(2 ** ranges / 1000) + " s")], all.map((h) => {
    h.times.sort((a, b) => a - b);
    return [h.name, h.event, h.times.length, said(h), ms(percentile(h.times, 50)), ms(percentile(h.times, 95)), plot(h.times, ranges)];
  }))];
}

// caseRow is one case of a run: what it asks, what failed, and its events.
function caseRow(c) {
  const details = make("details", "case"), s = make("summary");
  const failed = c.outcome !== "passed" && c.outcome !== "skipped";
  const checks = (c.checks || []).length;
  s.append(make("span", "effect " + (failed ? "deny" : c.outcome === "passed" ? "clear" : "none"), c.outcome), make("span", "event", c.name),
    make("span", "hooks", c.title || ""), make("span", "ms", ms(c.took_ms)));
  const story = c.why || (c.failures || []).map((f) => f.command || f.actual).join("\n");
  if (story) s.append(make("span", "story " + (failed ? "deny" : ""), story.slice(0, 400)));
  details.append(s);
  details.fill = () => {
    const b = make("div", "body");
    line(b, "warning", c.why);
    for (const f of c.failures || []) {
      b.append(make("h3", "", f.where + ": " + (f.command || "")));
      part(b, "expected", f.expected);
      part(b, "actual", f.actual);
      part(b, "what happened", f.detail);
    }
    if (checks) b.append(make("h3", "", "assertions"));
    for (const k of c.checks || []) {
      line(b, "check " + (k.passed ? "" : "deny"), (k.passed ? "\u2713 " : "\u2717 ") + k.command);
      line(b, "quiet", k.says);
      line(b, "warning", k.vacuous && "proves nothing: " + k.vacuous);
    }
    if (c.events && c.events.length) b.append(make("h3", "", "what happened"), ...timeline(c.events));
    details.append(b);
  };
  details.addEventListener("toggle", () => { if (details.open && details.children.length === 1) details.fill(); });
  let words;
  details.found = (want) => (words ??= JSON.stringify(c).toLowerCase()).includes(want);
  details.changes = failed;
  return details;
}

// about is what stands before the cases of a run.
function about(run) {
  const all = [], cover = run.coverage || [];
  if (cover.length) all.push(make("h2", "", "Coverage: " + run.covered + "%"), table(["hook", "event", "ran", "let pass", "did", "failed"],
    cover.map((h) => [h.hook, h.event, h.ran, h.passed, h.did || "\u2013", h.failed || "\u2013"])));
  const mutants = run.mutants || [], lived = mutants.filter((m) => !m.noticed);
  if (mutants.length) all.push(make("h2", "", "Mutants: " + (mutants.length - lived.length) + " of " + mutants.length + " noticed"));
  if (lived.length) all.push(table(["no case noticed", "where", "hook", "cases"], lived.map((m) => [m.class + ": " + m.what, m.where, m.hook || "", (m.cases || []).join(", ")])));
  return all;
}

const run = data.run, reports = (run ? run.cases.flatMap((c) => c.events || []) : data.events).map((e) => e.report);
const last = (c) => (c.outcome === "failed" || c.outcome === "broken" ? 0 : 1); // what failed is read first
const rows = run ? run.cases.toSorted((a, b) => last(a) - last(b)).map(caseRow) : timeline(data.events);
document.getElementById("sums").append(...sums(reports), ...(run ? [...about(run), make("h2", "", "Cases")] : []));
document.getElementById("events").append(...rows);
const runs = reports.flatMap((r) => r.runs.filter(ran));
document.getElementById("summary").textContent = run ? run.summary : reports.length + " events in " + ms(rows.took) + ", " + runs.length + " hook runs (" +
  ms(runs.reduce((n, x) => n + (x.duration_ms || 0), 0)) + "), " + reports.filter((r) => r.verdict && ["deny", "stop"].includes(r.verdict.decision)).length + " denied or stopped, " +
  runs.filter((x) => x.failed).length + " failed";
const text = document.getElementById("text"), only = document.getElementById("effects"), shown = document.getElementById("shown");
function filter() {
  const want = text.value.toLowerCase();
  for (const d of rows) d.hidden = (want && !d.found(want)) || (only.checked && !d.changes);
  const n = rows.filter((d) => !d.hidden).length;
  shown.textContent = n === rows.length ? "" : n + " of " + rows.length + " shown";
}
const openAll = (open) => { for (const d of rows) if (!d.hidden) d.open = open; };
text.addEventListener("input", filter);
only.addEventListener("change", filter);
document.getElementById("filters").addEventListener("submit", (e) => e.preventDefault());
document.getElementById("open").addEventListener("click", () => openAll(true));
document.getElementById("close").addEventListener("click", () => openAll(false));
// A slash goes to the filter, the arrows from event to event, Escape back.
document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const typing = document.activeElement === text, step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
  if (e.key === "/" && !typing) text.focus();
  else if (e.key === "Escape" && typing) { text.value = ""; filter(); }
  else if (step && (typing || document.activeElement.tagName === "SUMMARY")) {
    const list = rows.filter((d) => !d.hidden).map((d) => d.firstChild), i = list.indexOf(document.activeElement);
    const next = i < 0 ? (step > 0 ? list[0] : undefined) : i + step < 0 ? text : list[i + step];
    if (!next) return;
    next.focus();
  } else return;
  e.preventDefault();
});
// On paper nothing can be opened: what is shown goes there with all it holds.
let closed = [];
window.addEventListener("beforeprint", () => {
  closed = rows.filter((d) => !d.open && !d.hidden);
  for (const d of closed) { d.open = true; if (d.children.length === 1) d.fill(); }
});
window.addEventListener("afterprint", () => { for (const d of closed) d.open = false; });
// PAGE.html#open shows the first events open.
if (location.hash === "#open") for (const d of rows.slice(0, 20)) d.open = true;
