/** Waits for a state that a server shows only on request. Asks repeatedly, and prints the state that it waits for. */
import { isUnreachableError, type UnreachableError } from '@tutti/client/unreachable-error';
import { isOrchestratorError, type OrchestratorError, REASON_CODES } from '@tutti/manifests';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { problemOf } from '../terminal/problem.ts';

export interface Waiting {
  readonly timeoutMs: number;
  /** Pause between two checks; a second if absent. */
  readonly pauseMs?: number;
  /** The failure that is reported at the timeout, as in "Not ready". */
  readonly failure: string;
  /** Whether an unreachable server may still start. */
  readonly isPatient: () => boolean;
  /** The exit code at the timeout; 1 if absent. */
  readonly lateCode?: number;
}

const PAUSE_MS = 1_000;
/** Timeout of one request: a server that accepts connections and does not answer is asked again. It holds without a waiting time, too. */
const LOOK_MS_MAX = 10_000;
/** Time for the last check, at the timeout: with less, no server could answer. */
const LAST_LOOK_MS = 1_000;

/**
 * Calls `look` until it succeeds, and resolves with the exit code. `look` resolves with null on success, else with the reason, as a
 * sentence. Throws at once for failures that waiting does not change, such as a refused token or an untrusted certificate.
 */
export async function waitUntil(
  look: (signal: AbortSignal) => Promise<string | null>,
  waiting: Waiting,
  io: Pick<Io, 'complain'>,
): Promise<number> {
  const { timeoutMs, failure, pauseMs = PAUSE_MS, lateCode = EXIT_CODES.failed } = waiting;
  const endMs = performance.now() + timeoutMs;
  let shownWhy: string | null = null;
  for (;;) {
    const lookMs = lookTime(timeoutMs, endMs - performance.now());
    const why = await lookOnce(look, waiting, AbortSignal.timeout(lookMs));
    if (why === null) return EXIT_CODES.done;
    const leftMs = endMs - performance.now();
    if (leftMs <= 0) {
      io.complain(`tutti: ${failure} after ${Math.round(timeoutMs / 1_000)} s. ${why}\n`);
      return lateCode;
    }
    if (why !== shownWhy) io.complain(`Waiting. ${why}\n`);
    shownWhy = why;
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
