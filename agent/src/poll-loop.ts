/**
 * Polls for commands: one request is always open, held by the server until there is a command. After an answer the next one
 * follows at once. After failures, and answers without progress, pauses grow.
 */
import { entriesOf } from '@tutti/manifests/values';
import { type AgentLogger, describeError } from './agent-logger.ts';
import { AnswerProblem, hasContent, judge } from './connection/answers.ts';
import { type Backoff, createBackoff } from './connection/backoff.ts';
import type { Answer } from './connection/http-connection.ts';
import type { Reachability } from './connection/reachability.ts';
import { POLL_HELD_MS_MIN, REFUSALS_MAX } from './limits.ts';
import { type Order, readOrder } from './protocol.ts';
import type { Timing } from './timing.ts';

export interface PollLoopOptions {
  /** Sends one poll; rejects on connection errors. */
  readonly ask: () => Promise<Answer>;
  /** Resolves when the next poll may be opened: false when the command was known already. */
  readonly handle: (order: Order) => Promise<boolean>;
  readonly reachability: Reachability;
  readonly renewsToken: boolean;
  readonly signal: AbortSignal;
  readonly timing: Timing;
  readonly logger: AgentLogger;
}

export type PollEnd =
  /** The signal was aborted. */
  | { readonly why: 'stopped' }
  | { readonly why: 'unknown-agent' }
  | { readonly why: 'refused'; readonly answer: Answer };

interface Pace {
  readonly backoff: Backoff;
  refusals: number;
  /** Pause that the last answer asks for. */
  retryAfterMs: number | undefined;
}

/** Outcome of one poll: after `progress`, the next poll follows at once. */
type PollOutcome = 'progress' | 'pause' | PollEnd;

export async function pollCommands(options: PollLoopOptions): Promise<PollEnd> {
  const { signal, timing } = options;
  const backoff = createBackoff(timing.random);
  const pace: Pace = { backoff, refusals: 0, retryAfterMs: undefined };
  while (!signal.aborted) {
    const outcome = await pollOnce(options, pace);
    if (typeof outcome === 'object') return outcome;
    if (outcome === 'progress') pace.backoff.reset();
    else await timing.wait(pace.backoff.next(pace.retryAfterMs), signal);
  }
  return { why: 'stopped' };
}

async function pollOnce(options: PollLoopOptions, pace: Pace): Promise<PollOutcome> {
  const askedAt = options.timing.now();
  const answer = await askFor(options);
  pace.retryAfterMs = answer?.retryAfterMs;
  if (answer === null) return 'pause';
  const verdict = judge(answer);
  pace.refusals = verdict === 'refused' ? pace.refusals + 1 : 0;
  switch (verdict) {
    case 'done':
      options.reachability.reached();
      if (hasContent(answer)) return handleAnswer(answer, options);
      // A server that does not hold polls must not be asked without a pause.
      return options.timing.now() - askedAt >= POLL_HELD_MS_MIN ? 'progress' : 'pause';
    case 'unknown-agent':
      return { why: 'unknown-agent' };
    case 'refused':
      if (pace.refusals < REFUSALS_MAX) return 'pause';
      if (!options.renewsToken) return { why: 'refused', answer };
      options.reachability.missed(new AnswerProblem(answer));
      return 'pause';
    default:
      options.reachability.missed(new AnswerProblem(answer));
      return 'pause';
  }
}

async function askFor({ ask, reachability, signal }: PollLoopOptions): Promise<Answer | null> {
  try {
    return await ask();
  } catch (error) {
    if (!signal.aborted) reachability.missed(error);
    return null;
  }
}

async function handleAnswer(
  answer: Answer,
  { handle, logger }: PollLoopOptions,
): Promise<PollOutcome> {
  try {
    const isNew = await handle(readOrder(entriesOf(answer.body).details));
    return isNew ? 'progress' : 'pause';
  } catch (error) {
    logger.error('A command of the server was not understood.', { error: describeError(error) });
    return 'pause';
  }
}
