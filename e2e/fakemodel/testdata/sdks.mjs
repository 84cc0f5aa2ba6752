// Asks a fake model through the vendors' own clients, in the order of its
// script, and prints what each of them understood, one JSON object a line.
// node sdks.mjs URL FOLDER, where FOLDER/node_modules has the clients.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [url, folder] = process.argv.slice(2);
const require = createRequire(join(folder, 'x.js'));
const { Anthropic } = require('@anthropic-ai/sdk');
const { OpenAI } = require('openai');
const anthropic = new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 0 });
const openai = new OpenAI({ baseURL: url + '/v1', apiKey: 'none', maxRetries: 0 });

const schema = { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] };
const prompt = [{ role: 'user', content: 'do it' }];
const json = (text) => JSON.parse(text);

const ofAnthropic = (m) => ({
  text: m.content.filter((b) => b.type === 'text').map((b) => b.text).join('|'),
  thought: m.content.filter((b) => b.type === 'thinking').map((b) => b.thinking).join('|'),
  calls: m.content.filter((b) => b.type === 'tool_use').map((b) => [b.id, b.name, b.input]),
  stop: m.stop_reason, usage: [m.usage.input_tokens + m.usage.cache_read_input_tokens, m.usage.output_tokens],
});
const ofChat = (c) => ({
  text: c.choices[0].message.content ?? '',
  calls: (c.choices[0].message.tool_calls ?? []).map((t) => [t.id, t.function.name, json(t.function.arguments)]),
  stop: c.choices[0].finish_reason, usage: [c.usage?.prompt_tokens, c.usage?.completion_tokens],
});
const ofResponses = (r) => ({
  text: r.output_text ?? r.output.filter((i) => i.type === 'message').map((i) => i.content[0].text).join('|'),
  thought: r.output.filter((i) => i.type === 'reasoning').map((i) => i.summary[0].text).join('|'),
  calls: r.output.filter((i) => i.type.endsWith('_call')).map((i) => [i.call_id, i.name, i.type === 'custom_tool_call' ? i.input : json(i.arguments)]),
  stop: r.status + (r.incomplete_details ? ' ' + r.incomplete_details.reason : ''), usage: [r.usage?.input_tokens, r.usage?.output_tokens],
});

const tools = [{ name: 'run', description: 'Runs.', input_schema: schema }];
const functions = [{ type: 'function', function: { name: 'run', description: 'Runs.', parameters: schema } }];
const responsesTools = [{ type: 'function', name: 'run', parameters: schema, strict: false }, { type: 'custom', name: 'patch' }];

const clients = {
  anthropic: {
    stream: async () => ofAnthropic(await anthropic.messages.stream({ model: 'm', max_tokens: 100, messages: prompt, tools }).finalMessage()),
    whole: async () => ofAnthropic(await anthropic.messages.create({ model: 'm', max_tokens: 100, messages: prompt, tools })),
    side: async () => ofAnthropic(await anthropic.messages.create({ model: 'm', max_tokens: 100, messages: prompt })),
    count: async () => ({ count: (await anthropic.messages.countTokens({ model: 'm', messages: prompt, tools })).input_tokens }),
    models: async () => ({ models: (await anthropic.models.list()).data.map((m) => m.id) }),
  },
  chat: {
    stream: async () => ofChat(await openai.chat.completions.stream({ model: 'm', messages: prompt, tools: functions, stream_options: { include_usage: true } }).finalChatCompletion()),
    whole: async () => ofChat(await openai.chat.completions.create({ model: 'm', messages: prompt, tools: functions })),
    side: async () => ofChat(await openai.chat.completions.create({ model: 'm', messages: prompt })),
    models: async () => ({ models: (await openai.models.list()).data.map((m) => m.id) }),
  },
  responses: {
    stream: async () => ofResponses(await openai.responses.stream({ model: 'm', input: prompt, tools: responsesTools }).finalResponse()),
    whole: async () => ofResponses(await openai.responses.create({ model: 'm', input: prompt, tools: responsesTools })),
    side: async () => ofResponses(await openai.responses.create({ model: 'm', input: prompt })),
  },
};

for (const line of process.argv.slice(4)) {
  const [name, method] = line.split('.');
  let out;
  try {
    out = await clients[name][method]();
  } catch (e) {
    out = { error: e.constructor.name, status: e.status, type: e.error?.error?.type ?? e.type ?? undefined, message: e.message };
  }
  console.log(JSON.stringify({ asked: line, ...out }));
}
