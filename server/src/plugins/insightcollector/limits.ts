/** Bounds of the insight collector. */
export const COLLECTOR_LIMITS = {
  /** A document of definitions, in bytes; a report with many sections takes some kilobytes. */
  definitionBytes: 512 * 1024,
  /** A pattern of names, in characters: as long as a name may be. */
  patternLength: 256,
  /** Insights of one request; teams have a handful. */
  insightsPerRequest: 32,
  /** Requests whose insights are not all published yet; they are in memory, some kilobytes each. */
  requests: 64,
  /** Insights that are generated at the same time; each reads the events of a run, and writes a file. */
  generations: 2,
  /** One report, in bytes; a longer log is cut. */
  reportBytes: 256 * 1024 * 1024,
  /** Text that is gathered before it is written, in characters. */
  chunkLength: 64 * 1024,
  /** Events of a run that are read at a time: some MiB where all of them are full of output. */
  eventsSlice: 64,
  /** Test cases that are read at a time. */
  testCasesSlice: 250,
  /** Test cases of one suite element of an XML report; with all they may say, some MiB. */
  suiteCases: 200,
  /** Files of definitions; at the end of each run the server looks whether they changed. */
  files: 64,
  /** Milliseconds that an insight waits until nobody works on its run any more (wire facts 9.5). */
  workersWaitMs: 30_000,
  /**
   * Milliseconds that reports at the end of a run wait beyond that for test reports that are still read. A large one takes a minute and two
   * are read at a time. So the limit is met where dozens wait, or one never ends.
   */
  readersWaitMs: 60 * 60_000,
  /** Tries to generate an insight, and the pause in between, in milliseconds. */
  tries: 3,
  retryDelayMs: 2_000,
} as const;
