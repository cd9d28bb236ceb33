/** A run that is followed while its server goes away: it comes back, or the reader has had enough. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CliProcess, runCli, startCli } from './cli-process.ts';

/** Signals that come faster are taken for one and the same. */
const BETWEEN_SIGNALS_MS = 250;

let cwd: string;
let started: CliProcess[];

function start(...args: readonly string[]): CliProcess {
  const child = startCli(args, { cwd });
  started.push(child);
  return child;
}

/** On a free port, or on the one that a server before it had. */
async function startServer(port = '0'): Promise<{ server: CliProcess; port: string }> {
  const server = start('server', '--port', port, '--log-level', 'warn');
  const [, taken = ''] = await server.said(/^Tutti is ready on http:\S+:(\d+)$/m);
  return { server, port: taken };
}

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'tutti-away-'));
  started = [];
  // The step ends when the test has made the file, or is over.
  const run = `echo begun; until [ -e ${cwd}/go ] || [ ! -e ${cwd} ]; do sleep 0.05; done; echo ended`;
  const jobs = { main: { 'runs-on': 'linux', steps: [{ run }] } };
  await writeFile(join(cwd, 'w.json'), JSON.stringify({ metadata: { name: 'away' }, jobs }));
});

afterEach(async () => {
  for (const child of started) child.kill('SIGKILL');
  await Promise.all(started.map((child) => child.ended));
  await rm(cwd, { recursive: true, force: true });
});

const listed = (noun: string) => runCli([noun], { cwd });

test('a run is followed to its end across a server that is killed and started again', async () => {
  const { server, port } = await startServer();
  await start('agent', '--tags', 'linux').said(/The agent is registered/);
  const run = start('run', 'w.json', '--wait');
  await run.said(/│ begun/);
  server.kill('SIGKILL');
  await run.said(/The server cannot be reached; the run goes on without us/);
  await startServer(port);
  await writeFile(join(cwd, 'go'), '');
  expect(await run.ended).toBe(0);
  expect(run.stdout()).toContain('The server is back.');
  expect(run.stdout().match(/│ begun/g)).toHaveLength(1);
  expect(run.stdout().match(/│ ended/g)).toHaveLength(1);
});

test('who interrupts while the server is away is told so, and may leave', async () => {
  const { server } = await startServer();
  await start('agent', '--tags', 'linux').said(/The agent is registered/);
  const run = start('run', 'w.json', '--wait');
  await run.said(/│ begun/);
  server.kill('SIGKILL');
  await run.said(/The server cannot be reached; the run goes on without us/);
  run.kill('SIGINT');
  await run.said(/Asking the server to cancel the workflow; once more leaves at once\./);
  await run.said(/tutti: The server http:\S+ cannot be reached\.\n/);
  const again = setInterval(() => run.kill('SIGINT'), BETWEEN_SIGNALS_MS);
  expect(await run.ended).toBe(130);
  clearInterval(again);
  expect(run.stderr()).toMatch(/^Left; workflow \S+ may still be ending\.\n$/);
});

test('an agent drains across a server that is killed and started again, and it is said what happens', async () => {
  const { server, port } = await startServer();
  await start('agent', '--tags', 'linux', '--name', 'one').said(/The agent is registered/);
  const run = start('run', 'w.json', '--wait');
  await run.said(/│ begun/);
  const drain = start('agents', 'drain', '--all', '--wait');
  await drain.said(/^Waiting\. At work: one\.$/m);
  server.kill('SIGKILL');
  await drain.said(/^Waiting\. The server http:\S+ cannot be reached\. Nothing listens there\.$/m);
  await startServer(port);
  await drain.said(/cannot be reached.*\nWaiting\. At work: one\.$/m);
  expect((await listed('agents')).stdout).toMatch(/^one +BUSY,draining /m);
  await writeFile(join(cwd, 'go'), '');
  expect(await drain.ended).toBe(0);
  expect(drain.stdout()).toMatch(/^Agent \S+ takes no further job\.\nIt works on nothing\.\n$/);
  expect(await run.ended).toBe(0);
  expect((await listed('agents')).stdout).toMatch(/^one +IDLE,draining /m);
});

test('an agent of a data directory without a server says so, and which address it tries', async () => {
  const agent = start('agent', '--data-dir', cwd);
  await agent.said(/^tutti: No server runs in the data directory \S+; trying http:\S+:7774\.$/m);
  agent.kill('SIGKILL');
  expect(await agent.ended).toBe('SIGKILL');
});
