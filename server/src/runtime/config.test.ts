import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOrchestratorError } from '@tutti/manifests';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConfigSources, configSchema, loadConfig } from './config.ts';
import type { ConfigNode } from './config-check.ts';
import { sentence } from './sentence.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(text: string): string {
  const file = join(folder, `${Math.random()}.yaml`);
  writeFileSync(file, text);
  return file;
}

function messageOf(sources: ConfigSources): string {
  try {
    loadConfig(sources);
  } catch (error) {
    if (isOrchestratorError(error)) return error.message;
    throw error;
  }
  throw new Error('The configuration was accepted.');
}

test('without any source, all defaults hold', () => {
  expect(loadConfig({ env: {} })).toEqual({
    host: '127.0.0.1',
    port: 7774,
    servicePorts: false,
    services: [],
    ui: { reportsPort: 0 },
    cluster: {},
    pendingAsRunning: false,
    tls: {},
    dataDir: './.tutti',
    apiGroup: 'opentestfactory.org',
    logLevel: 'info',
    auth: {
      trustedKeys: [],
      keySets: [],
      insecureLogin: false,
      insecureHealth: false,
      insecureMetrics: false,
      insecureDocs: false,
    },
    cors: { origins: [] },
    limits: {
      bodyBytes: 16777216,
      fileBytes: 5368709120,
      runs: 150000,
      waitWhenBusySeconds: 4,
      runsWhenBusy: 1000,
      startsAtOnce: 2000,
      startsBytes: 1073741824,
      bodiesBytes: 268435456,
      bodyBytesPerSecond: 4096,
      subjectShare: 0.25,
      namespaceShare: 0.5,
      runBytes: 17179869184,
      agents: 20000,
      subscriptions: 1000,
      undelivered: 100000,
      undeliveredBytes: 268435456,
      undeliveredNamespaceBytes: 1073741824,
      followers: 1000,
      connections: 50000,
    },
    agents: {
      livenessSeconds: 300,
      synchronousLivenessSeconds: 3600,
      disconnectGraceSeconds: 10,
      absenceSeconds: 180,
    },
    providers: {},
    qualityGates: { definitions: [] },
    insights: { definitions: [] },
    hooks: { providers: [] },
    calls: { tags: [] },
    outgoing: { privateNetworks: [] },
    resources: { privateAddresses: false },
    tracing: {},
    retention: { minutes: 10080, runs: 10000, historyMinutes: 129600 },
    testHistory: {
      days: 90,
      runs: 500,
      executions: 20000000,
      mainBranches: ['main', 'master', 'trunk', 'develop'],
    },
    quarantine: { gates: 'respect', days: 14, daysMax: 60, share: 0.02 },
  });
});

test('an option wins over a variable, a variable over the file, the file over the default', () => {
  const file = fileWith('host: a\nport: 1\nlogLevel: debug\nagents: {livenessSeconds: 5}\n');
  const env = { TUTTI_HOST: 'b', TUTTI_PORT: '2' };
  const config = loadConfig({ file, env, options: { host: 'c' } });
  expect(config).toMatchObject({
    host: 'c',
    port: 2,
    logLevel: 'debug',
    agents: {
      livenessSeconds: 5,
      synchronousLivenessSeconds: 3600,
      disconnectGraceSeconds: 10,
      absenceSeconds: 180,
    },
  });
});

test('an option without a value changes nothing', () => {
  expect(loadConfig({ env: { TUTTI_PORT: '2' }, options: { port: undefined } }).port).toBe(2);
});

describe('without access control', () => {
  const messageWith = (host: string) =>
    messageOf({ env: { TUTTI_HOST: host }, options: { auth: { insecureLogin: true } } });

  test.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('a server may listen on %s', (host) => {
    const options = { host, auth: { insecureLogin: true } };
    expect(loadConfig({ env: {}, options }).auth.insecureLogin).toBe(true);
  });

  test.each(['0.0.0.0', '::', '192.168.1.2', 'tests.example.com'])(
    'it may not listen on %s, which others reach',
    (host) => {
      expect(messageWith(host)).toBe(
        'Not a valid configuration: auth.insecureLogin: needs a host that no other machine reaches ' +
          `(127.0.0.1, ::1 or localhost), not "${host}".`,
      );
    },
  );
});

test('the configuration cannot be changed afterwards', () => {
  const config = loadConfig({ env: {} });
  expect(Object.isFrozen(config) && Object.isFrozen(config.auth.trustedKeys)).toBe(true);
});

test('a trusted key reaches all namespaces unless it says otherwise', () => {
  const file = fileWith(
    'auth:\n  trustedKeys:\n  - path: a.pem\n  - {path: b.pem, namespaces: "x,y"}\n',
  );
  expect(loadConfig({ file, env: {} }).auth.trustedKeys).toEqual([
    { path: 'a.pem', namespaces: '*' },
    { path: 'b.pem', namespaces: 'x,y' },
  ]);
});

test('keys may be written with dots, as documents name them', () => {
  const file = fileWith(
    'agents: {livenessSeconds: 5}\nagents.disconnectGraceSeconds: 1\nagents.livenessSeconds: 5\n' +
      'auth.trustedKeys: [{path: a.pem}]\n',
  );
  expect(loadConfig({ file, env: {} })).toMatchObject({
    agents: { livenessSeconds: 5, disconnectGraceSeconds: 1 },
    auth: { trustedKeys: [{ path: 'a.pem', namespaces: '*' }] },
  });
});

test('a file may name its schema, as editors want it', () => {
  const file = fileWith('{"$schema": "./config.schema.json", "port": 1}');
  expect(loadConfig({ file, env: {} }).port).toBe(1);
});

test('a mistyped name of the schema gets the right one', () => {
  const file = fileWith('{"$shema": "./config.schema.json"}');
  expect(() => loadConfig({ file, env: {} })).toThrow(
    `${file}: $shema: unknown key, did you mean "$schema"?`,
  );
});

test('namespaces may have blanks around their commas', () => {
  const file = fileWith('auth.trustedKeys: [{path: a.pem, namespaces: "a, b ,c"}]');
  expect(loadConfig({ file, env: {} }).auth.trustedKeys[0]?.namespaces).toBe('a, b ,c');
});

test('variables of nested keys, flags and lists are read', () => {
  const env = {
    TUTTI_AUTH_INSECURE_HEALTH: 'on',
    TUTTI_AUTH_TRUSTED_KEYS: '[{"path": "k.pem"}]',
    TUTTI_AGENTS_DISCONNECT_GRACE_SECONDS: '0.5',
    TUTTI_TOKEN: 'of another program',
  };
  expect(loadConfig({ env })).toMatchObject({
    auth: { insecureHealth: true, trustedKeys: [{ path: 'k.pem', namespaces: '*' }] },
    agents: { disconnectGraceSeconds: 0.5 },
  });
});

describe('mistakes are named with their key and source', () => {
  test.each([
    ['host: ""', 'host: must not be empty'],
    ['prot: 1', 'prot: unknown key, did you mean "port"?'],
    ['auth: {trustedKey: []}', 'auth.trustedKey: unknown key, did you mean "trustedKeys"?'],
    ['port: 70000', 'port: must be an integer from 0 to 65535, not 70000'],
    ['port: "80"', 'port: must be an integer from 0 to 65535, not "80"'],
    [
      'logLevel: loud',
      'logLevel: must be one of fatal, error, warn, info, debug, trace, silent, not "loud"',
    ],
    ['agents: {livenessSeconds: 0}', 'agents.livenessSeconds: must be a number above 0, not 0'],
    ['auth: {trustedKeys: [{namespaces: a}]}', 'auth.trustedKeys[0]: "path" is missing'],
    ['auth: {trustedKeys: x}', 'auth.trustedKeys: must be a list'],
    ['[]', 'the document: must be an object'],
    ['agents: {liveness: 5}', 'agents.liveness: unknown key, did you mean "livenessSeconds"?'],
    [
      'agents: {synchronousLiveness: 5}',
      'agents.synchronousLiveness: unknown key, did you mean "synchronousLivenessSeconds"?',
    ],
    [
      'agents: {graceSeconds: 5}',
      'agents.graceSeconds: unknown key, did you mean "disconnectGraceSeconds"?',
    ],
    [
      'agents: {disconectGrace: 5}',
      'agents.disconectGrace: unknown key, did you mean "disconnectGraceSeconds"?',
    ],
    ['auth: {keys: []}', 'auth.keys: unknown key, did you mean "keySets"?'],
    ['auth: {policies: x}', 'auth.policies: unknown key, did you mean "policyFile"?'],
    ['auth: {trusted: []}', 'auth.trusted: unknown key, did you mean "trustedKeys"?'],
    ['limits: {body: 1}', 'limits.body: unknown key, did you mean "bodyBytes"?'],
    ['log: info', 'log: unknown key, did you mean "logLevel"?'],
    ['livenessSeconds: 5', 'livenessSeconds: unknown key, did you mean "agents.livenessSeconds"?'],
    ['liveness: 5', 'liveness: unknown key, did you mean "agents.livenessSeconds"?'],
    ['agents: {port: 5}', 'agents.port: unknown key, did you mean "port"?'],
    [
      'auth: {trustedKeys: [{path: a, namespace: b}]}',
      'auth.trustedKeys[0].namespace: unknown key, did you mean "namespaces"?',
    ],
    [
      'retention: {seasons: 7}',
      'retention.seasons: unknown key; none of the known ones is like it: minutes, runs, historyMinutes',
    ],
    ['agents.liveness: 5', 'agents.liveness: unknown key, did you mean "livenessSeconds"?'],
    [
      'auth: {insecureDocs: true}\nauth.insecureDocs: false',
      'auth.insecureDocs: is given twice, with different values',
    ],
    ['port: 1\nport.x: 2', 'port.x: is given twice, with different values'],
    [
      'auth: {trustedKeys: [{path: a, namespaces: "A"}]}',
      'auth.trustedKeys[0].namespaces: must be a text like "*" or "team-a, team-b", not "A"',
    ],
  ])('%s', (text, problem) => {
    const file = fileWith(text);
    expect(messageOf({ file, env: {} })).toBe(
      sentence(`Not a valid configuration: ${file}: ${problem}`),
    );
  });

  test('all at once', () => {
    const sources = { env: { TUTTI_PORT: 'x' }, options: { host: '' } };
    expect(messageOf(sources)).toBe(
      'Not a valid configuration: TUTTI_PORT: port: must be an integer from 0 to 65535, not "x"; ' +
        'command line: host: must not be empty.',
    );
  });

  test.each([
    ['of a section', 'TUTTI_AUTH_INSECURE_HEALT', 'TUTTI_AUTH_INSECURE_HEALTH'],
    ['with a beginning', 'TUTTI_AGENTS_LIVENESS', 'TUTTI_AGENTS_LIVENESS_SECONDS'],
    ['at the top', 'TUTTI_PROT', 'TUTTI_PORT'],
    ['with a letter too many', 'TUTTI_DATA_DIRR', 'TUTTI_DATA_DIR'],
  ])('a variable %s that does not exist', (_, name, meant) => {
    expect(messageOf({ env: { [name]: '1' } })).toBe(
      `Not a valid configuration: ${name}: unknown variable, did you mean "${meant}"?`,
    );
  });

  test('a variable of a section that is like no other', () => {
    expect(messageOf({ env: { TUTTI_AUTH_XYZ: '1' } })).toBe(
      'Not a valid configuration: TUTTI_AUTH_XYZ: unknown variable; none of the known ones is like it: ' +
        'TUTTI_AUTH_TRUSTED_KEYS, TUTTI_AUTH_KEY_SETS, TUTTI_AUTH_TOKEN_FILE, TUTTI_AUTH_POLICY_FILE, ' +
        'TUTTI_AUTH_INSECURE_LOGIN, TUTTI_AUTH_INSECURE_HEALTH, TUTTI_AUTH_INSECURE_DOCS, TUTTI_AUTH_INSECURE_METRICS.',
    );
    expect(messageOf({ env: { TUTTI_RETENTION_DAYS: '1' } })).toBe(
      'Not a valid configuration: TUTTI_RETENTION_DAYS: unknown variable; none of the known ones is like it: ' +
        'TUTTI_RETENTION_MINUTES, TUTTI_RETENTION_RUNS, TUTTI_RETENTION_HISTORY_MINUTES.',
    );
  });

  test.each([
    ['TUTTI_PORT', '0x10', 'port: must be an integer from 0 to 65535, not "0x10"'],
    [
      'TUTTI_AGENTS_LIVENESS_SECONDS',
      '1e400',
      'agents.livenessSeconds: must be a number above 0, not Infinity',
    ],
    [
      'TUTTI_LIMITS_BODY_BYTES',
      '9007199254740993',
      'limits.bodyBytes: must be an integer from 1024 to 9007199254740991, not 9007199254740992',
    ],
  ])('a number that is none, or too large: %s=%s', (name, text, problem) => {
    expect(messageOf({ env: { [name]: text } })).toBe(
      `Not a valid configuration: ${name}: ${problem}.`,
    );
  });

  test.each([
    'TUTTI_TOKEN',
    'TUTTI_SERVER',
    'TUTTI_CONFIG',
    'TUTTI_CLIENT_CONFIG',
    'TUTTI_CONTEXT',
    'TUTTI_CA_FILE',
    'TUTTI_INSECURE_SKIP_TLS_VERIFY',
    'TUTTI_DEBUG',
    'TUTTI_FOO',
    'TUTTI_LIVENESS_SECONDS',
    'TUTTI_SERVICE_HOST',
  ])('but not %s, which others may have set', (name) => {
    expect(() => loadConfig({ env: { [name]: '1' } })).not.toThrow();
  });

  test('a file that is not there, and one that is not YAML', () => {
    const missing = join(folder, 'missing.yaml');
    expect(messageOf({ file: missing, env: {} })).toContain(
      `Cannot read the configuration file ${missing}: ENOENT`,
    );
    const broken = fileWith('host: [\n');
    expect(messageOf({ file: broken, env: {} })).toMatch(/line \d+, column \d+/);
  });
});

test('an empty file is an empty configuration', () => {
  expect(loadConfig({ file: fileWith(''), env: {} }).port).toBe(7774);
});

test('every key of the schema is documented, and has a default or may be absent', () => {
  const wrong: string[] = [];
  const visit = (node: ConfigNode, path: string, isRequired: boolean): void => {
    const { required = [] } = node;
    for (const [key, child] of Object.entries(node.properties ?? {})) {
      visit(child, `${path}.${key}`, required.includes(key));
    }
    if (node.type === 'object') return;
    if (node.description === undefined) wrong.push(path);
    if (isRequired) wrong.push(path);
  };
  visit(configSchema, '', false);
  expect(wrong).toEqual([]);
});

test('a key without a value is absent', () => {
  expect(loadConfig({ env: {} }).auth).not.toHaveProperty('tokenFile');
  const { auth } = loadConfig({ env: { TUTTI_AUTH_TOKEN_FILE: 'tokens.csv' } });
  expect(auth.tokenFile).toBe('tokens.csv');
});

test('variables that Kubernetes makes of services with a name like ours are none of ours', () => {
  const env = {
    TUTTI_PORT: 'tcp://10.0.0.1:7774',
    TUTTI_SERVICE_HOST: '10.0.0.1',
    TUTTI_PORT_7774_TCP_ADDR: '10.0.0.1',
    TUTTI_AGENTS_SERVICE_HOST: '10.0.0.2',
    TUTTI_AGENTS_SERVICE_PORT_HTTP: '80',
    TUTTI_AGENTS_PORT: 'udp://10.0.0.2:80',
    TUTTI_AGENTS_PORT_80_UDP_PROTO: 'udp',
  };
  expect(loadConfig({ env })).toEqual(loadConfig({ env: {} }));
});

// Language 1.10: Hook files are named by variables of the environment.
test('variables of existing installations name hook files, and ours win over them', () => {
  const env = {
    AGENTCHANNEL_CHANNEL_HOOKS: '/etc/channel.yaml',
    ACTIONPROVIDER_PROVIDER_HOOKS: '/etc/actions.yaml',
    NODE_TEST_PROVIDER_HOOKS: '/etc/node.yaml',
    JUNIT_PROVIDER_HOOKS: '',
  };
  const providers = [
    { prefix: 'actions', path: '/etc/actions.yaml' },
    { prefix: 'node-test', path: '/etc/node.yaml' },
  ];
  expect(loadConfig({ env }).hooks).toEqual({ channel: '/etc/channel.yaml', providers });
  const file = fileWith('hooks: {channel: file.yaml, providers: [{prefix: a, path: b}]}');
  expect(loadConfig({ file, env }).hooks.channel).toBe('/etc/channel.yaml');
  expect(loadConfig({ file, env: {} }).hooks).toEqual({
    channel: 'file.yaml',
    providers: [{ prefix: 'a', path: 'b' }],
  });
  const ours = { ...env, TUTTI_HOOKS_CHANNEL: 'own.yaml', TUTTI_HOOKS_PROVIDERS: '[]' };
  expect(loadConfig({ env: ours }).hooks).toEqual({ channel: 'own.yaml', providers: [] });
});

describe('the variables of OpenTelemetry', () => {
  const endpointOf = (env: Readonly<Record<string, string>>) =>
    loadConfig({ env }).tracing.endpoint;
  const ALL = 'OTEL_EXPORTER_OTLP_ENDPOINT';
  const TRACES = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';

  test.each<[string, Readonly<Record<string, string>>, string | undefined]>([
    ['none means no traces', {}, undefined],
    ['the address of all signals has one for traces', { [ALL]: 'http://a/' }, 'http://a/v1/traces'],
    ['it may have a path', { [ALL]: 'http://a/otlp' }, 'http://a/otlp/v1/traces'],
    [
      'that of traces is taken as it is',
      { [TRACES]: 'http://t/own', [ALL]: 'http://a' },
      'http://t/own',
    ],
    ['an empty one is none', { [TRACES]: '', [ALL]: '' }, undefined],
    ['ours wins', { TUTTI_TRACING_ENDPOINT: 'http://ours', [ALL]: 'http://a' }, 'http://ours'],
    ['one that turns it off does', { [ALL]: 'http://a', OTEL_SDK_DISABLED: 'true' }, undefined],
    ['so does an exporter of none', { [ALL]: 'http://a', OTEL_TRACES_EXPORTER: 'none' }, undefined],
  ])('%s', (_, env, endpoint) => {
    expect(endpointOf(env)).toBe(endpoint);
  });

  test('with mistakes are named', () => {
    expect(messageOf({ env: { [ALL]: 'collector:4317' } })).toBe(
      'Not a valid configuration: OTEL_EXPORTER_OTLP_ENDPOINT: tracing.endpoint: must be a text like "http://collector.example.com:4318", not "collector:4317/v1/traces".',
    );
  });
});

test.each([
  [{ cert: 'cert.pem' }, 'tls.cert: needs tls.key, too'],
  [{ key: 'key.pem' }, 'tls.key: needs tls.cert, too'],
  [{ clientCa: 'ca.pem' }, 'tls.clientCa: needs tls.cert, too'],
])('%j is no whole configuration of TLS', (tls, problem) => {
  expect(() => loadConfig({ env: {}, options: { tls } })).toThrow(problem);
});
