/** One example of each document, for all places in the description. */
const API = 'opentestfactory.org';
const WHEN = '2026-01-31T12:34:56.123456';
const ALPHA = `${API}/v1alpha1`;

export const IDS = {
  workflow: '0198c2f0-7a51-7c3e-9d50-3f8f5a6b1c01',
  job: '0198c2f0-7a51-4c3e-9d50-3f8f5a6b1c02',
  attachment: '0198c2f0-7a51-4c3e-9d50-3f8f5a6b1c03',
  agent: '0198c2f0-7a51-4c3e-9d50-3f8f5a6b1c04',
  subscription: '0198c2f0-7a51-4c3e-9d50-3f8f5a6b1c05',
  handler: '0198c2f0-7a51-4c3e-9d50-3f8f5a6b1c06',
  file: '0198c2f0-7a51-4c3e-9d50-3f8f5a6b1c07',
} as const;

const counts = { success: 1, failure: 0, error: 0, skipped: 0, cancelled: 0 };
const seen = { creationTimestamp: WHEN };
const ofRun = { namespace: 'default', workflow_id: IDS.workflow, ...seen };
const agent = { name: 'build-1', namespaces: 'default' };
const agentSpec = { tags: ['linux', 'chrome'], encoding: 'utf-8', script_path: '/tmp' };
const selector = { matchKind: 'ProviderCommand', matchLabels: { [`${API}/category`]: 'checkout' } };
const subscription = { selector, subscriber: { endpoint: 'http://127.0.0.1:7790/inbox' } };
const workflow = {
  metadata: { name: 'nightly' },
  variables: { STAGE: 'qa' },
  jobs: { tests: { 'runs-on': ['linux'], steps: [{ run: 'npm test' }] } },
};

const jobCounts = {
  total: 1,
  waiting: 0,
  running: 0,
  succeeded: 0,
  failed: 1,
  canceled: 0,
  skipped: 0,
};
const outcomes = { success: 11, failure: 1, error: 0, skipped: 0 };
const view = {
  seq: 9,
  total: 9,
  log_bytes: 2048,
  failure_line: 42,
  failure_test: { suite: 'Cart', name: 'adds an item', message: 'no', text: 'at cart.js:3' },
  at: WHEN,
  run: {
    workflow_id: IDS.workflow,
    name: 'nightly',
    namespace: 'default',
    status: 'FAILED',
    started: WHEN,
    ended: WHEN,
    reason: 'Job "tests" failed.',
    canceled_by: null,
    waiting: null,
    errors: [],
    jobs: jobCounts,
    tests: outcomes,
    attachments: 1,
    report_folders: 0,
    reports: 0,
  },
  failures: [
    {
      job: 'tests',
      job_id: IDS.job,
      step: IDS.file,
      place: 'tests ▸ npm test',
      message: 'exit code 1 after 2 s',
      is_stopped: false,
      exit_code: 1,
      at: WHEN,
      lines: ['1 test failed'],
      lines_total: 40,
    },
  ],
  failures_total: 1,
  jobs: [
    {
      job_id: IDS.job,
      key: 'tests',
      name: 'tests',
      parent: null,
      status: 'FAILED',
      is_forgiven: false,
      needs: [],
      waiting: null,
      why: null,
      channel_id: IDS.agent,
      environment: 'agent-7',
      tags: ['linux'],
      requested: WHEN,
      placed: WHEN,
      started: WHEN,
      released: WHEN,
      ended: WHEN,
      step: null,
      last_line: null,
      tests: outcomes,
      jobs: null,
    },
  ],
  jobs_total: 1,
  steps: [
    {
      job: 'tests',
      id: IDS.file,
      origin: [],
      label: 'npm test',
      is_function: false,
      status: 'FAILED',
      started: WHEN,
      ended: WHEN,
      exit_code: 1,
    },
  ],
  steps_total: 1,
  waits: [
    { job: 'tests', reason: 'asked', text: 'asks for an environment', since: WHEN, until: WHEN },
  ],
  waits_total: 1,
  files: [
    {
      id: IDS.attachment,
      name: 'report.xml',
      type: 'application/xml',
      job: 'tests',
      step: IDS.file,
      at: WHEN,
    },
  ],
  files_total: 1,
};

const logLines = {
  items: [[3, WHEN, IDS.job, 'Running command: npm test']],
  total: 42,
  first: 3,
  last: 3,
  next: 4,
};

const none = { items: [], total: 0 };
const comparedTests = {
  before: IDS.workflow,
  after: '0198c2f0-7a51-7c3e-9d50-3f8f5a6b1c09',
  newly_failed: {
    items: [
      {
        job: 'tests',
        suite: 'Cart',
        name: 'adds an item',
        before: { outcome: 'success', duration: 12 },
        after: { outcome: 'failure', duration: 15 },
      },
    ],
    total: 1,
  },
  fixed: none,
  still_failing: none,
  new: none,
  gone: none,
  slower: none,
};

const causes = {
  failures: 2,
  ungrouped: 0,
  items: [
    {
      id: 'a0c3f7b4c5d1e6f27a8b9c0d1e2f3a4b5c6d7e8f9a0b1c2d3e4f5a6b7c8d9e0f',
      title: 'no order <number>',
      failures: 2,
      known: {
        cause_id: '3a0f7c52-9d1e-5b64-8c27-5e1f0b9d4a31',
        isNew: false,
        since: { workflow_id: IDS.workflow, at: '2026-01-01T12:00:00.000000' },
      },
      tests: [
        { id: IDS.attachment, job: 'tests', suite: 'Cart', name: 'adds an item' },
        { id: IDS.file, job: 'tests', suite: 'Cart', name: 'removes an item' },
      ],
    },
  ],
};

const marks = { total: 61, items: [[12, WHEN, 'failure', 'tests']] };

export const EXAMPLES = {
  marks,
  causes,
  comparedTests,
  logLines,
  logHits: '{"hits":[[42,0,"1 test failed"]]}\n{"count":1,"total":42,"buckets":[0,1]}\n',
  view,
  workflow,
  workflowText:
    'metadata: {name: nightly}\njobs:\n  tests:\n    runs-on: linux\n    steps: [{run: npm test}]\n',
  workflowEvent: {
    apiVersion: `${API}/v1`,
    kind: 'Workflow',
    ...workflow,
    metadata: { name: 'nightly', ...ofRun },
  },
  agent: {
    apiVersion: ALPHA,
    kind: 'AgentRegistration',
    metadata: { ...agent, version: '2.0' },
    spec: agentSpec,
  },
  listedAgent: {
    apiVersion: ALPHA,
    kind: 'AgentRegistration',
    metadata: { ...agent, version: '2.0', agent_id: IDS.agent, ...seen },
    spec: agentSpec,
    status: {
      phase: 'IDLE',
      currentJobID: null,
      communicationCount: 2,
      communicationStatusSummary: { 204: 2 },
      lastCommunicationTimestamp: WHEN,
    },
  },
  channel: {
    apiVersion: ALPHA,
    kind: 'Channel',
    metadata: { ...agent, channelhandler_id: IDS.handler },
    spec: { tags: agentSpec.tags },
    status: { lastCommunicationTimestamp: WHEN, phase: 'BUSY', currentJobID: IDS.job },
  },
  subscription: {
    apiVersion: ALPHA,
    kind: 'Subscription',
    metadata: { name: 'checkout' },
    spec: subscription,
  },
  listedSubscription: {
    apiVersion: ALPHA,
    kind: 'Subscription',
    metadata: {
      name: 'checkout',
      annotations: {
        [`${API}/fieldselector`]: 'kind==ProviderCommand',
        [`${API}/labelselector`]: `${API}/category==checkout`,
      },
      ...seen,
      subscription_id: IDS.subscription,
    },
    spec: subscription,
    status: {
      lastPublicationTimestamp: WHEN,
      publicationCount: 3,
      publicationStatusSummary: { 200: 3 },
    },
  },
  publication: {
    apiVersion: ALPHA,
    kind: 'Notification',
    metadata: { name: 'note', workflow_id: IDS.workflow },
    spec: { logs: ['The shop is up.'] },
  },
  testCase: {
    apiVersion: `testing.${ALPHA}`,
    kind: 'TestCase',
    metadata: {
      name: 'Cart#adds an item',
      id: '0198c2f0-7a51-4c3e-9d50-3f8f5a6b1c08',
      job_id: IDS.job,
      execution_id: IDS.attachment,
      workflow_id: IDS.workflow,
      namespace: 'default',
      ...seen,
      executions: 1,
    },
    test: {
      'runs-on': ['linux'],
      uses: 'junit/execute@v1',
      technology: 'junit',
      job: 'tests',
      test: 'shop/Cart#addsAnItem',
      suiteName: 'Cart',
      testCaseName: 'adds an item',
      outcome: 'success',
      managed: false,
      history: { state: 'stable', flakeRate: 0.0012, failures: 0, executions: 85 },
      newlyFailed: false,
      retried: false,
      flaked: false,
      quarantined: false,
    },
    status: 'SUCCESS',
    execution: { startTime: WHEN, endTime: WHEN, duration: 12, outcome: 'success' },
  },
  job: {
    apiVersion: ALPHA,
    kind: 'Job',
    metadata: { name: 'tests', id: IDS.job, ...ofRun },
    spec: { 'runs-on': ['linux'], variables: workflow.variables },
    status: {
      phase: 'SUCCEEDED',
      requestTime: WHEN,
      startTime: WHEN,
      endTime: WHEN,
      duration: 950,
      testCaseCount: 1,
      testCaseStatusSummary: counts,
    },
    uuid: 'tests',
  },
  tag: {
    apiVersion: ALPHA,
    kind: 'Tag',
    metadata: { name: 'linux', workflow_id: IDS.workflow, namespace: 'default' },
    status: { jobCount: 1, testCaseCount: 1, testCaseStatusSummary: counts },
  },
  bom: {
    name: 'tutti',
    'internal-components': [
      {
        env_version_key: 'TUTTI_SERVER_VERSION',
        name: '@tutti/server',
        type: 'application',
        version: '0.1.0',
      },
    ],
  },
  log: `Workflow nightly\n(running in namespace "default")\n[${WHEN}] [job ${IDS.job}] Running command: npm test\n`,
} as const;
