/**
 * The counters of the server for `GET /metrics`: plain numbers, changed at each event and read on request. Labels have closed
 * lists of values, so their number never depends on users.
 */

/** Label for values that are not on the list. */
export const OTHER = 'other';

/** Counts events by one label. */
export class Counts<Value extends string = string> {
  readonly #counts: Map<string, number>;

  constructor(values: readonly Value[]) {
    this.#counts = new Map(values.map((value) => [value, 0]));
  }

  add(value: Value, times = 1): void {
    const known = this.#counts.has(value) ? value : OTHER;
    this.#counts.set(known, (this.#counts.get(known) ?? 0) + times);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  entries(): Iterable<readonly [string, number]> {
    return this.#counts.entries();
  }
}

/** Counts values by upper bounds, and sums them. */
export class Histogram {
  readonly bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  /** Bounds in rising order; a last bucket for larger values is added. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    let index = 0;
    while (index < this.bounds.length && value > (this.bounds[index] ?? 0)) index += 1;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sum += value;
  }

  get count(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  get sum(): number {
    return this.#sum;
  }

  /** Number of values up to each bound, and at last of all values. */
  cumulative(): readonly number[] {
    let sum = 0;
    return this.#counts.map((each) => {
      sum += each;
      return sum;
    });
  }
}

/** Seconds, from a disk write to the patience of a user. */
export const QUICK_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
/** Seconds, from a shell to the longest steps. */
const LONG_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400];
const BATCH_OPERATIONS = [1, 2, 5, 10, 25, 50, 100, 250, 500];

/** Results of runs. */
export const RUN_RESULTS = ['done', 'failed', 'canceled'] as const;
/** Results of jobs. */
export const JOB_RESULTS = ['success', 'failure', 'cancelled', 'skipped'] as const;
/** Outcomes of posting a publication to an inbox: only `taken` and `refused` are final. */
export const DELIVERY_OUTCOMES = [
  'taken',
  'refused',
  'postponed',
  'timeout',
  'connection-error',
  'not-allowed',
] as const;

/** Reasons to drop a publication for an inbox. They are the number or the bytes of waiting ones, for it or for its namespace. */
export const DROP_REASONS = ['too-many', 'inbox-full', 'namespace-full'] as const;

/** Outcomes of traces of ended runs. */
export const TRACE_OUTCOMES = ['sent', 'failed', 'dropped'] as const;
/** Spans of sent traces, and spans beyond the limit of one trace. */
export const SPAN_OUTCOMES = ['sent', 'dropped'] as const;

/** Outcomes of batches whose answer was lost with their connection. */
export const DOUBT_OUTCOMES = ['stored', 'sent-again'] as const;
/** Why a server may not write to its database any more: another one took it, or it lost confirmed batches. */
export const LOST_WRITERS = ['taken', 'went-back'] as const;
export type LostWriter = (typeof LOST_WRITERS)[number];

/** Counters of a database that is a program of its own. */
export type DatabaseMeters = Meters['database'];

export type Meters = ReturnType<typeof createMeters>;

/** All meters, at zero. */
export function createMeters() {
  return {
    runsAccepted: { count: 0 },
    runsEnded: new Counts(RUN_RESULTS),
    jobsEnded: new Counts(JOB_RESULTS),
    /** From the arrival of `POST /workflows` to its answer, before which the run is durable. */
    acceptanceSeconds: new Histogram(QUICK_SECONDS),
    commitSeconds: new Histogram(QUICK_SECONDS),
    commitOperations: new Histogram(BATCH_OPERATIONS),
    /** From the request for an environment to the offer that was accepted. */
    jobWaitSeconds: new Histogram(LONG_SECONDS),
    /** From the decision that a command is due to handing it to an agent. */
    dispatchSeconds: new Histogram(QUICK_SECONDS),
    /** From the command to its result, both durable. */
    commandSeconds: new Histogram(LONG_SECONDS),
    deliveries: new Counts(DELIVERY_OUTCOMES),
    droppedDeliveries: new Counts(DROP_REASONS),
    deliverySeconds: new Histogram(QUICK_SECONDS),
    traces: new Counts(TRACE_OUTCOMES),
    traceSpans: new Counts(SPAN_OUTCOMES),
    database: {
      lostConnections: { count: 0 },
      /** Without the time that goes on. */
      away: { seconds: 0 },
      doubts: new Counts(DOUBT_OUTCOMES),
      /** Requests that were answered before anybody knew what became of their changes. */
      unknownOutcomes: { count: 0 },
    },
  };
}
