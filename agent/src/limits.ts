/** Every bound of the agent, with the reason for its number. */

/** Time that the server may hold a poll: below the minute after which proxies cut quiet connections. */
export const POLL_WAIT_SECONDS = 50;
export const POLL_HEADERS = { prefer: `wait=${POLL_WAIT_SECONDS}` } as const;
/** A poll without any answer for this much longer than it may be held is lost. */
export const POLL_GRACE_MS = 5_000;
export const POLL_TIMEOUT_MS = POLL_WAIT_SECONDS * 1000 + POLL_GRACE_MS;
/** An empty answer that comes sooner than this was not held: such polls are paced. */
export const POLL_HELD_MS_MIN = 1_000;
/** A server that does not answer for this long after the body is taken for unreachable. */
export const REQUEST_TIMEOUT_MS = 10_000;
/** Time for sending a body, in addition. Slow lines carry several batches at one time, each at 50 KiB per second. */
export const BODY_MS_PER_MIB = 20_000;
/** A transfer that stalls for this long is aborted and started again. */
export const TRANSFER_IDLE_MS = 30_000;
/**
 * After five attempts (backoff: about a second in total) the reason goes to the server, and the step fails. Attempts count only
 * while the server is reachable.
 */
export const TRANSFER_ATTEMPTS_MAX = 5;
/** Concurrent transfers; more would only share the same line. */
export const TRANSFERS_MAX = 4;
/** An answer carries at most one script; scripts are smaller than this by orders of magnitude. */
export const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

export const BACKOFF_MS_MIN = 50;
export const BACKOFF_MS_MAX = 5_000;
/** A busy server says when to retry; a longer time is a mistake. */
export const RETRY_AFTER_MS_MAX = 60_000;
/**
 * A token may be refused for a moment during its replacement. Eight refusals in a row are about ten seconds of backoff, after
 * which the token is simply wrong. A file may get another one at any time.
 */
export const REFUSALS_MAX = 8;

/** Longer lines are cut into pieces of this size. */
export const LINE_BYTES_MAX = 64 * 1024;
/**
 * Time that the first output of a command waits for its end. Most commands print little and end soon, so all of it is one post
 * and one commit. Too short to notice.
 */
export const FIRST_BATCH_DELAY_MS = 25;
/**
 * Pause between two batches that are not full: too short to notice, long enough to gather a burst. Output after a longer silence
 * is sent at once.
 */
export const BATCH_PAUSE_MS = 10;
/** Size of a full batch. At this size, the fixed costs of a batch, such as a wait for the disk, are small. */
export const BATCH_BYTES_MAX = 1024 * 1024;
/** Full batches sent without waiting for answers: one on each side and one between them. */
export const BATCHES_UNDER_WAY_MAX = 3;
/** While more output than this is not stored by the server, the command's pipes are not read. */
export const WAITING_BYTES_MAX = 4 * 1024 * 1024;
/** Reading resumes when half of it is stored, so that pipes do not flap. */
export const WAITING_BYTES_RESUME = WAITING_BYTES_MAX / 2;
/** Cost of a line besides its characters, in the server's memory and reading time. A full batch has at most 32 768 lines. */
export const LINE_OVERHEAD_BYTES = 32;
/** Memory of lines that were read at one time, besides their bytes. */
export const RUN_OVERHEAD_BYTES = 256;
/** Parts of a batch that is sent as bytes. One of more parts is JSON: where two streams take turns, its head would be longer than its lines. */
export const BYTE_PARTS_MAX = 256;
/** Pieces of a batch that are written as they were read. More of them are small, and are joined. */
export const PIECES_MAX = 64;
/** Output of surviving processes is read up to this size; the rest is dropped. */
export const LATE_BYTES_MAX = 4 * 1024 * 1024;
/** Time that surviving processes may delay the result of a command by keeping its pipes open. */
export const LATE_OUTPUT_MS = 500;

/** Time that a process waits for the next command. It is longer than a server needs to find one, and short enough for an idle agent. */
export const PREPARED_KEEP_MS = 5_000;

/** Time that a command waits for a process that is on its way. A lender takes less, unless it is just starting or stands still. */
export const LOAN_WAIT_MS = 25;

/** Time that an unused lender of processes is kept. Its start takes 50 ms, in which commands start their processes themselves. */
export const LENDER_KEEP_MS = 10_000;

/** Grace time between SIGTERM and SIGKILL. */
export const KILL_GRACE_MS = 500;
/** Interval of checks whether a process group has ended. */
export const KILL_CHECK_MS = 20;
/** Time after SIGKILL; processes that remain wait for a device and cannot be hurried. */
export const KILL_SETTLE_MS = 200;

/** Time for leftover processes of a job to end, however many others they start. The agent then takes the next job. */
export const LEFTOVERS_MS_MAX = 10_000;

/** A variables file has one short line per variable. */
export const VARIABLES_BYTES_MAX = 1024 * 1024;
/** Ids of past commands that are remembered, so that none runs twice. */
export const REMEMBERED_COMMANDS_MAX = 1_000;

/** When stopping: default time for the running command, below the ten seconds that containers get. */
export const STOP_FINISH_MS = 8_000;
/** When stopping: timeout for delivering the result of a canceled command. */
export const STOP_RESULT_MS = 5_000;
/** When stopping: timeout of the answer to a registration; with the de-registration, below those ten seconds. */
export const STOP_REGISTER_MS = 5_000;
/** When stopping: timeout of the de-registration. */
export const STOP_DEREGISTER_MS = 3_000;
