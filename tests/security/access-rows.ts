/** The rights that each endpoint needs, by the specification. Access is tested by these rows. */
import { type Api, detailsOf, itemsOf, type Loose } from '../support/api.ts';
import { pageHeaders } from '../support/browser-session.ts';
import { eventually } from '../support/eventually.ts';
import { oneJob, sh, start, startedId } from '../support/runs.ts';

export const RESOURCES = [
  'agents',
  'channelhandlers',
  'channels',
  'commands',
  'metrics',
  'providers',
  'publications',
  'qualitygates',
  'results',
  'status',
  'subscriptions',
  'tests',
  'workflows',
] as const;
export const VERBS = ['list', 'get', 'create', 'delete'] as const;

export interface Needed {
  readonly resource: (typeof RESOURCES)[number];
  readonly verb: (typeof VERBS)[number];
}

/** Resources with which another one comes: the status is a part of a workflow. */
export const givers = ({ resource }: Needed): readonly Needed['resource'][] =>
  resource === 'status' ? ['status', 'workflows'] : [resource];

/** The namespace that everything of a row lies in. */
export const OURS = 'ours';

export interface Target {
  readonly path: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ids that must not be shown to others. */
  readonly secrets?: readonly string[];
}

/** The hands that make what a request is about. */
export interface Hands {
  readonly admin: Api;
  /** Everything, in the namespace of the rows alone. */
  readonly ours: Api;
}

export interface Row {
  /** Absent: every valid token may use it. */
  readonly needs?: Needed;
  /** A second right that it takes. */
  readonly needsAlso?: Needed;
  /** Code of the answer to a token with just the rights that it needs. */
  readonly allowed: number;
  /**
   * Answer to a token with the right in another namespace: a refusal, or an answer without foreign things. Lists, counts, and endpoints
   * that create something in the token's namespaces answer so.
   */
  readonly elsewhere: 'refused' | 'hidden';
  /** It is about all namespaces together, so a token for only some is refused. */
  readonly isOfAll?: true;
  /** `details` of the refusal in another namespace, if it has any. */
  readonly refusal?: { readonly error: string };
  prepare(hands: Hands): Promise<Target> | Target;
}

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

async function newRun({ admin }: Hands): Promise<string> {
  return start(admin, oneJob('ours', [sh('true')], { 'runs-on': 'nowhere' }), `namespace=${OURS}`);
}

let run: Promise<string> | null = null;
/** One run is enough for all that only look at it. */
const sharedRun = (hands: Hands): Promise<string> => {
  run ??= newRun(hands);
  return run;
};

const REPORT =
  '<testsuite name="s"><testcase classname="c" name="n" time="1"><failure message="no"/></testcase></testsuite>';

/** A test of a rehearsal, whose history is there. */
async function newTest({ admin }: Hands): Promise<string> {
  const steps = [
    {
      uses: 'actions/prepare-inception@v1',
      with: { 'report.xml': `\${{ resources.files['report.xml'] }}` },
    },
    sh('echo "::attach type=application/vnd.opentestfactory.junit-surefire+xml::report.xml"'),
  ];
  const jobs = { main: { 'runs-on': 'inception', steps } };
  const resources = { files: ['report.xml'] };
  const manifest = { metadata: { name: 'tested', namespace: OURS }, resources, jobs };
  const form = new FormData();
  form.set('workflow', new Blob([JSON.stringify(manifest)]));
  form.set('report.xml', new Blob([REPORT]), 'report.xml');
  startedId(await admin.call('POST', '/workflows', { body: form }));
  return await eventually('the history of a test', async () => {
    const answer = await admin.call('GET', '/tests', { query: 'project=tested' });
    const [item] = itemsOf(answer);
    return item === undefined ? null : String(Object(item).metadata.id);
  });
}
let test: Promise<string> | null = null;
const ofTest =
  (tail: string) =>
  async (hands: Hands): Promise<Target> => {
    test ??= newTest(hands);
    return { path: `/tests/${await test}${tail}` };
  };

/** The cause of the failure of that test. */
async function causeId(hands: Hands): Promise<string> {
  test ??= newTest(hands);
  const answer = await hands.admin.call('GET', '/causes', { query: `test=${await test}` });
  return String(Object(itemsOf(answer)[0]).metadata.id);
}

/** A test that is in quarantine now. */
async function heldTest(hands: Hands): Promise<Target> {
  const target = await ofTest('/quarantine')(hands);
  await hands.admin.call('POST', target.path, { body: { reason: 'a known problem' } });
  return target;
}

/** The same with the only variant of the test. */
async function heldVariant(hands: Hands): Promise<Target> {
  const { path } = await heldTest(hands);
  const test = detailsOf(await hands.admin.call('GET', path.replace('/quarantine', '')));
  const variant: string = Object(test).spec.variants[0].id;
  await hands.admin.call('POST', path, { body: { reason: 'a known problem', variant } });
  return { path, query: `variant=${variant}` };
}

const registration = {
  apiVersion: 'opentestfactory.org/v1alpha1',
  kind: 'AgentRegistration',
  metadata: { name: 'ours', namespaces: OURS },
  spec: { tags: ['linux'], encoding: 'utf-8', script_path: '/tmp' },
};

const subscription = {
  apiVersion: 'opentestfactory.org/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'everything' },
  spec: { subscriber: { endpoint: 'http://127.0.0.1:9/inbox' } },
};

async function made(api: Api, path: string, body: Loose): Promise<string> {
  const { uuid } = detailsOf(await api.call('POST', path, { body }));
  return String(uuid);
}

const newAgent = ({ admin }: Hands): Promise<string> => made(admin, '/agents', registration);
/** Its holder's namespaces decide which events it gets. */
const newSubscription = ({ ours }: Hands): Promise<string> =>
  made(ours, '/subscriptions', subscription);

const ofRun =
  (tail: string, more: Omit<Target, 'path'> = {}) =>
  async (hands: Hands): Promise<Target> => ({
    path: `/workflows/${await sharedRun(hands)}${tail}`,
    ...more,
  });

const ofAgent =
  (tail: string, more: Omit<Target, 'path'> = {}) =>
  async (hands: Hands): Promise<Target> => ({
    path: `/agents/${await newAgent(hands)}${tail}`,
    ...more,
  });

const at =
  (path: string, more: Omit<Target, 'path'> = {}) =>
  (): Target => ({ path, ...more });

const readRun = { resource: 'workflows', verb: 'get' } as const;
const beAgent = { resource: 'agents', verb: 'create' } as const;
const open = { allowed: 200, elsewhere: 'hidden' } as const;

/** By method and path, as the description of the interface writes them. */
export const ROWS: Readonly<Record<string, Row>> = {
  'GET /health': { ...open, prepare: at('/health') },
  'GET /namespaces': { ...open, prepare: at('/namespaces') },
  'GET /ui/session': { ...open, prepare: at('/ui/session') },
  'POST /ui/session': {
    allowed: 201,
    elsewhere: 'hidden',
    prepare: ({ admin }) => ({ path: '/ui/session', headers: pageHeaders(admin.url) }),
  },
  'DELETE /ui/session': { ...open, prepare: at('/ui/session') },
  'POST /ui/codes': { allowed: 201, elsewhere: 'hidden', prepare: at('/ui/codes') },
  'GET /version': { ...open, prepare: at('/version') },
  'GET /openapi.html': { ...open, prepare: at('/openapi.html') },
  'GET /schemas/workflow.json': { ...open, prepare: at('/schemas/workflow.json') },
  'GET /openapi.json': { ...open, prepare: at('/openapi.json') },
  'GET /tests': {
    needs: { resource: 'tests', verb: 'list' },
    allowed: 200,
    elsewhere: 'hidden',
    prepare: async (hands) => ({
      path: '/tests',
      secrets: [(await ofTest('')(hands)).path.slice('/tests/'.length)],
    }),
  },
  'GET /tests/{test_id}': {
    needs: { resource: 'tests', verb: 'get' },
    allowed: 200,
    elsewhere: 'refused',
    prepare: ofTest(''),
  },
  'GET /tests/{test_id}/executions': {
    needs: { resource: 'tests', verb: 'get' },
    allowed: 200,
    elsewhere: 'refused',
    prepare: ofTest('/executions'),
  },
  'GET /causes': {
    needs: { resource: 'tests', verb: 'list' },
    allowed: 200,
    elsewhere: 'hidden',
    prepare: async (hands) => ({ path: '/causes', secrets: [await causeId(hands)] }),
  },
  'GET /causes/{cause_id}': {
    needs: { resource: 'tests', verb: 'get' },
    allowed: 200,
    elsewhere: 'refused',
    prepare: async (hands) => ({ path: `/causes/${await causeId(hands)}` }),
  },
  'POST /tests/{test_id}/quarantine': {
    needs: { resource: 'tests', verb: 'create' },
    allowed: 201,
    elsewhere: 'refused',
    prepare: async (hands) => ({
      ...(await ofTest('/quarantine')(hands)),
      body: { reason: 'a known problem' },
    }),
  },
  'DELETE /tests/{test_id}/quarantine': {
    needs: { resource: 'tests', verb: 'delete' },
    allowed: 200,
    elsewhere: 'refused',
    prepare: heldVariant,
  },
  'GET /quarantine': {
    needs: { resource: 'tests', verb: 'list' },
    allowed: 200,
    elsewhere: 'hidden',
    prepare: async (hands) => ({
      path: '/quarantine',
      secrets: [(await heldTest(hands)).path.split('/')[2] ?? ''],
    }),
  },
  'GET /test-journal': {
    needs: { resource: 'tests', verb: 'list' },
    allowed: 200,
    elsewhere: 'hidden',
    prepare: async (hands) => ({
      path: '/test-journal',
      secrets: [(await heldTest(hands)).path.split('/')[2] ?? ''],
    }),
  },
  'GET /metrics': {
    needs: { resource: 'metrics', verb: 'get' },
    allowed: 200,
    elsewhere: 'refused',
    isOfAll: true,
    prepare: at('/metrics'),
  },
  'GET /agents': {
    needs: { resource: 'agents', verb: 'list' },
    ...open,
    prepare: async (hands) => ({ path: '/agents', secrets: [await newAgent(hands)] }),
  },
  'POST /agents': {
    needs: beAgent,
    allowed: 201,
    elsewhere: 'refused',
    prepare: at('/agents', { body: registration }),
  },
  'PATCH /agents': {
    needs: beAgent,
    allowed: 200,
    elsewhere: 'refused',
    prepare: async (hands) => ({ path: '/agents', body: { [await newAgent(hands)]: {} } }),
  },
  'DELETE /agents/{agent_id}': {
    needs: { resource: 'agents', verb: 'delete' },
    allowed: 200,
    elsewhere: 'refused',
    prepare: ofAgent(''),
  },
  'POST /agents/polls': {
    needs: beAgent,
    allowed: 204,
    elsewhere: 'refused',
    prepare: async (hands) => {
      const { path, ...target } = await ofAgent('')(hands);
      const polls = [{ agent_id: path.split('/').at(-1), last: null, running: null }];
      return { ...target, path: '/agents/polls', body: { polls } };
    },
  },
  'POST /agents/{agent_id}/drain': {
    needs: { resource: 'agents', verb: 'delete' },
    allowed: 200,
    elsewhere: 'refused',
    prepare: ofAgent('/drain'),
  },
  'DELETE /agents/{agent_id}/drain': {
    needs: { resource: 'agents', verb: 'delete' },
    allowed: 200,
    elsewhere: 'refused',
    prepare: ofAgent('/drain'),
  },
  'GET /agents/{agent_id}/queue': {
    needs: { resource: 'agents', verb: 'list' },
    allowed: 200,
    elsewhere: 'refused',
    prepare: ofAgent('/queue'),
  },
  'GET /agents/{agent_id}': {
    needs: beAgent,
    allowed: 204,
    elsewhere: 'refused',
    prepare: ofAgent(''),
  },
  'POST /agents/{agent_id}': {
    needs: beAgent,
    allowed: 200,
    elsewhere: 'refused',
    prepare: ofAgent('', { body: { exit_status: 0 } }),
  },
  'GET /agents/{agent_id}/files/{file_id}': {
    needs: beAgent,
    allowed: 404,
    elsewhere: 'refused',
    prepare: ofAgent(`/files/${UNKNOWN}`),
  },
  'POST /agents/{agent_id}/files/{file_id}': {
    needs: beAgent,
    allowed: 404,
    elsewhere: 'refused',
    prepare: ofAgent(`/files/${UNKNOWN}`, { body: 'content' }),
  },
  'PUT /agents/{agent_id}/files/{file_id}': {
    needs: beAgent,
    allowed: 404,
    elsewhere: 'refused',
    prepare: ofAgent(`/files/${UNKNOWN}`, { body: 'content' }),
  },
  'GET /providers': {
    needs: { resource: 'providers', verb: 'list' },
    ...open,
    prepare: at('/providers'),
  },
  'GET /qualitygates': {
    needs: { resource: 'qualitygates', verb: 'get' },
    ...open,
    prepare: at('/qualitygates'),
  },
  'GET /insights': {
    needs: { resource: 'workflows', verb: 'get' },
    ...open,
    prepare: at('/insights'),
  },
  'GET /schemas/provider.json': { ...open, prepare: at('/schemas/provider.json') },
  'GET /channelhandlers': {
    needs: { resource: 'channelhandlers', verb: 'list' },
    ...open,
    prepare: at('/channelhandlers'),
  },
  'GET /channels': {
    needs: { resource: 'channels', verb: 'list' },
    ...open,
    prepare: async (hands) => ({ path: '/channels', secrets: [await newAgent(hands), '"ours"'] }),
  },
  'GET /publications': {
    needs: { resource: 'subscriptions', verb: 'create' },
    ...open,
    prepare: at('/publications'),
  },
  'POST /publications': {
    needs: { resource: 'publications', verb: 'create' },
    allowed: 200,
    elsewhere: 'refused',
    prepare: async (hands) => ({
      path: '/publications',
      body: { kind: 'Note', metadata: { workflow_id: await sharedRun(hands) } },
    }),
  },
  'GET /subscriptions': {
    needs: { resource: 'subscriptions', verb: 'list' },
    ...open,
    prepare: async (hands) => ({
      path: '/subscriptions',
      secrets: [await newSubscription(hands)],
    }),
  },
  'POST /subscriptions': {
    needs: { resource: 'subscriptions', verb: 'create' },
    allowed: 201,
    elsewhere: 'hidden',
    prepare: at('/subscriptions', { body: subscription }),
  },
  'GET /changes': {
    needs: { resource: 'workflows', verb: 'list' },
    ...open,
    prepare: at('/changes', { query: 'topics=runs,queue' }),
  },
  'GET /queue': {
    needs: { resource: 'workflows', verb: 'list' },
    ...open,
    prepare: async (hands) => ({ path: '/queue', secrets: [await sharedRun(hands)] }),
  },
  'GET /runs': {
    needs: { resource: 'workflows', verb: 'list' },
    ...open,
    prepare: async (hands) => ({ path: '/runs', secrets: [await sharedRun(hands)] }),
  },
  'GET /workflows': {
    needs: { resource: 'workflows', verb: 'list' },
    ...open,
    prepare: async (hands) => ({
      path: '/workflows',
      query: 'expand=manifest',
      secrets: [await sharedRun(hands), '"ours"'],
    }),
  },
  'POST /workflows': {
    needs: { resource: 'workflows', verb: 'create' },
    allowed: 201,
    elsewhere: 'refused',
    refusal: { error: `This token may not create workflows in namespace "${OURS}".` },
    prepare: at('/workflows', {
      query: `namespace=${OURS}&dryRun`,
      body: oneJob('new', [sh('true')]),
    }),
  },
  'GET /workflows/status': {
    needs: { resource: 'status', verb: 'list' },
    ...open,
    prepare: async (hands) => ({
      path: '/workflows/status',
      secrets: [await sharedRun(hands), 'BUSY'],
    }),
  },
  'DELETE /workflows/{workflow_id}': {
    needs: { resource: 'workflows', verb: 'delete' },
    allowed: 200,
    elsewhere: 'refused',
    prepare: async (hands) => ({ path: `/workflows/${await newRun(hands)}` }),
  },
  'POST /workflows/{workflow_id}/rerun': {
    needs: { resource: 'workflows', verb: 'create' },
    needsAlso: { resource: 'workflows', verb: 'get' },
    allowed: 201,
    elsewhere: 'refused',
    prepare: ofRun('/rerun'),
  },
  'DELETE /workflows/{workflow_id}/history': {
    needs: { resource: 'workflows', verb: 'delete' },
    // It goes on.
    allowed: 409,
    elsewhere: 'refused',
    prepare: ofRun('/history'),
  },
  'GET /workflows/{workflow_id}/status': {
    needs: { resource: 'status', verb: 'get' },
    allowed: 200,
    elsewhere: 'refused',
    prepare: ofRun('/status'),
  },
  'GET /workflows/{workflow_id}/workers': {
    needs: readRun,
    allowed: 200,
    elsewhere: 'refused',
    prepare: ofRun('/workers'),
  },
  'GET /workflows/{workflow_id}/logs': {
    needs: readRun,
    allowed: 200,
    elsewhere: 'refused',
    prepare: ofRun('/logs'),
  },
  'GET /workflows/{workflow_id}/causes': {
    needs: readRun,
    allowed: 200,
    elsewhere: 'refused',
    prepare: ofRun('/causes'),
  },
  'GET /workflows/{workflow_id}/tests': {
    needs: { resource: 'tests', verb: 'list' },
    allowed: 200,
    elsewhere: 'refused',
    prepare: ofRun('/tests'),
  },
  'GET /workflows/{workflow_id}/compare': {
    needs: readRun,
    allowed: 200,
    elsewhere: 'refused',
    prepare: async (hands) => {
      const id = await sharedRun(hands);
      return { path: `/workflows/${id}/compare`, query: `with=${id}` };
    },
  },
  'GET /workflows/{workflow_id}/log/lines': {
    needs: readRun,
    allowed: 200,
    elsewhere: 'refused',
    prepare: ofRun('/log/lines'),
  },
  'GET /workflows/{workflow_id}/log/search': {
    needs: readRun,
    allowed: 200,
    elsewhere: 'refused',
    prepare: ofRun('/log/search', { query: 'q=a' }),
  },
  'GET /workflows/{workflow_id}/marks': {
    needs: readRun,
    allowed: 200,
    elsewhere: 'refused',
    prepare: ofRun('/marks'),
  },
  'GET /workflows/{workflow_id}/view': {
    needs: readRun,
    allowed: 200,
    elsewhere: 'refused',
    prepare: ofRun('/view'),
  },
  'GET /workflows/{workflow_id}/datasources/{kind}': {
    needs: readRun,
    allowed: 202,
    elsewhere: 'refused',
    prepare: ofRun('/datasources/jobs'),
  },
  'POST /workflows/{workflow_id}/insights': {
    needs: readRun,
    allowed: 200,
    elsewhere: 'refused',
    prepare: ofRun('/insights', {
      query: 'insight=none',
      body: { insights: [{ name: 'a', kind: 'ExecutionLog' }] },
    }),
  },
  'GET /workflows/{workflow_id}/qualitygate': {
    needs: { resource: 'qualitygates', verb: 'get' },
    allowed: 200,
    elsewhere: 'refused',
    prepare: ofRun('/qualitygate'),
  },
  'POST /workflows/{workflow_id}/qualitygate': {
    needs: { resource: 'qualitygates', verb: 'create' },
    allowed: 200,
    elsewhere: 'refused',
    prepare: ofRun('/qualitygate', {
      query: 'mode=any',
      body: {
        qualitygates: [{ name: 'any', rules: [{ name: 'all', rule: { threshold: '1%' } }] }],
      },
    }),
  },
  'GET /workflows/{workflow_id}/files/{attachment_id}': {
    needs: readRun,
    allowed: 404,
    elsewhere: 'refused',
    prepare: ofRun(`/files/${UNKNOWN}`),
  },
  'HEAD /workflows/{workflow_id}/files/{attachment_id}': {
    needs: readRun,
    allowed: 404,
    elsewhere: 'refused',
    prepare: ofRun(`/files/${UNKNOWN}`),
  },
  'GET /workflows/{workflow_id}/files/{attachment_id}/view': {
    needs: readRun,
    allowed: 404,
    elsewhere: 'refused',
    prepare: ofRun(`/files/${UNKNOWN}/view`),
  },
  'POST /workflows/{workflow_id}/files/{attachment_id}/ticket': {
    needs: readRun,
    allowed: 404,
    elsewhere: 'refused',
    prepare: ofRun(`/files/${UNKNOWN}/ticket`),
  },
  'DELETE /subscriptions/{subscription_id}': {
    needs: { resource: 'subscriptions', verb: 'delete' },
    allowed: 200,
    elsewhere: 'refused',
    prepare: async (hands) => ({
      path: `/subscriptions/${await newSubscription(hands)}`,
    }),
  },
};
