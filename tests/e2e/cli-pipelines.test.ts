/** `tutti ready` and `tutti done`, as pipelines use them. */
import { afterAll, expect, test } from 'vitest';
import { runCommand } from '../../cli/src/testing/run-command.ts';
import { freePort } from '../support/free-port.ts';
import { createGate } from '../support/gate.ts';
import { ended, oneJob, start } from '../support/runs.ts';
import { sharedServer } from '../support/shared-server.ts';
import { type CliProcess, startCli } from './cli-process.ts';

const { bench, server } = await sharedServer({ tags: ['linux', 'jdk'], name: 'one' });
const at = ['--server', server.url, '--token', server.token];
const tutti = (...args: string[]) => runCommand([...args, ...at]);

const children: CliProcess[] = [];
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.map(({ ended: over }) => over));
});

/** A command that goes on while the test does something. */
function begin(args: readonly string[], env = {}): CliProcess {
  const child = startCli(args, { cwd: bench.folder, env });
  children.push(child);
  return child;
}

const READY = { code: 0, stdout: `The server ${server.url} is ready.\n`, stderr: '' };

test.each([
  ['a server that is well', []],
  ['its services, however they are written', ['--services', 'Arranger,observer,agentchannel']],
  ['services that are in no list', ['--services', 'receptionist,killswitch,qualitygate']],
  ['an idle environment', ['--agents', '1']],
  ['an idle environment with tags', ['--tags', 'linux,jdk']],
  ['the environment for rehearsals', ['--tags', 'inception']],
])('ready with %s', async (_, args) => {
  expect(await tutti('ready', ...args)).toEqual(READY);
});

test.each([
  [['--services', 'arranger,tm.generator.premium'], 'A service is missing: tm.generator.'],
  [['--services', 'a,result.aggregator.x'], 'Services are missing: a, result.aggregator.'],
  [['--agents', '2'], 'Idle environments: 1 of 2.'],
  [['--tags', 'linux,cobol'], 'Idle environments with tags linux, cobol: 0 of 1.'],
])('not ready with %j, which is said', async (args, why) => {
  expect(await tutti('ready', ...args, '--timeout', '0')).toEqual({
    code: 1,
    stdout: '',
    stderr: `tutti: Not ready after 0 s. ${why}\n`,
  });
});

test('a server that is not there yet is waited for, as is its token', async () => {
  const port = await freePort();
  const dataDir = bench.path('late');
  const ready = begin(['ready', '--data-dir', dataDir, '--timeout', '2m'], {
    TUTTI_SERVER: `http://127.0.0.1:${port}`,
  });
  await ready.said(/^Waiting\. The server \S+ cannot be reached\. Nothing listens there\.$/m);
  await bench.server({ port, dataDir });
  expect(await ready.ended).toBe(0);
  expect(ready.stdout()).toBe(`The server http://127.0.0.1:${port} is ready.\n`);
});

test('a token that is refused is no reason to wait', async () => {
  for (const command of ['ready', 'done']) {
    const { code, stderr } = await runCommand([
      command,
      '--server',
      server.url,
      '--token',
      'nonsense',
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('What to do: pass a token that the server trusts');
  }
});

test('done while nothing runs', async () => {
  expect(await tutti('done')).toEqual({
    code: 0,
    stdout: 'No workflow runs, and no worker is active.\n',
    stderr: '',
  });
});

test('done waits for the end of a run', async () => {
  const gate = createGate(bench);
  const id = await start(server, oneJob('held', [gate.step]));
  expect(await tutti('done', '--timeout', '0')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'tutti: Not done after 0 s. A workflow runs.\n',
  });
  const done = begin(['done', ...at]);
  await done.said(/^Waiting\. A workflow runs\.$/m);
  await gate.open();
  expect(await done.ended).toBe(0);
  expect(await ended(server, id)).toBe('DONE');
});

test('done does not wait for a server that never answered', async () => {
  const { code, stderr } = await runCommand(['done', '--server', 'http://127.0.0.1:1']);
  expect(code).toBe(2);
  expect(stderr).toContain('cannot be reached');
});
