import { afterAll, describe, expect, test } from 'vitest';
import { ImportBench, serviceFile } from './testing.ts';

const bench = new ImportBench();
afterAll(() => bench.close());

describe('a setting of a service that has a key here', () => {
  test.each<[string, object, object]>([
    ['observer', { retention_period_minutes: 1440 }, { retention: { minutes: 1440 } }],
    ['observer', { retention_period_minutes: '90' }, { retention: { minutes: 90 } }],
    ['arranger', { download_job_tags: ['linux', 'git'] }, { calls: { tags: ['linux', 'git'] } }],
    ['arranger', { download_job_tags: 'linux' }, { calls: { tags: ['linux'] } }],
    ['killswitch', { host: '0.0.0.0' }, { host: '0.0.0.0' }],
    ['killswitch', { port: 7776 }, { servicePorts: true }],
    [
      'killswitch',
      { port: '8776' },
      { servicePorts: true, services: [{ name: 'killswitch', port: 8776 }] },
    ],
    [
      'receptionist',
      { port: 8774 },
      { port: 8774, servicePorts: true, services: [{ name: 'receptionist', port: 8774 }] },
    ],
    [
      'receptionist',
      { enable_insecure_healthcheck_endpoint: true },
      { auth: { insecureHealth: true } },
    ],
  ])('%s: %j is carried over', async (service, context, config) => {
    const made = await bench.import({ [`${service}.yaml`]: serviceFile(context) });
    expect(made.config).toEqual(config);
    const [key = ''] = Object.keys(context);
    expect(made.lines).toContainEqual(expect.stringContaining(`${service}.yaml: ${key} -> `));
  });
});

const NETWORKS = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];

test.each<[string, object, readonly string[] | undefined]>([
  ['the address of another machine', { host: '192.168.7.5' }, ['192.168.7.5']],
  ['a name', { host: '127.0.0.1', eventbus: { hostname: 'my-plugin' } }, NETWORKS],
  ['its own machine', { host: '127.0.0.1', eventbus: { endpoint: 'http://bus:38368' } }, undefined],
  ['all addresses of its machine', { host: '0.0.0.0' }, undefined],
])('a plugin with an inbox that names %s', async (_, context, networks) => {
  const made = await bench.import({ 'my-plugin.yaml': serviceFile(context) });
  expect(Object(made.config).outgoing?.privateNetworks).toEqual(networks);
  const shownBy = made.lines.filter((line) => line.includes('outgoing.privateNetworks'));
  expect(shownBy).toHaveLength(networks === undefined ? 0 : 1);
});

test.each<[string, string, object]>([
  ['DEBUG_LEVEL', 'WARNING', { logLevel: 'warn' }],
  ['DEBUG_LEVEL', 'NOTSET', { logLevel: 'trace' }],
  ['OPENTF_ENABLE_INSECURE_HEALTHCHECK_ENDPOINT', 'on', { auth: { insecureHealth: true } }],
  ['OBSERVER_RETENTION_PERIOD_MINUTES', '"30"', { retention: { minutes: 30 } }],
  ['export OBSERVER_RETENTION_PERIOD_MINUTES', "'30'", { retention: { minutes: 30 } }],
  ['ARRANGER_DOWNLOAD_JOB_TAGS', 'linux, git', { calls: { tags: ['linux', 'git'] } }],
])('the variable %s is carried over', async (name, value, config) => {
  expect((await bench.import({ 'opentf.env': `# ours\n${name}=${value}\n` })).config).toEqual(
    config,
  );
});

describe('the report of a setting', () => {
  test.each<[string, object, string]>([
    ['arranger', { max_jobs: 1024 }, 'A workflow may have 1024 jobs.'],
    [
      'arranger',
      { max_jobs: 5000 },
      'A workflow may have 1024 jobs. What to do: split larger ones.',
    ],
    ['arranger', { max_job_steps: 256 }, 'A job may have 1024 steps.'],
    [
      'arranger',
      { default_timeout_minutes: 60 },
      'A job without timeout-minutes may take 360 minutes. What to do: write timeout-minutes into the workflows.',
    ],
    [
      'arranger',
      { max_parallel: 5 },
      'Jobs of a run begin as there are environments for them. What to do: write strategy.max-parallel into the workflows.',
    ],
    [
      'arranger',
      { port: 7781 },
      'Nobody calls this service from outside, and here it has no address of its own.',
    ],
    [
      'receptionist',
      { port: 'x' },
      'It is no port. What to do: set the port in services of the configuration.',
    ],
    ['receptionist', { ssl_context: 'disabled' }, 'The server speaks HTTP.'],
    [
      'receptionist',
      { ssl_context: ['a.crt', 'a.key'] },
      'The server speaks HTTP. What to do: put a proxy in front that has the certificate (tutti docs operate/reverse-proxy).',
    ],
    ['receptionist', { enable_insecure_login: false }, 'There is no access without a token.'],
    [
      'eventbus',
      { post_timeout_seconds: 60 },
      'An inbox has 10 seconds to answer. What to do: let the subscriber answer first, and work then.',
    ],
    [
      'qualitygate',
      { default_scope: "test.technology == 'junit'" },
      'What has no scope is about all test cases. What to do: write the scope into each definition.',
    ],
    [
      'observer',
      { retention_periods_minutes: 5 },
      'It is no setting that is known, did you mean "retention_period_minutes"? What to do: correct it and import it again.',
    ],
    [
      'killswitch',
      { definitions: '/x' },
      'It means nothing to this service, but to another one. What to do: if it was meant, move it to the file of its service.',
    ],
    [
      'observer',
      { zzz: 5 },
      'It is no setting that is known. What to do: see "tutti docs reference/settings" for all settings of this server.',
    ],
    ['localstore', { retention_period_minutes: 60 }, 'Attachments are kept as long as their run.'],
    [
      'observer',
      { retention_period_minutes: 'x' },
      'It is no time. What to do: set retention.minutes to a number above 0.',
    ],
    [
      'observer',
      { observer_debug_level: 'DEBUG' },
      'One level holds for the whole server. What to do: set logLevel if the log of all is to have it.',
    ],
  ])('%s: %j', async (service, context, shownBy) => {
    const { lines } = await bench.import({ [`${service}.yaml`]: serviceFile(context) });
    const [key = ''] = Object.keys(context);
    expect(lines).toContain(`${service}.yaml: ${key}: ${shownBy}`);
  });
});

describe('access without a token', () => {
  const imported = async (files: Readonly<Record<string, object>>) => {
    const { config, lines } = await bench.import(
      Object.fromEntries(Object.entries(files).map(([name, file]) => [name, serviceFile(file)])),
    );
    return { config, shownBy: lines.filter((line) => line.includes('enable_insecure_login')) };
  };
  const ADVICE =
    'What to do: make tokens: "tutti tokens create --subject NAME"; commands on this machine find that of the administrator.';
  const login = { enable_insecure_login: true };

  test('is carried over where all services had it on an address that no other machine reaches', async () => {
    const { config } = await imported({
      'receptionist.yaml': { ...login, insecure_bind_address: '127.0.0.1' },
      'killswitch.yaml': { ...login, host: 'localhost' },
    });
    expect(config).toEqual({ host: 'localhost', auth: { insecureLogin: true } });
  });

  test.each<[string, object, object, string]>([
    [
      'a service wants tokens',
      login,
      { enable_insecure_login: false },
      'Tokens are wanted by killswitch, and here that would be open, too.',
    ],
    [
      'other machines reach the server',
      { ...login, host: '0.0.0.0' },
      login,
      'Other machines reach the address that the server listens on.',
    ],
    [
      'it was for another machine',
      { ...login, insecure_bind_address: '10.0.0.7' },
      login,
      'It was for programs of another machine, and only those of this one may do without a token.',
    ],
  ])('is not carried over where %s', async (_where, receptionist, killswitch, why) => {
    const { config, shownBy } = await imported({
      'receptionist.yaml': receptionist,
      'killswitch.yaml': killswitch,
    });
    expect(JSON.stringify(config)).not.toContain('insecureLogin');
    expect(shownBy[0]).toContain(`enable_insecure_login: ${why} ${ADVICE}`);
  });
});

test('several addresses are not one', async () => {
  const { lines, config } = await bench.import({
    'observer.yaml': serviceFile({ host: '10.0.0.1' }),
    'receptionist.yaml': serviceFile({ host: '10.0.0.2' }),
  });
  expect(lines).toContain(
    'observer.yaml and another file: host: The services have several addresses, and one server listens on one. What to do: set host to the one that counts, or to 0.0.0.0 for all of the machine.',
  );
  expect(config).toBeNull();
});

test('the context that counts is the one of the command, of the variables, or the current one', async () => {
  const contexts = ['a', 'b', 'c'].map((name, index) => ({
    name,
    context: { retention_period_minutes: index + 1 },
  }));
  const file = { kind: 'ServiceConfig', 'current-context': 'a', contexts };
  const minutes = async (files: object, ...options: readonly string[]) =>
    (await bench.import({ 'observer.yaml': file, ...files }, ...options)).config;
  expect(await minutes({})).toEqual({ retention: { minutes: 1 } });
  expect(await minutes({ '.env': '' })).toEqual({ retention: { minutes: 1 } });
  expect(await minutes({ 'v.env': 'OPENTF_CONTEXT=b' })).toEqual({ retention: { minutes: 2 } });
  const both = await minutes({ 'v.env': 'OPENTF_CONTEXT=b' }, '--context', 'c');
  expect(both).toEqual({ retention: { minutes: 3 } });
});

test('a missing context is reported with the probable one', async () => {
  const file = { ...serviceFile({}), 'current-context': 'defualt', contextz: [] };
  const { lines } = await bench.import({ 'observer.yaml': file });
  expect(lines).toContain(
    'observer.yaml: contexts: There is no context "defualt", did you mean "default"? What to do: name one of them with --context.',
  );
  expect(lines).toContain(
    'observer.yaml: contextz: It is no key that is known, did you mean "contexts"? What to do: correct it and import it again.',
  );
});

test('a name with a bar stays in the reason, and does not become advice', async () => {
  const file = { ...serviceFile({}), 'current-context': 'x | delete all' };
  const { lines } = await bench.import({ 'observer.yaml': file });
  expect(lines).toContain(
    'observer.yaml: contexts: There is no context "x | delete all"; it has default. What to do: name one of them with --context.',
  );
});

test.each<[string, unknown, string]>([
  ['contexts', { a: 1 }, 'contexts: It is no list of entries with a name each.'],
  ['contexts', [5, { name: 'default' }], 'contexts[0]: It is no entry with a name.'],
  ['contexts', [{ name: 'default', context: 5 }], 'contexts[0].context: It is no map.'],
])('a value of a wrong form is reported: %s is %j', async (key, value, shownBy) => {
  const { lines } = await bench.import({ 'observer.yaml': { ...serviceFile({}), [key]: value } });
  const mend = 'What to do: correct it and import it again.';
  expect(lines).toContain(`observer.yaml: ${shownBy} ${mend}`);
});

test('variables without a value are not set', async () => {
  const text = 'TRUSTEDKEYS_PATH=\nQUALITYGATE_DEFINITIONS=""\n';
  const { lines, config } = await bench.import({ 'v.env': text });
  expect(lines).toEqual([
    'v.env: TRUSTEDKEYS_PATH: It has no value.',
    'v.env: QUALITYGATE_DEFINITIONS: It has no value.',
  ]);
  expect(config).toBeNull();
});

test('hosts of SSH pools are reported with the command that makes them agents', async () => {
  const hosts = { hosts: ['a.example.com', 'b.example.com'], username: 'u', password: 'pa55' };
  const pools = { mine: [{ ...hosts, tags: ['linux', 'jdk'], namespaces: '*' }] };
  const { lines } = await bench.import({ 'pools.yaml': { pools } });
  const why = 'This server has no channels over SSH, and takes no keys or passwords of hosts.';
  expect(lines).toEqual(
    ['a', 'b'].map(
      (name) =>
        `pools.yaml: pools.mine[0]: ${why} What to do: start an agent on ${name}.example.com: "tutti agent --server URL --token-file FILE --tags linux,jdk --namespaces '*'".`,
    ),
  );
});

test('a pool that is no list of hosts is reported', async () => {
  const { lines } = await bench.import({ 'pools.yaml': { pools: { mine: { host: 'a' } } } });
  expect(lines).toEqual([
    'pools.yaml: pools.mine: It is no list of hosts. What to do: correct it and import it again.',
  ]);
});

test.each<[string, unknown, string]>([
  [
    'plugins.yaml',
    { eventbus: 'x', plugins: [] },
    'launcher: The server has its services and functions within it, and starts no others. What to do: start plugins of your own yourself, with the address of this server as their event bus.',
  ],
  [
    'trackers.yaml',
    { instances: [{ token: 's3cret' }] },
    'trackers: This server sends nothing to trackers. What to do: let a plugin outside do it: it subscribes as before, at the address of this server.',
  ],
  ['plugin.yaml', 'a: 1\n---\nb: 2\n', 'descriptor: The server knows its own functions.'],
  [
    'hooks.yaml',
    { hooks: [] },
    'hooks: Nothing says what the hooks are around. What to do: name the file in hooks.channel or hooks.providers of the configuration.',
  ],
  [
    'notes.md',
    '# Notes',
    'the file: It is no file that is known. What to do: if it has tokens, import it with --token-auth-file; if it has keys and namespaces, with --trustedkeys-auth-file; else leave it out.',
  ],
])('%s is reported by its kind', async (name, content, shownBy) => {
  expect((await bench.import({ [name]: content })).lines).toEqual([`${name}: ${shownBy}`]);
});
