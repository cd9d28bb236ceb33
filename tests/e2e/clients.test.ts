/**
 * Existing clients work unmodified. The numbers are those of the checklist of what these clients require of a server: requests
 * and workflows. The other files of this name, and that of existing agents, go on.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, detailsOf, eventsOf, itemsOf, type Loose } from '../support/api.ts';
import { expectStatus } from '../support/expect-status.ts';
import { oneJob, sh, start, startedId } from '../support/runs.ts';
import { signedToken } from '../support/tokens.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const CLAIMS = { iss: 'an authority', sub: 'a person' };

let bench: Workbench;
let server: ServerChild;
let keys: Readonly<Record<string, KeyObject>>;

beforeAll(async () => {
  bench = await Workbench.open();
  const pairs = {
    RSA: generateKeyPairSync('rsa', { modulusLength: 2048 }),
    ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    ES512: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  };
  const trustedKeys = await Promise.all(
    Object.values(pairs).map(async ({ publicKey }) => {
      const path = bench.path('key.pem');
      await writeFile(path, publicKey.export({ type: 'spki', format: 'pem' }));
      return { path, namespaces: '*' };
    }),
  );
  keys = Object.fromEntries(
    Object.entries(pairs).map(([name, { privateKey }]) => [name, privateKey]),
  );
  // Without agents: what starts here stays PENDING.
  server = await bench.server({ config: { auth: { trustedKeys } } });
});

afterAll(() => bench.close());

const get = (path: string, query?: string) =>
  server.call('GET', path, query === undefined ? {} : { query });
const waiting = (name: string, more: Loose = {}) => ({ ...oneJob(name, [sh('true')]), ...more });

function withToken(algorithm: string, claims: Loose) {
  const key = keys[algorithm] ?? keys.RSA;
  if (key === undefined) throw new Error('There are no keys.');
  const token = signedToken(key, { header: { alg: algorithm }, claims });
  return server.call('GET', '/workflows', { headers: { authorization: `Bearer ${token}` } });
}

describe('general', () => {
  test.each([
    ['GET', '/nowhere', 404],
    ['GET', '/', 404],
    ['PATCH', '/workflows', 405],
    ['GET', `/workflows/${UNKNOWN}/qualitygates`, 404],
    ['DELETE', `/subscriptions/${UNKNOWN}`, 404],
    ['GET', '/workflows?fieldSelector=,', 422],
    ['POST', '/publications', 400],
  ])('1, 2: %s %s fails with a Status of the code %i, never HTML', async (method, path, code) => {
    const answer = await server.call(method, path);
    expect(answer.code).toBe(code);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expectStatus(answer);
  });

  test.each(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'])(
    '3: a token of %s with only iss and sub is accepted, an expired one is not',
    async (algorithm) => {
      expect((await withToken(algorithm, CLAIMS)).code).toBe(200);
      const expired = await withToken(algorithm, { ...CLAIMS, exp: 1_700_000_000 });
      expectStatus(expired);
      expect(expired.code).toBe(401);
    },
  );

  test('5: a plus and %20 are both a space, and == may come unencoded', async () => {
    const id = await start(server, waiting('with blanks'));
    for (const query of [
      'fieldSelector=metadata.workflow_id+in+(X)',
      'fieldSelector=metadata.workflow_id%20in%20(X)',
      'fieldSelector=metadata.workflow_id==X',
      'fieldSelector=metadata.workflow_id%3D%3DX',
    ]) {
      expect(itemsOf(await get('/workflows', query.replace('X', id))), query).toEqual([id]);
    }
  });

  test.each([
    ['/workflows', 'expand=manifest&expand=manifest'],
    ['/workflows', 'fieldSelector=a&fieldSelector=a&labelSelector=b&labelSelector=b'],
    ['/agents', 'fieldSelector=a==b&fieldSelector=a==b'],
    ['/subscriptions', 'labelSelector=a&labelSelector=a'],
    ['/channels', 'labelSelector=a&labelSelector=a'],
  ])('6: %s?%s behaves as if each were given once', async (path, query) => {
    const [once] = query.split('&');
    const twice = await get(path, query);
    expect(twice.code).toBe(200);
    expect(twice.headers.get('x-processed-query')).toContain(once?.split('=')[0]);
  });

  test.each(['dryRun', 'dryRun=', 'dryRun=true'])('7: %s means set', async (query) => {
    const id = startedId(
      await server.call('POST', '/workflows', { query, body: waiting('not started') }),
    );
    expect((await get(`/workflows/${id}/status`)).code).toBe(404);
    const kept = await start(server, waiting('kept'));
    expect((await server.call('DELETE', `/workflows/${kept}`, { query })).code).toBe(200);
    expect(detailsOf(await get(`/workflows/${kept}/status`)).status).toBe('PENDING');
  });

  test.each(['force', 'force='])('7: %s means set', async (query) => {
    const answer = await server.call('DELETE', `/agents/${UNKNOWN}`, { query });
    expect(bodyOf(answer)).toMatchObject({ code: 404, message: `Agent ${UNKNOWN} not known.` });
  });

  test.each(['/workflows/', '//workflows', '//workflows//status/', '//agents', '/subscriptions/'])(
    '8: %s is answered, not redirected',
    async (path) => {
      expect((await get(path)).code).toBe(200);
    },
  );

  test('9: X-Processed-Query names the parameters that were understood', async () => {
    const id = await start(server, waiting('listed'));
    for (const [path, query, names] of [
      ['/workflows', 'expand=manifest', 'expand'],
      ['/workflows', 'expand=manifest&labelSelector=a', 'expand,labelSelector'],
      ['/agents', 'fieldSelector=a', 'fieldSelector'],
      ['/subscriptions', 'fieldSelector=a&unknown=1', 'fieldSelector'],
      ['/channels', 'labelSelector=a', 'labelSelector'],
      [
        `/workflows/${id}/status`,
        'fieldSelector=kind==Workflow&per_page=1',
        'fieldSelector,per_page',
      ],
    ] as const) {
      const header = (await get(path, query)).headers.get('x-processed-query');
      expect(header?.split(',').toSorted().join(), `${path}?${query}`).toBe(names);
    }
  });
});

describe('workflows', () => {
  test('10, 11, 12: a form with files of any name and without types starts a workflow', async () => {
    const manifest = waiting('form', {
      variables: { A: 'manifest' },
      inputs: { place: { description: 'Where.', default: 'here' } },
      resources: { files: ['data.bin'] },
    });
    const part = (name: string, content: string | Buffer, file = name) => [
      `--B\r\nContent-Disposition: form-data; name="${name}"; filename="${file}"\r\n\r\n`,
      content,
      '\r\n',
    ];
    const pieces = [
      ...part('workflow', JSON.stringify(manifest), 'any name.yaml'),
      ...part('variables', 'A=first\nA=last'),
      ...part('inputs', 'place=there'),
      ...part('data.bin', Buffer.from([0, 255, 13, 10, 45, 45])),
      '--B--\r\n',
    ];
    const body = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
    const headers = { 'content-type': 'multipart/form-data; boundary=B' };
    const answer = await server.call('POST', '/workflows', { body, headers });
    expectStatus(answer);
    expect(answer.code).toBe(201);
    const id = startedId(answer);
    expect(id).toMatch(UUID);
    const [event] = eventsOf(await get(`/workflows/${id}/status`));
    expect(event).toMatchObject({ variables: { A: 'last' } });
    expect(JSON.stringify(event?.metadata)).toContain('there');
  });

  test.each([
    ['namespace=query', 'manifest', 'query'],
    ['', 'manifest', 'manifest'],
    ['', undefined, 'default'],
  ])('13: with ?%s and the namespace %s in the manifest the run is in %s', async (...row) => {
    const [query, ofManifest, namespace] = row;
    const metadata = { name: 'placed', ...(ofManifest && { namespace: ofManifest }) };
    const id = await start(server, waiting('placed', { metadata }), query);
    const [event] = eventsOf(await get(`/workflows/${id}/status`));
    expect(event).toMatchObject({
      kind: 'Workflow',
      metadata: {
        name: 'placed',
        namespace,
        workflow_id: id,
        creationTimestamp: expect.stringMatching(TIMESTAMP),
      },
    });
  });

  test('14: a refusal has a message, and details that are null or have an error', async () => {
    for (const body of [{}, { metadata: {}, jobs: {} }, waiting('n', { inputs: { a: {} } })]) {
      const answer = await server.call('POST', '/workflows', { body });
      expectStatus(answer);
      expect(bodyOf(answer)).toMatchObject({ code: 422, message: expect.stringMatching(/./) });
      const { details } = bodyOf(answer);
      if (details !== null) expect(details).toEqual({ error: expect.any(String) });
    }
  });

  test('15: right after 201 the status is there', async () => {
    const id = await start(server, waiting('at once'));
    const answer = await get(`/workflows/${id}/status`, 'per_page=1');
    expect(bodyOf(answer)).toMatchObject({ code: 200, details: { status: 'PENDING' } });
    expect(itemsOf(answer)).toHaveLength(1);
  });

  test('17: the listing has ids, and with expand=manifest what clients print', async () => {
    const id = await start(server, waiting('printed'));
    expect(itemsOf(await get('/workflows'))).toContain(id);
    const answer = await get('/workflows', 'expand=manifest');
    const manifests = detailsOf(answer).items as Readonly<Record<string, Loose>>;
    expect(Object.keys(manifests)).toEqual(itemsOf(await get('/workflows')));
    expect(manifests[id]).toMatchObject({
      metadata: {
        workflow_id: id,
        name: 'printed',
        creationTimestamp: expect.stringMatching(TIMESTAMP),
        namespace: 'default',
      },
      status: { phase: 'PENDING' },
    });
  });

  test('18: the selector of kill --all gives exactly the unfinished ones', async () => {
    const kept = await start(server, waiting('unfinished'));
    const over = await start(server, waiting('finished'));
    await server.call('DELETE', `/workflows/${over}`);
    const query = 'fieldSelector=status.phase+in+%28RUNNING%2C+PENDING%29';
    const ids = itemsOf(await get('/workflows', query));
    expect(ids).toContain(kept);
    expect(ids).not.toContain(over);
  });

  test('19, 20: selectors on workflows and on their events', async () => {
    const metadata = { name: 'selected', namespace: 'team', labels: { 'example.com/x': 'y' } };
    const id = await start(server, waiting('selected', { metadata }));
    for (const query of [
      'fieldSelector=metadata.namespace==team',
      'fieldSelector=metadata.name==selected',
      `fieldSelector=metadata.workflow_id==${id}`,
      'labelSelector=example.com/x==y',
      'labelSelector=example.com/x,!example.com/z&fieldSelector=metadata.name',
    ]) {
      expect(itemsOf(await get('/workflows', query)), query).toEqual([id]);
    }
    const events = eventsOf(await get(`/workflows/${id}/status`));
    const jobId = events.find(({ metadata: { job_id } }) => job_id !== undefined)?.metadata.job_id;
    const ofJob = await get(`/workflows/${id}/status`, `fieldSelector=metadata.job_id==${jobId}`);
    expect(itemsOf(ofJob)).toEqual(events.filter(({ metadata: { job_id } }) => job_id === jobId));
    const none = await get(`/workflows/${id}/status`, 'fieldSelector=kind==WorkflowResult');
    expect(itemsOf(none)).toEqual([]);
  });

  test('21: an unknown workflow is 404 with details null', async () => {
    const answer = await get(`/workflows/${UNKNOWN}/status`);
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 404, details: null });
  });
});
