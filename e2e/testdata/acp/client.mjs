// An editor on the official TypeScript SDK of the Agent Client Protocol, driven by a
// test: node client.mjs SDK-FOLDER CWD MINIGEM ARG... It prints a line for each thing
// that it hears, as JSON.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Readable, Writable } from "node:stream";
import path from "node:path";

const [folder, cwd, program, ...args] = process.argv.slice(2);
const sdk = path.join(folder, "node_modules", "@agentclientprotocol", "sdk");
const main = createRequire(path.join(sdk, "package.json"))("./package.json").exports["."].import;
const acp = await import(pathToFileURL(path.join(sdk, main)).href);
const tell = (what, value) => console.log(JSON.stringify({ what, value }));

const terminals = []; // of the editor
let released;
const release = new Promise((done) => (released = done));
const terminal = ({ terminalId }) => terminals[Number(terminalId)];
function createTerminal({ command, args, cwd }) {
  const child = spawn(command, args, { cwd, env: { ONLY_IN_THE_EDITOR: "1" }, stdio: ["ignore", "pipe", "pipe"] });
  const t = { child, output: "", args };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (b) => (t.output += b));
  t.ended = new Promise((done) => child.on("close", (exitCode, signal) => done({ exitCode, signal })));
  return { terminalId: String(terminals.push(t) - 1) };
}

// run talks to a minigem of its own, and tells how that ended.
async function run(args, talk) {
  const child = spawn(program, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
  const answers = [];
  const app = acp
    .client({ name: "test" })
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
      tell("asked", params);
      return { outcome: { outcome: "selected", optionId: answers.shift() ?? "cancel" } };
    })
    .onRequest(acp.methods.client.terminal.create, ({ params }) => createTerminal(params))
    .onRequest(acp.methods.client.terminal.output, ({ params }) => ({ output: terminal(params).output, truncated: false }))
    .onRequest(acp.methods.client.terminal.waitForExit, ({ params }) => terminal(params).ended)
    .onRequest(acp.methods.client.terminal.kill, ({ params }) => (terminal(params).child.kill(), {}))
    .onRequest(acp.methods.client.terminal.release, async ({ params }) => {
      const t = terminal(params);
      t.child.kill();
      tell("terminal", { id: params.terminalId, line: t.args.at(-1), output: t.output, ended: await t.ended });
      released();
      return {};
    })
    .onNotification(acp.methods.client.session.update, ({ params }) => tell("update", params.update));
  const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  await app.connectWith(stream, (ctx) => talk(ctx, answers));
  const ended = new Promise((done) => child.on("exit", (code) => done(code)));
  child.stdin.end();
  tell("exit", await ended);
}

const m = acp.methods.agent;
let sessionId;
await run(args, async (ctx, answers) => {
  tell("initialized", await ctx.request(m.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: { terminal: true } }));
  const made = await ctx.request(m.session.new, { cwd, mcpServers: [] });
  tell("made", made);
  sessionId = made.sessionId;
  answers.push("proceed_once", "cancel");
  tell("prompted", await ctx.request(m.session.prompt, { sessionId, prompt: [{ type: "text", text: "Change the files" }] }));
  await ctx.request(m.session.setMode, { sessionId, modeId: "yolo" });
  tell("prompted", await ctx.request(m.session.prompt, { sessionId, prompt: [{ type: "text", text: "And now?" }] }));
  tell("prompted", await ctx.request(m.session.prompt, { sessionId, prompt: [{ type: "text", text: "Run it" }] }));
  await release;
});
await run(args, async (ctx) => {
  await ctx.request(m.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
  tell("listed", await ctx.request(m.session.list, { cwd }));
  tell("loaded", await ctx.request(m.session.load, { sessionId, cwd, mcpServers: [] }));
});
