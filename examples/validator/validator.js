#!/usr/bin/env node
// Sends the agent back to work while the project's tests fail. Once only: in a
// retry stop_hook_active is true, and a hook that went on refusing would never
// let go. A project without tests has nothing that could fail.
const { spawnSync } = require('node:child_process');
const { existsSync, readFileSync } = require('node:fs');

const input = JSON.parse(readFileSync(0, 'utf8'));
if (existsSync('test.sh')) {
  // Less than the hook's own timeout, so that it is this hook that tells.
  const patience = Number(process.env.TEST_PATIENCE_MS) || 50000;
  const tests = spawnSync('sh', ['test.sh'], { encoding: 'utf8', timeout: patience, killSignal: 'SIGKILL' });
  const failure = problem(tests, patience);
  if (failure) {
    const answer = input.stop_hook_active
      ? { systemMessage: `The tests still fail: ${failure.split('\n').pop()}` }
      : { decision: 'deny', reason: `The tests fail. Fix this, then say that you are done:\n${failure}` };
    console.log(JSON.stringify(answer));
  }
}

// problem is what went wrong with the tests, its end at least; '' where nothing did.
function problem(tests, patience) {
  if (tests.status === 0) return '';
  const output = `${tests.stdout ?? ''}${tests.stderr ?? ''}`.trim().slice(-2000);
  const late = tests.error?.code === 'ETIMEDOUT' ? `They took longer than ${patience} ms.` : '';
  return [output, late].filter(Boolean).join('\n') || 'They say nothing of why.';
}
