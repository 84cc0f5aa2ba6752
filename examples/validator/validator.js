#!/usr/bin/env node
// Sends the agent back to work while the project's tests fail. Once only: in a
// retry stop_hook_active is true, and a hook that went on refusing would never
// let go.
const { spawnSync } = require('node:child_process');
const { readFileSync } = require('node:fs');

const input = JSON.parse(readFileSync(0, 'utf8'));
const tests = spawnSync('sh', ['test.sh'], { encoding: 'utf8' });
if (tests.status !== 0) {
  const output = (tests.stdout + tests.stderr).trim().slice(-2000);
  const answer = input.stop_hook_active
    ? { systemMessage: 'The tests still fail.' }
    : { decision: 'deny', reason: `The tests fail. Fix this, then say that you are done:\n${output}` };
  console.log(JSON.stringify(answer));
}
