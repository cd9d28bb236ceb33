/** Waiting for something that a server tells only when it is asked: looks again and again, and says what it waits for. */
import { isUnreachableError, type UnreachableError } from '@tutti/client/unreachable-error';
import { isOrchestratorError, type OrchestratorError, REASON_CODES } from '@tutti/manifests';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { problemOf } from '../terminal/problem.ts';

export interface Waiting {
  readonly timeoutMs: number;
  /** Between two looks; absent: a second. */
  readonly pauseMs?: number;
  /** What is not the case when the time is over, as in "Not ready". */
  readonly failure: string;
  /** Whether a server that does not answer may do so later. */
  readonly isPatient: () => boolean;
  /** The exit code when the time is over; absent: 1. */
  readonly lateCode?: number;
}

const PAUSE_MS = 1_000;
/** A server that takes a connection and says nothing is asked anew. Without any time to wait, one look has this long. */
const LOOK_MS_MAX = 10_000;
/** The last look, which begins when the time is over or nearly so, has this long: with less, no server could answer. */
const LAST_LOOK_MS = 1_000;

/**
 * Resolves with the exit code. `look` resolves with null once it is so, else with why not, as a sentence. Throws at once what waiting
 * does not change: a refusal, such as that of the token, and a certificate that is not trusted.
 */
export async function waitUntil(
  look: (signal: AbortSignal) => Promise<string | null>,
  waiting: Waiting,
  io: Pick<Io, 'complain'>,
): Promise<number> {
  const { timeoutMs, failure, pauseMs = PAUSE_MS, lateCode = EXIT_CODES.failed } = waiting;
  const endMs = performance.now() + timeoutMs;
  let told: string | null = null;
  for (;;) {
    const lookMs = lookTime(timeoutMs, endMs - performance.now());
    const why = await lookOnce(look, waiting, AbortSignal.timeout(lookMs));
    if (why === null) return EXIT_CODES.done;
    const leftMs = endMs - performance.now();
    if (leftMs <= 0) {
      io.complain(`tutti: ${failure} after ${Math.round(timeoutMs / 1_000)} s. ${why}\n`);
      return lateCode;
    }
    if (why !== told) io.complain(`Waiting. ${why}\n`);
    told = why;
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, leftMs)));
  }
}

function lookTime(timeoutMs: number, leftMs: number): number {
  if (timeoutMs <= 0) return LOOK_MS_MAX;
  return Math.ceil(Math.min(LOOK_MS_MAX, Math.max(leftMs, LAST_LOOK_MS)));
}

async function lookOnce(
  look: (signal: AbortSignal) => Promise<string | null>,
  { isPatient }: Waiting,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    return await look(signal);
  } catch (error) {
    if (signal.aborted) return 'The server does not answer.';
    if (isPatient() && mayPass(error)) return sentenceOf(error);
    throw error;
  }
}

function mayPass(error: unknown): error is OrchestratorError | UnreachableError {
  if (isOrchestratorError(error)) {
    return error.reason === 'TooManyRequests' || REASON_CODES[error.reason] >= 500;
  }
  return isUnreachableError(error) && !/CERT|SELF_SIGNED|LEAF_SIGNATURE/.test(error.code ?? '');
}

function sentenceOf(error: unknown): string {
  const { what, why } = problemOf(error);
  return [what, ...why].join(' ');
}
