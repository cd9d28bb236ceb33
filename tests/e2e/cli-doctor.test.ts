/** `tutti doctor` beside a real server with an agent. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { oneJob, sh, start } from '../support/runs.ts';
import { sharedServer } from '../support/shared-server.ts';
import { runCli } from './cli-process.ts';

const { bench, server } = await sharedServer({ tags: ['linux', 'shell'] });

const doctor = (...args: readonly string[]) =>
  runCli(['doctor', ...args], { cwd: bench.folder, env: { HOME: bench.folder } });

test('a server of the data directory is looked at from its address to its data', async () => {
  const { code, stdout, stderr } = await doctor('--data-dir', server.dataDir);
  expect(stderr).toBe('');
  expect(stdout).toContain(`  ok      server ${server.url}, from the data directory\n`);
  expect(stdout).toMatch(/^ {2}ok {6}server and command line have version \S+$/m);
  expect(stdout).toContain('  ok      of admin; expires: never\n');
  expect(stdout).toContain('  ok      the clocks of server and command line agree\n');
  expect(stdout).toContain('Agents\n  ok      1 IDLE\n');
  expect(stdout).toContain(`Data of ${server.dataDir}, whose server runs\n`);
  expect(stdout).toMatch(/^ {2}ok {6}database {2}schema/m);
  expect(stdout).toContain('All is well.\n');
  expect(code).toBe(0);
});

test('a job that no agent can take is named, with its tags', async () => {
  const id = await start(
    server,
    oneJob('stuck', [sh('true')], { 'runs-on': ['linux', 'hovercraft'] }),
  );
  const { stdout } = await eventually('the job waits', async () => {
    const actual = await doctor('--data-dir', server.dataDir);
    return actual.stdout.includes('hovercraft') ? actual : null;
  });
  expect(stdout).toMatch(
    new RegExp(
      `look {4}no agent has the tags that these jobs ask for: \\S+ of ${id} \\(linux, hovercraft\\)`,
    ),
  );
  await server.call('DELETE', `/workflows/${id}`);
});

test('programs get all of it', async () => {
  const { stdout } = await doctor('--data-dir', server.dataDir, '-o', 'json');
  const actual = JSON.parse(stdout);
  expect(actual.sections.map(({ name }: { readonly name: string }) => name)).toEqual([
    ...['Machine', 'Configuration', 'Connection', 'Token', 'Clock', 'Agents', 'Disk'],
  ]);
  expect(actual).toMatchObject({ dataDir: server.dataDir, isServerRunning: true, kept: null });
});

test('where runs on this machine cannot be kept is to be looked at', async () => {
  const cwd = bench.path('elsewhere');
  mkdirSync(cwd);
  writeFileSync(join(cwd, '.tutti'), '');
  const { stdout } = await runCli(['doctor'], { cwd, env: { HOME: bench.folder } });
  expect(stdout).toContain(
    `  look    Runs on this machine cannot be kept in ${cwd}/.tutti: a part of the path is a file.\n` +
      '          What to do: for these, name another directory with --data-dir.\n',
  );
});

test('without a server and without data there is nothing wrong', async () => {
  const { code, stdout } = await doctor();
  expect(stdout).toContain('Disk\n');
  expect(stdout).not.toContain('Data of');
  expect(stdout).toContain('All is well.\n');
  expect(code).toBe(0);
});
