/** Handles the answer of an inbox: whether the publication is retried, and what the subscription counts. */
import type { Logger } from '../runtime/logger.ts';
import { HOW_TO_ALLOW } from '../runtime/outgoing-policy.ts';
import { backoffDelayMs } from './backoff.ts';
import {
  FIRST_REFUSAL,
  INTERNAL_ERROR,
  type InboxAnswer,
  TOO_MANY_REQUESTS,
} from './inbox-client.ts';
import type { BusLimits } from './limits.ts';
import type { AttemptOutcome } from './outbox-consumer.ts';
import { countAnswer, type SubscriptionRecord } from './subscription-record.ts';

interface InboxAnswersDeps {
  readonly logger: Logger;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly limits: BusLimits;
}

/** A request that an inbox answered. */
interface AnsweredMessage {
  /** From 1. */
  readonly attempt: number;
  /** Publications in it. */
  readonly count: number;
}

export function settleAnswer(
  deps: InboxAnswersDeps,
  record: SubscriptionRecord,
  answer: InboxAnswer,
  { attempt, count }: AnsweredMessage,
): AttemptOutcome {
  const { activity } = record;
  if (answer.outcome === 'not allowed') return notAllowed(deps, record, answer.why);
  const name = answer.outcome === 'answered' ? String(answer.code) : answer.why;
  countAnswer(activity, name, count);
  activity.listLength = isTaken(answer)
    ? Math.min(activity.listLength * 2, deps.limits.listLength)
    : 1;
  if (attempt === 1) activity.internalErrors = 0;
  // Other failures say nothing of the handler: an inbox that was away gets it as often as any.
  if (name === String(INTERNAL_ERROR)) activity.internalErrors += 1;
  const isLast = count === 1 && activity.internalErrors >= deps.limits.attemptsAtInternalError;
  if (answer.outcome === 'unanswered' || isTransient(answer.code, isLast)) {
    activity.failures += 1;
    return { outcome: 'retry', afterMs: pauseMs(deps, record) };
  }
  activity.failures = 0;
  activity.inQuarantine = false;
  // The inbox gets the publications of a refused list one at a time. So one refused publication costs no other.
  if (count > 1 && !isTaken(answer)) return { outcome: 'retry', afterMs: 0 };
  noteRefusal(deps, record, answer.code);
  return { outcome: 'done' };
}

/** The publication waits: the operator may allow the address, or the plugin subscribe with another. The log says nothing of the address. */
function notAllowed(
  { limits, logger }: InboxAnswersDeps,
  { id, name, activity }: SubscriptionRecord,
  why: string,
): AttemptOutcome {
  countAnswer(activity, 'not allowed');
  if (!activity.inQuarantine) {
    logger.warn({ subscriptionId: id, name }, `An inbox is not asked: ${why}. ${HOW_TO_ALLOW}.`);
  }
  activity.failures += 1;
  activity.inQuarantine = true;
  return { outcome: 'retry', afterMs: limits.quarantineProbeMs };
}

const isTaken = (answer: InboxAnswer): boolean =>
  answer.outcome === 'answered' && answer.code < FIRST_REFUSAL;

function isTransient(code: number, isLast: boolean): boolean {
  return code === TOO_MANY_REQUESTS || (code === INTERNAL_ERROR ? !isLast : code > INTERNAL_ERROR);
}

function pauseMs({ limits, random, logger }: InboxAnswersDeps, record: SubscriptionRecord): number {
  const { id, name, activity } = record;
  if (activity.failures < limits.failuresBeforeQuarantine) {
    const bounds = { firstMs: limits.retryDelayMs, maxMs: limits.retryDelayMaxMs };
    return backoffDelayMs(activity.failures, random(), bounds);
  }
  if (!activity.inQuarantine) {
    logger.warn({ subscriptionId: id, name }, 'An inbox does not answer: quarantine.');
  }
  activity.inQuarantine = true;
  return limits.quarantineProbeMs;
}

/** Logged once, not for each of many publications. */
function noteRefusal({ logger }: InboxAnswersDeps, record: SubscriptionRecord, code: number): void {
  const { id, name, activity } = record;
  const refuses = code >= FIRST_REFUSAL;
  if (refuses && !activity.refuses) {
    const about = { subscriptionId: id, name, code };
    logger.warn(about, 'An inbox refuses publications: they are lost to it.');
  }
  activity.refuses = refuses;
}
