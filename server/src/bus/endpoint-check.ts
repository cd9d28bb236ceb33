/** Refuses the inbox of a new subscription that would not be asked. Each delivery checks it again. */
import { isLoopback } from '../runtime/loopback.ts';
import { type Asker, HOW_TO_ALLOW, type OutgoingPolicy } from '../runtime/outgoing-policy.ts';
import { invalidSubscription } from './invalid-subscription.ts';
import type { BusLimits } from './limits.ts';
import type { Inbox } from './subscription-holder.ts';
import type { Timers } from './timers.ts';

export interface EndpointCheckDeps {
  readonly outgoing: OutgoingPolicy;
  readonly timers: Timers;
  readonly limits: Pick<BusLimits, 'resolveMs'>;
}

/** `written`: as the manifest has it. Throws `Invalid`. */
export async function checkEndpoint(
  { outgoing, timers, limits }: EndpointCheckDeps,
  { endpoint, asker }: Inbox,
  written: string,
): Promise<void> {
  const why = await withinTime(outgoing.refusalOf(endpoint, asker), timers, limits.resolveMs);
  const problem = why ?? disguise(written, endpoint, asker);
  if (problem !== null) {
    throw invalidSubscription(`spec.subscriber.endpoint: ${problem}. ${HOW_TO_ALLOW}.`);
  }
}

/** Null when a name is not resolved in time. */
function withinTime(
  refusal: Promise<string | null>,
  timers: Timers,
  timeoutMs: number,
): Promise<string | null> {
  return new Promise((resolve) => {
    const cancel = timers.after(timeoutMs, () => resolve(null));
    void refusal.then((why) => {
      cancel();
      resolve(why);
    });
  });
}

/** A program names its own machine as it is: other forms (`2130706433`, `0177.1`) are for hiding where a request leads. */
function disguise(written: string, { hostname }: URL, asker: Asker): string | null {
  const isOfMachine = isLoopback(hostname) || ['0.0.0.0', '[::]'].includes(hostname);
  if (asker !== 'machine' || !isOfMachine) return null;
  const isAsWritten = hostOfText(written) === hostname;
  return isAsWritten ? null : `${JSON.stringify(written)} is another form of ${hostname}`;
}

/** The host as it is written, which `URL` brings into one form. */
function hostOfText(written: string): string | undefined {
  const [, host] = /^\s*https?:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/:?#]*)/i.exec(written) ?? [];
  return host?.toLowerCase();
}
