/** Tokens as the command line makes, checks and revokes them, with a real server and a real terminal. */
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inPath } from '../support/debian-program.ts';
import { eventually } from '../support/eventually.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { runCli } from './cli-process.ts';

const TUTTI = join(import.meta.dirname, '../../cli/bin/tutti.js');
const authority = generateKeyPairSync('rsa', { modulusLength: 2048 });

let bench: Workbench;
let server: ServerChild;
beforeAll(async () => {
  bench = await Workbench.open();
  const path = bench.path('authority.pem');
  writeFileSync(path, authority.publicKey.export({ type: 'spki', format: 'pem' }));
  const trustedKeys = [{ path, namespaces: 'team-a,team-b' }];
  server = await bench.server({ config: { auth: { trustedKeys } } });
});
afterAll(() => bench.close());

const cli = (...args: readonly string[]) =>
  runCli(args, { cwd: bench.folder, env: { HOME: bench.folder } });

async function create(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cli('tokens', 'create', '--subject', 'ci', ...args);
  expect([code, stderr]).toEqual([0, '']);
  const file = bench.path('token');
  writeFileSync(file, stdout);
  return file;
}

const check = (file: string, ...args: readonly string[]) =>
  cli('tokens', 'check', '--token-file', file, ...args);

test('a server says what a token may do', async () => {
  const scope = ['--namespaces', 'team-a', '--resources', 'workflows', '--verbs', 'list,get'];
  const file = await create('--data-dir', server.dataDir, ...scope);
  const { code, stdout, stderr } = await check(file, '--server', server.url);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`${server.url} accepts the token. It reaches:\n`);
  expect(stdout).toMatch(/^RESOURCE +LIST +GET +CREATE +DELETE$/m);
  expect(stdout).toMatch(/^workflows +team-a +team-a +- +-$/m);
  expect(stdout).toMatch(/^agents +- +- +- +-$/m);
  const asked = await check(file, '--server', server.url, '-o', 'json');
  const { rights } = JSON.parse(asked.stdout);
  expect(rights).toContainEqual({ resource: 'workflows', verb: 'get', namespaces: ['team-a'] });
});

test('a token of a trusted key reaches the namespaces of the key', async () => {
  const key = bench.path('private.pem');
  writeFileSync(key, authority.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const file = await create('--key', key, '--issuer', 'an authority');
  const { stdout } = await check(file, '--server', server.url);
  expect(stdout).toMatch(/^workflows +team-a,team-b/m);
});

test('a token that the server refuses is told', async () => {
  const made = await cli('tokens', 'create', '--subject', 'x', '--data-dir', bench.path('another'));
  const other = bench.path('other.token');
  writeFileSync(other, made.stdout);
  const { code, stderr } = await check(other, '--server', server.url);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^tutti: The server refuses the token: /);
  expect(stderr).toMatch(
    /^What to do: see whether it is for this server, and how long it is valid: ".* tokens show"\.$/m,
  );
});

test('a rotation ends all tokens of a server that runs, and commands of its directory go on', async () => {
  const file = await create('--data-dir', server.dataDir);
  expect((await check(file, '--server', server.url)).code).toBe(0);
  const before = readFileSync(join(server.dataDir, 'admin.token'), 'utf8');
  const rotated = await cli('tokens', 'rotate', '--data-dir', server.dataDir);
  expect([rotated.code, rotated.stderr]).toEqual([0, '']);
  expect(readFileSync(join(server.dataDir, 'admin.token'), 'utf8')).not.toBe(before);
  await eventually('the old token is refused', async () => {
    const { code } = await check(file, '--server', server.url);
    return code === 2;
  });
  const listed = await cli('workflows', '--data-dir', server.dataDir, '-o', 'json');
  expect([listed.code, listed.stdout]).toEqual([0, '[]\n']);
});

// The program is part of every Debian.
test.runIf(inPath('script') !== null)(
  'a passphrase is asked for on a terminal, and not shown',
  async () => {
    const key = bench.path('secret.pem');
    const form = {
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'sesame',
    } as const;
    writeFileSync(key, authority.privateKey.export(form));
    const command = `${process.execPath} ${TUTTI} tokens create --subject ci --key ${key}`;
    const child = spawn('script', ['-qec', command, '/dev/null']);
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const isAsked = shown.includes('Passphrase of');
      shown += text;
      if (!isAsked && shown.includes('Passphrase of')) child.stdin.write('sesamx\u007fe\r');
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(shown).toMatch(/^Passphrase of \S+secret\.pem\S*: \r?\n[\w-]+\.[\w-]+\.[\w-]+\r?\n$/);
    expect(code).toBe(0);
  },
);
