/** Subscriptions, their publications, and the deliveries. */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { getText, sendBody, type Target } from './exchange.ts';
import { HttpSocket, requestText } from './http-socket.ts';

/** The report of an inbox process. */
export interface Delivered {
  readonly count: number;
  /** Epoch milliseconds. */
  readonly lastAtMs: number;
}

/** The label that selects the subscription of a publication. */
const TOPIC = 'bench.example/topic';
const LOOK_MS = 20;

/** The audience of each publication: one subscription after the other, or all of them. */
export type Audience = 'one' | 'all';

export interface Subscribed {
  readonly subscriptions: number;
  readonly audience: Audience;
  /** The inboxes take lists of publications. */
  readonly takesLists?: boolean;
}

export async function subscribe(
  server: Target,
  inboxes: Target,
  { subscriptions, audience, takesLists = false }: Subscribed,
): Promise<void> {
  for (let number = 0; number < subscriptions; number += 1) {
    const matchLabels = { [TOPIC]: topicOf(number, audience) };
    const selector = { matchKind: 'Measured', matchLabels };
    await subscribeOne(server, inboxes, { number, selector, takesLists });
  }
}

interface OneSubscription {
  /** Identifies its inbox. */
  readonly number: number;
  readonly selector: object;
  readonly takesLists?: boolean;
}

export async function subscribeOne(
  server: Target,
  inboxes: Target,
  { number, selector, takesLists = false }: OneSubscription,
): Promise<void> {
  const subscription = {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'Subscription',
    metadata: {
      name: `plugin ${number}`,
      ...(takesLists && { annotations: { 'tutti/publication-lists': 'true' } }),
    },
    spec: {
      selector,
      subscriber: { endpoint: new URL(`/inbox/${number}`, inboxes.url).href },
    },
  };
  const body = Readable.from([JSON.stringify(subscription)]);
  const headers = { 'content-type': 'application/json' };
  await sendBody(server, { method: 'POST', path: '/subscriptions', headers }, body);
}

const topicOf = (number: number, audience: Audience): string =>
  audience === 'all' ? 'all' : `topic ${number}`;

/** Publishing requests, for the subscriptions in turn; about as long as the event of a step's result. */
export function publications(token: string, count: number, audience: Audience): readonly string[] {
  return Array.from({ length: Math.max(1, count) }, (_, number) => {
    const labels = { [TOPIC]: topicOf(number, audience) };
    const json = {
      apiVersion: 'example.com/v1',
      kind: 'Measured',
      metadata: { name: `publication ${number}`, labels },
      content: 'x'.repeat(400),
    };
    return requestText({ method: 'POST', path: '/publications', token, json });
  });
}

/** Sends `count` requests, one kind after the other, over `connections` connections; each waits for its answer. */
export async function publish(
  url: URL,
  requests: readonly string[],
  { count, connections }: { readonly count: number; readonly connections: number },
): Promise<void> {
  let sent = 0;
  const work = async (): Promise<void> => {
    const socket = new HttpSocket(url);
    while (sent < count) {
      const request = requests[sent % requests.length] ?? '';
      sent += 1;
      const { code, body } = await socket.send(request);
      if (code !== 200) throw new Error(`Answer ${code}: ${body.toString()}`);
    }
    socket.close();
  };
  await Promise.all(Array.from({ length: Math.min(count, connections) }, work));
}

/** Waits until the inboxes have this number of deliveries; resolves with the time of the last one, in epoch milliseconds. */
export async function deliveredAt(inboxes: Target, count: number): Promise<number> {
  for (;;) {
    const delivered = await deliveredTo(inboxes);
    if (delivered.count > count) throw new Error(`${delivered.count} deliveries of ${count}.`);
    if (delivered.count === count) return delivered.lastAtMs;
    await sleep(LOOK_MS);
  }
}

/** The deliveries so far. */
export async function deliveredTo(inboxes: Target): Promise<Delivered> {
  return JSON.parse(await getText(inboxes, '/count'));
}
