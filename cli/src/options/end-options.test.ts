import { expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

const SERVER = ['--server', 'http://127.0.0.1:1'];

test.each([
  [['--timeout', '5m'], '--timeout goes with --wait.'],
  [['--gate', 'strict'], '--gate goes with --wait.'],
  [['--report', 'log'], '--report goes with --wait.'],
  [['--wait', '--cancel-on-timeout'], '--cancel-on-timeout goes with --timeout.'],
  [['--wait', '--report', ':x'], '--report takes a name, or name:path, not ":x".'],
  [['--wait', '--report', 'x:'], '--report takes a name, or name:path, not "x:".'],
  [['--wait', '--timeout', 'soon'], 'Not a duration: "soon".'],
])('%j is refused before anything is started', async (args, message) => {
  const input = 'metadata: {name: x}\njobs: {a: {steps: [{run: x}]}}\n';
  const { code, stdout, stderr } = await runCommand(['run', '-', ...SERVER, ...args], { input });
  expect([code, stdout, stderr.split('\n')[0]]).toEqual([2, '', `tutti: ${message}`]);
});
