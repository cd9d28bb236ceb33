/**
 * Places of the values without which clients and plugins understand no event (wire facts 2 and 9). These are kinds, ids, times, states, and
 * names of workflows and jobs. The same names elsewhere, such as an axis `id` of a matrix, belong to authors and plugins. They are masked
 * like other texts.
 */
import { type LoggedEvent, OWN_ENTRIES as OWN } from '@tutti/manifests';

/** Which texts of a map, or of each map of a list, are shown without masking. */
export interface Shape {
  /** Entries whose texts stay as they are. */
  readonly kept: ReadonlySet<string>;
  readonly within: ReadonlyMap<string, Shape>;
  /** Shape of all entries that `within` does not have. */
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
    ...[OWN.job, OWN.conclusion, OWN.cause, OWN.traceparent],
  ],
  {
    labels: shape([], {}, { isKept: true }),
    managedTests: shape([], {
      testPlan: shape(['uuid']),
      testCases: shape([], {}, { each: shape(['id', 'uuid']) }),
    }),
    [OWN.channelHooks]: HOOK,
    // A step could else hide who stopped its run by a mask.
    [OWN.actor]: shape([], {}, { isKept: true }),
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
    OWN.job,
    OWN.granted,
    OWN.halted,
    OWN.failed,
    OWN.spared,
    OWN.timeout,
    OWN.stepEnded,
    OWN.keepWorkspace,
    OWN.continueOnError,
  ],
  {
    worker: shape(['worker_id', 'status']),
    channelHandler: shape(['channelhandler_id'], { channels: CHANNEL }),
    testResults: shape(['id', 'status', 'attachment_origin']),
    [OWN.generalErrors]: shape(['attachment_origin']),
    [OWN.waiting]: WAITING,
    [OWN.takenOver]: shape(['workflow_id', 'job_id']),
  },
  { isExtensible: true },
);

/** Output of steps, line by line. */
export const OUTPUTS: ReadonlySet<string> = new Set(['logs', OWN.output]);

/** Maps whose names authors and plugins choose, so that these can tell something, too. */
export const FREE: ReadonlySet<string> = new Set([
  ...['with', 'variables', 'outputs', 'annotations', 'contexts', 'inputs', 'matrix'],
  ...[OWN.outputs, OWN.inputs, OWN.matrix],
]);

/** Entries with the texts that the run masks, and the results that it takes over. */
const PRIVATE = [OWN.masks, OWN.taken];

/** Something has to be taken from the event whatever the masks are. */
export const hasOwnSecrets = (event: LoggedEvent): boolean =>
  'secrets' in event || PRIVATE.some((entry) => Object.hasOwn(event.metadata, entry));

/** True if the JSON text of an event may hold secrets, found without parsing it. */
export const mayRevealSecrets = (json: string): boolean =>
  json.includes('"secrets"') || PRIVATE.some((entry) => json.includes(`"${entry}"`));

/**
 * The metadata without private entries. Its masks become the entry that readers see: earlier events are shown in another way from here on.
 */
export function publicMetadata(metadata: LoggedEvent['metadata']) {
  const { [OWN.masks]: masks, [OWN.taken]: _, name, ...rest } = metadata;
  return { name, rest, mark: masks === undefined ? {} : { [OWN.masked]: true } };
}

const BODY = { metadata: METADATA, jobs: JOBS, steps: STEP, step: STEP, hooks: HOOK };
const EVENT = shape(['apiVersion', 'kind'], { ...BODY, spec: SPEC }, { hasFiles: true });
const CANCELED = shape(['apiVersion', 'kind'], { ...BODY, details: shape(['status']) });

/** Shape of an event of a run. */
export function shapeOfEvent({ kind }: LoggedEvent): Shape {
  return kind === 'WorkflowCanceled' ? CANCELED : EVENT;
}

const EXECUTION = ['outcome', 'startTime', 'endTime'];

/** Shape of a test case or a job, as data sources show them. */
export const DOCUMENT_SHAPE = shape(['apiVersion', 'kind', 'uuid', 'status'], {
  metadata: METADATA,
  test: shape(['outcome'], { history: shape(['state']) }),
  execution: shape(EXECUTION),
  executionHistory: shape([...EXECUTION, 'id', 'execution_id', 'status']),
  status: shape(['phase', 'requestTime', 'startTime', 'endTime']),
});
