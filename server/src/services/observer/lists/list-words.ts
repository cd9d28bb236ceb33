/** Parameters and documentation of the lists. */
import type { DescribedOperation } from '../../../http/routes.ts';
import { SELECTORS } from '../selectors.ts';

export const LIST_RUNS = { resource: 'workflows', verb: 'list' } as const;

export const RUNS_MESSAGE = 'Runs';

export const STATUSES = ['PENDING', 'RUNNING', 'DONE', 'FAILED'] as const;

export const ORDERS = [
  'started',
  '-started',
  'name',
  '-name',
  'duration',
  '-duration',
  'failures',
  '-failures',
] as const;

const time = { type: 'string', format: 'date-time' } as const;
const page = {
  page: { type: 'integer', minimum: 1 },
  per_page: { type: 'integer', minimum: 1 },
} as const;

export const RUN_PARAMETERS = {
  namespace: { type: 'string' },
  status: { type: 'string', description: 'PENDING, RUNNING, DONE or FAILED; several with commas.' },
  name: { type: 'string' },
  search: { type: 'string', description: 'A part of the name or of the id, in either case.' },
  since: { ...time, description: 'The earliest begin.' },
  until: { ...time, description: 'Runs that began before this time.' },
  sort: { type: 'string', enum: ORDERS, default: '-started' },
  ...SELECTORS,
  ...page,
} as const;

export const runsOperation: DescribedOperation = (words) => {
  const { count, listOf, mapOf, oneOf, orNull, record, text, uuid, IDS, PAGE_LINKS } = words;
  const ms = { type: 'number', minimum: 0, description: 'Milliseconds.' };
  const states = ['waiting', 'running', 'succeeded', 'failed', 'skipped', 'canceled'];
  const countsOf = (...names: readonly string[]) =>
    record(Object.fromEntries(names.map((name) => [name, count])));
  const run = record({
    workflow_id: uuid,
    name: text,
    namespace: text,
    status: oneOf(...STATUSES),
    canceled: { type: 'boolean' },
    started_by: orNull(text),
    created: text,
    started: orNull(text),
    ended: orNull(text),
    duration: orNull(ms),
    usual_duration: orNull({ ...ms, description: 'Median of the last runs that succeeded.' }),
    labels: mapOf(text),
    rerun_of: orNull(uuid),
    jobs: orNull(countsOf('total', ...states)),
    tests: countsOf('success', 'failure', 'error', 'skipped'),
    waiting: orNull(text),
    first_failure: orNull(
      record({
        job: orNull(text),
        job_id: orNull(text),
        step: orNull(text),
        step_id: orNull(text),
        message: text,
        line: orNull(count),
      }),
    ),
  });
  const late = 'Said where runs of an earlier version have no summary yet.';
  const schema = record({
    items: listOf(run),
    total: count,
    'warnings?': { ...listOf(text), description: late },
  });
  const example = { items: [exampleRun(IDS)], total: 1 };
  return {
    id: 'listRuns',
    description: 'Needs no log and no events, so it is quick for a hundred thousand runs.',
    answers: { OK: { message: RUNS_MESSAGE, schema, example, headers: PAGE_LINKS } },
  };
};

const exampleRun = ({ workflow, job }: { workflow: string; job: string }) => ({
  workflow_id: workflow,
  name: 'nightly',
  namespace: 'default',
  status: 'FAILED',
  canceled: false,
  started_by: 'ada',
  created: '2026-01-31T12:00:00.000000',
  started: '2026-01-31T12:00:02.000000',
  ended: '2026-01-31T12:05:00.000000',
  duration: 300_000,
  usual_duration: 280_000,
  labels: { team: 'shop' },
  rerun_of: null,
  jobs: { total: 2, waiting: 0, running: 0, succeeded: 1, failed: 1, skipped: 0, canceled: 0 },
  tests: { success: 118, failure: 2, error: 0, skipped: 1 },
  waiting: null,
  first_failure: {
    job: 'unit',
    job_id: job,
    step: 'Unit tests',
    step_id: 'unit',
    message: 'exit code 1',
    line: 42,
  },
});

export const CHANGE_PARAMETERS = {
  topics: {
    type: 'string',
    description:
      '`runs`, `queue`, both also with `:NAMESPACE`, `run:ID`, `environments`; several with commas.',
  },
  after: { type: 'string', description: 'The position of an earlier answer.' },
} as const;

export const changesOperation: DescribedOperation = (words) => {
  const { anything, mapOf, record, text, EVENT_STREAM, IDS } = words;
  const schema = record({ position: text, reset: { type: 'boolean' }, changes: mapOf(anything) });
  const example = {
    position: 'k3.17',
    reset: false,
    changes: { 'runs:default': { ids: [IDS.workflow] }, [`run:${IDS.workflow}`]: { seq: 12 } },
  };
  return {
    id: 'watchChanges',
    description:
      'Tells what to ask for again. With `Accept: text/event-stream` an `event: changes` comes for what changed, four in a second at most, and an `event: reset` where changes were missed: ask for everything again. Each message has its position as id.',
    required: ['topics'],
    headers: { 'Last-Event-ID': 'Of a stream that broke off: the id of its last message.' },
    answers: { OK: { message: 'Changes', schema, example, content: EVENT_STREAM } },
    failures: ['TooManyRequests'],
  };
};
