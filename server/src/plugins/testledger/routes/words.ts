/** Parameters and documentation of the routes. */
import type { RouteGenericInterface } from 'fastify';
import type { DescribedOperation } from '../../../http/routes.ts';
import { TEST_STATES } from '../../../store/test-history.ts';
import { HISTORY_LIMITS } from '../limits.ts';
import { QUARANTINED, quarantineSchemas } from './change-words.ts';

export const LIST_TESTS = { resource: 'tests', verb: 'list' } as const;
export const GET_TESTS = { resource: 'tests', verb: 'get' } as const;

export interface TestPath extends RouteGenericInterface {
  Params: { test_id: string };
}

export const TESTS_MESSAGE = 'Tests';
export const RUN_TESTS_MESSAGE = 'Tests of a workflow';
export const EXECUTIONS_MESSAGE = 'Executions';

export const ORDERS = [
  ...['impact', '-impact', 'flakeRate', '-flakeRate', 'failures', '-failures'],
  ...['duration', '-duration', 'name', '-name', 'lastFailed', '-lastFailed'],
] as const;

export const OUTCOMES = ['success', 'failure', 'error', 'skipped'] as const;

const text = { type: 'string' } as const;
const page = {
  page: { type: 'integer', minimum: 1 },
  per_page: { type: 'integer', minimum: 1 },
} as const;

export const LIST_PARAMETERS = {
  namespace: text,
  project: { ...text, description: 'The label `tutti/project` of workflows, else their name.' },
  search: { ...text, description: 'A part of the suite or of the name, in either case.' },
  state: { ...text, description: `${TEST_STATES.join(', ')}; several with commas.` },
  sort: { ...text, enum: ORDERS, default: '-impact' },
  strip: {
    type: 'boolean',
    description: 'Also the newest outcomes of the worst variant of each test.',
  },
  ...page,
} as const;

export const RUN_TESTS_PARAMETERS = {
  testcase: {
    ...text,
    description: `Ids of test cases of the workflow, with commas; ${HISTORY_LIMITS.askedCases} at most.`,
  },
} as const;

const variant = { ...text, format: 'uuid', description: 'Only this variant.' } as const;

export const ONE_PARAMETERS = { variant } as const;

export const EXECUTION_PARAMETERS = {
  variant,
  version: text,
  branch: text,
  outcome: { ...text, enum: OUTCOMES },
  since: { ...text, format: 'date-time', description: 'The earliest begin of their runs.' },
  ...page,
} as const;

type Words = Parameters<DescribedOperation>[0];

const ms = { type: 'number', minimum: 0, description: 'Milliseconds.' } as const;
const share = { type: 'number', minimum: 0, maximum: 1 } as const;

const strip = {
  ...text,
  description: '`S` passed, `F` failed; the newest execution last.',
} as const;

function schemasOf(words: Words) {
  const { count, listOf, oneOf, only, orNull, record, uuid } = words;
  const rate = record({
    count,
    of: count,
    rate: share,
    interval: { ...listOf(share), description: "Wilson's 95 % interval." },
  });
  const figures = {
    state: oneOf(...TEST_STATES),
    flakeRate: share,
    failures: orNull(rate),
    lastFailed: orNull(text),
  };
  const metadata = record({
    ...{ id: uuid, namespace: text, project: text, name: text },
    firstSeen: orNull(text),
    lastSeen: orNull(text),
    lastVersion: orNull(text),
  });
  const identity = { technology: text, suiteName: text, testCaseName: text };
  const known = {
    ...figures,
    duration: orNull(record({ p50: ms })),
    impact: record({ runs: count }),
    quarantinedUntil: { ...orNull(text), description: 'The end of its quarantine.' },
  };
  const listed = record({
    kind: only('Test'),
    metadata,
    spec: record(identity),
    status: record({
      ...known,
      'strip?': strip,
    }),
  });
  const place = { id: uuid, job: text, uses: orNull(text) };
  const begin = { workflow_id: orNull(uuid), version: orNull(text), at: text };
  const contradiction = record({ version: orNull(text), workflow_ids: listOf(uuid), at: text });
  const variantStatus = record({
    id: uuid,
    ...figures,
    since: orNull(record(begin)),
    brokenSince: orNull(record(begin)),
    probability: orNull(share),
    brokenProbability: orNull(share),
    contradictions: listOf(contradiction),
    strip,
    duration: orNull(record({ p50: ms, p90: ms, p95: ms })),
    passesInRow: orNull(count),
    passesToRecover: orNull(count),
  });
  const { change, quarantined } = quarantineSchemas(words);
  const test = record({
    kind: only('Test'),
    metadata,
    spec: record({ ...identity, variants: listOf(record(place)) }),
    status: record({
      ...known,
      worstVariant: orNull(uuid),
      variants: listOf(variantStatus),
    }),
    quarantines: listOf(record(quarantined)),
    journal: listOf(record(change)),
    'warnings?': listOf(text),
  });
  return { listed, test };
}

const TEST_ID = '0b1c4a6e-7d0f-5a53-9a1e-3f6f1f2f9a10';
const TESTCASE_ID = '1e7b0f64-3c0a-4d35-8f0a-6a4f2f1f0c11';
const VARIANT_ID = '5e0c61a4-2f6b-5d3c-8b52-1d9b1a7a6c20';
const RATE = { count: 5, of: 210, rate: 0.0238, interval: [0.0102, 0.0545] };
const FIGURES = {
  state: 'flaky',
  flakeRate: 0.024,
  failures: RATE,
  lastFailed: '2026-01-31T12:00:00.000000',
};
const LISTED = {
  kind: 'Test',
  metadata: {
    id: TEST_ID,
    namespace: 'default',
    project: 'shop',
    name: 'cart#adds',
    firstSeen: '2026-01-01T12:00:00.000000',
    lastSeen: '2026-01-31T12:00:00.000000',
    lastVersion: '4f1c2d9',
  },
  spec: { technology: 'junit', suiteName: 'cart', testCaseName: 'adds' },
  status: { ...FIGURES, duration: { p50: 12.5 }, impact: { runs: 4 }, quarantinedUntil: null },
};

export const testsOperation: DescribedOperation = (words) => {
  const { listed } = schemasOf(words);
  const { count, listOf, record, PAGE_LINKS } = words;
  const schema = record({ items: listOf(listed), total: count, 'warnings?': listOf(text) });
  const example = { items: [LISTED], total: 1 };
  return {
    id: 'listTests',
    description:
      'A test has the worst state of its variants. Tests with the same value are in the order of their states. States come from runs on main branches that are over. A warning says which tests ran without a known version: for these, only attempts within a run can contradict each other.',
    answers: { OK: { message: TESTS_MESSAGE, schema, example, headers: PAGE_LINKS } },
  };
};

export const testOperation: DescribedOperation = (words) => {
  const workflow = words.IDS.workflow;
  const begin = { workflow_id: workflow, version: '4f1c2d9', at: '2026-01-30T12:00:00.000000' };
  const contradiction = { version: '4f1c2d9', workflow_ids: [workflow], at: begin.at };
  const change = { from: 'new', to: 'flaky', workflow_id: workflow, version: '4f1c2d9' };
  const variantStatus = {
    id: VARIANT_ID,
    ...FIGURES,
    since: begin,
    brokenSince: null,
    probability: 0.999,
    brokenProbability: 0.003,
    contradictions: [contradiction],
    strip: 'SSFSS',
    duration: { p50: 12.5, p90: 20, p95: 31 },
    passesInRow: 2,
    passesToRecover: 162,
  };
  const example = {
    ...LISTED,
    spec: { ...LISTED.spec, variants: [{ id: VARIANT_ID, job: 'unit', uses: 'junit/execute' }] },
    status: { ...LISTED.status, worstVariant: VARIANT_ID, variants: [variantStatus] },
    quarantines: [QUARANTINED],
    journal: [{ at: begin.at, kind: 'state', variant_id: VARIANT_ID, change }],
  };
  return {
    id: 'getTest',
    description:
      'Each judgement has its evidence: a contradiction names its version, and the runs that failed and passed on it. The hundred worst variants are shown, and the newest changes.',
    answers: { OK: { message: 'cart#adds', schema: schemasOf(words).test, example } },
  };
};

export const runTestsOperation: DescribedOperation = (words) => {
  const { listOf, oneOf, orNull, record, uuid } = words;
  const schema = record({
    testcase_id: uuid,
    test_id: orNull(uuid),
    state: orNull(oneOf(...TEST_STATES)),
    strip,
  });
  const item = { testcase_id: TESTCASE_ID, test_id: TEST_ID, state: 'flaky', strip: 'SSFSS' };
  return {
    id: 'listTestsOfWorkflow',
    description:
      'The state and the outcomes are those of the variant that ran. `test_id` is null before the first run with the test was over, and `state` is null without a run on a main branch.',
    answers: {
      OK: {
        message: RUN_TESTS_MESSAGE,
        schema: record({ items: listOf(schema) }),
        example: { items: [item] },
      },
    },
  };
};

export const executionsOperation: DescribedOperation = (words) => {
  const { count, listOf, oneOf, orNull, record, uuid, IDS, PAGE_LINKS } = words;
  const execution = record({
    workflow_id: uuid,
    variant_id: uuid,
    job: text,
    attempt: { type: 'integer', minimum: 1 },
    outcome: oneOf(...OUTCOMES),
    started: text,
    duration: ms,
    version: orNull(text),
    branch: orNull(text),
    isMain: { type: 'boolean', description: 'Whether it counts for states.' },
    agent: orNull(text),
  });
  const example = {
    workflow_id: IDS.workflow,
    variant_id: VARIANT_ID,
    job: 'unit',
    attempt: 1,
    outcome: 'failure',
    started: '2026-01-30T12:00:00.000000',
    duration: 12.5,
    version: '4f1c2d9',
    branch: 'main',
    isMain: true,
    agent: 'build-7',
  };
  return {
    id: 'listTestExecutions',
    answers: {
      OK: {
        message: EXECUTIONS_MESSAGE,
        schema: record({ items: listOf(execution), total: count }),
        example: { items: [example], total: 1 },
        headers: PAGE_LINKS,
      },
    },
  };
};
