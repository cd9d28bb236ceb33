import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@tutti/manifests';
import { afterAll, expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'tutti-agent-command-'));
const empty = join(folder, 'empty.token');
writeFileSync(empty, '\n');

afterAll(() => rmSync(folder, { recursive: true }));

const NOBODY = 'http://127.0.0.1:1';
const CORRECT = 'correct what is named above, then try again.';
const NAME_A_FILE = 'name a file that holds a token and nothing else.';

test.each([
  [
    ['--token-file', join(folder, 'none')],
    `There is no file ${join(folder, 'none')}.`,
    NAME_A_FILE,
  ],
  [['--token-file', empty], `There is no token in ${empty}.`, NAME_A_FILE],
  [['--name', ''], '--name has an empty value.', 'give it a value, or leave it out.'],
  [
    ['--workspace-dir', ''],
    '--workspace-dir has an empty value.',
    'give it a value, or leave it out.',
  ],
  [
    ['--namespaces', 'A'],
    'Not the name of a namespace: "A". Names have small letters, digits and -.',
    CORRECT,
  ],
  [
    ['--namespaces', 'a', '--namespaces', '*'],
    '* stands for all namespaces, and for itself alone.',
    CORRECT,
  ],
])('an agent with %j is refused at once', async (args, what, next) => {
  const given = ['agent', '--server', NOBODY, '--token', 't', ...args];
  const argv =
    args[0] === '--token-file' ? given.filter((arg) => !['--token', 't'].includes(arg)) : given;
  expect(await runCommand(argv)).toEqual({
    code: 2,
    stdout: '',
    stderr: `tutti: ${what}\nWhat to do: ${next}\n`,
  });
});

test('an agent with a refused token prints the advice once', async () => {
  const server = createServer((_, response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status('Unauthorized', 'Invalid JWT token.')));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const { code, stderr } = await runCommand(['agent', '--server', url, '--token', 't']);
  server.close();
  expect([code, stderr]).toEqual([
    2,
    `tutti: The server ${url} refuses the token of this agent: Invalid JWT token.\n` +
      'What to do: start the agent with a token that is valid for this server and may create, get and delete agents; "tutti tokens create" makes one.\n',
  ]);
});

test.each([
  ['agent', ['--data-dir', join(folder, 'nowhere')], {}],
  ['agents', ['--data-dir', join(folder, 'nowhere')], {}],
  ['agents', [], { TUTTI_DATA_DIR: join(folder, 'nowhere') }],
])(
  '"%s" with a data directory that is not there asks no other server: %j %j',
  async (command, args, env) => {
    expect(await runCommand([command, ...args], { env })).toEqual({
      code: 2,
      stdout: '',
      stderr:
        `tutti: There is no data directory ${join(folder, 'nowhere')}.\n` +
        'What to do: name that of a server on this machine with --data-dir or TUTTI_DATA_DIR, or the address of a server with --server.\n',
    });
  },
);
