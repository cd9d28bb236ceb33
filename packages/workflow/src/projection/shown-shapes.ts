/**
 * Where events and documents have what clients and plugins go by, and would not understand them without: kinds, ids, times, states,
 * and the names of workflows and jobs (wire facts 2 and 9). The same names elsewhere, such as an axis `id` of a matrix, are those of
 * authors and plugins, and hide nothing less than other texts do.
 */
import type { LoggedEvent } from '@tutti/manifests';

/** Of a map, or of each map of a list. */
export interface Shape {
  /** Entries whose texts stay as they are. */
  readonly kept: ReadonlySet<string>;
  readonly within: ReadonlyMap<string, Shape>;
  /** Of all entries that `within` does not have. */
  readonly each: Shape | null;
  /** All of its texts stay. */
  readonly isKept: boolean;
  /** `attachments` and `artifacts` are paths of files here. */
  readonly hasFiles: boolean;
  /** Entries with a dot in their names are those of plugins. */
  readonly isExtensible: boolean;
}

function shape(
  kept: readonly string[],
  within: Readonly<Record<string, Shape>> = {},
  more: Partial<Shape> = {},
): Shape {
  return {
    kept: new Set(kept),
    within: new Map(Object.entries(within)),
    ...{ each: null, isKept: false, hasFiles: false, isExtensible: false },
    ...more,
  };
}

/** A map whose names are known, and that has nothing to keep. */
export const PLAIN_SHAPE = shape([]);

const STEP = shape(['id']);
const HOOK = shape([], { before: STEP, after: STEP });
/** Jobs may have jobs, at any depth. */
const JOBS: Shape = {
  ...shape([]),
  get each() {
    return JOB;
  },
};
const JOB: Shape = shape(['needs'], { steps: STEP, jobs: JOBS });

const METADATA = shape(
  [
    ...['id', 'namespace', 'creationTimestamp', 'execution_id', 'request_id', 'worker_id'],
    ...['workflow_id', 'job_id', 'job_origin', 'step_id', 'step_origin', 'attachment_origin'],
    ...['channel_id', 'channel_os', 'channelhandler_id'],
    ...['tutti.job', 'tutti.conclusion', 'tutti.cause', 'tutti.traceparent'],
  ],
  {
    labels: shape([], {}, { isKept: true }),
    managedTests: shape([], {
      testPlan: shape(['uuid']),
      testCases: shape([], {}, { each: shape(['id', 'uuid']) }),
    }),
    'tutti.channel-hooks': HOOK,
    // A step could else hide who stopped its run by a mask.
    'tutti.actor': shape([], {}, { isKept: true }),
  },
  { hasFiles: true },
);

const WAITING = shape(['reason', 'namespace', 'heldBy'], {
  environments: shape(['channel_id', 'workflow_id', 'job_id']),
});

const CHANNEL = shape(['apiVersion', 'kind'], {
  metadata: shape(['namespaces']),
  status: shape(['phase', 'currentJobID']),
});

const SPEC = shape(
  [
    'outcome',
    'conclusion',
    'tutti.job',
    'tutti.granted',
    'tutti.halted',
    'tutti.failed',
    'tutti.spared',
    'tutti.timeout',
    'tutti.step-ended',
    'tutti.keep-workspace',
    'tutti.continue-on-error',
  ],
  {
    worker: shape(['worker_id', 'status']),
    channelHandler: shape(['channelhandler_id'], { channels: CHANNEL }),
    testResults: shape(['id', 'status', 'attachment_origin']),
    'tutti.general-errors': shape(['attachment_origin']),
    'tutti.waiting': WAITING,
    'tutti.taken-over': shape(['workflow_id', 'job_id']),
  },
  { isExtensible: true },
);

const BODY = { metadata: METADATA, jobs: JOBS, steps: STEP, step: STEP, hooks: HOOK };
const EVENT = shape(['apiVersion', 'kind'], { ...BODY, spec: SPEC }, { hasFiles: true });
const CANCELED = shape(['apiVersion', 'kind'], { ...BODY, details: shape(['status']) });

/** That of an event that a run knows. */
export function shapeOfEvent({ kind }: LoggedEvent): Shape {
  return kind === 'WorkflowCanceled' ? CANCELED : EVENT;
}

const EXECUTION = ['outcome', 'startTime', 'endTime'];

/** That of a test case or a job, as data sources show them. */
export const DOCUMENT_SHAPE = shape(['apiVersion', 'kind', 'uuid', 'status'], {
  metadata: METADATA,
  test: shape(['outcome']),
  execution: shape(EXECUTION),
  executionHistory: shape([...EXECUTION, 'id', 'execution_id', 'status']),
  status: shape(['phase', 'requestTime', 'startTime', 'endTime']),
});
