#!/usr/bin/env node
// Sends the agent back to work until the project's tests pass. A hook that never
// gives in would run forever, so it counts its refusals for one prompt. After three,
// the answer is accepted and the user is told. A project without tests has nothing
// that could fail. Other agents understand "block" too.
const { spawnSync } = require('node:child_process');
const { existsSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { basename, join } = require('node:path');

const most = 3;
const input = JSON.parse(readFileSync(0, 'utf8'));
const counter = join(tmpdir(), `validator-${basename(String(input.session_id))}`);
const before = input.stop_hook_active && existsSync(counter) ? Number(readFileSync(counter, 'utf8')) : 0;
// Less than the hook's own timeout, so that this hook reports it.
const patience = Number(process.env.TEST_PATIENCE_MS) || 50000;
const failure = existsSync('test.sh') ? problem(spawnSync('sh', ['test.sh'], { encoding: 'utf8', timeout: patience, killSignal: 'SIGKILL' })) : '';
if (failure && before < most) {
  writeFileSync(counter, String(before + 1), { mode: 0o600 });
  console.log(JSON.stringify({ decision: 'block', reason: `The tests fail. Fix this, then say that you are done:\n${failure}` }));
} else {
  rmSync(counter, { force: true });
  if (failure) console.log(JSON.stringify({ systemMessage: `The tests still fail: ${failure.split('\n').pop()}` }));
}

// problem returns the end of what went wrong with the tests, or ''.
function problem(tests) {
  if (tests.status === 0) return '';
  const output = `${tests.stdout ?? ''}${tests.stderr ?? ''}`.trim().slice(-2000);
  const late = tests.error?.code === 'ETIMEDOUT' ? `They took longer than ${patience} ms.` : '';
  return [output, late].filter(Boolean).join('\n') || 'They say nothing of why.';
}
