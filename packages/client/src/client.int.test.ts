import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { OrchestratorError, status } from '@tutti/manifests';
import { afterEach, expect, test } from 'vitest';
import { type Client, createClient } from './client.ts';
import { isUnreachableError } from './unreachable-error.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** A client of a real server that answers as the test says. */
async function clientOf(handler: Handler): Promise<Client> {
  const server = createServer((request, response) => void handler(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const sleep = async () => {};
  return createClient({ baseUrl: `http://127.0.0.1:${port}/prefix/`, token: 'T', sleep });
}

function answer(response: ServerResponse, body: object, link?: string): void {
  response.writeHead('code' in body && typeof body.code === 'number' ? body.code : 200, {
    'content-type': 'application/json',
    ...(link === undefined ? {} : { link }),
  });
  response.end(JSON.stringify(body));
}

test('a workflow is started with its files, variables and inputs in one multipart request', async () => {
  const seen: { url?: string | undefined; token?: string | undefined; body?: string } = {};
  const client = await clientOf(async (request, response) => {
    seen.url = request.url;
    seen.token = request.headers.authorization;
    seen.body = await text(request);
    answer(response, status('Created', '', { workflow_id: 'id-1' }));
  });
  const id = await client.startWorkflow({
    manifestText: 'metadata: {name: x}',
    variables: { A: '1', B: 'two words' },
    inputs: { browser: 'firefox' },
    files: { data: new Blob(['content']) },
    namespace: 'team',
    dryRun: true,
  });
  expect(id).toBe('id-1');
  expect(seen.url).toBe('/prefix/workflows?namespace=team&dryRun=true');
  expect(seen.token).toBe('Bearer T');
  expect(seen.body).toMatch(
    /name="workflow"; filename="workflow.yaml"[\s\S]*\r\n\r\nmetadata: {name: x}\r\n/,
  );
  expect(seen.body).toMatch(/name="variables"\r\n\r\nA=1\r?\nB=two words\r\n/);
  expect(seen.body).toMatch(/name="inputs"\r\n\r\nbrowser=firefox\r\n/);
  expect(seen.body).toMatch(/name="data"; filename="data"[\s\S]*\r\n\r\ncontent\r\n/);
});

test('a run that a busy server refuses is started when that has room, as the server says when', async () => {
  const tries: (string | undefined)[] = [];
  const refusals: (number | null)[] = [];
  const pauses: number[] = [];
  const server = await clientOf(async (request, response) => {
    tries.push(await text(request));
    if (tries.length > 2) return answer(response, status('Created', '', { workflow_id: 'id-1' }));
    if (tries.length === 1) response.setHeader('Retry-After', '3');
    answer(response, status('ServiceUnavailable', 'Later.'));
  });
  const client = createClient({
    baseUrl: server.baseUrl,
    random: () => 0,
    sleep: async (ms) => void pauses.push(ms),
  });
  const onRefused = (refusal: OrchestratorError) => refusals.push(refusal.retryAfterSeconds);
  expect(await client.startWorkflow({ manifestText: 'a' }, { onRefused })).toBe('id-1');
  expect(refusals).toEqual([3, null]);
  expect(pauses).toEqual([3_000, 5_000]);
  expect(tries.map((body) => body?.includes('workflow.yaml'))).toEqual([true, true, true]);
});

test('warnings of a start are handed over, and are refused on request', async () => {
  const urls: (string | undefined)[] = [];
  const client = await clientOf(async (request, response) => {
    urls.push(request.url);
    await text(request);
    response.setHeader('X-Processed-Query', 'strict');
    const warnings = urls.length === 1 ? { warnings: ['one', 'two'] } : {};
    answer(response, status('Created', '', { workflow_id: 'id-1', ...warnings }));
  });
  const actual: (readonly string[])[] = [];
  const onWarnings = (warnings: readonly string[]) => actual.push(warnings);
  await client.startWorkflow({ manifestText: 'a' }, { onWarnings });
  await client.startWorkflow({ manifestText: 'a', strict: true }, { onWarnings });
  expect(actual).toEqual([['one', 'two']]);
  expect(urls).toEqual(['/prefix/workflows', '/prefix/workflows?strict=true']);
});

test('a refusal keeps reason, message and details', async () => {
  const client = await clientOf((_request, response) =>
    answer(response, status('Invalid', 'Not a valid workflow.', { error: 'jobs: missing' })),
  );
  const error = await client.startWorkflow({ manifestText: '' }).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(OrchestratorError);
  expect(error).toMatchObject({
    reason: 'Invalid',
    message: 'Not a valid workflow.',
    details: { error: 'jobs: missing' },
  });
});

test.each([
  [
    'a refused connection',
    async () => createClient({ baseUrl: 'http://127.0.0.1:1' }),
    'connection',
  ],
  [
    'a connection that breaks',
    () => clientOf((_request, response) => void response.destroy()),
    'connection',
  ],
  [
    'the error page of a proxy',
    () =>
      clientOf((_request, response) => void response.writeHead(502).end('<h1>Bad gateway</h1>')),
    'answer',
  ],
  [
    'another server altogether',
    () => clientOf((_request, response) => void response.end('Hello')),
    'answer',
  ],
])('%s is told apart from a refusal', async (_name, open, problem) => {
  const client = await open();
  const error = await client.workers('w').catch((cause: unknown) => cause);
  expect(isUnreachableError(error) && error.problem).toBe(problem);
});

const testCase = (name: string, outcome = 'SUCCESS') => ({
  metadata: { name },
  test: { job: 'test' },
  status: outcome,
  execution: { duration: 5 },
});

test('test cases are awaited while they are prepared, and read over all pages', async () => {
  const asked: (string | undefined)[] = [];
  const client = await clientOf((request, response) => {
    asked.push(request.url);
    if (asked.length === 1) return answer(response, status('Accepted', '', {}));
    const next = '<http://x/workflows/w/datasources/testcases?page=2&per_page=1000>; rel="next"';
    const isLast = request.url?.includes('page=2') === true;
    const items = [isLast ? testCase('b', 'FAILURE') : testCase('a')];
    const ongoing = asked.length < 4 ? 'ONGOING' : 'COMPLETE';
    return answer(
      response,
      status('OK', '', { items, status: ongoing }),
      isLast ? undefined : next,
    );
  });
  const { items, status: state } = await client.testcases('w', { untilComplete: true });
  expect(state).toBe('COMPLETE');
  expect(items.map((item) => `${item.metadata.name} ${item.status}`)).toEqual([
    'a SUCCESS',
    'b FAILURE',
  ]);
  expect(asked[2]).toBe('/prefix/workflows/w/datasources/testcases?page=2&per_page=1000');
});

async function allOf<Item>(given: AsyncIterable<Item>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const item of given) items.push(item);
  return items;
}

test('test cases are given page by page, once they are all there or the time is over', async () => {
  const asked: (string | undefined)[] = [];
  const client = await clientOf((request, response) => {
    asked.push(request.url);
    const isLast = request.url?.includes('page=2') === true;
    if (asked.length === 1) return answer(response, status('Accepted', '', {}));
    const items = [testCase(isLast ? 'b' : 'a')];
    const state = asked.length === 2 ? 'ONGOING' : 'COMPLETE';
    const next = '<http://x/workflows/w/datasources/testcases?page=2>; rel="next"';
    const body = status('OK', '', { items, status: state });
    return answer(response, body, isLast ? undefined : next);
  });
  const query = { scope: 's', fieldSelector: 'f', waitMs: 60_000 };
  const pages = await allOf(client.testCasePages('w', query));
  expect(pages.map(({ status: state, items }) => [state, items.length])).toEqual([
    ['COMPLETE', 1],
    ['COMPLETE', 1],
  ]);
  const path = '/prefix/workflows/w/datasources/testcases';
  const first = `${path}?per_page=1000&scope=s&fieldSelector=f`;
  expect(asked).toEqual([first, first, first, `${path}?page=2`]);
});

test.each([
  ['is told', status('Accepted', '', { status: 'ONGOING' }), 60_000, 'ONGOING'],
  ['is not there in time', status('Accepted', '', {}), 0, null],
] as const)(
  'of test cases whose state %s there is one page',
  async (_what, body, waitMs, state) => {
    const client = await clientOf((_request, response) => answer(response, body));
    const pages = await allOf(client.testCasePages('w', { waitMs }));
    expect(pages).toMatchObject([{ status: state, items: [] }]);
  },
);

test('a server without a quality gate has no verdict', async () => {
  const client = await clientOf((_request, response) =>
    answer(response, status('NotFound', 'No such address.')),
  );
  expect(await client.qualitygate('w')).toBeNull();
});

test('the verdict of the quality gate is awaited', async () => {
  let asked = 0;
  const client = await clientOf((_request, response) => {
    asked += 1;
    const isReady = asked > 2;
    answer(response, isReady ? status('OK', '', { status: 'FAILURE' }) : status('Accepted', ''));
  });
  expect(await client.qualitygate('w', { mode: 'strict' })).toBe('FAILURE');
});

const RULE = {
  result: 'FAILURE',
  scope: 'true',
  success_ratio: '50%',
  tests_failed: 1,
  tests_in_scope: 2,
  tests_passed: 1,
  threshold: '100%',
};

test('a gate is asked again while the run is not over, with the time that is left', async () => {
  const asked: (string | undefined)[] = [];
  const client = await clientOf((request, response) => {
    asked.push(request.url);
    if (asked.length === 1) answer(response, status('OK', '', { status: 'RUNNING' }));
    else if (asked.length === 2) answer(response, status('Accepted', ''));
    else {
      const details = { status: 'FAILURE', rules: { all: RULE }, warnings: ['Twice.'] };
      answer(response, status('OK', '', details));
    }
  });
  const report = await client.gate('w', { mode: 'own one', waitMs: 90_000 });
  expect(asked).toEqual(Array(3).fill('/prefix/workflows/w/qualitygate?mode=own+one&timeout=30'));
  expect(report).toMatchObject({
    status: 'FAILURE',
    rules: [
      { name: 'all', result: 'FAILURE', testsInScope: '2', successRatio: '50%', message: '' },
    ],
    warnings: ['Twice.'],
    document: { reason: 'OK', details: { rules: { all: RULE } } },
  });
});

test('a gate without time to wait is asked once', async () => {
  let asked = 0;
  const client = await clientOf((_request, response) => {
    asked += 1;
    answer(response, status('Accepted', ''));
  });
  expect((await client.gate('w', { mode: 'strict', waitMs: 0 })).status).toBeNull();
  expect(asked).toBe(1);
});

test('a gate that the client brings is sent as a file, and refusals of it are thrown', async () => {
  let body = '';
  const client = await clientOf(async (request, response) => {
    body = await text(request);
    answer(response, status('Invalid', 'Quality gate x not found in definition file.'));
  });
  const definition = new Blob(['qualitygates: []']);
  await expect(client.gate('w', { mode: 'x', definition, waitMs: 8_000 })).rejects.toMatchObject({
    reason: 'Invalid',
  });
  expect(body).toMatch(
    /name="qualitygates"; filename="[^"]+"[\s\S]*\r\n\r\nqualitygates: \[\]\r\n/,
  );
});

test('all events of a run are read over all pages', async () => {
  const client = await clientOf((request, response) => {
    const isLast = request.url?.includes('page=2') === true;
    const items = [{ kind: 'Notification', metadata: { name: isLast ? 'b' : 'a' }, spec: {} }];
    const next = '</workflows/w/status?page=2>; rel="next"';
    answer(response, status('OK', '', { items, status: 'DONE' }), isLast ? undefined : next);
  });
  const report = await client.status('w');
  expect(report.status).toBe('DONE');
  expect(report.events.map((event) => event.metadata.name)).toEqual(['a', 'b']);
});

test('the list of workflows becomes summaries', async () => {
  const metadata = { name: 'one', namespace: 'default', workflow_id: 'w1' };
  const shown = { metadata: { ...metadata, creationTimestamp: 'then' }, status: { phase: 'BUSY' } };
  const client = await clientOf((_request, response) =>
    answer(response, status('OK', '', { items: [shown] })),
  );
  expect(await client.workflows()).toEqual([
    { workflowId: 'w1', name: 'one', namespace: 'default', createdAt: 'then', status: 'BUSY' },
  ]);
});

const LIST_OF_AGENTS = { kind: 'AgentRegistrationList', items: [{ a: 1 }, { b: 2 }] };
const BY_ID = { details: { items: { w2: started('2'), w1: started('1') } } };
function started(creationTimestamp: string) {
  return { metadata: { creationTimestamp } };
}

test.each([
  ['agents', LIST_OF_AGENTS, [{ a: 1 }, { b: 2 }]],
  ['channels', { details: { items: [{ c: 3 }] } }, [{ c: 3 }]],
  ['subscriptions', { items: { s1: { d: 4 } } }, [{ d: 4 }]],
  ['workflows', BY_ID, [started('1'), started('2')]],
] as const)('the list of %s has their manifests', async (name, body, expected) => {
  const client = await clientOf((_request, response) => {
    response.end(JSON.stringify(body));
  });
  expect(await client.list(name)).toEqual(expected);
});

test('a list of what was chosen asks for it', async () => {
  const asked: (string | undefined)[] = [];
  const client = await clientOf(({ url }, response) => {
    asked.push(url);
    response.setHeader('X-Processed-Query', 'fieldSelector,labelSelector');
    response.end('{"items":[]}');
  });
  await client.list('agents', { fieldSelector: 'a==b', labelSelector: 'c' });
  expect(asked).toEqual(['/prefix/agents?fieldSelector=a%3D%3Db&labelSelector=c']);
});

test('a server that does not choose is not taken at its word', async () => {
  const client = await clientOf((_request, response) => {
    response.end('{"items":[]}');
  });
  const list = client.list('agents', { fieldSelector: 'a==b' });
  await expect(list).rejects.toThrow('answered without regard to "fieldSelector"');
});

test('anything of the interface can be asked', async () => {
  const client = await clientOf(async ({ method, url, headers }, response) => {
    response.end(JSON.stringify({ method, url, type: headers['content-type'] }));
  });
  const body = { contentType: 'application/json', text: '{}' };
  expect(
    await client.ask({ method: 'POST', path: '/publications', query: { a: '1' }, body }),
  ).toEqual({
    method: 'POST',
    url: '/prefix/publications?a=1',
    type: 'application/json',
  });
});

test('the log comes piece by piece', async () => {
  const client = await clientOf((_request, response) => {
    response.write('line one\n');
    response.end('ligne é\n');
  });
  let log = '';
  for await (const piece of client.logs('w')) log += piece;
  expect(log).toBe('line one\nligne é\n');
});

test.each([
  ['knows how to leave out the beginning', true],
  ['sends all of it each time', false],
])(
  'a log that is followed has everything once, though connections break: the server %s',
  async (_case, knowsFrom) => {
    const whole = Buffer.from('line one\nligne é\nlast\n');
    const cuts = [12, 16, 16, whole.length];
    const seen: (string | undefined)[] = [];
    const client = await clientOf((request, response) => {
      seen.push(request.url);
      const from = Number(new URL(request.url ?? '', 'http://x').searchParams.get('from') ?? 0);
      const start = knowsFrom ? from : 0;
      if (knowsFrom && from > 0) response.setHeader('X-Processed-Query', 'follow,from');
      const cut = cuts.shift() ?? 0;
      if (cut === whole.length) response.end(whole.subarray(start));
      else response.write(whole.subarray(start, cut), () => response.destroy());
      // No byte would be sent, so the connection ends at once.
      if (start === cut) response.destroy();
    });
    let log = '';
    for await (const piece of client.logs('w', { follow: true })) log += piece;
    expect(log).toBe(whole.toString());
    const follow = '/prefix/workflows/w/logs?follow=true';
    expect(seen).toEqual([follow, `${follow}&from=12`, `${follow}&from=16`, `${follow}&from=16`]);
  },
);

test.each([
  [{ last: 4 }, 'bytes=-4', { start: 6, total: 10 }],
  [{ start: 2, end: 5 }, 'bytes=2-4', { start: 2, total: 10 }],
])('the part %j of a log comes with its place', async (range, asked, place) => {
  const client = await clientOf(({ headers }, response) => {
    expect(headers.range).toBe(asked);
    const end = place.start + 3;
    response.writeHead(206, { 'content-range': `bytes ${place.start}-${end}/${place.total}` });
    response.end('part');
  });
  expect(await client.logPart('w', range)).toEqual({
    ...place,
    bytes: new TextEncoder().encode('part'),
  });
});

test('a part of a log is all of it from a server that knows no parts, and nothing where there is no log yet', async () => {
  const client = await clientOf((request, response) => {
    const isNew = request.url?.includes('/new/') === true;
    if (isNew) answer(response, status('RangeNotSatisfiable', 'The log has 0 bytes so far.'));
    else response.end('everything');
  });
  expect(await client.logPart('old', { last: 3 })).toEqual({
    start: 0,
    total: 10,
    bytes: new TextEncoder().encode('everything'),
  });
  expect(await client.logPart('new', { last: 3 })).toEqual({
    start: 0,
    total: 0,
    bytes: new Uint8Array(),
  });
});

test('a run is canceled with reason and source', async () => {
  const seen: string[] = [];
  const client = await clientOf((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    answer(response, status('OK', 'Workflow w canceled.'));
  });
  await client.cancel('w', { reason: 'not needed', source: 'me' });
  expect(seen).toEqual(['DELETE /prefix/workflows/w?reason=not+needed&source=me']);
});

test('a document is handed on as it is, with the items of all its pages', async () => {
  const client = await clientOf((request, response) => {
    const url = String(request.url);
    if (url.includes('/agents')) return answer(response, { kind: 'AgentsList', items: [{ a: 1 }] });
    const isLast = url.includes('page=2');
    const next = '<http://x/workflows/w/status?page=2&per_page=1000>; rel="next"';
    const details = { items: [{ kind: isLast ? 'Unknown' : 'Workflow' }], status: 'DONE' };
    answer(response, status('OK', 'told', details), isLast ? undefined : next);
  });
  expect(await client.document('agents')).toEqual({ kind: 'AgentsList', items: [{ a: 1 }] });
  expect(await client.document({ workflowId: 'w' })).toEqual(
    status('OK', 'told', { items: [{ kind: 'Workflow' }, { kind: 'Unknown' }], status: 'DONE' }),
  );
});

test('the content of an attachment is given as it comes, with its size', async () => {
  const asked: (string | undefined)[] = [];
  const client = await clientOf((request, response) => {
    asked.push(request.url);
    response.writeHead(200, { 'content-length': 6 });
    response.write('abc');
    response.end('def');
  });
  const { size, chunks } = await client.attachment('w', 'a/b');
  expect(size).toBe(6);
  expect(Buffer.concat(await allOf(chunks)).toString()).toBe('abcdef');
  expect(asked).toEqual(['/prefix/workflows/w/files/a%2Fb']);
});

test('an attachment that is cut off is no whole one', async () => {
  const client = await clientOf((_request, response) => {
    response.writeHead(200, { 'content-length': 6 });
    response.write('abc', () => response.destroy());
  });
  const { chunks } = await client.attachment('w', 'a');
  const error = await allOf(chunks).catch((cause: unknown) => cause);
  expect(isUnreachableError(error)).toBe(true);
});

test('an attachment that is not there is refused', async () => {
  const client = await clientOf((_request, response) =>
    answer(response, status('NotFound', 'Attachment a not found.')),
  );
  await expect(client.attachment('w', 'a')).rejects.toMatchObject({ reason: 'NotFound' });
});

test('insights are asked for with a definition and a pattern', async () => {
  const seen: (string | undefined)[] = [];
  const client = await clientOf(async (request, response) => {
    seen.push(request.url, await text(request));
    const expected = [['log', 'ExecutionLog']];
    const warnings = ['Insight definition: a (line 1).'];
    answer(response, status('OK', '', { request_id: 'r', expected, warnings }));
  });
  const promised = await client.requestInsights('w', {
    definition: new Blob(['insights: []']),
    pattern: 'l*g',
  });
  expect(promised).toEqual({
    requestId: 'r',
    expected: [{ name: 'log', kind: 'ExecutionLog' }],
    warnings: ['Insight definition: a (line 1).'],
  });
  expect(seen[0]).toBe('/prefix/workflows/w/insights?insight=l*g');
  expect(seen[1]).toMatch(/name="insights"; filename="insights.yaml"[\s\S]*insights: \[\]/);
});

test('chosen events are read over all pages, and followed', async () => {
  const asked: (string | undefined)[] = [];
  const client = await clientOf((request, response) => {
    asked.push(request.url);
    const isLast = request.url?.includes('page=2') === true;
    const items = [{ kind: 'Custom', metadata: { name: isLast ? 'b' : 'a' } }];
    const next = '<http://x/workflows/w/status?fieldSelector=k&page=2>; rel="next"';
    answer(response, status('OK', '', { items, status: 'DONE' }), isLast ? undefined : next);
  });
  const pages = await allOf(client.eventPages('w', { fieldSelector: 'k' }));
  expect(pages.map(({ events }) => events.map(({ metadata }) => metadata.name))).toEqual([
    ['a'],
    ['b'],
  ]);
  const items = await allOf(client.watch('w', { fieldSelector: 'k' }));
  expect(items.at(-1)).toEqual({ type: 'end', status: 'DONE' });
  expect(asked.every((url) => url?.includes('fieldSelector=k'))).toBe(true);
});
