/** Limits of the agent channel, with the reason for each number. */
export const LIMITS = {
  /** Releases of lost jobs that an agent still has to carry out; of more, the oldest are forgotten. */
  owedReleases: 32,
  /**
   * How long an existing agent may be silent, in seconds, once an agent of its name, token, script directory and address registered. One
   * that lives, and has no command, asks for work sooner.
   */
  replacedSeconds: 10,
  /** Bytes of a registration; times the number of agents this is what strangers can make the server keep. */
  registrationBytes: 64 * 1024,
  /** Bytes of one post: synchronous agents bring the whole output of a step in one. */
  postBytes: 64 * 1024 * 1024,
  /** Larger posts are read in a thread. A full batch of our own agents is smaller. */
  postBytesHere: 1088 * 1024,
  /** Of posts that are larger, one is read in a turn. */
  postBytesAtOnce: 64 * 1024,
  /**
   * Posts with more values are read in a thread: V8 keeps a table of all short texts of JSON. To add 16 000 takes it 5 ms, or 50 when the
   * table grows. Our own agents send their lines as one text.
   */
  postValuesHere: 4 * 1024,
  /** Parts of the output in one post. A full batch of our own agents has less. */
  postOutputParts: 64 * 1024,
  /** Characters of a script whose order is made at once; a longer one is made when the memory of answers has room. */
  scriptLengthAtOnce: 16 * 1024,
  /** Longest that a poll is held, in seconds: below the time limits of common proxies (60 s). */
  holdSeconds: 55,
  /** How long a poll of an existing agent is held between two steps, in milliseconds; it sleeps for seconds after a 204. */
  holdBetweenStepsMs: 1_000,
  /** Bytes of log lines that one result repeats; the rest is in the notifications that came before it. */
  resultLogBytes: 128 * 1024,
  /** Bytes of our own lines at the end of a result: some hundred files that could not be read. Of an error that an agent tells, no more is read. */
  lastLinesBytes: 32 * 1024,
  /** Bytes of log lines in one notification, so that the event stays under 256 KiB even if much of it is escaped. */
  notificationLogBytes: 96 * 1024,
  /**
   * Bytes of log lines in one commit: a batch of our own agents goes in one. The database takes two or three times as much of short
   * lines, which delays the commits of others by some milliseconds.
   */
  commitLogBytes: 1280 * 1024,
  /** Lines in one commit: of very short ones, more would hold up the server for longer than 50 ms. */
  commitLogLines: 16 * 1024,
  /** How long a batch of output waits for the one before it, in milliseconds: both were sent at one time, on two connections. */
  earlyBatchMs: 1_000,
  /** Batches of output that an agent of ours may have under way: one is made durable while the next one comes. */
  batchesUnderWay: 3,
  /** Between two tries to store what an existing agent waits to be told of, in milliseconds. */
  storeRetryMs: 500,
  /** How long an agent may take to begin a transfer that it was told of, in milliseconds. */
  transferStartMs: 60_000,
  /** An existing agent that asks for work this long after it was told of a file, in milliseconds, did not hear of it. */
  transferRetellMs: 10_000,
  /** How often an agent is told of one file. */
  transferTells: 3,
  /** How often an agent that asks for work again is told to fetch one script. */
  scriptTells: 3,
  /** An agent that still runs what it was told to stop is told again after this time, in milliseconds. */
  cancelRetellMs: 5_000,
  /** How long a command that was told to stop may go on before the run no longer waits for it, in milliseconds. */
  cancelGraceMs: 60_000,
  /** After this time without contact an unreachable agent is de-registered, in milliseconds. */
  forgetMs: 60 * 60_000,
  /** How often silence is looked for, in milliseconds. */
  sweepMs: 1_000,
  /** Between two times that the contacts of all agents are stored, in milliseconds: a megabyte, with as many as there may be. */
  contactsPauseMs: 3 * 60_000,
  /** So long an operator may take to ask once more after the end of a job, in milliseconds; it means to do so after 500. */
  farewellMs: 10_000,
  /** Short waits for an environment are not worth a line in the log, in milliseconds. */
  waitingNoticeMs: 200,
  /** Waiting notices that are on their way at one time, so that the work of others gets its turn. */
  waitingNotices: 64,
  /** Between two lots of waiting notices, in milliseconds: some 1 500 in a second, whatever the number of jobs that wait. */
  waitingNoticePauseMs: 40,
  /** Between two times that the first of a queue are told which jobs have the environments they wait for. */
  nextInLinePauseMs: 5_000,
  /** A request to drain an agent: it needs no body, and some clients send an empty document. */
  drainBytes: 1024,
  /** Waiting jobs that are told of one agent in each of two lists: what a person reads; beside them stands how many there are. */
  queueItems: 100,
} as const;
