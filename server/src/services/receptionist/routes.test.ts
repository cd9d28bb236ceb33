// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import { OrchestratorError } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import type { StartRequest } from './start-admission.ts';
import {
  created,
  FILES_YAML,
  file,
  MANIFEST,
  openReception,
  type Post,
  refused,
  UUID,
  workflow,
  YAML,
} from './testing.ts';

describe('request forms', () => {
  test.each([
    'application/x-yaml',
    'application/yaml',
    'text/yaml',
    'text/x-yaml; charset=utf-8',
    'text/plain',
    // HTTP 4.6: JSON and YAML as bodies; JSON under a type of YAML.
  ])('YAML and JSON as %s', async (type) => {
    const { post, published } = await openReception();
    for (const payload of [YAML, JSON.stringify(MANIFEST)]) {
      expect(await post({ payload, headers: { 'content-type': type } })).toEqual(created());
    }
    expect(published).toHaveLength(2);
  });

  test('JSON', async () => {
    const { json } = await openReception();
    expect(await json(MANIFEST)).toEqual(created());
  });

  test('no content type', async () => {
    const { post } = await openReception();
    expect(await post({ payload: Buffer.from(YAML) })).toEqual(created());
  });

  // HTTP 4.6: A form with the workflow as field or file.
  test('multipart with the workflow as file or field', async () => {
    const { multipart } = await openReception();
    expect(await multipart([workflow(YAML)])).toEqual(created());
    expect(await multipart([{ name: 'workflow', content: YAML }])).toEqual(created());
  });

  test('a second workflow is refused as ambiguous', async () => {
    const { multipart, published } = await openReception();
    expect(await multipart([workflow(YAML), { name: 'workflow', content: YAML }])).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'The part "workflow" is there more than once.',
    });
    expect(published).toEqual([]);
  });

  test.each(['application/json', 'application/json; charset=utf-8', 'text/yaml', 'image/png', ''])(
    // HTTP 4.6: A form with the workflow as field or file.
    '4.6: the type %j of a field does not matter',
    async (type) => {
      const { multipart, published } = await openReception();
      const inputs = 'inputs: {who: {description: d}}\n';
      const given = [
        { name: 'variables', content: 'A=1', type },
        { name: 'inputs', content: 'who=me', type },
        { name: 'other', content: '{', type },
      ];
      for (const content of [
        YAML + inputs,
        JSON.stringify({ ...MANIFEST, inputs: { who: { description: 'd' } } }),
      ]) {
        expect(await multipart([{ name: 'workflow', content, type }, ...given])).toEqual(created());
      }
      const run = {
        variables: { A: '1' },
        metadata: { annotations: { 'tutti.inputs': { who: 'me' } } },
      };
      expect(published).toMatchObject([run, run]);
    },
  );

  // HTTP 4.6: A form with the workflow as field or file.
  test('4.6: a field with JSON that is none is Invalid, as a file with it is', async () => {
    const { multipart } = await openReception();
    const part = { name: 'workflow', content: '{ metadata', type: 'application/json' };
    const answer = await multipart([part]);
    expect(answer).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(await multipart([{ ...part, fileName: 'w.json' }])).toEqual(answer);
  });

  test.each([
    [
      '{"metadata": {"name": "n"}\n "jobs": {}}',
      /^Not a valid JSON document: Expected ',' or '}' after property value \(line 2, column 2\)\.$/,
    ],
    [
      '{"metadata": ',
      /^Not a valid JSON document: Unexpected end of JSON input \(line 1, column 14\)\.$/,
    ],
    ['{metadata: [}', /^Not a valid YAML document: .*\(line 1, column \d+\)\.$/],
    // HTTP 4.6: A form with the workflow as field or file.
  ])('4.6: %j is told its mistake as what it is written in', async (content, message) => {
    const { multipart, yaml } = await openReception();
    const part = { name: 'workflow', content, type: 'application/json' };
    const expected = { code: 422, reason: 'Invalid', message: expect.stringMatching(message) };
    expect(await multipart([part])).toMatchObject(expected);
    expect(await yaml(content)).toMatchObject(expected);
  });

  test('other content types are named', async () => {
    const { post } = await openReception();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await post({ payload: YAML, headers })).toEqual(
      refused(
        415,
        'UnsupportedMediaType',
        "The workflow has the content type application/json, application/x-yaml or multipart/form-data, not application/x-www-form-urlencoded. With curl: -H 'Content-Type: application/x-yaml' --data-binary @FILE",
      ),
    );
  });
});

describe('the published event', () => {
  // Language 1.1: Without a version the newest one holds; the event of the run carries a version.
  // Language 1.2: More entries of `metadata` are kept.
  // Language 1.7: Steps get ids, which are in the published events.
  test('is the manifest with id, time, namespace, version and step ids', async () => {
    const { json, published } = await openReception();
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
          'tutti.actor': { subject: expect.any(String), key: expect.stringMatching(/^sha256:/) },
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

  test('gives ids to steps of jobs in jobs', async () => {
    const { yaml, published } = await openReception();
    await yaml('metadata: {name: demo}\njobs: {a: {jobs: {b: {steps: [{run: x}]}}}}\n');
    const steps = [{ id: expect.stringMatching(UUID), run: 'x' }];
    expect(published[0]?.jobs).toEqual({ a: { jobs: { b: { steps } } } });
  });

  test('gives steps that YAML shares between jobs an id each', async () => {
    const { yaml, published } = await openReception();
    await yaml('metadata: {name: demo}\njobs:\n  a: &a\n    steps: [{run: x}]\n  b: *a\n');
    const ids = Object.values(published[0]?.jobs ?? {}).map(({ steps }) => steps?.[0]?.id);
    expect(new Set(ids).size).toBe(2);
  });

  test.each(['constructor', 'toString', 'hasOwnProperty'])(
    'keeps what is named %s',
    async (name) => {
      const entry = (value: unknown) => ({ [name]: value });
      const manifest = {
        metadata: { name: 'demo' },
        variables: entry('v'),
        inputs: entry({ description: 'd', default: 'i' }),
        jobs: {
          ...entry({
            steps: [{ id: name, run: `echo \${{ variables.${name} }}\${{ inputs.${name} }}` }],
            outputs: entry(`\${{ steps.${name}.outputs.${name} }}`),
          }),
          m: {
            needs: name,
            strategy: { matrix: entry(['a']) },
            steps: [{ run: `echo \${{ matrix.${name} }}\${{ needs.${name}.outputs.${name} }}` }],
          },
        },
        outputs: entry(`\${{ jobs.${name}.outputs.${name} }}`),
      };
      const { json, yaml, published } = await openReception();
      expect(await json(manifest)).toEqual(created());
      expect(await yaml(JSON.stringify(manifest))).toEqual(created());
      for (const { variables, jobs, metadata } of published) {
        expect(variables).toEqual(entry('v'));
        expect(metadata.annotations).toEqual({ 'tutti.inputs': entry('i') });
        expect(Object.keys(jobs)).toEqual([name, 'm']);
      }
    },
  );

  test('keeps a variable named __proto__ that was given', async () => {
    const { multipart, published } = await openReception();
    const part = { name: 'variables', content: '__proto__=x' };
    expect(await multipart([workflow(YAML), part])).toEqual(created());
    expect(Object.entries(published[0]?.variables ?? {})).toEqual([['__proto__', 'x']]);
  });

  test('keeps no entries of an author under our own names', async () => {
    const { json, published } = await openReception();
    const metadata = {
      name: 'demo',
      workflow_id: 'x',
      'tutti.deadline-ms': 1,
      'tutti.actor': { subject: 'somebody else', key: 'theirs' },
      annotations: { 'tutti.inputs': { a: 1 }, note: 'kept' },
    };
    await json({ ...MANIFEST, metadata });
    expect(published[0]?.metadata).toEqual({
      name: 'demo',
      namespace: 'default',
      workflow_id: expect.stringMatching(UUID),
      creationTimestamp: expect.any(String),
      'tutti.actor': {
        subject: expect.not.stringContaining('else'),
        key: expect.stringMatching(/^sha256:/),
      },
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
    const { json, published } = await openReception();
    await json(manifest, query);
    expect(published[0]?.metadata.namespace).toBe(namespace);
  });

  test('with a wrong form is refused', async () => {
    const { json } = await openReception();
    expect(await json(MANIFEST, '?namespace=A%20b')).toEqual(
      refused(422, 'Invalid', 'Not a valid namespace: "A b".'),
    );
  });

  test('must be one in which the bearer may create workflows', async () => {
    const { post, published, restricted } = await openReception();
    const scope = { namespaces: ['ours'], verbs: ['create'] };
    const authorization = await restricted(scope);
    const headers = { authorization, 'content-type': 'application/json' };
    const payload = JSON.stringify(MANIFEST);
    expect(await post({ headers, payload, query: '?namespace=ours' })).toEqual(created());
    for (const [query, namespace] of [
      ['', 'default'],
      ['?namespace=theirs', 'theirs'],
      ['?namespace=theirs&dryRun', 'theirs'],
    ] as const) {
      const error = `This token may not create workflows in namespace "${namespace}".`;
      expect(await post({ headers, payload, query })).toEqual(
        refused(403, 'Forbidden', 'User bob is not authorized to create workflows.', { error }),
      );
    }
    expect(published).toHaveLength(1);
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
      'a malformed content type',
      { query: '?ping', payload: '{}', headers: { 'content-type': '@@' } },
    ],
    ['a body that is too large', { query: '?ping', payload: 'x'.repeat(20_000_000) }],
    [
      'a broken multipart body',
      {
        query: '?ping',
        payload: '{{',
        headers: { 'content-type': 'multipart/form-data; boundary=boundary' },
      },
    ],
  ])('ping with %s answers Pong!', async (_, options) => {
    const { post, published } = await openReception();
    expect(await post(options)).toEqual(pong);
    expect(published).toEqual([]);
  });

  // HTTP 4.6: A ping does nothing, whatever else is given, and needs a token.
  test('4.6: ping needs a token, and no right', async () => {
    const { app, restricted } = await openReception();
    const authorization = await restricted({ namespaces: [], resources: [], verbs: [] });
    const ask = async (query: string) => {
      const request = {
        method: 'POST',
        url: `/workflows${query}`,
        headers: { authorization },
      } as const;
      return (await app.inject(request)).json();
    };
    expect(await ask('?ping')).toEqual(pong);
    for (const query of ['', '?ping=false', '?ping=maybe', '?ping=true&ping=false', '?dryRun']) {
      expect(await ask(query), query).toMatchObject({ code: 403, reason: 'Forbidden' });
    }
  });

  // HTTP 4.6: A ping does nothing, whatever else is given, and needs a token.
  test('ping needs a token', async () => {
    const { app } = await openReception();
    const response = await app.inject({ method: 'POST', url: '/workflows?ping' });
    expect(response.json()).toEqual(refused(401, 'Unauthorized', 'No Bearer token'));
  });

  test('a dry run of a valid workflow answers an id and starts nothing', async () => {
    const { yaml, multipart, published, blobScopes } = await openReception();
    const before = blobScopes();
    const parts = [workflow(FILES_YAML), file('data.bin'), file('b'), file('c')];
    expect(await yaml(YAML, '?dryRun')).toEqual(created());
    expect(await multipart(parts, '?dryRun=')).toEqual(created());
    expect(await multipart(parts.slice(1), '?dryRun=')).toMatchObject({ code: 422 });
    expect(published).toEqual([]);
    expect(blobScopes()).toEqual(before);
  });
});

describe('resource files that are fetched', () => {
  const SOURCE = 'http://127.0.0.1:9/none';
  const WITH_URL = `${YAML}resources: {files: [{name: data, url: "${SOURCE}"}]}\n`;

  test.each(['127.0.0.1', '[::1]', '10.1.2.3', '169.254.169.254'])(
    // HTTP 4.6: A dry run validates, answers an id and starts nothing.
    '4.6: the private address %s is refused in a dry run as without it',
    async (host) => {
      const { yaml } = await openReception({
        outcome: { outcome: 'accepted' },
        privateNetworks: [],
      });
      const manifest = WITH_URL.replace('127.0.0.1', host);
      const answer = await yaml(manifest, '?dryRun');
      expect(answer).toMatchObject({
        code: 422,
        message: expect.stringContaining(
          `"data" could not be fetched from http://${host}:9/none: `,
        ),
      });
      expect(await yaml(manifest)).toEqual(answer);
    },
  );

  test('are not fetched in a dry run, nor if they come with the request', async () => {
    const { yaml, multipart, published } = await openReception();
    expect(await yaml(WITH_URL, '?dryRun')).toEqual(created());
    const parts = [workflow(WITH_URL), { name: 'data', content: 'own', fileName: 'data' }];
    expect(await multipart(parts)).toEqual(created());
    expect(published[0]?.metadata.annotations).toEqual({ 'tutti.files': { data: 'in_0' } });
  });

  test('without an answer leave no run behind', async () => {
    const { yaml, published, blobScopes } = await openReception();
    expect(await yaml(WITH_URL)).toMatchObject({
      code: 422,
      message: expect.stringContaining(`"data" could not be fetched from ${SOURCE}: `),
    });
    expect({ published, scopes: blobScopes() }).toEqual({ published: [], scopes: [] });
  });

  test('have addresses with expressions, which are evaluated before any request', async () => {
    const { multipart, blobScopes } = await openReception();
    const address = 'http://me:${{ secrets.KEY }}@127.0.0.1:9/${{ variables.DIR }}/${{ inputs.i }}';
    const manifest = `${YAML}variables: {DIR: one}
secrets: {KEY: ''}
inputs: {i: {description: d, default: two}}
resources: {files: [{name: data, url: "${address}"}]}
`;
    const given = [workflow(manifest), { name: 'variables', content: 'DIR=given\nKEY=hidden' }];
    const { code, message } = await multipart(given);
    expect({ code, scopes: blobScopes() }).toEqual({ code: 422, scopes: [] });
    expect(message).toContain('"data" could not be fetched from http://127.0.0.1:9/given/two: ');
    expect(message).not.toContain('hidden');
  });

  test('have no address that cannot be evaluated', async () => {
    const { yaml } = await openReception();
    const manifest = WITH_URL.replace('none', "${{ fromJSON('{') }}");
    const answer = await yaml(manifest, '?dryRun');
    expect(answer).toMatchObject({ code: 422 });
    expect(answer.message).toContain('address of "data": ');
  });

  test('are not fetched for a request that is refused anyhow', async () => {
    const { yaml } = await openReception();
    const inputs = `${WITH_URL}inputs: {a: {description: needed, required: true}}\n`;
    expect((await yaml(inputs)).message).toBe('Mandatory input "a" not provided.');
  });

  test('are not fetched from private networks unless that is allowed', async () => {
    const { yaml } = await openReception({ outcome: { outcome: 'accepted' }, privateNetworks: [] });
    expect((await yaml(WITH_URL)).message).toContain('is an address of a private network');
  });
});

test('a variable of the request replaces the value of one of the manifest, which stays verbatim', async () => {
  const { multipart, published } = await openReception();
  const variables = 'variables: {A: {value: a, verbatim: true}, B: {value: b}, C: c}\n';
  const parts = [
    workflow(`${YAML}${variables}`),
    { name: 'variables', content: 'A=$HOME\nB=2\nC=3' },
  ];
  expect(await multipart(parts)).toEqual(created());
  expect(published[0]?.variables).toEqual({
    A: { value: '$HOME', verbatim: true },
    B: { value: '2' },
    C: '3',
  });
});

test('a variable of the request with the name of a secret replaces it', async () => {
  const { multipart, published } = await openReception();
  const secrets = 'secrets: {A: "1", B: "2"}\nvariables: {A: open, C: "3"}\n';
  const parts = [
    workflow(`${YAML}${secrets}`),
    { name: 'variables', content: 'B=given\nC=4\nD=5' },
  ];
  expect(await multipart(parts)).toEqual(created());
  expect(published[0]).toMatchObject({
    secrets: { A: '1', B: 'given' },
    variables: { A: 'open', C: '4', D: '5' },
  });
});

describe('a server with enough to do', () => {
  const busy = async () => {
    throw new OrchestratorError('ServiceUnavailable', 'Later.', { retryAfterSeconds: 3 });
  };

  test('refuses before it reads a body, and says when to come again', async () => {
    const { app, admin } = await openReception({ admission: { admit: busy } });
    const headers = { authorization: admin, 'content-type': 'application/json' };
    const url = '/workflows';
    const answer = await app.inject({ method: 'POST', url, headers, payload: 'no JSON' });
    expect(answer.json()).toEqual(refused(503, 'ServiceUnavailable', 'Later.'));
    expect(answer.headers['retry-after']).toBe('3');
  });

  test('answers a ping all the same', async () => {
    const { post } = await openReception({ admission: { admit: busy } });
    expect(await post({ query: '?ping' })).toMatchObject({ code: 200, message: 'Pong!' });
  });

  test('hears of dry runs, and of the end of each request, however it ends', async () => {
    const asked: object[] = [];
    let under = 0;
    const admit = async ({ isDryRun, holder }: StartRequest) => {
      asked.push({ isDryRun, subject: holder.subject });
      under += 1;
      return () => {
        under -= 1;
      };
    };
    const { json, yaml } = await openReception({ admission: { admit } });
    await json(MANIFEST);
    await json(MANIFEST, '?dryRun');
    await yaml('- wrong');
    const subject = 'alice';
    expect(asked).toEqual([
      { isDryRun: false, subject },
      { isDryRun: true, subject },
      { isDryRun: false, subject },
    ]);
    expect(under).toBe(0);
  });
});

// Bound: Free space on the disk of the files.
test('a file without room on the disk is refused as temporary, and leaves no run', async () => {
  const blobs = { freeBytes: async () => 0 };
  const { multipart, published, blobScopes } = await openReception({ disk: blobs });
  const parts = [workflow(FILES_YAML), file('data.bin'), file('b'), file('c')];
  const message = 'The file could not be stored: the server has no space left for it.';
  expect(await multipart(parts)).toEqual(refused(503, 'ServiceUnavailable', message));
  expect([published, blobScopes()]).toEqual([[], []]);
  blobs.freeBytes = async () => 1e9;
  expect(await multipart(parts)).toEqual(created());
});
