import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { ImportBench, serviceFile } from './testing.ts';

const bench = new ImportBench();
afterAll(() => bench.close());

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PUBLIC = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const PRIVATE = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const trusting = (...paths: readonly string[]) => serviceFile({ trusted_authorities: paths });
const key = (name: string, namespaces: string) => ({ path: `keys/${name}`, namespaces });

describe('the keys that services trust', () => {
  test('reach the namespaces of their lines, in their order', async () => {
    const { config, lines } = await bench.import(
      {
        'conf/observer.yaml': trusting('/etc/b.pub', '/etc/a.pub', '/etc/c.pub'),
        'conf/v.env': 'OPENTF_TRUSTEDKEYS_AUTH_FILE=../etc/keys.csv',
        'etc/a.pub': PUBLIC,
        'etc/b.pub': PUBLIC,
        'etc/c.pub': PUBLIC,
        'etc/keys.csv': '# key,name\n/etc/a.pub,a,,"x, y"\nb.pub,b,"g",*\nc.pub,c\nc\nd.pub,d,,z\n',
      },
      '--map',
      `/etc=@run1/etc`,
    );
    expect(config).toMatchObject({
      auth: { trustedKeys: [key('b.pub', '*'), key('a.pub', 'x,y'), key('c.pub', 'default')] },
    });
    expect(lines.filter((line) => line.includes('keys.csv: line'))).toEqual([
      'etc/keys.csv: line 3 -> auth.trustedKeys',
      'etc/keys.csv: line 2 -> auth.trustedKeys',
      'etc/keys.csv: line 4: Nothing gives etc/c.pub namespaces, so its tokens reach "default" alone. What to do: set its namespaces to "*" in the written configuration if they are to reach all.',
      'etc/keys.csv: line 5: It is no line for a key. What to do: write keyfile,name,"groups","namespaces".',
      'etc/keys.csv: line 6: The key is not trusted, so its line was skipped before as well.',
    ]);
  });

  test('are reported once if several services name one file of lines', async () => {
    const service = serviceFile({
      trusted_authorities: ['a.pub'],
      trustedkeys_auth_file: 'keys.csv',
    });
    const { lines } = await bench.import({
      'observer.yaml': service,
      'agentchannel.yaml': service,
      'a.pub': PUBLIC,
      'keys.csv': 'a.pub,a,,*\nb.pub,b,,*\nwrong\n',
    });
    expect(lines.filter((line) => line.startsWith('key'))).toEqual([
      'keys/a.pub',
      'keys.csv: line 1 -> auth.trustedKeys',
      'keys.csv: line 3: It is no line for a key. What to do: write keyfile,name,"groups","namespaces".',
      'keys.csv: line 2: The key is not trusted, so its line was skipped before as well.',
    ]);
    for (const name of ['trusted_authorities', 'trustedkeys_auth_file']) {
      expect(lines).toContainEqual(
        expect.stringMatching(`^\\w+.yaml and another file: ${name} -> auth.trustedKeys$`),
      );
    }
  });

  test('never get the namespaces of another key of the same name', async () => {
    const { config } = await bench.import({
      'observer.yaml': trusting('a/key.pub', 'b/key.pub'),
      'v.env': 'OPENTF_TRUSTEDKEYS_AUTH_FILE=keys.csv',
      'a/key.pub': PUBLIC,
      'b/key.pub': PUBLIC,
      'keys.csv': '/elsewhere/key.pub,a,,*\nb/key.pub,b,,x\n',
    });
    expect(config).toMatchObject({
      auth: { trustedKeys: [key('key.pub', 'default'), key('key-2.pub', 'x')] },
    });
  });

  test('are left out if one service alone trusts them: they would reach all', async () => {
    const { config, lines } = await bench.import({
      'observer.yaml': trusting('a.pub'),
      'agentchannel.yaml': trusting('a.pub', 'agents.pub'),
      'arranger.yaml': trusting('inner.pub'),
      'a.pub': PUBLIC,
      'agents.pub': PUBLIC,
    });
    expect(config).toEqual({ auth: { trustedKeys: [key('a.pub', 'default')] } });
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^agentchannel.yaml: trusted_authorities: agents.pub is trusted by some services alone/,
      ),
    );
    expect(lines).toContain(
      'arranger.yaml: trusted_authorities: Nobody calls this service from outside.',
    );
  });

  test.each([
    [PRIVATE, 'a private key is not needed to trust its tokens'],
    ['hello', 'take the public key in PEM form'],
    ['ssh-rsa AAAA me', 'writes it as one'],
  ])('are left out when they are none', async (content, advice) => {
    const { config, lines } = await bench.import({
      'observer.yaml': trusting('keys/*'),
      'keys/a.pub': content,
    });
    expect(config).toBeNull();
    expect(lines).toContainEqual(expect.stringContaining(advice));
  });

  test('are reported with advice if they are missing here', async () => {
    const { lines } = await bench.import({ 'observer.yaml': trusting('/no/such/key.pub') });
    expect(lines.filter((line) => line.includes('trusted_authorities'))).toEqual([
      'observer.yaml: trusted_authorities: There is no /no/such/key.pub here. What to do: copy it to this machine, or say where it is with --map /no/such=DIRECTORY.',
    ]);
  });

  test('may stand in a variable', async () => {
    const text = PUBLIC.trim().replaceAll('\n', '\\n');
    const { config } = await bench.import({ 'v.env': `PUBLIC_KEY="${text}"` });
    expect(config).toEqual({ auth: { trustedKeys: [key('public-key.pem', 'default')] } });
  });

  test('may stand in a variable of several lines, as env prints it', async () => {
    const { config } = await bench.import({
      'v.env': `A=1\nPUBLIC_KEY=${PUBLIC}OBSERVER_RETENTION_PERIOD_MINUTES=5\n`,
    });
    expect(config).toEqual({
      auth: { trustedKeys: [key('public-key.pem', 'default')] },
      retention: { minutes: 5 },
    });
  });

  test('are reported if they are no list', async () => {
    const { lines } = await bench.import({
      'observer.yaml': serviceFile({ trusted_authorities: { a: 1 } }),
    });
    expect(lines).toContain(
      'observer.yaml: trusted_authorities: It is no list of files. What to do: correct it and import it again.',
    );
  });

  test('have no names of namespaces that there cannot be', async () => {
    const { config, lines } = await bench.import({
      'observer.yaml': trusting('a.pub', 'b.pub'),
      'v.env': 'OPENTF_TRUSTEDKEYS_AUTH_FILE=keys.csv',
      'a.pub': PUBLIC,
      'b.pub': PUBLIC,
      'keys.csv': 'a.pub,a,,"x,Y"\nb.pub,b,,Z\n',
    });
    expect(config).toEqual({ auth: { trustedKeys: [key('a.pub', 'x')] } });
    expect(lines).toContain(
      'keys.csv: line 1: "Y" is no name of a namespace here. What to do: take small letters, digits and -, or * for all.',
    );
  });
});

describe('tokens and policies in files', () => {
  const POLICY = JSON.stringify({
    ...{ apiVersion: 'abac.opentestfactory.org/v1alpha1', kind: 'Policy' },
    spec: { user: 'alice', namespace: 'a', resource: 'workflows' },
  });
  const FILES = {
    'tokens.csv': 's3cret,Alice,alice\ns3cret,Bob,bob\nwr0ng\n',
    'policies.jsonl': `# who\n${POLICY}\n{"kind": "Policy"}\n`,
  };
  const NAMED =
    'OPENTF_TOKEN_AUTH_FILE=tokens.csv\nOPENTF_AUTHORIZATION_POLICY_FILE=policies.jsonl\n';

  test('are carried over where they were in force, line by line', async () => {
    const { config, lines } = await bench.import({
      ...FILES,
      'v.env': `${NAMED}OPENTF_AUTHORIZATION_MODE=abac, JWT`,
    });
    expect(config).toEqual({
      auth: { tokenFile: 'access/tokens.csv', policyFile: 'access/policies.jsonl' },
    });
    expect(lines.filter((line) => / line \d+: /.test(line))).toEqual([
      'tokens.csv: line 2: It is not understood: the token of a line before again. What to do: correct it and import it again.',
      'tokens.csv: line 3: It is not understood: 1 of 3 columns; write token,user,uid,"group1,group2". What to do: correct it and import it again.',
      'policies.jsonl: line 3: It is not understood: "apiVersion" must be abac.opentestfactory.org/v1alpha1. What to do: correct it and import it again.',
    ]);
    expect(lines.join('\n')).not.toMatch(/s3cret|wr0ng/);
  });

  test('have copies that only their owner can read', async () => {
    bench.write(FILES);
    const options = ['--token-auth-file', '@tokens.csv', '--authorization-mode', 'ABAC'];
    const { code, stdout, stderr } = await bench.run(
      ...['@tokens.csv', '@policies.jsonl', '--save-to', '@copies', ...options],
      ...['--authorization-policy-file', '@policies.jsonl'],
    );
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toContain('access/tokens.csv (has secrets; only you can read it)');
    const file = bench.path('copies/access/tokens.csv');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toBe('s3cret,Alice,alice\n');
  });

  test('are left out if no mode named them: they would allow more than before', async () => {
    const { config, lines } = await bench.import({ ...FILES, 'v.env': NAMED });
    expect(config).toBeNull();
    const why =
      'No authorization mode names ABAC, so it was not in force, and would allow here what was not allowed. What to do: add --authorization-mode ABAC,JWT if it was.';
    expect(lines).toContain(`v.env: OPENTF_TOKEN_AUTH_FILE: ${why}`);
    expect(lines).toContain(`v.env: OPENTF_AUTHORIZATION_POLICY_FILE: ${why}`);
  });

  test('are left out without each other', async () => {
    const { config, lines } = await bench.import({
      ...FILES,
      'v.env': 'OPENTF_AUTHORIZATION_MODE=ABAC\nOPENTF_TOKEN_AUTH_FILE=tokens.csv',
    });
    expect(config).toBeNull();
    expect(lines).toContain(
      'v.env: OPENTF_TOKEN_AUTH_FILE: Tokens and policies say nothing without each other. What to do: name both files.',
    );
  });

  test('are not there as roles', async () => {
    const { lines } = await bench.import({ 'v.env': 'OPENTF_AUTHORIZATION_MODE=RBAC' });
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^v.env: OPENTF_AUTHORIZATION_MODE: There are no roles here. What to do: /,
      ),
    );
  });
});
