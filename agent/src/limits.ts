/** Every bound of the agent, with the reason for its number. */

/** How long the server may hold a poll: below the minute after which proxies cut quiet connections. */
export const POLL_WAIT_SECONDS = 50;
/** A poll without any answer for this much longer than it may be held is lost. */
export const POLL_GRACE_MS = 10_000;
/** An empty answer that comes sooner than this was not held: such polls are paced. */
export const POLL_HELD_MS_MIN = 1_000;
/** A server that takes longer than this to answer a small request is taken for unreachable. */
export const REQUEST_TIMEOUT_MS = 30_000;
/** A file whose bytes stop coming (or going) for this long is given up and begun again. */
export const TRANSFER_IDLE_MS = 30_000;
/**
 * After five tries (backoff: about a second in all) the reason goes to the server, and the step that wanted the file fails.
 * While the server is away nothing counts as a try.
 */
export const TRANSFER_ATTEMPTS_MAX = 5;
/** Files on their way at one time; one more would only share the same line. */
export const TRANSFERS_MAX = 4;
/** An answer carries at most one script; scripts are smaller than this by orders of magnitude. */
export const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

export const BACKOFF_MS_MIN = 50;
export const BACKOFF_MS_MAX = 5_000;
/** A server that is busy says when to come again; more than this nobody means who has agents. */
export const RETRY_AFTER_MS_MAX = 60_000;
/**
 * A token that is being replaced may be refused for a moment; eight refusals in a row are about ten seconds of backoff,
 * after which the token is simply wrong.
 */
export const REFUSALS_MAX = 8;

/** Longer lines are cut into pieces of this size. */
export const LINE_BYTES_MAX = 64 * 1024;
/**
 * The first output of a command waits so long for its end: most commands say little and are soon over, and then all of it is one post
 * and one commit. Shorter than a reader notices.
 */
export const FIRST_BATCH_DELAY_MS = 25;
/**
 * Between the begins of two batches that are not full: shorter than a reader notices, long enough to gather a burst. What comes
 * after a longer silence is sent at once.
 */
export const BATCH_PAUSE_MS = 10;
/** A batch of this size is full. What a batch costs besides its lines, such as a wait for the disk, is little for so many. */
export const BATCH_BYTES_MAX = 1024 * 1024;
/** Full batches that are sent without waiting for answers: one on each side and one between them, of what may wait in all. */
export const BATCHES_UNDER_WAY_MAX = 3;
/** While more output than this is not stored by the server, the command's pipes are not read. */
export const WAITING_BYTES_MAX = 4 * 1024 * 1024;
/** Reading goes on when half of it has gone, so that pipes do not flap. */
export const WAITING_BYTES_RESUME = WAITING_BYTES_MAX / 2;
/**
 * What a line costs beyond its characters, in memory and in the time of the server that reads it. A full batch has no more than 16 384
 * lines.
 */
export const LINE_OVERHEAD_BYTES = 32;
/** Output of processes that outlive the command is read up to this size; the rest belongs to nobody. */
export const LATE_BYTES_MAX = 4 * 1024 * 1024;
/** How long processes that outlive the command may delay its result by keeping its pipes open. */
export const LATE_OUTPUT_MS = 500;

/** How long a process waits for the next command: longer than a server takes to find one, short enough for an agent at rest. */
export const PREPARED_KEEP_MS = 5_000;

/** Between SIGTERM and SIGKILL. */
export const KILL_GRACE_MS = 500;
/** How often a process group that was told to end is looked at. */
export const KILL_CHECK_MS = 20;
/** SIGKILL cannot be refused; what is still there after this waits for a device, and nobody can hurry it. */
export const KILL_SETTLE_MS = 200;

/** How long processes that a job left may take to end, however many others they start; the agent then takes the next job. */
export const LEFTOVERS_MS_MAX = 10_000;

/** A variables file has one short line per variable. */
export const VARIABLES_BYTES_MAX = 1024 * 1024;
/** Ids of past commands that are remembered, so that none runs twice. */
export const REMEMBERED_COMMANDS_MAX = 1_000;

/** When stopping: how long a command may go on by default, below the ten seconds that containers are given. */
export const STOP_FINISH_MS = 8_000;
/** When stopping: how long the result of a canceled command may take to reach the server. */
export const STOP_RESULT_MS = 5_000;
/** When stopping: how long the answer to a registration may take; with the de-registration, below those ten seconds. */
export const STOP_REGISTER_MS = 5_000;
/** When stopping: how long the de-registration may take. */
export const STOP_DEREGISTER_MS = 3_000;
