/**
 * Derives the state of an existing agent from its polls and posts (wire facts 4.2, 4.4, 4.5). Its polls carry nothing, so the pauses before
 * them tell them apart. Without a command it sleeps for its polling delay after each 204. While a command runs, it asks every second in
 * asynchronous mode, and never in synchronous mode.
 */

export interface Rhythm {
  /** The mode of the agent, once that is certain. It does not change while the agent lives. */
  mode: 'synchronous' | 'asynchronous' | null;
  /** Pauses before its last polls while it certainly had nothing to do, in milliseconds; at most `IDLE_PAUSES`. */
  idlePauses: readonly number[];
  /** Time of the last 204, if the agent did nothing else since. */
  lastIdleAnswerMs: number | null;
  /** Polls in a row, since it got its command, that look like those of an agent that has none. */
  sleeps: { readonly sinceMs: number; readonly polls: number } | null;
  /** The agent has polled since it got its command. */
  hasPolled: boolean;
  /** Its posts or polls have proved that it got its command. */
  isHeard: boolean;
  /** Time when its command was handed out. */
  handedOutMs: number;
}

/** The part that is stored with a handed-out command and outlives a restart. */
export type StoredRhythm = Pick<Rhythm, 'mode' | 'idlePauses' | 'isHeard'>;

/** Number of remembered pauses. A pause that something cut short is forgotten in time. */
const IDLE_PAUSES = 8;

/** Fewer pauses may all have been lengthened by a slow network. */
const IDLE_PAUSES_MIN = 3;

/** Shortest pause that tells an idle agent from an asynchronous one with a command, which pauses for 1 000 ms. */
const IDLE_PAUSE_MS_MIN = 1_900;

/** Tolerance for differences between the clocks of two machines. An agent never sleeps for less than its polling delay. */
const CLOCKS_MS = 250;

/** Pause assumed for an agent without a command while its own pause is unknown, or too short to mean anything. */
const UNKNOWN_PAUSE_MS = 3_000;

/** A few long pauses may be a slow network, or a machine that is busy with the command. */
const SLEEPS_MIN = 6;
const SLEEPS_MS = 30_000;

/** `isOld`: the agent sends no version. Agents of version 1.0 do so, and they have one mode only. */
export function createRhythm(isOld: boolean, nowMs: number): Rhythm {
  return {
    mode: isOld ? 'synchronous' : null,
    idlePauses: [],
    lastIdleAnswerMs: null,
    sleeps: null,
    hasPolled: false,
    isHeard: false,
    handedOutMs: nowMs,
  };
}

export const storedRhythm = ({ mode, idlePauses, isHeard }: Rhythm): StoredRhythm => ({
  mode,
  idlePauses,
  isHeard,
});

/** The agent got a 204. */
export function noteIdleAnswer(rhythm: Rhythm, nowMs: number): void {
  rhythm.lastIdleAnswerMs = nowMs;
}

/** The agent got a command, as far as the server knows. */
export function noteHandout(rhythm: Rhythm, nowMs: number): void {
  rhythm.lastIdleAnswerMs = null;
  rhythm.sleeps = null;
  rhythm.hasPolled = false;
  rhythm.isHeard = false;
  rhythm.handedOutMs = nowMs;
}

/** The agent asked for work after it got its command. */
export function notePolled(rhythm: Rhythm): void {
  rhythm.hasPolled = true;
}

/** The agent got an order other than a command, or posted something. After that it asks again at once. */
export function noteActivity(rhythm: Rhythm): void {
  rhythm.lastIdleAnswerMs = null;
  rhythm.sleeps = null;
}

/** Notes output during a command, or a poll that must be one. Only asynchronous agents send them. */
export function noteWork(rhythm: Rhythm): void {
  rhythm.mode = 'asynchronous';
  rhythm.isHeard = true;
}

/** Notes a result. Only synchronous agents send variables with it, or say that there are none. */
export function noteResult(rhythm: Rhythm, saysVariables: boolean): void {
  if (saysVariables) rhythm.mode ??= 'synchronous';
}

/** Meaning of a poll from an agent that may have a command. */
export type PollMeaning = 'unknown' | 'works' | 'idle';

/** A poll of an agent that certainly has nothing to do: the pause before it is its own. */
export function learnPause(rhythm: Rhythm, nowMs: number): void {
  const { lastIdleAnswerMs, idlePauses } = rhythm;
  if (lastIdleAnswerMs === null) return;
  rhythm.idlePauses = [...idlePauses, nowMs - lastIdleAnswerMs].slice(-IDLE_PAUSES);
}

/** The shortest pause of an agent without a command; null when pauses do not show whether it has one. */
function idlePauseOf({ idlePauses }: Rhythm): number | null {
  if (idlePauses.length < IDLE_PAUSES_MIN) return null;
  const shortest = Math.min(...idlePauses);
  return shortest < IDLE_PAUSE_MS_MIN ? null : shortest - CLOCKS_MS;
}

/**
 * Reads a poll of an agent that has a command, or may still run an abandoned one. `works`: it asks sooner than an idle
 * agent would. `idle`: it has slept too often to be working. In synchronous mode an agent polls only without a command.
 */
export function readPoll(rhythm: Rhythm, nowMs: number): PollMeaning {
  const { lastIdleAnswerMs, mode } = rhythm;
  rhythm.hasPolled = true;
  if (lastIdleAnswerMs === null) return 'unknown';
  const idlePause = idlePauseOf(rhythm);
  const isSleep =
    mode === 'synchronous' || nowMs - lastIdleAnswerMs >= (idlePause ?? UNKNOWN_PAUSE_MS);
  if (!isSleep) {
    rhythm.sleeps = null;
    if (idlePause !== null) noteWork(rhythm);
    return 'works';
  }
  const { sinceMs, polls } = rhythm.sleeps ?? { sinceMs: lastIdleAnswerMs, polls: 0 };
  rhythm.sleeps = { sinceMs, polls: polls + 1 };
  return polls + 1 >= SLEEPS_MIN && nowMs - sinceMs >= SLEEPS_MS ? 'idle' : 'unknown';
}

/** True if the agent's polls do not show whether it ever got its command. */
export const deliveryUnconfirmed = ({ mode, hasPolled, isHeard }: Rhythm): boolean =>
  mode !== 'synchronous' && hasPolled && !isHeard;

/** True for a synchronous agent with a command: it sends nothing, like an agent that died. */
export const silentWhileRunning = ({ mode, hasPolled }: Rhythm): boolean =>
  mode === 'synchronous' || (mode === null && !hasPolled);
