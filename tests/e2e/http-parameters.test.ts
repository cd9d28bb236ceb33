/** Query parameters of all endpoints that the description of the interface declares any for. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Hands, ROWS } from '../security/access-rows.ts';
import { readRepositoryFile } from '../structure/source-files.ts';
import { type Answer, itemsOf } from '../support/api.ts';
import { ended, oneJob, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

let bench: Workbench;
let server: ServerChild;
let hands: Hands;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  hands = { admin: server, ours: server };
});

afterAll(() => bench.close());

interface Parameter {
  readonly name: string;
  readonly in: string;
}

type Description = Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>;

/** `GET /path` and the names of its query parameters. */
function parametersOf(paths: Readonly<Record<string, Description>>) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [] }]) => {
      const names = parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name);
      return names.length === 0 ? [] : [[`${method.toUpperCase()} ${path}`, names] as const];
    }),
  );
}

const DECLARED = parametersOf(JSON.parse(readRepositoryFile('openapi.json')).paths);

/** A valid value for each parameter, for every endpoint. */
const VALUES: Readonly<Record<string, string>> = {
  after: '',
  all: '',
  branch: 'main',
  at: '1',
  count: '1',
  depth: '1',
  parent: 'main',
  dryRun: '',
  expand: 'manifest',
  failed: 'false',
  fieldSelector: 'a',
  // Else the answer stays open.
  follow: 'false',
  force: '',
  from: '0',
  ignoreCase: '',
  insight: '*',
  job: '0',
  limit: '1',
  q: 'a',
  regex: '',
  step: '0',
  jobs: 'main',
  labelSelector: 'a',
  last: 'none',
  mode: 'strict',
  name: 'main',
  namespace: 'ours',
  page: '1',
  per_page: '10',
  ready: '',
  reason: 'tests',
  resource: 'agents',
  running: 'none',
  scope: 'true',
  search: 'main',
  since: '2026-01-31T12:00:00Z',
  source: 'tests',
  status: 'DONE',
  strict: '',
  takenOver: '',
  quarantine: 'count',
  kind: 'state',
  timeout: '1',
  topics: 'runs',
  until: '2026-01-31T12:00:00Z',
  verb: 'list',
  version: '1.2',
  with: '',
  // In every list that has it.
  sort: 'name',
  variant: '00000000-0000-4000-8000-000000000000',
  outcome: 'success',
  project: 'ours',
  strip: '',
  test: '00000000-0000-4000-8000-000000000000',
  testcase: '00000000-0000-4000-8000-000000000000',
  state: 'new',
};

const processed = ({ headers }: Answer): readonly string[] =>
  (headers.get('x-processed-query') ?? '').split(',').toSorted();

describe('wire facts 7.2: X-Processed-Query', () => {
  test('has rows for all that is declared', () => {
    expect(DECLARED.length).toBeGreaterThan(10);
    const names = new Set(DECLARED.flatMap(([, declared]) => declared));
    expect([...names].toSorted()).toEqual([...Object.keys(VALUES), 'ping'].toSorted());
  });

  test.each(DECLARED)('of %s names what was given and understood', async (endpoint, declared) => {
    const target = await ROWS[endpoint]?.prepare(hands);
    // With `ping`, all others are passed over.
    const names = declared.filter((name) => name !== 'ping').toSorted();
    const query = new URLSearchParams({ colour: 'blue' });
    for (const name of names) query.set(name, VALUES[name] ?? '');
    for (const [name, value] of new URLSearchParams(target?.query)) query.set(name, value);
    const [method = ''] = endpoint.split(' ');
    const request = { ...target, query: query.toString() };
    const answer = await server.call(method, target?.path ?? '', request);
    expect(answer.code, answer.text).toBe(ROWS[endpoint]?.allowed);
    expect(processed(answer)).toEqual(names);
  });

  test('names nothing that did not count', async () => {
    const pinged = await server.call('POST', '/workflows', { query: 'namespace=a&ping&dryRun' });
    expect(processed(pinged)).toEqual(['ping']);
    const id = await start(server, oneJob('over', [sh('true')], { 'runs-on': 'nowhere' }));
    await server.call('DELETE', `/workflows/${id}`);
    await ended(server, id);
    const stream = await server.call('GET', `/workflows/${id}/status`, {
      query: 'page=1&fieldSelector=kind',
      headers: { accept: 'text/event-stream' },
    });
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(processed(stream)).toEqual(['fieldSelector']);
    const refused = await server.call('GET', '/workflows', { query: 'fieldSelector=((' });
    expect([refused.code, refused.headers.get('x-processed-query')]).toEqual([422, null]);
  });
});

describe('4.1: numbers of any length', () => {
  // HTTP 8: Pages have 100 items, 1000 at most, and begin with 1; their numbers may have any length.
  test.each(['9007199254740993', '9'.repeat(400)])('%s is a page', async (page) => {
    const id = await start(server, oneJob('long', [sh('true')], { 'runs-on': 'nowhere' }));
    for (const per_page of ['1', '1000', page]) {
      for (const selector of ['', 'kind']) {
        const query = `page=${page}&per_page=${per_page}&fieldSelector=${selector}`;
        const answer = await server.call('GET', `/workflows/${id}/status`, { query });
        expect([answer.code, itemsOf(answer)]).toEqual([200, []]);
        expect(answer.headers.get('link')).toMatch(/rel="prev"/);
      }
    }
    const query = `page=${page}&per_page=${page}`;
    const jobs = await server.call('GET', `/workflows/${id}/datasources/jobs`, { query });
    expect(jobs.code).toBe(202);
    const gate = await server.call('GET', `/workflows/${id}/qualitygate`, {
      query: `timeout=${page}`,
    });
    expect(gate.code).toBe(200);
  });
});
