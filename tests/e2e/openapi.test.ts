/** A client generated from `openapi.json` does what a user wants, and every answer is as the description says. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRepositoryFile } from '../structure/source-files.ts';
import { bodyOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import {
  type ClientCall,
  type GeneratedClient,
  generateClient,
} from '../support/generated-client.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let bench: Workbench;
let server: ServerChild;
let client: GeneratedClient;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'], name: 'shell' });
  const document = bodyOf(await server.call('GET', '/openapi.json'));
  client = generateClient(document, server.url, server.token);
});

afterAll(() => bench.close());

const manifest = (run: string, runsOn = 'linux') => ({
  metadata: { name: 'described' },
  jobs: { main: { 'runs-on': [runsOn], steps: [{ run }] } },
});

async function start(request: ClientCall): Promise<string> {
  const { code, body } = await client.call('startWorkflow', request);
  expect(code).toBe(201);
  const id = /workflow_id=([0-9a-f-]{36})/.exec(JSON.stringify(body))?.[1];
  expect(body).toMatchObject({ reason: 'Created', details: { workflow_id: id } });
  return String(id);
}

const statusIs = (workflow_id: string, status: string) =>
  eventually(`workflow ${workflow_id} ${status}`, async () => {
    const { body } = await client.call('getWorkflowStatus', { parameters: { workflow_id } });
    return JSON.stringify(body).includes(`"status":"${status}"`) ? body : null;
  });

test('a workflow is started, followed to its end and read, with every form of request', async () => {
  const forms: readonly ClientCall[] = [
    { body: manifest('echo described') },
    { body: manifest('echo described'), mediaType: 'application/x-yaml' },
    {
      body: {
        workflow: JSON.stringify({ ...manifest('echo $WHAT'), variables: { WHAT: 'nothing' } }),
        variables: 'WHAT=described',
      },
      mediaType: 'multipart/form-data',
    },
  ];
  for (const form of forms) {
    const parameters = { workflow_id: await start(form) };
    await statusIs(parameters.workflow_id, 'DONE');
    const log = await client.call('getWorkflowLog', { parameters });
    expect(log).toMatchObject({ code: 200, body: expect.stringMatching(/ described\n/) });
    const part = { ...parameters, Range: 'bytes=0-7' };
    expect(await client.call('getWorkflowLog', { parameters: part })).toEqual({
      code: 206,
      body: 'Workflow',
    });
    for (const kind of ['jobs', 'tags', 'testcases']) {
      const answer = await client.call('getDatasource', { parameters: { ...parameters, kind } });
      expect(answer.code, kind).toBe(200);
    }
    expect((await client.call('listWorkers', { parameters })).code).toBe(200);
  }
});

test('a workflow is cancelled', async () => {
  const workflow_id = await start({ body: manifest('true', 'nowhere') });
  await statusIs(workflow_id, 'PENDING');
  const parameters = { workflow_id, source: 'test', reason: 'enough', dryRun: false };
  expect(await client.call('cancelWorkflow', { parameters })).toMatchObject({
    code: 200,
    body: { message: `Workflow ${workflow_id} canceled.` },
  });
  await statusIs(workflow_id, 'FAILED');
});

test('agents and subscriptions are registered, listed and removed', async () => {
  const agent = await client.call('registerAgent', {
    body: {
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind: 'AgentRegistration',
      metadata: { name: 'described', namespaces: 'default' },
      spec: { tags: ['nowhere-else'] },
    },
  });
  const subscription = await client.call('subscribe', {
    body: {
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind: 'Subscription',
      metadata: { name: 'described' },
      spec: { selector: { matchKind: 'Mine' }, subscriber: { endpoint: 'http://127.0.0.1:9/' } },
    },
  });
  const idOf = ({ body }: { readonly body: unknown }): string =>
    /"uuid":"([^"]+)"/.exec(JSON.stringify(body))?.[1] ?? '';
  const parameters = { agent_id: idOf(agent), subscription_id: idOf(subscription) };
  const { agent_id, subscription_id } = parameters;
  expect(JSON.stringify(await client.call('listAgents'))).toContain(agent_id);
  expect(JSON.stringify(await client.call('listSubscriptions'))).toContain(subscription_id);
  expect((await client.call('askForWork', { parameters: { agent_id } })).code).toBe(204);
  expect((await client.call('refreshAgents', { body: { [agent_id]: {} } })).code).toBe(200);
  expect((await client.call('publish', { body: { kind: 'Mine' } })).code).toBe(200);
  expect((await client.call('unsubscribe', { parameters: { subscription_id } })).code).toBe(200);
  expect((await client.call('deregisterAgent', { parameters: { agent_id } })).code).toBe(200);
});

test.each<[string, string, ClientCall]>([
  ['a workflow without jobs', 'startWorkflow', { body: { metadata: { name: 'x' } } }],
  ['an id that is none', 'cancelWorkflow', { parameters: { workflow_id: 'x' } }],
  [
    'a page before the first',
    'getWorkflowStatus',
    { parameters: { workflow_id: UNKNOWN, page: 0 } },
  ],
  ['a parameter that is unknown', 'listAgents', { parameters: { selector: 'x' } }],
  ['a subscription without an inbox', 'subscribe', { body: { kind: 'Subscription' } }],
])('a generated client does not even send %s', async (_name, operationId, request) => {
  await expect(client.call(operationId, request)).rejects.toThrow(/must|No parameter/);
});

test.each([
  'getHealth',
  'getVersion',
  'getInterfacePage',
  'getWorkflowSchema',
  'getOrchestratorStatus',
  'listAgents',
  'listChannelHandlers',
  'listChannels',
  'listNamespaces',
  'listSubscriptions',
  'listWorkflows',
])('%s answers as described', async (operationId) => {
  expect((await client.call(operationId)).code).toBe(200);
});

test('listWorkflows answers manifests as described', async () => {
  await start({ body: manifest('true') });
  const answer = await client.call('listWorkflows', { parameters: { expand: 'manifest' } });
  expect(answer.code).toBe(200);
});

test('what is unknown is answered as described, wherever an id is asked for', async () => {
  const ids = {
    workflow_id: UNKNOWN,
    attachment_id: UNKNOWN,
    agent_id: UNKNOWN,
    file_id: UNKNOWN,
    subscription_id: UNKNOWN,
  };
  const asked: readonly (readonly [string, readonly (keyof typeof ids)[]])[] = [
    ['getWorkflowStatus', ['workflow_id']],
    ['getWorkflowLog', ['workflow_id']],
    ['listWorkers', ['workflow_id']],
    ['cancelWorkflow', ['workflow_id']],
    ['getAttachment', ['workflow_id', 'attachment_id']],
    ['getAttachmentHeaders', ['workflow_id', 'attachment_id']],
    ['askForWork', ['agent_id']],
    ['fetchFile', ['agent_id', 'file_id']],
    ['deregisterAgent', ['agent_id']],
    ['unsubscribe', ['subscription_id']],
  ];
  for (const [operationId, names] of asked) {
    const parameters = Object.fromEntries(names.map((name) => [name, ids[name]]));
    expect((await client.call(operationId, { parameters })).code, operationId).toBe(404);
  }
});

test('the page for people needs a token, unless the configuration opens it to browsers', async () => {
  const headers = { authorization: '' };
  expect((await server.call('GET', '/openapi.html', { headers })).code).toBe(401);
  const open = await bench.server({ config: { auth: { insecureDocs: true } } });
  for (const answer of [
    await server.call('GET', '/openapi.html'),
    await open.call('GET', '/openapi.html', { headers }),
  ]) {
    expect(answer.code).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const operationId of client.operationIds) {
      expect(answer.text).toContain(`id="${operationId}"`);
    }
    // Browsers take the style only if it is the one that the policy names.
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(answer.text) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(answer.headers.get('content-security-policy')).toContain(`style-src 'sha256-${hash}'`);
  }
});

test('the schema of workflows needs a token, unless the configuration opens it to editors', async () => {
  const path = '/schemas/workflow.json';
  const headers = { authorization: '' };
  expect((await server.call('GET', path, { headers })).code).toBe(401);
  const config = { apiGroup: 'example.org', auth: { insecureDocs: true } };
  const open = await bench.server({ config });
  const ofPackage = readRepositoryFile('packages/manifests/workflow.schema.json');
  const answer = await server.call('GET', path);
  expect(answer.headers.get('content-type')).toBe('application/schema+json; charset=utf-8');
  expect(answer.text).toBe(ofPackage);
  const { text } = await open.call('GET', path, { headers });
  expect(JSON.parse(text).properties.apiVersion.enum).toContain('example.org/v1');
});
