/** Output and logs that go to a full disk, and terminals that are closed. None of them ends a run. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CliProcess, runCli, startCli } from './cli-process.ts';

const FULL = '/dev/full';
const WORKFLOW = {
  metadata: { name: 'w' },
  jobs: { j: { 'runs-on': 'x', steps: [{ run: 'true' }] } },
};

let cwd: string;
let started: CliProcess[];

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'tutti-output-'));
  await writeFile(join(cwd, 'w.json'), JSON.stringify(WORKFLOW));
  started = [];
});

afterEach(async () => {
  for (const child of started) child.kill('SIGKILL');
  await Promise.all(started.map(({ ended }) => ended));
  await rm(cwd, { recursive: true, force: true });
});

const tutti = (...args: string[]) => runCli(args, { cwd });

function start(args: readonly string[], outputs: { readonly stderr?: string } = {}): CliProcess {
  const child = startCli(args, { cwd, outputs });
  started.push(child);
  return child;
}

async function startServer(outputs: { readonly stderr?: string } = {}): Promise<CliProcess> {
  const server = start(['server', '--port', '0'], outputs);
  await server.said(/Tutti is ready on/);
  return server;
}

describe.runIf(existsSync(FULL))('on a full disk', () => {
  // Bound: Lines of the log that cannot be written.
  test('a server and an agent whose logs cannot be written do their work', async () => {
    const server = await startServer({ stderr: FULL });
    const agent = start(['agent', '--tags', 'x'], { stderr: FULL });
    const run = await tutti('run', 'w.json', '--wait');
    expect([run.code, run.stderr]).toEqual([0, '']);
    agent.kill('SIGTERM');
    expect(await agent.ended).toBe(0);
    server.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });

  test('a run is followed to its end though nothing of it can be shown, which is told', async () => {
    await startServer();
    start(['agent', '--tags', 'x']);
    const run = await runCli(['run', 'w.json', '--wait'], { cwd, outputs: { stdout: FULL } });
    expect(run.code).toBe(0);
    expect(run.stderr).toBe(
      'tutti: Cannot write the output: the disk is full.\n' +
        'What to do: make room on its disk, or choose a path on another one.\n',
    );
  });

  test('a command that only tells something is not done', async () => {
    await startServer();
    const actual = await runCli(['agents', '--output', 'json'], { cwd, outputs: { stdout: FULL } });
    expect(actual.code).toBe(2);
    expect(actual.stderr).toContain('Cannot write the output: the disk is full.');
  });
});

test('agent and server end in order when their terminal is closed', async () => {
  const server = await startServer();
  const agent = start(['agent', '--tags', 'x']);
  await agent.said(/The agent is registered/);
  agent.kill('SIGHUP');
  expect(await agent.ended).toBe(0);
  expect((await tutti('agents')).stderr).toContain('There are no agents.');
  server.kill('SIGHUP');
  expect(await server.ended).toBe(0);
  expect(existsSync(join(cwd, '.tutti/server.json'))).toBe(false);
});
