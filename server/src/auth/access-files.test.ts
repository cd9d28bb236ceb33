import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLogger, type Logger } from '../runtime/logger.ts';
import { type AccessFilesDeps, openAccessFiles } from './access-files.ts';
import { createAuthenticator } from './authenticator.ts';
import { AUTH_LIMITS } from './limits.ts';
import { createTestClock } from './testing.ts';

const POLICY = {
  apiVersion: 'abac.opentestfactory.org/v1alpha1',
  kind: 'Policy',
  spec: { user: 'alice', namespace: 'a', resource: '*' },
};

let folder: string;
let clock: ReturnType<typeof createTestClock>;
let log: string;
let logger: Logger;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-access-'));
  clock = createTestClock();
  log = '';
  const write = (line: string) => {
    log += line;
  };
  logger = createLogger({ level: 'info', destination: { write } });
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

function authority(name: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const file = write(name, String(publicKey.export({ type: 'spki', format: 'pem' })));
  const token = new SignJWT({ sub: name })
    .setProtectedHeader({ alg: 'ES256', kid: 'any' })
    .sign(privateKey);
  return { file, token };
}

async function openServer(auth: Partial<AccessFilesDeps['auth']>) {
  const deps = {
    auth: { trustedKeys: [], ...auth },
    apiGroup: 'opentestfactory.org',
    clock,
    logger,
  };
  const files = await openAccessFiles(deps);
  const { authenticate } = createAuthenticator({ keys: [], files, clock });
  /** The namespaces in which the bearer may start workflows; null when the token does not count. */
  return async (token: string) => {
    const access = await authenticate(`Bearer ${token}`).catch(() => null);
    return access?.namespaces('workflows', 'create') ?? null;
  };
}

const later = () => clock.advance(AUTH_LIMITS.fileCheckMs);

describe('changes while the server runs', () => {
  test('a key of a directory comes and goes', async () => {
    mkdirSync(join(folder, 'keys', 'a directory'), { recursive: true });
    const first = authority('keys/first.pem');
    const reach = await openServer({
      trustedKeys: [{ path: join(folder, 'keys'), namespaces: 'a' }],
    });
    const second = authority('keys/second.pem');
    expect(await reach(await first.token)).toEqual(new Set(['a']));
    expect(await reach(await second.token)).toBeNull();
    rmSync(first.file);
    later();
    expect(await reach(await second.token)).toEqual(new Set(['a']));
    expect(await reach(await first.token)).toBeNull();
    expect(log).toContain('were read again');
  });

  test('other files in a directory are left out and logged, but a key that breaks changes nothing', async () => {
    mkdirSync(join(folder, 'keys'));
    const first = authority('keys/first.pem');
    write('keys/README', 'hello');
    const reach = await openServer({
      trustedKeys: [{ path: join(folder, 'keys'), namespaces: 'a' }],
    });
    expect(log).toContain('README is not usable');
    expect(await reach(await first.token)).toEqual(new Set(['a']));
    write('keys/first.pem', '-----BEGIN PUB');
    later();
    expect(await reach(await first.token)).toEqual(new Set(['a']));
    expect(log).toContain('what was known of it stays: The key ');
    const second = authority('keys/first.pem');
    later();
    expect(await reach(await second.token)).toEqual(new Set(['a']));
  });

  test('each file of a directory counts for itself while another one is wrong', async () => {
    mkdirSync(join(folder, 'keys'));
    const [removed, broken] = [authority('keys/a.pem'), authority('keys/b.pem')];
    const reach = await openServer({
      trustedKeys: [{ path: join(folder, 'keys'), namespaces: 'a' }],
    });
    write('keys/b.pem', 'junk');
    rmSync(removed.file);
    const added = authority('keys/c.pem');
    later();
    expect(await reach(await removed.token)).toBeNull();
    expect(await reach(await broken.token)).toEqual(new Set(['a']));
    expect(await reach(await added.token)).toEqual(new Set(['a']));
    expect(log).toContain('b.pem is not usable: it is not a public key in PEM form');
    expect(log).not.toContain('A file beside the trusted keys');
    rmSync(broken.file);
    later();
    expect(await reach(await broken.token)).toBeNull();
    expect(await reach(await added.token)).toEqual(new Set(['a']));
  });

  test('a key, a directory and the tokens that are wrong do not keep the others from changing', async () => {
    mkdirSync(join(folder, 'keys'));
    mkdirSync(join(folder, 'away'));
    const [alone, away] = [authority('alone.pem'), authority('away/key.pem')];
    const removed = authority('keys/a.pem');
    const tokenFile = write('tokens.csv', 's3cret,Alice,alice');
    const policyFile = write('policies.jsonl', JSON.stringify(POLICY));
    const paths = [alone.file, join(folder, 'away'), join(folder, 'keys')];
    const reach = await openServer({
      trustedKeys: paths.map((path) => ({ path, namespaces: 'a' })),
      tokenFile,
      policyFile,
    });
    rmSync(alone.file);
    rmSync(join(folder, 'away'), { recursive: true });
    rmSync(removed.file);
    write('tokens.csv', 's3cret');
    write(
      'policies.jsonl',
      JSON.stringify({ ...POLICY, spec: { ...POLICY.spec, namespace: 'b' } }),
    );
    later();
    expect(await reach(await removed.token)).toBeNull();
    expect(await reach(await alone.token)).toEqual(new Set(['a']));
    expect(await reach(await away.token)).toEqual(new Set(['a']));
    expect(await reach('s3cret')).toEqual(new Set(['b']));
    for (const name of ['alone.pem', 'away', 'tokens.csv'])
      expect(log).toContain(`${name} is not usable`);
  });

  test('an empty directory is looked at again, and a key that is taken away does not count', async () => {
    mkdirSync(join(folder, 'keys'));
    const reach = await openServer({
      trustedKeys: [{ path: join(folder, 'keys'), namespaces: 'a' }],
    });
    for (const name of ['keys/first.pem', 'keys/second.pem']) {
      const { file, token } = authority(name);
      later();
      expect(await reach(await token)).toEqual(new Set(['a']));
      write('keys/README', 'hello');
      rmSync(file);
      later();
      expect(await reach(await token)).toBeNull();
      rmSync(join(folder, 'keys/README'));
      later();
      expect(await reach(await token)).toBeNull();
    }
  });

  test('links that lead nowhere, and pipes, are no keys', async () => {
    mkdirSync(join(folder, 'keys'));
    symlinkSync(join(folder, 'nowhere'), join(folder, 'keys/a.pem'));
    if (process.platform !== 'win32') execFileSync('mkfifo', [join(folder, 'keys/b.pem')]);
    const { token } = authority('keys/c.pem');
    const reach = await openServer({
      trustedKeys: [{ path: join(folder, 'keys'), namespaces: 'a' }],
    });
    expect(await reach(await token)).toEqual(new Set(['a']));
    expect(log).toContain('a.pem is not usable');
  });

  test('a file that is emptied before it is written locks nobody out; one that stays empty counts', async () => {
    const tokenFile = write('tokens.csv', 's3cret,Alice,alice');
    const policyFile = write('policies.jsonl', JSON.stringify(POLICY));
    const reach = await openServer({ tokenFile, policyFile });
    write('policies.jsonl', '');
    later();
    expect(await reach('s3cret')).toEqual(new Set(['a']));
    write(
      'policies.jsonl',
      JSON.stringify({ ...POLICY, spec: { ...POLICY.spec, namespace: 'b' } }),
    );
    later();
    expect(await reach('s3cret')).toEqual(new Set(['b']));
    write('policies.jsonl', '');
    later();
    expect(await reach('s3cret')).toEqual(new Set(['b']));
    later();
    expect(await reach('s3cret')).toEqual(new Set());
    write('tokens.csv', 'an0ther,Alice,alice');
    later();
    expect(await reach('s3cret')).toBeNull();
  });

  test('users and policies change, and those who ask at once see the same', async () => {
    const tokenFile = write('tokens.csv', 's3cret,Alice,alice');
    const policyFile = write('policies.jsonl', '');
    const reach = await openServer({ tokenFile, policyFile });
    expect(await reach('s3cret')).toEqual(new Set());
    write('policies.jsonl', JSON.stringify(POLICY));
    expect(await reach('s3cret')).toEqual(new Set());
    later();
    const seen = await Promise.all([reach('s3cret'), reach('s3cret')]);
    expect(seen).toEqual([new Set(['a']), new Set(['a'])]);
    write('tokens.csv', 'an0ther,Alice,alice');
    later();
    expect(await reach('s3cret')).toBeNull();
    expect(await reach('an0ther')).toEqual(new Set(['a']));
  });

  test.each([
    ['is wrong', (file: string) => writeFileSync(file, 's3cret'), 'line 1: 1 of 3 columns'],
    ['is away', (file: string) => rmSync(file), 'ENOENT'],
  ])(
    'a file that %s changes nothing, is told once, and counts once it is right',
    async (_, spoil, why) => {
      const tokenFile = write('tokens.csv', 's3cret,Alice,alice');
      const policyFile = write('policies.jsonl', JSON.stringify(POLICY));
      const reach = await openServer({ tokenFile, policyFile });
      spoil(tokenFile);
      for (let times = 0; times < 3; times++) {
        later();
        expect(await reach('s3cret')).toEqual(new Set(['a']));
      }
      expect(log.split(why)).toHaveLength(2);
      expect(log).not.toContain('s3cret');
      write('tokens.csv', 'an0ther,Alice,alice');
      later();
      expect(await reach('s3cret')).toBeNull();
      expect(await reach('an0ther')).toEqual(new Set(['a']));
    },
  );
});

describe('a server does not start', () => {
  test.each<[string, () => Partial<AccessFilesDeps['auth']>, string]>([
    ['with tokens alone', () => ({ tokenFile: write('t', '') }), 'set auth.policyFile too.'],
    ['with policies alone', () => ({ policyFile: write('p', '') }), 'set auth.tokenFile too.'],
    [
      'with a file that is not there',
      () => ({ tokenFile: join(folder, 'missing'), policyFile: write('p', '') }),
      'missing is not usable: it cannot be read (ENOENT',
    ],
    [
      'with a file that is too large',
      () => ({
        tokenFile: write('t', '#'.repeat(AUTH_LIMITS.accessFileBytes + 1)),
        policyFile: write('p', ''),
      }),
      'is not usable: it is larger than 1048576 bytes.',
    ],
    [
      'with a wrong line',
      () => ({ tokenFile: write('t', ''), policyFile: write('p', '{}') }),
      'p is not usable: line 1: "apiVersion" must be',
    ],
    [
      'with a key that is none',
      () => ({ trustedKeys: [{ path: write('k', 'x'), namespaces: '*' }] }),
      'k is not usable: it is not a public key in PEM form',
    ],
    [
      'with a device for a key',
      () => ({ trustedKeys: [{ path: '/dev/null', namespaces: '*' }] }),
      'The key /dev/null is not usable: it is a device, and a file or a directory of files is wanted.',
    ],
    [
      'with a pipe for a key',
      () => {
        const path = join(folder, 'pipe');
        execFileSync('mkfifo', [path]);
        return { trustedKeys: [{ path, namespaces: '*' }] };
      },
      'pipe is not usable: it is a pipe, and a file or a directory of files is wanted.',
    ],
    [
      'with a pipe for tokens',
      () => {
        const tokenFile = join(folder, 'tokens.pipe');
        execFileSync('mkfifo', [tokenFile]);
        return { tokenFile, policyFile: write('p', '') };
      },
      'tokens.pipe is not usable: it is a pipe, and a file is wanted.',
    ],
  ])('%s', async (_, auth, why) => {
    await expect(openServer(auth())).rejects.toThrow(why);
  });
});
