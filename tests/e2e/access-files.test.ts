/** Access that files and authorities decide (specification part 5, wire facts 8.2 and 8.3). */
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bodyOf, itemsOf, type Loose } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { oneJob, sh, start } from '../support/runs.ts';
import { signedToken } from '../support/tokens.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { runCli } from './cli-process.ts';

const TOKENS = `# token,user,uid,groups
al1ce-s3cret,Alice,alice,"testers,others"
b0b-s3cret,Bob,bob
`;

const policy = (spec: Loose): string =>
  JSON.stringify({ apiVersion: 'abac.opentestfactory.org/v1alpha1', kind: 'Policy', spec });

const POLICIES = [
  '# who may do what',
  policy({ user: 'alice', namespace: 'ours', resource: 'workflows' }),
  policy({ group: 'testers', namespace: '*', resource: '*', readonly: true }),
  '',
].join('\n');

const published = generateKeyPairSync('ed25519');
const keyInFolder = generateKeyPairSync('rsa', { modulusLength: 2048 });

let bench: Workbench;
let server: ServerChild;
let authority: Server;
let files: { readonly tokens: string; readonly policies: string; readonly keys: string };
let run: string;

beforeAll(async () => {
  bench = await Workbench.open();
  const folder = bench.path('access');
  await mkdir(join(folder, 'keys'), { recursive: true });
  files = {
    tokens: join(folder, 'tokens.csv'),
    policies: join(folder, 'policies.jsonl'),
    keys: join(folder, 'keys'),
  };
  await writeFile(files.tokens, TOKENS);
  await writeFile(files.policies, POLICIES);
  const keys = [{ ...published.publicKey.export({ format: 'jwk' }), kid: 'current' }];
  authority = createServer((_, response) => response.end(JSON.stringify({ keys })));
  await new Promise<void>((resolve) => authority.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(authority.address() as AddressInfo).port}/jwks.json`;
  const auth = {
    trustedKeys: [{ path: files.keys, namespaces: 'ours' }],
    keySets: [{ url, namespaces: 'ours' }],
    tokenFile: files.tokens,
    policyFile: files.policies,
  };
  server = await bench.server({ config: { auth } });
  run = await start(server, oneJob('theirs', [sh('true')]), 'namespace=theirs');
});

afterAll(async () => {
  authority.closeAllConnections();
  authority.close();
  await bench.close();
});

const call = (token: string, method: string, path: string, body?: unknown) =>
  server.call(method, path, {
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body }),
  });

const codeOf = async (token: string, path = '/workflows', method = 'GET'): Promise<number> =>
  (await call(token, method, path)).code;

describe('a user of the token file', () => {
  const workflow = oneJob('new', [sh('true')]);
  test.each<[string, string, string, unknown, number]>([
    ['al1ce-s3cret', 'GET', '/workflows/RUN/status', undefined, 200],
    ['al1ce-s3cret', 'GET', '/agents', undefined, 200],
    ['al1ce-s3cret', 'POST', '/workflows?namespace=ours&dryRun', workflow, 201],
    ['al1ce-s3cret', 'POST', '/workflows?namespace=theirs&dryRun', workflow, 403],
    ['al1ce-s3cret', 'DELETE', '/workflows/RUN', undefined, 403],
    ['al1ce-s3cret', 'POST', '/agents', {}, 403],
    ['al1ce-s3cret', 'POST', '/publications', {}, 403],
    ['b0b-s3cret', 'GET', '/workflows', undefined, 403],
    ['b0b-s3cret', 'GET', '/workflows/RUN/logs', undefined, 403],
    ['b0b-s3cret', 'GET', '/version', undefined, 200],
    ['b0b-s3cre', 'GET', '/version', undefined, 401],
    ['B0B-S3CRET', 'GET', '/version', undefined, 401],
    ['Bob', 'GET', '/version', undefined, 401],
    // HTTP 5: Rights by namespace, resource and verb; listings leave out the rest.
  ])('%s: %s %s is answered by what policies say', async (token, method, path, body, code) => {
    const answer = await call(token, method, path.replace('RUN', run), body);
    expect(answer.code, answer.text).toBe(code);
  });

  test('is called by the uid when refused', async () => {
    const { message } = bodyOf(await call('b0b-s3cret', 'GET', '/workflows'));
    expect(message).toBe('User bob is not authorized to list workflows.');
  });

  test.each([
    ['al1ce-s3cret', '', ['*']],
    ['al1ce-s3cret', '?resource=workflows&verb=create', ['ours']],
    ['al1ce-s3cret', '?resource=agents&verb=list', ['*']],
    ['al1ce-s3cret', '?resource=agents&verb=delete', []],
    ['b0b-s3cret', '', []],
  ])('%s is told the namespaces of %j', async (token, query, names) => {
    expect(itemsOf(await call(token, 'GET', `/namespaces${query}`))).toEqual(names);
  });
});

describe('a token signed by a key that an authority publishes', () => {
  const signed = (kid: string | undefined, key = published.privateKey) => {
    const header = { alg: 'EdDSA', ...(kid === undefined ? {} : { kid }) };
    return signedToken(key, { header, claims: { iss: 'authority', sub: 'carol' } });
  };

  // HTTP 5: It is signed by a trusted authority.
  test('reaches the namespaces of the key set', async () => {
    expect(itemsOf(await call(signed('current'), 'GET', '/namespaces'))).toEqual(['ours']);
    expect(itemsOf(await call(signed(undefined), 'GET', '/workflows'))).toEqual([]);
    expect(await codeOf(signed('current'), `/workflows/${run}/status`)).toBe(403);
  });

  test('is Unauthorized when it names another key, or was made by one', async () => {
    expect(await codeOf(signed('former'))).toBe(401);
    const { privateKey } = generateKeyPairSync('ed25519');
    expect(await codeOf(signed('current', privateKey))).toBe(401);
  });

  test('is Unauthorized once it is changed', async () => {
    const [head, , signature] = signed('current').split('.');
    const claims = Buffer.from('{"sub":"root"}').toString('base64url');
    expect(await codeOf(`${head}.${claims}.${signature}`)).toBe(401);
  });
});

describe('while the server runs', () => {
  beforeEach(async () => {
    await writeFile(files.tokens, TOKENS);
    await writeFile(files.policies, POLICIES);
    await eventually('access as it was', async () => (await codeOf('al1ce-s3cret')) === 200);
  });

  const becomes = (code: number, token: string) =>
    eventually(`${code} for ${token}`, async () => (await codeOf(token)) === code);

  test('a policy that is added allows, and a token that is removed ends', async () => {
    const more = policy({ user: 'bob', namespace: 'ours', resource: 'workflows' });
    await writeFile(files.policies, `${POLICIES}${more}\n`);
    await becomes(200, 'b0b-s3cret');
    await writeFile(files.tokens, 'b0b-s3cret,Bob,bob\n');
    await becomes(401, 'al1ce-s3cret');
    expect(await codeOf('b0b-s3cret')).toBe(200);
  });

  test('a file that became wrong changes nothing, and the log says where', async () => {
    await writeFile(files.policies, `${POLICIES}{"spec": {}}\n`);
    await eventually('words in the log', async () => {
      expect(await codeOf('al1ce-s3cret')).toBe(200);
      return server.child.stderr.includes(`${files.policies} is not usable: line 4: `);
    });
    expect(server.child.stderr).not.toContain('s3cret');
  });

  test('a key that is put into a directory counts, until it is taken away', async () => {
    const claims = { iss: 'authority', sub: 'dave' };
    const token = signedToken(keyInFolder.privateKey, { header: { alg: 'PS384' }, claims });
    expect(await codeOf(token)).toBe(401);
    const file = join(files.keys, 'dave.pem');
    await writeFile(`${file}.new`, keyInFolder.publicKey.export({ type: 'spki', format: 'pem' }));
    await becomes(200, token);
    await rm(`${file}.new`);
    await becomes(401, token);
  });
});

describe('a server does not start', () => {
  /** Standard error of a server with these files. */
  async function refusal(option: (path: string) => readonly string[], content: string) {
    const path = bench.path('file');
    await writeFile(path, content);
    const args = ['server', '--port', '0', '--data-dir', bench.path('data'), ...option(path)];
    const { code, stderr } = await runCli(args, { cwd: bench.folder });
    expect(code).not.toBe(0);
    return stderr.replaceAll(path, 'FILE');
  }

  test.each<[string, (path: string) => readonly string[], string, string]>([
    [
      'with a wrong line in a token file',
      (path) => ['--auth-token-file', path, '--auth-policy-file', files.policies],
      '# mine\ns3cret,Alice\n',
      'The token file FILE is not usable: line 2: 2 of 3 columns; write token,user,uid,"group1,group2".',
    ],
    [
      'with a wrong line in a policy file',
      (path) => ['--auth-token-file', files.tokens, '--auth-policy-file', path],
      `${policy({ user: 'a', namespace: 'a', resource: '*', readOnly: true })}\n`,
      'The policy file FILE is not usable: line 1: unknown key "readOnly", did you mean "readonly"?',
    ],
    [
      'with tokens and no policies',
      (path) => ['--auth-token-file', path],
      '',
      'The token file FILE is not usable: it says nothing without the other file; set auth.policyFile too.',
    ],
    [
      'with a key that is none',
      (path) => ['--auth-trusted-keys', JSON.stringify([{ path }])],
      'hello',
      'The key FILE is not usable: it is not a public key in PEM form',
    ],
    [
      'with a key set of another machine over http',
      () => ['--auth-key-sets', '[{"url": "http://keys.example.com/"}]'],
      '',
      'The key set http://keys.example.com/ is not usable: it must begin with https://',
    ],
    [
      'with a key set at no address',
      () => ['--auth-key-sets', '[{"url": "keys.example.com"}]'],
      '',
      'auth.keySets[0].url: must be a text like "https://login.example.com/.well-known/jwks.json"',
    ],
  ])('%s, and says what to do', async (_, option, content, why) => {
    const said = await refusal(option, content);
    expect(said).toContain(why);
    expect(said).not.toContain('s3cret');
    expect(said).not.toMatch(/\n\s+at /);
  });
});
