/** Limits of the agent channel, with the reason for each number. */
export const LIMITS = {
  /** Releases of lost jobs that an agent still has to carry out. Beyond the limit, the oldest are dropped. */
  owedReleases: 32,
  /**
   * Silence allowed to an existing agent, in seconds, once another agent of its name, token, script directory and address registered. An
   * agent that lives, and has no command, asks for work sooner.
   */
  replacedSeconds: 10,
  /** Bytes of a registration; times the number of agents this is what strangers can make the server keep. */
  registrationBytes: 64 * 1024,
  /** Bytes of a poll for several agents: their ids, and those of two commands of each. */
  pollsBytes: 256 * 1024,
  /** Bytes of one post: synchronous agents bring the whole output of a step in one. */
  postBytes: 64 * 1024 * 1024,
  /** Larger posts are read in a thread. A full batch of our own agents is smaller. */
  postBytesHere: 1088 * 1024,
  /** Bytes of the first line of a batch that is posted as bytes: some hundred parts. */
  batchHeadBytes: 32 * 1024,
  /** Larger posts are read one per turn. */
  postBytesAtOnce: 64 * 1024,
  /**
   * Posts with more values are read in a thread: V8 keeps a table of all short texts of JSON. To add 16 000 takes it 5 ms, or 50 when the
   * table grows. Our own agents send their lines as one text.
   */
  postValuesHere: 4 * 1024,
  /** Parts of the output in one post. A full batch of our own agents has less. */
  postOutputParts: 64 * 1024,
  /** Characters of a script whose order is made at once. A longer one is made when the memory of answers has room. */
  scriptLengthAtOnce: 16 * 1024,
  /** Longest that a poll is held, in seconds: below the time limits of common proxies (60 s). */
  holdSeconds: 55,
  /** Hold time of a poll of an existing agent between two steps, in milliseconds. After a 204 the agent sleeps for seconds. */
  holdBetweenStepsMs: 1_000,
  /** Bytes of log lines that one result repeats; the rest is in the notifications that came before it. */
  resultLogBytes: 128 * 1024,
  /** Bytes of our own lines at the end of a result: some hundred files that could not be read. An agent's error text is cut there, too. */
  lastLinesBytes: 32 * 1024,
  /** Bytes of log lines in one notification. The event stays under 256 KiB even if much of it is escaped. */
  notificationLogBytes: 96 * 1024,
  /**
   * Bytes of log lines in one commit: a batch of our own agents goes in one. Short lines take two or three times as much in the database.
   * The commits of others then take some milliseconds longer.
   */
  commitLogBytes: 1280 * 1024,
  /** Lines in one commit: of very short ones, more would hold up the server for longer than 50 ms. */
  commitLogLines: 16 * 1024,
  /** Milliseconds that a batch of output waits for the one before it. The agent sent both at one time, on two connections. */
  earlyBatchMs: 1_000,
  /** Batches of output that an agent of ours may have under way. One is made durable while the next one comes. */
  batchesUnderWay: 3,
  /** Pause between two tries to store a post of an existing agent, which waits for the answer, in milliseconds. */
  storeRetryMs: 500,
  /** Time in which an agent must begin a transfer after its order, in milliseconds. */
  transferStartMs: 60_000,
  /** Time after an order for a file, in milliseconds. An existing agent that asks for work later never got the order. */
  transferResendMs: 10_000,
  /** Times that one order for a file is sent to an agent. */
  transferSends: 3,
  /** Times that the order for one script is sent to an agent that asks for work again. */
  scriptSends: 3,
  /** Time before a stop order is repeated to an agent that still runs the command, in milliseconds. */
  cancelResendMs: 5_000,
  /** Grace time of a command that was told to stop, in milliseconds. Then the run waits no longer. */
  cancelGraceMs: 60_000,
  /** After this time without contact an unreachable agent is de-registered, in milliseconds. */
  forgetMs: 60 * 60_000,
  /** Pause between two checks for silent agents, in milliseconds. */
  sweepMs: 1_000,
  /** Pause between two writes of the contacts of all agents, in milliseconds. One write can take a megabyte. */
  contactsPauseMs: 3 * 60_000,
  /** Time for an operator to ask once more after the end of a job, in milliseconds. It means to do so after 500. */
  farewellMs: 10_000,
  /** Short waits for an environment are not worth a line in the log, in milliseconds. */
  waitingNoticeMs: 200,
  /** Waiting notices in flight, so that other work gets its turn. */
  waitingNotices: 64,
  /** Milliseconds between two lots of waiting notices. Some 1 500 are written in a second, for any number of waiting jobs. */
  waitingNoticePauseMs: 40,
  /** Pause between two notices to the first jobs of a queue about the jobs that have their environments. */
  nextInLinePauseMs: 5_000,
  /** A request to drain an agent: it needs no body, and some clients send an empty document. */
  drainBytes: 1024,
  /** Waiting jobs in each of the two lists about an agent: as many as a person reads. Beside them stands the total number. */
  queueItems: 100,
  /** Jobs in the list of all that wait: of those that wait for an environment, and of the others. Nobody reads so many. */
  waitingItems: 1_000,
} as const;
