/** Contexts of a configuration, with a real server whose services have ports of their own. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { inPath } from '../support/debian-program.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { runCli, startCli } from './cli-process.ts';
import { startOnTerminal } from './terminal-process.ts';

const TUTTI = join(import.meta.dirname, '../../cli/bin/tutti.js');
const WORKFLOW = `
metadata: {name: smoke}
jobs: {one: {runs-on: linux, steps: [{run: "echo hello"}]}}
`;

/** As an existing client writes it. */
const NARROW = {
  ...{ 'job-depth': 1, 'step-depth': 1, 'max-command-length': 4, progress: 'plain' },
  ...{ 'output-prefix': '{timestamp} {job_id}>', colors: 'out=32:err=31', verbose: true },
};
const NESTED = `
metadata: {name: nested}
jobs:
  around:
    jobs:
      inside:
        runs-on: linux
        steps:
        - uses: actions/create-file@v1
          with: {data: x, format: txt, path: x.txt}
        - run: 'echo "::attach::$PWD/x.txt"; echo printed'
  beside:
    runs-on: linux
    steps: [run: echo alone]
`;

let bench: Workbench;
let server: ServerChild;
beforeAll(async () => {
  bench = await Workbench.open();
  const names = [
    ...['receptionist', 'observer', 'killswitch', 'eventbus'],
    ...['agentchannel', 'qualitygate', 'localstore', 'insightcollector'],
  ];
  const services = await Promise.all(names.map(async (name) => ({ name, port: await freePort() })));
  server = await bench.server({ config: { servicePorts: true, services } });
  await bench.agent(server, { tags: ['linux', 'shell'], namespaces: '*' });
  writeFileSync(join(bench.folder, 'w.yaml'), WORKFLOW);
  // As existing clients have it: the address of the server is that of none of these services.
  mkdirSync(join(bench.folder, '.opentf'));
  const orchestrator = {
    server: 'http://127.0.0.1:1',
    services: Object.fromEntries(services.map(({ name, port }) => [name, { port }])),
  };
  const user = { token: server.token, colors: false, progress: 'plain' };
  const config = {
    'current-context': 'here',
    contexts: [
      { name: 'here', context: { orchestrator: 'o', user: 'plain', namespace: 'team-a' } },
      { name: 'colourful', context: { orchestrator: 'o', user: 'colourful' } },
      { name: 'narrow', context: { orchestrator: 'o', user: 'narrow', namespace: 'narrow' } },
    ],
    orchestrators: [{ name: 'o', orchestrator }],
    users: [
      { name: 'plain', user },
      { name: 'colourful', user: { token: server.token } },
      { name: 'narrow', user: { token: server.token, ...NARROW } },
    ],
  };
  writeFileSync(join(bench.folder, '.opentf/config'), JSON.stringify(config));
});
afterAll(() => bench.close());

const surroundings = () => ({ cwd: bench.folder, env: { HOME: bench.folder } });
const cli = (...args: readonly string[]) => runCli(args, surroundings());

test('the configuration of an existing client leads each request to its service', async () => {
  const started = await cli('run', 'w.yaml', '--wait');
  expect([started.code, started.stderr]).toEqual([0, '']);
  expect(started.stdout).toContain('hello');
  const columns = 'custom-columns=NAMESPACE:metadata.namespace';
  const listed = await cli('workflows', '-o', columns);
  expect([listed.code, listed.stdout]).toEqual([0, 'NAMESPACE\nteam-a\n']);
  expect((await cli('agents', '-o', 'name')).stdout).toMatch(/^[\da-f-]{36}\n$/);
  const [, id = ''] = started.stdout.split(' ');
  expect((await cli('cancel', id)).code).toBe(0);
});

test('a run is shown as the user of the context wants it, unless options say otherwise', async () => {
  writeFileSync(join(bench.folder, 'nested.yaml'), NESTED);
  const narrow = await cli('run', 'nested.yaml', '--wait', '--context', 'narrow');
  expect([narrow.code, narrow.stderr]).toEqual([0, '']);
  const STAMP = String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d [-0-9a-f]{36}>`;
  expect(narrow.stdout).toMatch(new RegExp(`${STAMP}│ printed$`, 'm'));
  expect(narrow.stdout).toMatch(new RegExp(`${STAMP}▸ echo…$`, 'm'));
  expect(narrow.stdout.match(/▸/g)).toHaveLength(1);
  expect(narrow.stdout).not.toContain('around/inside');
  const [, id = ''] = narrow.stdout.split(' ');
  const watch = (...args: readonly string[]) =>
    cli('workflows', 'watch', id, '--context', 'narrow', ...args);
  const wide = await watch('-j', '0', '-s', '0', '-c', '0', '--no-verbose', '--show-attachments');
  expect(wide.stdout).toMatch(new RegExp(`${STAMP}▸ echo "::attach::`, 'm'));
  expect(wide.stdout).toMatch(/\+ x\.txt \([-0-9a-f]{36}\)$/m);
  expect(wide.stdout).toContain('around/inside');
  expect(wide.stdout).not.toContain('runs on');
  const named = await watch('--output-prefix', '[{job}] ', '--no-hints');
  expect(named.stdout).toMatch(/^\[beside\s*\] · runs on \S+$/m);
  expect(await watch('--output-prefix', '{date}')).toMatchObject({
    code: 2,
    stderr:
      'tutti: --output-prefix has {date}, which stands for nothing; known are {timestamp}, {time}, {job}, {job_id}.\nWhat to do: write one of them, or leave it out.\n',
  });
  const show = await cli('workflows', 'show', id, '--context', 'narrow');
  expect(show.stdout).toMatch(/^ {2}around +succeeded/m);
  expect(show.stdout).not.toContain('around/inside');
  const count = async (...args: readonly string[]) =>
    (await cli('workflows', 'events', id, '--context', 'narrow', ...args)).stdout.split('\n')
      .length;
  const [all, top] = [await count(), await count('--job-depth', '1', '--step-depth', '1')];
  expect(top).toBeLessThan(all);
  const logs = await cli('logs', id, '--context', 'narrow', '--grep', '^alone');
  expect(logs.stdout).toMatch(new RegExp(`${STAMP}alone$`, 'm'));
});

test('a configuration is asked for on a terminal, where the token is not shown', async () => {
  const env = { HOME: bench.folder };
  const terminal = startOnTerminal(['config', 'generate', '>', 'lab.yaml'], {
    cwd: bench.folder,
    columns: 200,
    env,
  });
  const answer = async (question: RegExp, text: string) => {
    await terminal.shows(question);
    terminal.type(`${text}\r`);
  };
  await answer(/its user \[default\]:$/m, 'lab');
  await answer(/Address of the server:$/m, server.url);
  await answer(/ports of their own\? \[y\/N\]$/m, 'maybe');
  await answer(/not "maybe"\.\s+Do services have .* \[y\/N\]$/m, 'false');
  await answer(/Token .*:$/m, server.token);
  expect(await terminal.ended).toBe(0);
  expect(terminal.raw()).not.toContain(server.token);
  const { stdout, code } = await cli('agents', '--client-config', 'lab.yaml', '-o', 'name');
  expect([code, stdout.trim().length]).toEqual([0, 36]);
});

test('of changes that are made at the same moment, none is lost', async () => {
  const file = join(bench.folder, 'changed.yaml');
  const names = ['a', 'b', 'c', 'd'];
  const change = (name: string) =>
    cli('config', 'set-orchestrator', name, '--server', `http://${name}.example`, '--client-config', file);
  const changes = await Promise.all(names.map(change));
  expect(changes.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, '']));
  const { orchestrators } = parse(readFileSync(file, 'utf8'));
  expect(orchestrators.map(({ name }: { readonly name: string }) => name).toSorted()).toEqual(names);
}); // biome-ignore format: one line each

test('a change that was killed is in no way of those that come after it', async () => {
  const file = join(bench.folder, 'killed.yaml');
  const change = (name: string) => [
    ...['config', 'set-orchestrator', name, '--server', `http://${name}.example`],
    ...['--client-config', file],
  ];
  // It waits for somebody who writes, with the file to itself.
  execFileSync('mkfifo', [file]);
  const killed = startCli(change('never'), surroundings());
  await eventually('the lock', () => existsSync(`${file}.change-lock`));
  killed.kill('SIGKILL');
  expect(await killed.ended).toBe('SIGKILL');
  rmSync(file);
  const names = ['a', 'b', 'c'];
  const changes = await Promise.all(names.map((name) => cli(...change(name))));
  expect(changes.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, '']));
  const { orchestrators } = parse(readFileSync(file, 'utf8'));
  expect(orchestrators.map(({ name }: { readonly name: string }) => name).toSorted()).toEqual(
    names,
  );
  const left = readdirSync(bench.folder).filter((name) => name.startsWith('killed.yaml'));
  expect(left).toEqual(['killed.yaml', 'killed.yaml.change-lock']);
});

test('versions are those of the server of the context', async () => {
  const { code, stdout } = await cli('version');
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('The server http://127.0.0.1:1 has:'),
  ]);
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is how colours begin.
const COLOUR = /\u001b\[[139]\d?m/;

// The program is part of every Debian.
test.runIf(inPath('script') !== null).each([
  ['here', false],
  ['colourful', true],
])('on a terminal, the context "%s" has colours: %s', async (context, hasColours) => {
  const command = `${process.execPath} ${TUTTI} run w.yaml --wait --progress plain --context ${context}`;
  const { cwd, env } = surroundings();
  const terminal = { ...env, PATH: process.env.PATH ?? '', TERM: 'xterm' };
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd, env: terminal });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
  expect(shown).toContain('hello');
  expect(COLOUR.test(shown)).toBe(hasColours);
});
