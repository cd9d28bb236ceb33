/** Documents for the pages about one run, as JSON Schemas. */
import type { Schema } from './openapi-words.ts';
import * as words from './openapi-words.ts';

const { count, listOf, oneOf, orNull, record, text, texts, uuid } = words;

const flag = { type: 'boolean' } as const;
const time = orNull(text);
const textOrNull = orNull(text);
const numbers = (...names: readonly string[]): Schema =>
  record(Object.fromEntries(names.map((name) => [name, count])));

const jobCounts = numbers(
  'total',
  'waiting',
  'running',
  'succeeded',
  'failed',
  'canceled',
  'skipped',
);
const tests = orNull(numbers('success', 'failure', 'error', 'skipped'));
const jobState = oneOf('WAITING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED', 'SKIPPED');
const stepState = oneOf('RUNNING', 'SUCCEEDED', 'FAILED', 'FORGIVEN', 'SKIPPED', 'STOPPED');
const ofJob = { type: 'string', description: 'Key of the job; empty for the run.' } as const;

export const RUN_VIEW: Schema = {
  title: 'RunView',
  ...record({
    seq: { ...count, description: 'Number of the last event that the view has.' },
    total: { ...count, description: 'Number of events.' },
    log_bytes: { ...count, description: 'Length of the log of the present.' },
    failure_line: {
      ...orNull(count),
      description: 'The last line of the first failure in the log, from 1.',
    },
    failure_test: {
      ...orNull(record({ suite: text, name: text, message: text, text })),
      description: 'The first failed test case of the job that failed first.',
    },
    at: time,
    run: record({
      workflow_id: uuid,
      name: text,
      namespace: text,
      status: oneOf('PENDING', 'RUNNING', 'DONE', 'FAILED', 'CANCELED'),
      started: time,
      ended: time,
      reason: textOrNull,
      canceled_by: textOrNull,
      waiting: textOrNull,
      errors: listOf(record({ at: time, text })),
      jobs: jobCounts,
      tests,
      attachments: count,
      report_folders: count,
      reports: count,
    }),
    failures: listOf(
      record({
        job: textOrNull,
        job_id: textOrNull,
        step: textOrNull,
        place: text,
        message: text,
        is_stopped: flag,
        exit_code: orNull({ type: 'integer' }),
        at: time,
        lines: texts,
        lines_total: count,
      }),
    ),
    failures_total: count,
    jobs: listOf(
      record({
        job_id: textOrNull,
        key: text,
        name: text,
        parent: textOrNull,
        status: jobState,
        is_forgiven: flag,
        needs: texts,
        waiting: textOrNull,
        why: textOrNull,
        channel_id: textOrNull,
        environment: textOrNull,
        tags: orNull(texts),
        requested: time,
        placed: time,
        started: time,
        released: time,
        ended: time,
        step: orNull(record({ id: text, label: text })),
        last_line: textOrNull,
        tests,
        jobs: orNull(jobCounts),
      }),
    ),
    jobs_total: count,
    steps: listOf(
      record({
        job: ofJob,
        id: text,
        origin: texts,
        label: text,
        is_function: flag,
        status: stepState,
        started: time,
        ended: time,
        exit_code: orNull({ type: 'integer' }),
      }),
    ),
    steps_total: count,
    waits: listOf(record({ job: ofJob, reason: text, text, since: time, until: time })),
    waits_total: count,
    files: listOf(
      record({ id: uuid, name: text, type: textOrNull, job: ofJob, step: textOrNull, at: time }),
    ),
    files_total: count,
  }),
};

export const RUN_MARKS: Schema = {
  title: 'RunMarks',
  ...record({
    total: { ...count, description: 'Events of the workflow.' },
    items: listOf({
      description:
        'Number of the event from 1, time, kind (`start`, `end`, `failure` or `wait`), key of the job; empty for the run.',
      type: 'array',
    }),
  }),
};

const line = {
  description:
    'Number from 1, time, id of the job, text. A longer line has the place of its rest in the log, in bytes.',
  type: 'array',
} as const;

export const LOG_LINES: Schema = {
  title: 'LogLines',
  ...record({
    items: listOf(line),
    total: { ...count, description: 'Lines of the log.' },
    first: orNull(count),
    last: orNull(count),
    next: { ...orNull(count), description: 'Number to go on with; null at the end.' },
  }),
};

const result = orNull(record({ outcome: text, duration: { type: 'number' } }));
const comparedRows = record({
  items: listOf(record({ job: text, suite: text, name: text, before: result, after: result })),
  total: count,
});

export const COMPARED_TESTS: Schema = {
  title: 'ComparedTests',
  ...record({
    before: uuid,
    after: uuid,
    newly_failed: comparedRows,
    fixed: comparedRows,
    still_failing: comparedRows,
    new: comparedRows,
    gone: comparedRows,
    slower: comparedRows,
  }),
};

export const CAUSES: Schema = {
  title: 'Causes',
  ...record({
    failures: count,
    ungrouped: count,
    items: listOf(
      record({
        id: { ...text, description: 'SHA-256 of what all of its failures have in common.' },
        title: text,
        failures: count,
        known: orNull(
          record({
            cause_id: uuid,
            isNew: { type: 'boolean', description: 'Whether it is new since this run.' },
            since: record({ workflow_id: orNull(uuid), at: text }),
          }),
        ),
        tests: listOf(record({ id: uuid, job: text, suite: text, name: text })),
      }),
    ),
  }),
};
