/** Names that every object has, as keys and as values of everything that a request brings (section 17). */
import { afterAll, beforeAll, expect } from 'vitest';
import { type ApiRequest, detailsOf } from '../support/api.ts';
import { registerExisting } from '../support/existing-agent.ts';
import { oneJob, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';

/** A key that every object inherits, and one that sets the prototype. */
const NAMES = ['constructor', '__proto__'];
const POLLUTION = { polluted: 'yes' };
const VALUES: readonly unknown[] = ['text', POLLUTION];
/** So many requests are under way at a time. */
const AT_ONCE = 16;

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
});

afterAll(() => bench.close());

const WORKFLOW = {
  metadata: { name: 'keys', labels: { a: 'b' }, annotations: { a: 'b' } },
  variables: { A: 'b' },
  inputs: { i: { description: 'i', default: 'x', type: 'string' } },
  defaults: { run: { shell: 'bash' } },
  hooks: [{ name: 'h', events: [{ channel: 'setup' }], before: [{ run: 'true' }] }],
  concurrency: { group: 'g' },
  jobs: {
    main: {
      'runs-on': 'nowhere',
      variables: { A: 'b' },
      strategy: { matrix: { os: ['a', 'b'], include: [{ os: 'c' }] } },
      outputs: { o: 'x' },
      steps: [{ id: 's', run: 'true', variables: { A: 'b' }, with: { a: 'b' } }],
    },
    other: {
      'runs-on': 'nowhere',
      needs: 'main',
      steps: [{ uses: 'actions/echo@v1', with: { a: 'b' } }],
    },
  },
};
const PUBLICATIONS = [
  'ExecutionCommand',
  'ExecutionResult',
  'ProviderCommand',
  'ProviderResult',
  'GeneratorResult',
  'Notification',
  'Workflow',
  'Other',
].map((kind) => ({
  apiVersion: 'opentestfactory.org/v1',
  kind,
  metadata: { name: 'n', namespace: 'default', labels: { a: 'b' }, annotations: { a: 'b' } },
  spec: { logs: ['x'], with: { a: 'b' } },
  steps: [],
}));
const SUBSCRIPTION = {
  apiVersion: 'opentestfactory.org/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 's', labels: { a: 'b' }, annotations: { a: 'b' } },
  spec: {
    selector: { matchKind: 'Other', matchLabels: { a: 'b' }, matchFields: { a: 'b' } },
    subscriber: { endpoint: 'http://127.0.0.1:9/inbox' },
  },
};
const AGENT = {
  apiVersion: 'opentestfactory.org/v1alpha1',
  kind: 'AgentRegistration',
  metadata: { name: 'a', labels: { a: 'b' } },
  spec: { tags: ['linux', 'a'], encoding: 'utf-8', script_path: '/tmp' },
};
const GATE = {
  qualitygates: [
    {
      name: 'g',
      rules: [{ name: 'r', rule: { scope: "test.technology == 'x'", threshold: '50%' } }],
    },
  ],
};
const INSIGHTS = {
  insights: [
    { name: 'i', kind: 'ExecutionLog', if: 'always()', spec: { 'step-depth': 1 } },
    {
      name: 'j',
      kind: 'SummaryReport',
      title: 't',
      spec: {
        template: [{ name: 's', kind: 'Cloud', datasource: 'testcases', data: ['x'], legend: 'l' }],
      },
    },
  ],
};

/** The document with the name as a further key of each object, and in place of each text. */
function* withName(document: unknown, name: string): Generator<unknown> {
  if (typeof document === 'string') yield name;
  if (Array.isArray(document)) {
    for (const [index, item] of document.entries()) {
      for (const changed of withName(item, name)) yield document.with(index, changed);
    }
  } else if (typeof document === 'object' && document !== null) {
    const entries = Object.entries(document);
    for (const value of VALUES) yield fromEntries([...entries, [name, value]]);
    for (const [index, [key, value]] of entries.entries()) {
      for (const changed of withName(value, name)) {
        yield fromEntries(entries.with(index, [key, changed]));
      }
    }
  }
}

/** As a document of JSON has them: `__proto__` is a key like any other. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): object {
  const made: object = Object.create(null);
  for (const [key, value] of entries) {
    Object.defineProperty(made, key, { value, enumerable: true });
  }
  return made;
}

type Call = readonly [method: string, path: string, request: ApiRequest];

const JSON_TYPE = { 'content-type': 'application/json' };
const YAML_TYPE = { 'content-type': 'application/x-yaml' };

function* calls(name: string, id: string, agent: string): Generator<Call> {
  const documents: readonly (readonly [string, unknown])[] = [
    ['/workflows?dryRun', WORKFLOW],
    ['/subscriptions', SUBSCRIPTION],
    ['/agents', AGENT],
    [
      `/agents/${agent}`,
      { stdout: ['x'], stderr: ['y'], exit_status: 0, variables: ['a=b'], details: { error: 'x' } },
    ],
    [`/workflows/${id}/insights?insight=*`, INSIGHTS],
    [`/workflows/${id}/qualitygate?mode=g`, GATE],
    [`/workflows/${id}/rerun`, {}],
    ...PUBLICATIONS.map((publication) => ['/publications', publication] as const),
  ];
  for (const [path, document] of documents) {
    for (const changed of withName(document, name)) {
      const body = JSON.stringify(changed);
      yield ['POST', path, { body, headers: JSON_TYPE }];
      if (path.startsWith('/workflows')) yield ['POST', path, { body, headers: YAML_TYPE }];
    }
  }
  yield [
    'PATCH',
    '/agents',
    { body: JSON.stringify(fromEntries([[name, {}]])), headers: JSON_TYPE },
  ];
  const started = {
    ...oneJob(name, [sh('true')], { 'runs-on': 'nowhere' }),
    variables: fromEntries([[name, 'x']]),
  };
  yield ['POST', '/workflows', { body: JSON.stringify(started), headers: JSON_TYPE }];
  for (const text of [
    name,
    `${name}()`,
    `inputs.${name}`,
    `${name}.${name}`,
    `'x'.${name}`,
    `needs.${name}.outputs.${name}`,
  ]) {
    const job = { 'runs-on': 'nowhere', if: text, name: `\${{ ${text} }}` };
    yield ['POST', '/workflows?dryRun', { body: oneJob('x', [sh(`\${{ ${text} }}`)], job) }];
  }
  yield* inQueriesAndPaths(name, id, agent);
  for (const path of [
    '/workflows?dryRun',
    `/workflows/${id}/insights?insight=*`,
    `/workflows/${id}/qualitygate`,
  ]) {
    for (const value of ['x', new Blob(['x'])]) {
      const body = new FormData();
      body.append('workflow', JSON.stringify({ ...WORKFLOW, resources: { files: [name] } }));
      body.append(name, value);
      body.append('variables', `${name}=x`);
      body.append('inputs', `${name}=x`);
      yield ['POST', path, { body }];
    }
  }
}

function* inQueriesAndPaths(name: string, id: string, agent: string): Generator<Call> {
  const paths = [
    '/agents',
    '/channels',
    '/channelhandlers',
    '/namespaces',
    '/providers',
    '/publications',
    '/subscriptions',
    '/version',
    '/workflows',
    '/workflows/status',
    `/workflows/${id}/status`,
    `/workflows/${id}/logs`,
    `/workflows/${id}/workers`,
    `/workflows/${id}/qualitygate`,
    `/workflows/${id}/datasources/testcases`,
    `/workflows/${id}/datasources/jobs`,
  ];
  const keys = [
    'fieldSelector',
    'labelSelector',
    'scope',
    'mode',
    'resource',
    'verb',
    'expand',
    'page',
    'per_page',
    'from',
    'timeout',
  ];
  for (const path of paths) {
    const texts = [name, `${name}==x`, `test.${name} == 'x'`];
    for (const key of keys) {
      for (const text of texts)
        yield ['GET', path, { query: `${key}=${encodeURIComponent(text)}` }];
    }
    yield ['GET', path, { query: `${name}=1&${name}=2&${name}[x]=3&${name}.x=4` }];
    const headers = [
      'accept',
      'range',
      'prefer',
      'last-event-id',
      'traceparent',
      'x-forwarded-proto',
    ];
    for (const header of [...headers, name]) yield ['GET', path, { headers: { [header]: name } }];
    yield ['GET', `${path}/${name}`, {}];
    yield [name, path, {}];
  }
  for (const path of [
    `/${name}`,
    `/workflows/${name}`,
    `/workflows/${name}/status`,
    `/workflows/${id}/files/${name}`,
    `/workflows/${id}/datasources/${name}`,
    `/agents/${name}`,
    `/agents/${agent}/files/${name}`,
    `/subscriptions/${name}`,
  ]) {
    for (const method of ['GET', 'DELETE', 'POST', 'PUT'])
      yield [method, path, { body: '{}', headers: { 'content-type': name } }];
  }
}

attack('names-of-prototypes', async () => {
  const id = await start(server, oneJob('keys', [sh('true')], { 'runs-on': 'nowhere' }));
  const { id: agent } = await registerExisting(server, ['other']);
  const before = (await server.call('GET', '/version')).text;
  const failures = new Set<string>();
  for (const name of NAMES) {
    const all = calls(name, id, agent);
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const [method, path, request] of all) {
          const code = await codeOf(method, path, request);
          if (code >= 500)
            failures.add(`${method} ${path} ${request.query ?? ''}: ${code} of ${name}`);
        }
      }),
    );
  }
  expect([...failures].slice(0, 20)).toEqual([]);
  expect((await server.call('GET', '/version')).text).toBe(before);
  const fresh = await start(server, oneJob('fresh', [sh('true')], { 'runs-on': 'nowhere' }));
  const events = await server.call('GET', `/workflows/${fresh}/status`);
  expect(detailsOf(events).items).not.toEqual([]);
  expect(events.text).not.toContain(POLLUTION.polluted);
});

/** 0 where the client does not send such a request. */
async function codeOf(method: string, path: string, request: ApiRequest): Promise<number> {
  const isStream = method === 'GET' && (path === '/publications' || path.endsWith('/logs'));
  const signal = AbortSignal.timeout(isStream ? 2_000 : 20_000);
  try {
    const isBodiless = method === 'GET' || method === 'HEAD';
    const { body, ...rest } = request;
    return (await server.call(method, path, { ...(isBodiless ? rest : request), signal })).code;
  } catch (error) {
    if (error instanceof TypeError || signal.aborted) return 0;
    throw error;
  }
}
