/** `POST /workflows` and `DELETE /workflows/{workflow_id}` from outside (specification 4.6 and 4.7). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type ApiRequest, bodyOf, eventsOf, itemsOf } from '../support/api.ts';
import { type Manifest, oneJob, sh, start, startedId } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const MANIFEST = oneJob('hello', [sh('true')]);
const YAML_TYPE = { 'content-type': 'application/x-yaml' };

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  // Without agents: what starts here stays PENDING.
  server = await bench.server();
});

afterAll(() => bench.close());

const post = (request: ApiRequest): Promise<Answer> => server.call('POST', '/workflows', request);

function form(parts: Readonly<Record<string, unknown>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    if (value instanceof Blob) data.append(name, value, 'any name.txt');
    else data.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return data;
}

/** The Workflow event, which is what the run goes by. */
async function workflowOf(id: string): Promise<Manifest> {
  const [event] = eventsOf(await server.call('GET', `/workflows/${id}/status`));
  return { ...event };
}

describe('4.6: request forms', () => {
  test.each<[string, ApiRequest]>([
    ['JSON', { body: MANIFEST }],
    [
      'YAML',
      { body: 'metadata: {name: hello}\njobs: {a: {steps: [run: "true"]}}', headers: YAML_TYPE },
    ],
    ['JSON that says to be YAML', { body: JSON.stringify(MANIFEST), headers: YAML_TYPE }],
    ['a field of a form', { body: form({ workflow: MANIFEST }) }],
    ['a file of a form', { body: form({ workflow: new Blob([JSON.stringify(MANIFEST)]) }) }],
    // HTTP 2.1: `status` and `reason` follow from the code.
    // HTTP 2.5: The name is part of the answer, the namespace a fallback.
    // HTTP 3.2: A valid workflow is PENDING, has an id, and is published.
    // HTTP 4.6: JSON and YAML as bodies; JSON under a type of YAML.
    // HTTP 4.6: A form with the workflow as field or file.
    // HTTP 4.6: 201, the message and the id.
  ])('%s starts a workflow', async (_name, request) => {
    const answer = await post(request);
    const id = startedId(answer);
    expect(answer.code).toBe(201);
    expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(bodyOf(answer)).toEqual({
      apiVersion: 'v1',
      kind: 'Status',
      metadata: {},
      message: `Workflow hello accepted (workflow_id=${id}).`,
      status: 'Success',
      reason: 'Created',
      code: 201,
      details: { workflow_id: id },
    });
    expect((await server.call('GET', `/workflows/${id}/status`)).code).toBe(200);
  });

  test.each<[string, ApiRequest, number, RegExp]>([
    [
      'JSON that is none',
      { body: '{', headers: { 'content-type': 'application/json' } },
      400,
      /^Not a valid JSON document: /,
    ],
    [
      'YAML that is none',
      { body: 'a: [', headers: YAML_TYPE },
      422,
      /^Not a valid YAML document: .*line 1/,
    ],
    [
      'a key given twice',
      { body: 'a: 1\na: 2', headers: YAML_TYPE },
      422,
      /"a" is given twice \(line 2/,
    ],
    ['a second document', { body: 'a: 1\n---\na: 2', headers: YAML_TYPE }, 422, /second document/],
    ['a tag', { body: 'a: !!js/function x', headers: YAML_TYPE }, 422, /tag/i],
    ['no body', {}, 422, /^Not a valid Workflow manifest/],
    [
      'another content type',
      { body: 'a', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      /x-www-form-urlencoded\. With curl: -H 'Content-Type: application\/x-yaml' --data-binary @FILE$/,
    ],
    ['a form without workflow', { body: form({ variables: 'A=1' }) }, 422, /"workflow"/],
    [
      'a form that ends early',
      { body: '--B\r\n', headers: { 'content-type': 'multipart/form-data; boundary=B' } },
      400,
      /^Not a valid multipart/,
    ],
    [
      'a form without boundary',
      { body: 'x', headers: { 'content-type': 'multipart/form-data' } },
      400,
      /^Not a valid multipart/,
    ],
    ['no jobs', { body: { metadata: { name: 'n' } } }, 422, /jobs/],
    ['no name', { body: { metadata: {}, jobs: { a: { steps: [sh('true')] } } } }, 422, /name/],
    [
      'an unknown dependency',
      { body: oneJob('n', [sh('true')], { needs: 'b' }) },
      422,
      /^Job "main" has a dependency on job "b" which does not exist\.$/,
    ],
    // HTTP 4.6: 422 with the cause; 409 when the workflow cannot be published.
  ])('%s is refused', async (_name, request, code, message) => {
    const answer = await post(request);
    expect(bodyOf(answer)).toMatchObject({
      code,
      status: 'Failure',
      message: expect.stringMatching(message),
    });
  });
});

describe('4.6: variables, inputs and files', () => {
  test.each([
    ['fields', (text: string) => text],
    ['files', (text: string) => new Blob([text])],
    // Language 1.5: Lines of the request replace variables of the workflow.
    // HTTP 2.5: `variables` are texts by name.
    // HTTP 4.6: Variables: lines, merged, the last definition wins.
    // HTTP 4.6: Inputs: kept as annotations.
  ])('as %s, the last definition wins and other variables stay', async (_name, part) => {
    const manifest = {
      ...MANIFEST,
      variables: { A: 'manifest', KEPT: 'manifest' },
      inputs: { place: { description: 'Where.', default: 'here' } },
    };
    const body = form({
      workflow: manifest,
      variables: part('A=first\nA=a=b\nNEW=new\n'),
      inputs: part('place=there\nplace=everywhere'),
    });
    const event = await workflowOf(startedId(await post({ body })));
    expect(event.variables).toEqual({ A: 'a=b', KEPT: 'manifest', NEW: 'new' });
    expect(JSON.stringify(event.metadata)).toContain('everywhere');
  });

  test('of parts that are repeated all lines count', async () => {
    const body = form({ workflow: { ...MANIFEST, variables: { A: 'manifest' } } });
    for (const lines of ['A=first\nB=first', 'B=second']) body.append('variables', lines);
    const event = await workflowOf(startedId(await post({ body })));
    expect(event.variables).toEqual({ A: 'first', B: 'second' });
  });

  test.each([
    ['colour=red', /^Unexpected inputs "colour" found\./],
    ['', /^Mandatory input "place" not provided\.$/],
    // Language 1.11: Names that are not declared are refused with those that are.
    // HTTP 4.6: Inputs that do not match are Invalid, with the cause.
  ])('inputs %j that do not match are Invalid', async (inputs, message) => {
    const workflow = { ...MANIFEST, inputs: { place: { description: 'Where.', required: true } } };
    expect(bodyOf(await post({ body: form({ workflow, inputs }) }))).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: expect.stringMatching(message),
    });
  });

  const withFiles = { ...MANIFEST, resources: { files: ['b', 'a'] } };
  test.each<[string, ApiRequest, string]>([
    ['without a form', { body: withFiles }, 'Expecting files, must use multipart/form-data.'],
    [
      'all missing',
      { body: form({ workflow: withFiles }) },
      'Not all expected files were attached: a, b.',
    ],
    [
      'one of them a field',
      { body: form({ workflow: withFiles, a: new Blob(['x']), b: 'x' }) },
      'Not all expected files were attached: b.',
    ],
    // Language 1.9: Files that are named must come with the request.
    // HTTP 2.5: `resources.files` names what must be attached.
    // HTTP 4.6: Files need a form.
    // HTTP 4.6: Missing files are named, plain fields do not count.
    // HTTP 7: Messages for files: missing, and without a form.
  ])('files that are expected, %s, are told', async (_name, request, message) => {
    expect(bodyOf(await post(request))).toMatchObject({ code: 422, message, details: null });
  });

  test('a file may come before the workflow that asks for it', async () => {
    const body = form({ a: new Blob(['x']), b: new Blob(['y']), workflow: withFiles });
    expect((await post({ body })).code).toBe(201);
  });
});

describe('4.6: query parameters', () => {
  test.each([
    ['namespace=query', { namespace: 'manifest' }, 'query'],
    ['', { namespace: 'manifest' }, 'manifest'],
    ['namespace=', {}, 'default'],
    ['', {}, 'default'],
    // Language 1.2: The namespace has its form; the query wins, and `default` is taken without any.
    // HTTP 2.5: The name is part of the answer, the namespace a fallback.
    // HTTP 4.6: The namespace: parameter, manifest, default.
  ])('with ?%s and metadata %j the namespace is %s', async (query, metadata, namespace) => {
    const manifest = { ...MANIFEST, metadata: { name: 'hello', ...metadata } };
    const event = await workflowOf(await start(server, manifest, query));
    expect(event).toMatchObject({ kind: 'Workflow', metadata: { name: 'hello', namespace } });
  });

  test('a namespace of a wrong form is Invalid', async () => {
    const answer = await post({ body: MANIFEST, query: 'namespace=*' });
    expect(bodyOf(answer)).toMatchObject({ code: 422, reason: 'Invalid' });
  });

  test.each(['ping', 'ping=', 'ping=true&dryRun=x&namespace=*'])(
    // HTTP 4.6: A ping does nothing, whatever else is given, and needs a token.
    '?%s does nothing',
    async (query) => {
      const before = itemsOf(await server.call('GET', '/workflows'));
      const answer = await post({ query, body: 'nonsense' });
      expect(bodyOf(answer)).toMatchObject({ code: 200, message: 'Pong!', details: null });
      expect(itemsOf(await server.call('GET', '/workflows'))).toEqual(before);
    },
  );

  test.each(['dryRun', 'dryRun=', 'dryRun=true'])(
    // HTTP 4.6: A dry run validates, answers an id and starts nothing.
    '?%s validates and starts nothing',
    async (query) => {
      const id = startedId(await post({ query, body: MANIFEST }));
      expect((await server.call('GET', `/workflows/${id}/status`)).code).toBe(404);
      expect((await post({ query, body: { metadata: { name: 'n' } } })).code).toBe(422);
    },
  );
});

describe('4.7: DELETE', () => {
  test.each([
    [UNKNOWN, 404, `Workflow ${UNKNOWN} not found.`],
    ['nope', 422, 'Not a valid workflow id: "nope".'],
    // HTTP 1: Ids in paths are UUIDs; another form is refused.
    // HTTP 4.7: 422 for a wrong id, 404 for an unknown one.
  ])('of %s is refused', async (id, code, message) => {
    const answer = await server.call('DELETE', `/workflows/${id}`);
    expect(bodyOf(answer)).toMatchObject({ code, message, details: null });
  });

  // HTTP 3.2: Cancelling takes its time, and is possible after the end.
  // HTTP 4.7: 200, the message, no details; also after the end.
  // HTTP 4.7: Source and reason are told on.
  // HTTP 4.7: A dry run stops nothing: 200 while it runs, else 404.
  test('cancels, tells reason and source in an event, and may be repeated', async () => {
    const id = await start(server, MANIFEST);
    const path = `/workflows/${id}`;
    expect((await server.call('DELETE', path, { query: 'dryRun' })).code).toBe(200);
    for (const query of ['reason=too+late&source=me', '']) {
      const answer = await server.call('DELETE', path, { query });
      expect(bodyOf(answer)).toMatchObject({
        code: 200,
        message: `Workflow ${id} canceled.`,
        details: null,
      });
    }
    const { details } = bodyOf(await server.call('GET', `${path}/status`));
    expect(details).toMatchObject({ status: 'FAILED' });
    expect(JSON.stringify(details)).toContain('"reason":"too late"');
    expect((await server.call('DELETE', path, { query: 'dryRun=' })).code).toBe(404);
  });
});
