/** Contexts of a configuration, with a real server whose services have ports of their own. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inPath } from '../support/debian-program.ts';
import { freePort } from '../support/free-port.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { runCli } from './cli-process.ts';

const TUTTI = join(import.meta.dirname, '../../cli/bin/tutti.js');
const WORKFLOW = `
metadata: {name: smoke}
jobs: {one: {runs-on: linux, steps: [{run: "echo hello"}]}}
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
    ],
    orchestrators: [{ name: 'o', orchestrator }],
    users: [
      { name: 'plain', user },
      { name: 'colourful', user: { token: server.token } },
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
