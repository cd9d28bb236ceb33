/**
 * What the server counts of itself while it works: plain numbers, changed where something happens, and read when somebody asks for
 * `GET /metrics`. Labels have closed lists of values, so that their number never depends on who uses the server.
 */

/** What is not on the list of a label. */
export const OTHER = 'other';

/** How often something happened, by one label. */
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

/** How many values were at most as large as each bound, and their sum. */
export class Histogram {
  readonly bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  /** Bounds in rising order; the last bucket, of what is larger than all of them, is added. */
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

/** Seconds; from what a disk takes to what a person waits for. */
const QUICK_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Seconds; from what a shell takes to the longest steps. */
const LONG_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400];
const BATCH_OPERATIONS = [1, 2, 5, 10, 25, 50, 100, 250, 500];

/** How runs end. */
export const RUN_RESULTS = ['done', 'failed', 'canceled'] as const;
/** How jobs end. */
export const JOB_RESULTS = ['success', 'failure', 'cancelled', 'skipped'] as const;
/** What comes of posting a publication to an inbox: only `taken` and `refused` are final. */
export const DELIVERY_OUTCOMES = [
  'taken',
  'refused',
  'postponed',
  'timeout',
  'connection-error',
  'not-allowed',
] as const;

/** Why an inbox does not get a publication: too many, or too many bytes, wait for it or for its namespace. */
export const DROP_REASONS = ['too-many', 'inbox-full', 'namespace-full'] as const;

/** What becomes of the traces of runs that ended. */
export const TRACE_OUTCOMES = ['sent', 'failed', 'dropped'] as const;
/** Those of a trace that was sent, and those beyond the limit of one. */
export const SPAN_OUTCOMES = ['sent', 'dropped'] as const;

export type Meters = ReturnType<typeof createMeters>;

/** All of them, at nothing. */
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
  };
}
