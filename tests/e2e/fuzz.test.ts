/**
 * Requests that nobody thought of: drawn at random, with what is known to hurt mixed in. The server answers any request in time, with its
 * own refusals and never with an internal error. Afterwards it has its old size.
 */
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ApiRequest } from '../support/api.ts';
import { expectStatus } from '../support/expect-status.ts';
import { peakMemory, processorMs } from '../support/process-facts.ts';
import { exchangeRaw } from '../support/raw-exchange.ts';
import { oneJob, sh, start } from '../support/runs.ts';
import { SlowestInput } from '../support/slowest-input.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const MIB = 1024 * 1024;
/** Far more than any of these requests needs; what takes longer hangs. */
const ANSWER_WITHIN_MS = 15_000;
/** An idle server has less than 100 MiB; what this test sends at once is some MiB. */
const MEMORY_MAX = 512 * MIB;

/** The same requests each time, so that a failure can be looked at. FUZZ_SEED and FUZZ_RUNS search elsewhere and longer. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_260_131);
const runs = (count: number): fc.Parameters<unknown> => ({
  seed: SEED,
  numRuns: count * Number(process.env.FUZZ_RUNS ?? 1),
});

const slowest = new SlowestInput(SEED);
let bench: Workbench;
let server: ServerChild;
let workflowId: string;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server({ config: { limits: { bodyBytes: MIB } } });
  // Without agents it stays PENDING.
  workflowId = await start(server, oneJob('target', [sh('true')]));
});

afterAll(async () => {
  slowest.report();
  await bench.close();
});

afterEach(() => {
  expect(server.child.isRunning).toBe(true);
  expect(server.child.stderr).not.toMatch(/"level":"(?:error|fatal)"/);
});

async function expectAnswer(method: string, path: string, request: ApiRequest): Promise<void> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const { body = '', query = '' } = request;
  const shown = typeof body === 'string' ? body : JSON.stringify(body);
  const input = `${method} ${path}?${query} ${shown}`;
  const answer = await slowest.measureOther(
    input,
    () => processorMs(server.child.pid),
    () => server.call(method, path, { ...request, signal }),
  );
  expect(answer.code, answer.text).toBeLessThan(500);
  if (answer.code >= 400 && method !== 'HEAD') expectStatus(answer);
}

/** Texts with what parsers, paths, headers and prototypes stumble over. */
const nasty = fc.constantFrom(
  ...[
    '',
    ' ',
    '\0',
    '\r\n',
    '"',
    "'",
    '\\',
    '%',
    '%00',
    '../',
    '..%2f',
    '/',
    '?',
    '#',
    '&',
    '=',
    ',',
  ],
  ...[
    '==',
    '!=',
    '!',
    '(',
    ')',
    '[',
    ']',
    ' in ',
    ' notin ',
    '{{',
    '}}',
    '${{',
    '<',
    '>',
    ';',
    ':',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'null',
    'NaN',
    '-1',
    '1e999',
    '0x10',
    '99999999999999999999',
  ],
  ...[
    '\ud800',
    '\u202e',
    '日本',
    '😀',
    'a'.repeat(5_000),
    '('.repeat(300),
    UNKNOWN,
    '*',
    '&a',
    '!!js/x',
  ],
);
const text = fc
  .array(fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 6 })
  .map((parts) => parts.join(''));
const encoded = text.map((value) => encodeURIComponent(value.toWellFormed()));

const PATHS = [
  ...['/agents', '/agents/{}', '/agents/{}/files/{}', '/publications', '/subscriptions'],
  ...[
    '/subscriptions/{}',
    '/workflows',
    '/workflows/status',
    '/workflows/{}',
    '/workflows/{}/status',
  ],
  ...['/workflows/{}/workers', '/workflows/{}/logs', '/workflows/{}/datasources/{}'],
  ...[
    '/workflows/{}/files/{}',
    '/workflows/{}/qualitygate',
    '/workflows/{}/insights',
    '/namespaces',
  ],
  ...[
    '/channels',
    '/channelhandlers',
    '/version',
    '/health',
    '/docs',
    '/docs/{}',
    '/openapi.html',
    '/openapi.json',
    '/{}',
    '/{}/{}',
  ],
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'PROPFIND'];
const PARAMETERS = [
  ...[
    'fieldSelector',
    'labelSelector',
    'page',
    'per_page',
    'scope',
    'dryRun',
    'namespace',
    'expand',
  ],
  ...[
    'force',
    'source',
    'reason',
    'resource',
    'verb',
    'mode',
    'timeout',
    'insight',
    'last',
    'running',
  ],
];

const path = fc
  .tuple(
    fc.constantFrom(...PATHS),
    fc.array(fc.oneof(encoded, fc.constant(UNKNOWN)), { minLength: 2 }),
  )
  .map(([pattern, values]) => {
    const rest = [...values];
    return pattern.replace(/\{\}/g, () => rest.pop() ?? 'x');
  });
const query = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...PARAMETERS), encoded), encoded), { maxLength: 4 })
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));
const TYPES = [
  ...['application/json', 'application/x-yaml', 'text/plain', 'multipart/form-data', 'a/b; c="'],
  ...['multipart/form-data; boundary=x', 'application/json; charset=utf-16', ''],
];
const headers = fc.record(
  {
    'content-type': fc.constantFrom(...TYPES),
    accept: fc.constantFrom('*/*', 'text/html', 'application/xml;q=nope', ';;;'),
    range: fc.constantFrom('bytes=0-', 'bytes=-1', 'bytes=9-1', 'bytes=a-b', 'x', 'bytes=0-0,2-2'),
    prefer: fc.constantFrom('wait=0', 'wait=-1', 'wait=x', 'respond-async, wait="0"'),
    'x-forwarded-host': fc.constantFrom('a b', '[', 'evil.example', '::::'),
    'x-forwarded-proto': fc.constantFrom('javascript', 'https', ''),
  },
  { requiredKeys: [] },
);
const json = fc.jsonValue({ depthSize: 'medium' }).map((value) => JSON.stringify(value));

describe('any request has an answer', () => {
  test('whatever its method, path, parameters, headers and body are', async () => {
    const request = fc.record({
      method: fc.constantFrom(...METHODS),
      path,
      query,
      headers,
      body: fc.oneof(text, json),
    });
    await fc.assert(
      fc.asyncProperty(request, ({ method, path: place, body, ...rest }) =>
        expectAnswer(method, place, {
          ...rest,
          ...(method === 'GET' || method === 'HEAD' ? {} : { body: body.toWellFormed() }),
        }),
      ),
      runs(400),
    );
  });

  test('whatever is selected', async () => {
    const places = ['/agents', '/channels', '/subscriptions', '/workflows'];
    const name = fc.constantFrom('fieldSelector', 'labelSelector');
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...places),
        name,
        encoded,
        async (place, selector, value) => {
          await expectAnswer('GET', place, { query: `${selector}=${value}` });
          const query = `${selector}=${value}&page=1`;
          await expectAnswer('GET', `/workflows/${workflowId}/status`, { query });
        },
      ),
      runs(100),
    );
  });

  test('whatever the scope and the page of a data source are', async () => {
    const operand = fc.constantFrom('test.outcome', "'x'", '1', 'test', 'null', 'test[0]', 'a.b.c');
    const operator = fc.constantFrom('==', '!=', '&&', '||', '~=', '<', '!', '(', ')', '[', ' ');
    const scope = fc
      .array(fc.oneof(operand, operator, nasty), { maxLength: 12 })
      .map((parts) => encodeURIComponent(parts.join('').toWellFormed()));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('jobs', 'tags', 'testcases'),
        scope,
        encoded,
        (kind, of, page) =>
          expectAnswer('GET', `/workflows/${workflowId}/datasources/${kind}`, {
            query: `scope=${of}&page=${page}`,
          }),
      ),
      runs(100),
    );
  });
});

describe('any document has an answer', () => {
  /** A valid document with some of its values, at any depth, put out of shape. */
  const broken = (document: object): fc.Arbitrary<unknown> =>
    fc
      .array(fc.tuple(fc.nat(30), fc.oneof(fc.jsonValue({ maxDepth: 2 }), text)), { maxLength: 3 })
      .map((changes) =>
        changes.reduce<unknown>((value, [at, put]) => replacedAt(value, { at, put }), document),
      );
  const group = 'opentestfactory.org';
  const manifest = {
    ...oneJob('x', [{ run: 'true', id: 'a', if: "always() && '1' == '1'" }], { needs: [] }),
    variables: { A: 'b' },
    resources: { files: ['a'] },
    inputs: { a: { description: 'a', default: 'b' } },
  };
  const agent = {
    apiVersion: `${group}/v1alpha1`,
    kind: 'AgentRegistration',
    metadata: { name: 'a', namespaces: 'default' },
    spec: { tags: ['linux'], liveness_probe: 5 },
  };
  const subscription = {
    apiVersion: `${group}/v1alpha1`,
    kind: 'Subscription',
    metadata: { name: 'a', labels: { a: 'b' } },
    spec: {
      selector: { matchKind: 'X', matchFields: { kind: 'X' }, matchLabels: { 'a/b': 'c' } },
      subscriber: { endpoint: 'http://127.0.0.1:9/' },
    },
  };

  test.each<[string, string, object, number]>([
    ['/workflows', 'dryRun', manifest, 150],
    ['/agents', '', agent, 80],
    ['/subscriptions', '', subscription, 80],
  ])('a manifest that is out of shape, at %s', async (place, parameters, document, count) => {
    await fc.assert(
      fc.asyncProperty(broken(document), (body) =>
        expectAnswer('POST', place, { query: parameters, body: JSON.stringify(body) ?? '' }),
      ),
      runs(count),
    );
  });

  test('an event that is out of shape, about a run that there is', async () => {
    const kinds = [
      'ExecutionResult',
      'ProviderResult',
      'Notification',
      'WorkflowResult',
      'Workflow',
    ];
    const events = fc.constantFrom(...kinds, 'ExecutionError', 'ExecutionCommand').chain((kind) =>
      broken({
        apiVersion: `${group}/v1`,
        kind,
        metadata: {
          name: 'x',
          workflow_id: workflowId,
          job_id: UNKNOWN,
          step_id: UNKNOWN,
          step_sequence_id: 0,
        },
        status: 0,
        steps: [{ run: 'true' }],
        details: { error: 'x' },
        spec: {
          logs: ['x'],
          testResults: [{ id: 'a', name: 'b', status: 'SUCCESS', duration: 1 }],
        },
      }),
    );
    await fc.assert(
      fc.asyncProperty(events, (body) =>
        expectAnswer('POST', '/publications', { body: JSON.stringify(body) ?? '' }),
      ),
      runs(150),
    );
  });

  test('YAML of anchors, tags, merges and depths', async () => {
    const piece = fc.constantFrom(
      ...[
        'a: ',
        '- ',
        '&x ',
        '*x',
        '<<: *x',
        '!!binary ',
        '!!map ',
        '!!set ',
        '!!timestamp ',
        '!<tag:x> ',
      ],
      ...[
        '? ',
        '| ',
        '> ',
        '\n',
        '\n  ',
        '\n    ',
        '\t',
        '{',
        '}',
        '[',
        ']',
        ',',
        '---\n',
        '...\n',
        '%YAML 9\n',
      ],
      ...[
        '# x\n',
        '"',
        "'",
        '.nan',
        '.inf',
        '0o7',
        '~',
        'jobs:',
        'metadata:',
        'name: x',
        '\u0085',
        '\ufeff',
      ],
    );
    const yaml = fc.array(fc.oneof({ weight: 5, arbitrary: piece }, text), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(yaml, (parts) =>
        expectAnswer('POST', '/workflows', {
          query: 'dryRun',
          headers: { 'content-type': 'application/x-yaml' },
          body: parts.join('').toWellFormed(),
        }),
      ),
      runs(150),
    );
  });
});

/** Puts a value in the place of the one that is met as number `at`, counted through the whole document. */
function replacedAt(document: unknown, { at, put }: { at: number; put: unknown }): unknown {
  let met = -1;
  const walk = (value: unknown): unknown => {
    met += 1;
    if (met === at) return put;
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, walk(inside)]));
  };
  return walk(document);
}

describe('any form has an answer', () => {
  const workflow = JSON.stringify({ ...oneJob('x', [sh('true')]), resources: { files: ['a'] } });
  const name = fc.oneof(
    fc.constantFrom(
      'workflow',
      'variables',
      'inputs',
      'a',
      '../../a',
      '/etc/passwd',
      'C:\\a',
      'x'.repeat(20_000),
    ),
    text,
  );
  const part = fc.record({
    name,
    filename: fc.option(name),
    type: fc.constantFrom(
      '',
      'Content-Type: application/json\r\n',
      'Content-Type: multipart/mixed; boundary=y\r\n',
    ),
    content: fc.oneof(fc.constant(workflow), fc.constant('A=b'), fc.constant('--x--\r\n'), text),
    end: fc.constantFrom('\r\n', '\r\n', '\r\n', '\n', ''),
  });
  const form = fc
    .record({
      parts: fc.array(part, { maxLength: 5 }),
      // Most forms end as they should; some break off, and some never begin.
      end: fc.constantFrom(
        '--x--\r\n',
        '--x--\r\n',
        '--x--',
        '--x',
        '',
        '--x\r\nContent-Disposition: form-data',
      ),
    })
    .map(({ parts, end }) => `${parts.map(written).join('')}${end}`);

  test('of parts that are nested, cut off, and named like paths', async () => {
    const type = fc.constantFrom(
      'multipart/form-data; boundary=x',
      'multipart/form-data; boundary="x"',
    );
    await fc.assert(
      fc.asyncProperty(form, type, (body, contentType) =>
        expectAnswer('POST', '/workflows', {
          query: 'dryRun',
          headers: { 'content-type': contentType },
          body: body.toWellFormed(),
        }),
      ),
      runs(200),
    );
  });
});

interface Part {
  readonly name: string;
  readonly filename: string | null;
  readonly type: string;
  readonly content: string;
  readonly end: string;
}

function written({ name, filename, type, content, end }: Part): string {
  const file = filename === null ? '' : `; filename="${filename}"`;
  return `--x\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${type}\r\n${content}${end}`;
}

describe('any bytes have an end', () => {
  const line = fc.constantFrom(
    ...[
      'GET /workflows HTTP/1.1',
      'GET /workflows HTTP/9.9',
      'GET',
      'QUERY /docs HTTP/1.1',
      'GET * HTTP/1.1',
    ],
    ...[
      'POST /publications HTTP/1.1',
      'POST /workflows HTTP/1.1',
      'PRI * HTTP/2.0',
      'CONNECT a:1 HTTP/1.1',
    ],
    ...['TRACE / HTTP/1.1', 'GET http://[/ HTTP/1.1', 'GET //evil/%2e%2e HTTP/1.1', '\x16\x03\x01'],
  );
  const header = fc.constantFrom(
    ...[
      'Host: a',
      'Host: a b',
      'Host:',
      'Content-Length: 5',
      'Content-Length: -1',
      'Content-Length: 5, 6',
    ],
    ...[
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: gzip',
      'Expect: 100-continue',
      'Expect: x',
    ],
    ...[
      'Upgrade: websocket\r\nConnection: Upgrade',
      'no header',
      ' folded: x',
      'A: \x00',
      `A: ${'x'.repeat(20_000)}`,
    ],
    ...[
      'Authorization: Bearer x',
      'Authorization:',
      'Content-Type: application/json',
      'Cookie: a=b',
    ],
  );
  const body = fc.constantFrom(
    '',
    'hello',
    '5\r\nhello\r\n0\r\n\r\n',
    'zz\r\n',
    'ffffffff\r\n',
    '{"a":1}',
  );

  test('of requests that are none, or stop half way', async () => {
    await fc.assert(
      fc.asyncProperty(
        line,
        fc.array(header, { maxLength: 5 }),
        body,
        async (first, lines, rest) => {
          const bytes = [first, ...lines, 'Connection: close', '', rest].join('\r\n');
          const answer = await exchangeRaw(server.url, Buffer.from(bytes, 'latin1'), {
            withinMs: ANSWER_WITHIN_MS,
            isEnded: true,
          });
          expect(answer.code, answer.head).toBeLessThan(500);
          if (answer.code >= 400)
            expect(answer.body).toMatch(/^\{"apiVersion":"v1","kind":"Status"|^$/);
        },
      ),
      runs(150),
    );
  });
});

test('405: a path that is spelled out does not allow what paths with an id allow', async () => {
  const answer = await server.call('PUT', '/workflows/status');
  expect([answer.code, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('requests that are refused leave nothing in memory', async () => {
  const large = 'x'.repeat(MIB / 2);
  const requests: readonly (readonly [string, ApiRequest])[] = [
    ['/publications', { body: { large } }],
    ['/agents', { body: { large } }],
    ['/subscriptions', { body: { large } }],
    ['/workflows', { body: { large } }],
    ['/workflows', { body: `a: "${large}"`, headers: { 'content-type': 'application/x-yaml' } }],
    ['/workflows', { body: new FormData() }],
    [`/${large.slice(0, 8_000)}`, { body: large }],
  ];
  for (let round = 0; round < 30; round++) {
    await Promise.all(requests.map(([place, request]) => expectAnswer('POST', place, request)));
  }
  expect(peakMemory(server.child.pid)).toBeLessThan(MEMORY_MAX);
});
