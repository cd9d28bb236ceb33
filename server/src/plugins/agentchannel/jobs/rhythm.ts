/**
 * What the polls and posts of an existing agent tell of it (wire facts 4.2, 4.4, 4.5). Its polls carry nothing, so they are told
 * apart by the pauses before them: it sleeps for its polling delay after each 204 while it has nothing to do, whatever its mode;
 * in asynchronous mode it asks every second while a command runs; in synchronous mode it asks for nothing meanwhile.
 */

export interface Rhythm {
  /** The mode of the agent, once that is certain. It does not change while the agent lives. */
  mode: 'synchronous' | 'asynchronous' | null;
  /** Pauses before its last polls while it certainly had nothing to do, in milliseconds; at most `IDLE_PAUSES`. */
  idlePauses: readonly number[];
  /** When it was last told that there is nothing to do, if it did nothing else since. */
  lastIdleAnswerMs: number | null;
  /** Polls in a row, since it got its command, that look like those of an agent that has none. */
  sleeps: { readonly sinceMs: number; readonly polls: number } | null;
  /** It asked for work since it got its command. */
  hasPolled: boolean;
  /** Posts or polls of it proved that it got its command. */
  isHeard: boolean;
  /** When its command was handed out. */
  handedOutMs: number;
}

/** What outlives a restart, together with the command that was handed out. */
export type StoredRhythm = Pick<Rhythm, 'mode' | 'idlePauses' | 'isHeard'>;

/** So many pauses are remembered: one that something else cut short is forgotten in time. */
const IDLE_PAUSES = 8;

/** Fewer pauses may all have been lengthened by a slow network. */
const IDLE_PAUSES_MIN = 3;

/** Below this pause an agent without a command cannot be told from an asynchronous one with a command, which pauses for 1 000 ms. */
const TELLING_PAUSE_MS = 1_900;

/** An agent never sleeps for less than its polling delay; clocks of two machines do not agree on the last milliseconds. */
const CLOCKS_MS = 250;

/** What is taken for the pause of an agent without a command when its own is not known, or does not tell. */
const UNKNOWN_PAUSE_MS = 3_000;

/** One long pause, or some of them, may be a slow network or a machine that is busy with the command. */
const SLEEPS_MIN = 6;
const SLEEPS_MS = 30_000;

/** `isOld`: the agent tells no version, as those of version 1.0, which have one mode only. */
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

/** The agent was told that there is nothing to do. */
export function noteIdleAnswer(rhythm: Rhythm, nowMs: number): void {
  rhythm.lastIdleAnswerMs = nowMs;
}

/** The agent was given a command, as far as the server can tell. */
export function noteHandout(rhythm: Rhythm, nowMs: number): void {
  rhythm.lastIdleAnswerMs = null;
  rhythm.sleeps = null;
  rhythm.hasPolled = false;
  rhythm.isHeard = false;
  rhythm.handedOutMs = nowMs;
}

/** It asked for work since it got its command. */
export function notePolled(rhythm: Rhythm): void {
  rhythm.hasPolled = true;
}

/** The agent was given something to do that is no command, or did something: it asks again at once after that. */
export function noteActivity(rhythm: Rhythm): void {
  rhythm.lastIdleAnswerMs = null;
  rhythm.sleeps = null;
}

/** Output, or a poll that can be no other, while the command runs: only of asynchronous agents. */
export function noteWork(rhythm: Rhythm): void {
  rhythm.mode = 'asynchronous';
  rhythm.isHeard = true;
}

/** A result. Only synchronous agents say with it what the variables are, or that there are none. */
export function noteResult(rhythm: Rhythm, saysVariables: boolean): void {
  if (saysVariables) rhythm.mode ??= 'synchronous';
}

/** What a poll says of an agent that is not known to have nothing to do. */
export type PollMeaning = 'unknown' | 'works' | 'idle';

/** A poll of an agent that certainly has nothing to do: the pause before it is its own. */
export function learnPause(rhythm: Rhythm, nowMs: number): void {
  const { lastIdleAnswerMs, idlePauses } = rhythm;
  if (lastIdleAnswerMs === null) return;
  rhythm.idlePauses = [...idlePauses, nowMs - lastIdleAnswerMs].slice(-IDLE_PAUSES);
}

/** The shortest pause that an agent without a command may make; null when none tells whether it has one. */
function tellingPause({ idlePauses }: Rhythm): number | null {
  if (idlePauses.length < IDLE_PAUSES_MIN) return null;
  const shortest = Math.min(...idlePauses);
  return shortest < TELLING_PAUSE_MS ? null : shortest - CLOCKS_MS;
}

/**
 * A poll of an agent that has a command, or had one that was given up and may still run it: `works` when it asks sooner than one
 * that has none would, `idle` once it has slept too often to be working. In synchronous mode every poll is one without a command.
 */
export function readPoll(rhythm: Rhythm, nowMs: number): PollMeaning {
  const { lastIdleAnswerMs, mode } = rhythm;
  rhythm.hasPolled = true;
  if (lastIdleAnswerMs === null) return 'unknown';
  const telling = tellingPause(rhythm);
  const isSleep =
    mode === 'synchronous' || nowMs - lastIdleAnswerMs >= (telling ?? UNKNOWN_PAUSE_MS);
  if (!isSleep) {
    rhythm.sleeps = null;
    if (telling !== null) noteWork(rhythm);
    return 'works';
  }
  const { sinceMs, polls } = rhythm.sleeps ?? { sinceMs: lastIdleAnswerMs, polls: 0 };
  rhythm.sleeps = { sinceMs, polls: polls + 1 };
  return polls + 1 >= SLEEPS_MIN && nowMs - sinceMs >= SLEEPS_MS ? 'idle' : 'unknown';
}

/** True for an agent that asks for work in a way that does not tell whether it ever got its command. */
export const isUntold = ({ mode, hasPolled, isHeard }: Rhythm): boolean =>
  mode !== 'synchronous' && hasPolled && !isHeard;

/** A synchronous agent says nothing while it runs a command, and nobody can tell it from one that died. */
export const isMute = ({ mode, hasPolled }: Rhythm): boolean =>
  mode === 'synchronous' || (mode === null && !hasPolled);
