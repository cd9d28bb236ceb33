import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatTimestamp, type WorkflowEvent } from '@tutti/manifests';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NOW_MS } from '../../auth/testing.ts';
import { openFilesystemBlobStore } from '../../blobs/filesystem/filesystem-blob-store.ts';
import type { EventBus, PublishOutcome } from '../../bus/bus.ts';
import { createTestApp, type TestApp } from '../../http/testing.ts';
import { createIds, systemClock } from '../../runtime/clock.ts';
import { receptionistRoutes } from './routes.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MANIFEST = { metadata: { name: 'demo' }, jobs: { a: { steps: [{ run: 'echo' }] } } };
const YAML = 'metadata: {name: demo}\njobs:\n  a:\n    steps:\n    - run: echo\n';
const FILES_YAML = `${YAML}resources: {files: [data.bin, b, c]}\n`;

let folder: string;
let fixture: TestApp;
const published: WorkflowEvent[] = [];
let outcome: PublishOutcome;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-receptionist-'));
  const bus: Pick<EventBus, 'publish'> = {
    publish: async (event) => {
      if (outcome.outcome === 'accepted' && event.kind === 'Workflow') published.push(event);
      return outcome;
    },
  };
  const routes = receptionistRoutes({
    bus,
    blobs: await openFilesystemBlobStore({ directory: folder }),
    clock: { now: () => NOW_MS, timestamp: () => formatTimestamp(NOW_MS) },
    ids: createIds(systemClock),
    apiGroup: 'opentestfactory.org',
    limits: { bodyBytes: 100_000, fileBytes: 50_000 },
  });
  fixture = await createTestApp({ routes: [routes], config: { limits: { bodyBytes: 100_000 } } });
});
beforeEach(() => {
  published.length = 0;
  outcome = { outcome: 'accepted' };
});
afterAll(async () => {
  await fixture.app.close();
  rmSync(folder, { recursive: true });
});

interface Post {
  readonly query?: string;
  readonly headers?: Record<string, string>;
  readonly payload?: string | Buffer;
}

async function post({ query = '', headers = {}, payload = '' }: Post) {
  const response = await fixture.app.inject({
    method: 'POST',
    url: `/workflows${query}`,
    headers: { authorization: fixture.admin, ...headers },
    payload,
  });
  return response.json();
}

const yaml = (payload: string, query = '') =>
  post({ query, payload, headers: { 'content-type': 'application/x-yaml' } });
const json = (value: unknown, query = '') =>
  post({ query, payload: JSON.stringify(value), headers: { 'content-type': 'application/json' } });

interface Part {
  readonly name: string;
  readonly content: string | Buffer;
  /** Makes it a file. */
  readonly fileName?: string;
  readonly type?: string;
}

/** Without content types of its own, as the clients send it. */
function multipart(parts: readonly Part[], query = '', end = '--boundary--\r\n') {
  const payload = parts.flatMap(({ name, content, fileName, type }) => [
    `--boundary\r\nContent-Disposition: form-data; name="${name}"`,
    fileName === undefined ? '' : `; filename="${fileName}"`,
    type === undefined ? '' : `\r\nContent-Type: ${type}`,
    '\r\n\r\n',
    content,
    '\r\n',
  ]);
  return post({
    query,
    headers: { 'content-type': 'multipart/form-data; boundary=boundary' },
    payload: Buffer.concat([...payload, end].map((piece) => Buffer.from(piece))),
  });
}

const workflow = (content: string): Part => ({ name: 'workflow', content, fileName: 'w.yaml' });
const file = (name: string, content: string | Buffer = name): Part => ({
  name,
  content,
  fileName: name,
});

const created = () => ({
  apiVersion: 'v1',
  kind: 'Status',
  metadata: {},
  message: expect.stringMatching(/^Workflow demo accepted \(workflow_id=[0-9a-f-]{36}\)\.$/),
  status: 'Success',
  reason: 'Created',
  code: 201,
  details: { workflow_id: expect.stringMatching(UUID) },
});
const refused = (code: number, reason: string, message: unknown, details: unknown = null) => ({
  apiVersion: 'v1',
  kind: 'Status',
  metadata: {},
  message,
  status: 'Failure',
  reason,
  code,
  details,
});
const blobScopes = () => readdirSync(folder).filter((name) => UUID.test(name));

describe('request forms', () => {
  test.each(['application/x-yaml', 'application/yaml', 'text/yaml', 'text/x-yaml; charset=utf-8'])(
    'YAML and JSON as %s',
    async (type) => {
      for (const payload of [YAML, JSON.stringify(MANIFEST)]) {
        expect(await post({ payload, headers: { 'content-type': type } })).toEqual(created());
      }
      expect(published).toHaveLength(2);
    },
  );

  test('JSON', async () => expect(await json(MANIFEST)).toEqual(created()));

  test('no content type', async () => {
    expect(await post({ payload: Buffer.from(YAML) })).toEqual(created());
  });

  test('multipart with the workflow as file or field', async () => {
    expect(await multipart([workflow(YAML)])).toEqual(created());
    expect(await multipart([{ name: 'workflow', content: YAML }])).toEqual(created());
    const type = 'application/json';
    const content = JSON.stringify(MANIFEST);
    expect(await multipart([{ name: 'workflow', content, type }])).toEqual(created());
  });

  test('other content types are named', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect(await post({ payload: YAML, headers })).toEqual(
      refused(
        415,
        'UnsupportedMediaType',
        'A workflow has the content type application/json, application/x-yaml or multipart/form-data, not text/plain.',
      ),
    );
  });
});

describe('the published event', () => {
  test('is the manifest with id, time, namespace, version and step ids', async () => {
    const manifest = {
      apiVersion: 'opentestfactory.org/v1',
      kind: 'Workflow',
      metadata: { name: 'demo', labels: { a: 'b' }, owner: 'me' },
      variables: { V: '1' },
      jobs: { a: { 'runs-on': 'linux', steps: [{ id: 'mine', run: 'x' }, { run: 'y' }] } },
    };
    const answer = await json(manifest);
    expect(published).toEqual([
      {
        apiVersion: 'opentestfactory.org/v1beta1',
        kind: 'Workflow',
        metadata: {
          name: 'demo',
          labels: { a: 'b' },
          owner: 'me',
          namespace: 'default',
          workflow_id: answer.details.workflow_id,
          creationTimestamp: '2026-01-31T12:00:00.000000',
        },
        variables: { V: '1' },
        jobs: {
          a: {
            'runs-on': 'linux',
            steps: [
              { id: 'mine', run: 'x' },
              { id: expect.stringMatching(UUID), run: 'y' },
            ],
          },
        },
      },
    ]);
  });

  test('gives steps that YAML shares between jobs an id each', async () => {
    await yaml('metadata: {name: demo}\njobs:\n  a: &a\n    steps: [{run: x}]\n  b: *a\n');
    const ids = Object.values(published[0]?.jobs ?? {}).map(({ steps }) => steps[0]?.id);
    expect(new Set(ids).size).toBe(2);
  });

  test('keeps nothing of what an author writes under our own names', async () => {
    const metadata = {
      name: 'demo',
      workflow_id: 'x',
      'tutti.deadline-ms': 1,
      annotations: { 'tutti.inputs': { a: 1 }, note: 'kept' },
    };
    await json({ ...MANIFEST, metadata });
    expect(published[0]?.metadata).toEqual({
      name: 'demo',
      namespace: 'default',
      workflow_id: expect.stringMatching(UUID),
      creationTimestamp: expect.any(String),
      annotations: { note: 'kept' },
    });
  });
});

describe('namespace', () => {
  const inManifest = { ...MANIFEST, metadata: { name: 'demo', namespace: 'of-manifest' } };
  test.each([
    ['the query wins', '?namespace=of-query', inManifest, 'of-query'],
    ['else the manifest', '', inManifest, 'of-manifest'],
    ['an empty query is none', '?namespace=', inManifest, 'of-manifest'],
    ['else default', '', MANIFEST, 'default'],
  ])('%s', async (_, query, manifest, namespace) => {
    await json(manifest, query);
    expect(published[0]?.metadata.namespace).toBe(namespace);
  });

  test('that is not well-formed is refused', async () => {
    expect(await json(MANIFEST, '?namespace=A%20b')).toEqual(
      refused(422, 'Invalid', 'Not a valid namespace: "A b".'),
    );
  });

  test('must be one in which the bearer may create workflows', async () => {
    const scope = { namespaces: ['ours'], verbs: ['create'] };
    const authorization = await fixture.restricted(scope);
    const headers = { authorization, 'content-type': 'application/json' };
    const payload = JSON.stringify(MANIFEST);
    expect(await post({ headers, payload, query: '?namespace=ours' })).toEqual(created());
    for (const query of ['', '?namespace=theirs', '?namespace=theirs&dryRun']) {
      expect(await post({ headers, payload, query })).toEqual(
        refused(403, 'Forbidden', 'User bob is not authorized to create workflows.'),
      );
    }
    expect(published).toHaveLength(1);
  });
});

describe('variables', () => {
  const manifest =
    'metadata: {name: demo}\nvariables: {A: "0", B: keep}\njobs: {a: {steps: [{run: x}]}}';

  test.each([
    ['a field', undefined],
    ['a file', 'variables'],
  ])('as %s: merged into those of the workflow, the last definition wins', async (_, fileName) => {
    const content = 'A=1\r\nC=x=y\n\nA=2\n';
    const part = { name: 'variables', content, ...(fileName === undefined ? {} : { fileName }) };
    expect(await multipart([workflow(manifest), part])).toEqual(created());
    expect(published[0]?.variables).toEqual({ A: '2', B: 'keep', C: 'x=y' });
  });

  test.each([
    ['A=1\nnonsense', 'Not valid variables: line 2 must have the form NAME=value.'],
    ['=1', 'Not valid variables: line 1 must have the form NAME=value.'],
    [
      'A-B=1',
      'Not valid variables: "A-B" is no name of a variable (letters, digits and underscores).',
    ],
  ])('%j is refused', async (content, message) => {
    const parts = [workflow(manifest), { name: 'variables', content }];
    expect(await multipart(parts)).toEqual(refused(422, 'Invalid', message));
  });
});

describe('inputs', () => {
  const declared = `${YAML}inputs:
  who: {description: d, required: true}
  how-many: {description: d, type: number, default: 3}
  really: {description: d, type: boolean}
  size: {description: d, type: choice, options: [small, large]}
`;
  const given = (content: string) => multipart([workflow(declared), { name: 'inputs', content }]);

  test('are converted, completed by defaults and kept as an annotation', async () => {
    expect(await given('who=a\nwho=me\nreally=TRUE\nsize=small')).toEqual(created());
    expect(published[0]?.metadata.annotations).toEqual({
      'tutti.inputs': { who: 'me', 'how-many': 3, really: true, size: 'small' },
    });
  });

  test('may be spelled with underscores', async () => {
    await given('who=me\nhow_many=4\nsize=large');
    expect(published[0]?.metadata.annotations).toMatchObject({ 'tutti.inputs': { 'how-many': 4 } });
  });

  test.each([
    ['', 'Mandatory input "who" not provided.'],
    ['who=me\nhow-many=x', 'Input "how-many": Invalid value "x".  Expected a number.'],
    ['who=me\nreally=x', 'Input "really": Invalid value "x".  Allowed values: "true", "false".'],
    ['who=me\nsize=x', 'Input "size": Invalid value "x".  Allowed values: "small", "large".'],
    [
      'who=me\nfoo=1',
      'Unexpected inputs "foo" found.  Allowed inputs: "who", "how-many", "really", "size".',
    ],
    ['who=me\nhow_many=1\nhow-many=2', 'Both "how_many" and "how-many" specified in inputs.'],
    ['nonsense', 'Not valid inputs: line 1 must have the form NAME=value.'],
  ])('%j is refused', async (content, message) => {
    expect(await given(content)).toEqual(refused(422, 'Invalid', message));
  });

  test('that are required must be given also when none are sent', async () => {
    expect(await yaml(declared)).toEqual(
      refused(422, 'Invalid', 'Mandatory input "who" not provided.'),
    );
  });
});

describe('resource files', () => {
  test('are stored, in any order of parts, and named in an annotation', async () => {
    const content = Buffer.from([0, 255, 13, 10, 45, 45, 88]);
    const parts = [
      file('data.bin', content),
      file('other'),
      workflow(FILES_YAML),
      file('c'),
      file('b', ''),
    ];
    const answer = await multipart(parts);
    expect(answer).toEqual(created());
    expect(published[0]?.metadata.annotations).toEqual({
      'tutti.files': { 'data.bin': 'in_0', c: 'in_2', b: 'in_3' },
    });
    const stored = (name: string) => readFileSync(join(folder, answer.details.workflow_id, name));
    expect([stored('in_0'), stored('in_2'), stored('in_3')]).toEqual([
      content,
      Buffer.from('c'),
      Buffer.alloc(0),
    ]);
  });

  test('need a multipart request', async () => {
    expect(await yaml(FILES_YAML)).toEqual(
      refused(422, 'Invalid', 'Expecting files, must use multipart/form-data.'),
    );
  });

  describe('a refused request leaves none behind', () => {
    test.each<[string, readonly Part[], ReturnType<typeof refused>]>([
      [
        'missing files, named in order',
        [workflow(FILES_YAML), file('b')],
        refused(422, 'Invalid', 'Not all expected files were attached: c, data.bin.'),
      ],
      [
        'a field for a file',
        [workflow(FILES_YAML), file('b'), file('c'), { name: 'data.bin', content: 'x' }],
        refused(422, 'Invalid', 'Not all expected files were attached: data.bin.'),
      ],
      [
        'a wrong manifest after its files',
        [file('b'), workflow('metadata: {name: demo}')],
        refused(422, 'Invalid', 'Not a valid Workflow manifest: "jobs" is missing (line 1).', {
          error: '"jobs" is missing (line 1)',
        }),
      ],
      ['no manifest', [file('b')], refused(422, 'Invalid', 'The part "workflow" is missing.')],
      [
        'a file that is too large',
        [workflow(FILES_YAML), file('b', Buffer.alloc(50_001)), file('c')],
        refused(413, 'PayloadTooLarge', expect.any(String)),
      ],
      [
        'wrong inputs',
        [
          workflow(FILES_YAML),
          file('data.bin'),
          file('b'),
          file('c'),
          { name: 'inputs', content: 'x=1' },
        ],
        refused(422, 'Invalid', 'Unexpected inputs "x" found.  Allowed inputs: .'),
      ],
    ])('%s', async (_, parts, expected) => {
      const before = blobScopes();
      const answer = await multipart(parts);
      expect(answer).toEqual(expected);
      expect(blobScopes()).toEqual(before);
      expect(published).toEqual([]);
    });

    test('a refused publication', async () => {
      outcome = { outcome: 'refused', why: 'the server stops.' };
      const before = blobScopes();
      const parts = [workflow(FILES_YAML), file('data.bin'), file('b'), file('c')];
      expect(await multipart(parts)).toEqual(
        refused(409, 'Conflict', 'Workflow demo could not be published: the server stops.'),
      );
      expect(blobScopes()).toEqual(before);
    });

    test('a body that ends too early', async () => {
      const before = blobScopes();
      const answer = await multipart(
        [workflow(FILES_YAML), file('b')],
        '',
        '--boundary\r\nContent-Dis',
      );
      expect(answer).toEqual(
        refused(
          400,
          'BadRequest',
          expect.stringMatching(/^Not a valid multipart\/form-data body: /),
        ),
      );
      expect(blobScopes()).toEqual(before);
    });
  });

  test('a multipart request without a boundary is malformed', async () => {
    const headers = { 'content-type': 'multipart/form-data' };
    expect(await post({ headers, payload: 'x' })).toMatchObject({
      code: 400,
      reason: 'BadRequest',
    });
  });
});

describe('ping and dryRun', () => {
  const pong = {
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    message: 'Pong!',
    status: 'Success',
    reason: 'OK',
    code: 200,
    details: null,
  };
  test.each<[string, Post]>([
    ['nothing else', { query: '?ping' }],
    ['an empty value', { query: '?ping=' }],
    ['other parameters', { query: '?ping&dryRun&namespace=A%20b' }],
    [
      'a broken body',
      { query: '?ping', payload: '{{', headers: { 'content-type': 'application/json' } },
    ],
    [
      'a broken multipart body',
      {
        query: '?ping',
        payload: '{{',
        headers: { 'content-type': 'multipart/form-data; boundary=boundary' },
      },
    ],
  ])('ping with %s answers Pong!', async (_, options) => {
    expect(await post(options)).toEqual(pong);
    expect(published).toEqual([]);
  });

  test('ping needs a token', async () => {
    const response = await fixture.app.inject({ method: 'POST', url: '/workflows?ping' });
    expect(response.json()).toEqual(refused(401, 'Unauthorized', 'No Bearer token'));
  });

  test('a dry run of a valid workflow answers an id and starts nothing', async () => {
    const before = blobScopes();
    const parts = [workflow(FILES_YAML), file('data.bin'), file('b'), file('c')];
    expect(await yaml(YAML, '?dryRun')).toEqual(created());
    expect(await multipart(parts, '?dryRun=')).toEqual(created());
    expect(await multipart(parts.slice(1), '?dryRun=')).toMatchObject({ code: 422 });
    expect(published).toEqual([]);
    expect(blobScopes()).toEqual(before);
  });
});

describe('refused manifests', () => {
  test.each<[string, string, string, string]>([
    [
      'an unknown dependency',
      'metadata: {name: demo}\njobs:\n  a: {needs: b, steps: [{run: x}]}\n',
      'Job "a" has a dependency on job "b" which does not exist.',
      'jobs.a.needs: Job "a" has a dependency on job "b" which does not exist. (line 3)',
    ],
    [
      'a cycle',
      'metadata: {name: demo}\njobs:\n  a: {needs: [c], steps: [{run: x}]}\n  b: {needs: a, steps: [{run: x}]}\n  c: {needs: b, steps: [{run: x}]}\n',
      'Jobs wait for each other: "a" needs "c" needs "b" needs "a".',
      'jobs.a.needs: Jobs wait for each other: "a" needs "c" needs "b" needs "a". (line 3)',
    ],
    [
      'a default of the wrong type',
      `${YAML}inputs: {k: {description: d, type: number, default: x}}\n`,
      'Invalid "inputs" section, default value for "k" must be a number, got "x".',
      'inputs: Invalid "inputs" section, default value for "k" must be a number, got "x". (line 6)',
    ],
    [
      'two steps with one id',
      'metadata: {name: demo}\njobs:\n  a:\n    steps:\n    - {id: s, run: x}\n    - {id: s, run: y}\n',
      'Job "a" has several steps with the id "s".',
      'jobs.a.steps[1].id: Job "a" has several steps with the id "s". (line 6)',
    ],
    [
      'a bad condition',
      'metadata: {name: demo}\njobs:\n  a:\n    if: (true\n    steps: [{run: x}]\n',
      'Invalid expression "(true": ',
      'jobs.a.if: Invalid expression "(true": ',
    ],
    [
      'a bad expression in a script',
      `metadata: {name: demo}\njobs:\n  a:\n    steps:\n    - run: echo \${{ a b }}\n`,
      'Invalid expression ',
      'jobs.a.steps[0].run: Invalid expression ',
    ],
    [
      'an unknown key',
      'metadata: {name: demo}\njobs:\n  a:\n    run-on: x\n    steps: [{run: x}]\n',
      'Not a valid Workflow manifest: jobs.a: unknown key "run-on", did you mean "runs-on"? (line 4).',
      'jobs.a: unknown key "run-on", did you mean "runs-on"? (line 4)',
    ],
    [
      'several problems of shape',
      'metadata: {}\njobs:\n  a:\n    steps: []\n',
      'Not a valid Workflow manifest: metadata: "name" is missing (line 1) (and 1 more).',
      'metadata: "name" is missing (line 1)\njobs.a.steps: must not be empty (line 4)',
    ],
    [
      'no object',
      '- a\n',
      'Not a valid Workflow manifest: must be an object (line 1).',
      'must be an object (line 1)',
    ],
  ])('%s', async (_, text, message, error) => {
    for (const query of ['', '?dryRun']) {
      const answer = await yaml(text, query);
      expect(answer).toMatchObject({ code: 422, reason: 'Invalid', status: 'Failure' });
      expect(answer.message.startsWith(message)).toBe(true);
      expect(answer.details.error.startsWith(error)).toBe(true);
    }
    expect(published).toEqual([]);
  });

  test('an input of a provider that is called "if" is no condition', async () => {
    const text = 'metadata: {name: demo}\njobs: {a: {steps: [{uses: a/b, with: {if: "(("}}]}}\n';
    expect(await yaml(text)).toEqual(created());
  });

  test('all kinds of content problems are told at once', async () => {
    const text = `metadata: {name: demo, annotations: 5}\njobs:\n  a:\n    needs: b\n    if: "(("\n    steps: [{run: x}]\n`;
    const { details } = await yaml(text);
    expect(details.error.split('\n')).toEqual([
      'jobs.a.needs: Job "a" has a dependency on job "b" which does not exist. (line 4)',
      'metadata.annotations: metadata.annotations must be an object. (line 1)',
      expect.stringMatching(/^jobs\.a\.if: .* \(line 5\)$/),
    ]);
  });

  test('text that is no YAML is refused with its place', async () => {
    expect(await yaml('a: [1\nb: 2')).toEqual(
      refused(
        422,
        'Invalid',
        expect.stringMatching(/^Not a valid YAML document: .*line 2, column/),
      ),
    );
    expect(await yaml('{"a": 1, "a": 2}x')).toMatchObject({ code: 422 });
  });

  test('text that is no JSON is a bad request', async () => {
    const headers = { 'content-type': 'application/json' };
    expect(await post({ payload: '{"a"', headers })).toEqual(
      refused(400, 'BadRequest', expect.stringMatching(/^Not a valid JSON document: /)),
    );
  });

  test('a body that is too large', async () => {
    const payload = `# ${'x'.repeat(100_000)}\n${YAML}`;
    expect(await yaml(payload)).toEqual(
      refused(413, 'PayloadTooLarge', 'A request body may have 100000 bytes at most.'),
    );
    expect(await multipart([workflow(payload)])).toEqual(
      refused(413, 'PayloadTooLarge', 'The part "workflow" may have 100000 bytes at most.'),
    );
  });
});
