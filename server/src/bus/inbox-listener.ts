/** Says whether anybody listens at the address of an inbox. Nothing is sent there. */
import { connect } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import type { OutgoingPolicy } from '../runtime/outgoing-policy.ts';
import type { BusLimits } from './limits.ts';
import type { Inbox } from './subscription-holder.ts';
import type { Timers } from './timers.ts';

export type ListensAt = (inbox: Pick<Inbox, 'endpoint' | 'asker'>) => Promise<boolean>;

/** Makes a function that says whether a program listens at an inbox. It is false only if each address refuses connections. */
export function createListensAt(
  policy: OutgoingPolicy,
  timers: Timers,
  { probeMs }: BusLimits,
): ListensAt {
  return ({ endpoint, asker }) => {
    const { refusal, lookup } = policy.wayTo(endpoint, asker);
    if (refusal !== null) return Promise.resolve(true);
    const { hostname, port, protocol } = urlToHttpOptions(endpoint);
    const usualPort = protocol === 'https:' ? 443 : 80;
    return new Promise((resolve) => {
      const socket = connect({ host: hostname ?? '', port: Number(port) || usualPort, lookup });
      const end = (listens: boolean) => {
        cancel();
        socket.destroy();
        resolve(listens);
      };
      const cancel = timers.after(probeMs, () => end(true));
      socket.once('connect', () => end(true));
      socket.on('error', (error) => end(!isRefused(error)));
    });
  };
}

/** A name may have several addresses. */
const isRefused = (error: Error): boolean =>
  error instanceof AggregateError
    ? error.errors.every(isRefused)
    : 'code' in error && error.code === 'ECONNREFUSED';
