/** Requests that mean harm: they are refused in words or do what they say, and the server goes on. */
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type ApiRequest, bodyOf, eventsOf, itemsOf } from '../support/api.ts';
import { expectStatus } from '../support/expect-status.ts';
import { ended, logOf, logTexts, oneJob, sh, start, startedId } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const JSON_TYPE = { 'content-type': 'application/json' };
const YAML_TYPE = { 'content-type': 'application/x-yaml' };
const BODY_BYTES = 1024 * 1024;

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server({ config: { limits: { bodyBytes: BODY_BYTES } } });
  await bench.agent(server, { tags: ['linux'], name: 'shell' });
});

afterAll(() => bench.close());

afterEach(async () => {
  expect(server.child.isRunning).toBe(true);
  expect((await server.call('GET', '/health')).code).toBe(200);
});

const post = (request: ApiRequest) => server.call('POST', '/workflows', request);
const waiting = (name: string) => oneJob(name, [sh('true')], { 'runs-on': 'nowhere' });

describe('documents', () => {
  const laughs = ['a: &a [x, x, x, x, x, x, x, x, x]'];
  for (const name of 'bcdefghi') {
    const before = String.fromCharCode(name.charCodeAt(0) - 1);
    laughs.push(`${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]`);
  }
  const merges = Array.from({ length: 300 }, (_, index) => `b${index}: {<<: *a}`);
  const jobs = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`j${index}`, { steps: [{ run: 'x' }] }]),
    );

  test.each<[string, ApiRequest, number, RegExp]>([
    ['lists in lists', { body: '['.repeat(100_000), headers: JSON_TYPE }, 400, /levels deep/],
    ['objects in objects', { body: '{"a":'.repeat(500), headers: JSON_TYPE }, 400, /levels deep/],
    ['YAML lists in lists', { body: '['.repeat(20_000), headers: YAML_TYPE }, 422, /levels deep/],
    ['YAML blocks in blocks', { body: '- '.repeat(5_000), headers: YAML_TYPE }, 422, /levels deep/],
    ['too many jobs', { body: { metadata: { name: 'x' }, jobs: jobs(5_000) } }, 422, /1024/],
    ['a billion laughs', { body: laughs.join('\n'), headers: YAML_TYPE }, 422, /alias/i],
    ['an alias of itself', { body: 'a: &a [*a]', headers: YAML_TYPE }, 422, /levels deep/],
    [
      'one map merged into hundreds',
      { body: ['a: &a {x: 1}', ...merges].join('\n'), headers: YAML_TYPE },
      422,
      /alias/i,
    ],
    ['an alias of nothing', { body: 'a: *x', headers: YAML_TYPE }, 422, /alias/i],
    ['a tag', { body: 'a: !!js/function x', headers: YAML_TYPE }, 422, /tag/i],
    [
      'a YAML document that is too long',
      { body: `a: ${'x'.repeat(600_000)}`, headers: YAML_TYPE },
      413,
      /characters/,
    ],
    [
      'bytes that are no text',
      { body: new Uint8Array([255, 254]), headers: YAML_TYPE },
      422,
      /UTF-8/,
    ],
    ['bytes in JSON', { body: new Uint8Array([34, 255, 34]), headers: JSON_TYPE }, 400, /UTF-8/],
    [
      'a content encoding',
      { body: new Uint8Array([31, 139, 8]), headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } },
      415,
      /^Content encoding gzip is not supported here/,
    ],
  ])('%s', async (_name, request, code, message) => {
    const answer = await post(request);
    expectStatus(answer);
    expect(answer.code).toBe(code);
    expect(bodyOf(answer).message).toMatch(message);
  });

  test.each(['/workflows', '/publications', '/subscriptions', '/agents'])(
    'a body of %s that is too large is told as such',
    async (path) => {
      const body = `"${'x'.repeat(BODY_BYTES)}"`;
      const answer = await server.call('POST', path, { body, headers: JSON_TYPE });
      expectStatus(answer);
      expect(answer.code).toBe(413);
    },
  );

  test('a form with too many parts, or with a part that reaches a prototype, is refused', async () => {
    const many = new FormData();
    for (let part = 0; part < 300; part++) many.append(`p${part}`, 'x');
    expect((await post({ body: many })).code).toBe(413);
    for (const name of ['__proto__', 'constructor']) {
      const body = new FormData();
      body.set('workflow', JSON.stringify(waiting('x')));
      body.set(name, 'x');
      const answer = await post({ body });
      expect([201, 400], name).toContain(answer.code);
    }
  });
});

describe('names that every object has', () => {
  test.each(['/workflows', '/publications', '/subscriptions', '/agents'])(
    '__proto__ is no key of a body of %s',
    async (path) => {
      for (const body of ['{"__proto__": {"a": 1}}', '{"a": {"\\u005f_proto__": 1}}']) {
        const answer = await server.call('POST', path, { body, headers: JSON_TYPE });
        expect(bodyOf(answer), body).toMatchObject({ code: 400, details: null });
      }
    },
  );

  test('__proto__ is no key of a YAML document', async () => {
    const answer = await post({ body: 'jobs:\n  __proto__: {}', headers: YAML_TYPE });
    expect(bodyOf(answer)).toMatchObject({
      code: 422,
      message: expect.stringContaining('__proto__'),
    });
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'are names like any other: %s',
    async (name) => {
      const missing = await post({ body: oneJob('x', [sh('true')], { needs: name }) });
      expect(bodyOf(missing)).toMatchObject({
        code: 422,
        message: `Job "main" has a dependency on job "${name}" which does not exist.`,
      });
      const id = await start(server, {
        metadata: { name, labels: { [name]: name } },
        variables: { [name]: 'variable' },
        inputs: { [name]: { description: name, default: 'input' } },
        jobs: {
          [name]: {
            'runs-on': 'linux',
            outputs: { [name]: `\${{ steps.${name}.outputs.${name} }}` },
            steps: [sh(`echo "::set-output name=${name}::output"`, { id: name })],
          },
          after: {
            'runs-on': 'linux',
            needs: name,
            steps: [
              sh(`echo "$${name}" \${{ inputs.${name} }} \${{ needs.${name}.outputs.${name} }}`),
            ],
          },
        },
      });
      expect(await ended(server, id)).toBe('DONE');
      expect(await logTexts(server, id)).toContain('variable input output');
      const query = `labelSelector=${name}==${name}`;
      expect(itemsOf(await server.call('GET', '/workflows', { query }))).toEqual([id]);
    },
  );

  test('are no values of what was not given', async () => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      const id = await start(server, oneJob('absent', [sh(`echo "<\${{ variables.${name} }}>"`)]));
      expect(await ended(server, id)).toBe('DONE');
      expect(await logTexts(server, id), name).toContain('<>');
    }
  });
});

describe('names that would be paths', () => {
  const OUTSIDE = [
    '../escaped',
    '../../escaped',
    '/tmp/../escaped',
    '..\\escaped',
    'a/../../escaped',
  ];

  test('of resource files lead nowhere', async () => {
    const body = new FormData();
    body.set('workflow', JSON.stringify({ ...waiting('files'), resources: { files: OUTSIDE } }));
    for (const name of OUTSIDE) body.set(name, new Blob(['content']), name);
    expect((await post({ body })).code).toBe(201);
    for (const folder of [server.dataDir, join(server.dataDir, 'blobs'), dirname(server.dataDir)]) {
      expect((await readdir(folder)).filter((name) => name.includes('escaped'))).toEqual([]);
    }
  });

  test.each([
    '/workflows/..%2f..%2fkeys/status',
    `/workflows/${UNKNOWN}/files/..%2f..%2f..%2fadmin.token`,
    `/workflows/${UNKNOWN}%2f..%2f..%2fkeys/logs`,
    `/agents/..%2f${UNKNOWN}`,
    `/agents/${UNKNOWN}/files/..%2f..%2fadmin.token`,
    '/subscriptions/..%2f..%2fadmin.token',
  ])('of requests are no paths: %s', async (path) => {
    const answer = await server.call(path.startsWith('/sub') ? 'DELETE' : 'GET', path);
    expectStatus(answer);
    expect([404, 422]).toContain(answer.code);
  });
});

describe('texts', () => {
  test('a name with line breaks forges neither headers nor lines of the log', async () => {
    const name =
      'a\r\nSet-Cookie: x=1\r\n\r\n[2020-01-01T00:00:00] [job x] forged\u2028b\0\u001b[31m';
    const answer = await post({ body: { ...waiting('x'), metadata: { name } } });
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(bodyOf(answer).message).toBe(
      `Workflow ${name} accepted (workflow_id=${startedId(answer)}).`,
    );
    const [first, second] = (await logOf(server, startedId(answer))).split('\n');
    expect(first).toBe('Workflow a Set-Cookie: x=1 [2020-01-01T00:00:00] [job x] forged b [31m');
    expect(second).toBe('(running in namespace "default")');
  });

  test('a reason with line breaks forges no lines of the log', async () => {
    const id = await start(server, waiting('canceled'));
    const query = `reason=${encodeURIComponent('x\r\n[2020-01-01T00:00:00] forged\ry')}`;
    await server.call('DELETE', `/workflows/${id}`, { query });
    expect(await ended(server, id)).toBe('FAILED');
    const lines = (await logOf(server, id)).split(/\r\n|\r|\n/).slice(2, -1);
    for (const line of lines) expect(line).toMatch(/^\[2\d{3}-[^\]]+\] \[job [0-9a-f-]{36}\] /);
    expect(lines.filter((line) => line.startsWith('[2020'))).toEqual([]);
  });

  test.each([
    ['a name of half a character', 'a\ud800b'],
    ['a name of many characters', 'x'.repeat(100_000)],
    ['a name in another script', '日本語 \u202egnp.exe'],
  ])('%s is kept', async (_name, name) => {
    const id = await start(server, { ...waiting('x'), metadata: { name } });
    const [event] = eventsOf(await server.call('GET', `/workflows/${id}/status`));
    expect(event?.metadata.name).toBe(name);
  });

  test.each([
    ['namespace', 'namespace=a%0d%0aX:y'],
    ['namespace', 'namespace=..'],
    ['dryRun', 'dryRun=%00'],
  ])('a %s of a wrong form is Invalid: ?%s', async (_name, query) => {
    expectStatus(await post({ body: waiting('x'), query }));
    expect((await post({ body: waiting('x'), query })).code).toBe(422);
  });
});
