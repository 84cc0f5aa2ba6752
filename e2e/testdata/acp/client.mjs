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
  tell("initialized", await ctx.request(m.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} }));
  const made = await ctx.request(m.session.new, { cwd, mcpServers: [] });
  tell("made", made);
  sessionId = made.sessionId;
  answers.push("proceed_once", "cancel");
  tell("prompted", await ctx.request(m.session.prompt, { sessionId, prompt: [{ type: "text", text: "Change the files" }] }));
  await ctx.request(m.session.setMode, { sessionId, modeId: "yolo" });
  tell("prompted", await ctx.request(m.session.prompt, { sessionId, prompt: [{ type: "text", text: "And now?" }] }));
});
await run(args, async (ctx) => {
  await ctx.request(m.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
  tell("listed", await ctx.request(m.session.list, { cwd }));
  tell("loaded", await ctx.request(m.session.load, { sessionId, cwd, mcpServers: [] }));
});
