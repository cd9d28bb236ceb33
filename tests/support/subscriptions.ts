/** Subscriptions for tests: creation and listing. */
import { type Answer, type Api, bodyOf, detailsOf, type Loose } from './api.ts';

export interface SubscriptionOptions {
  readonly name?: string;
  /** The kind of events that it gets. */
  readonly kind?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Header that a proxy adds: the request comes from another machine. */
export const FORWARDED = { 'x-forwarded-for': '203.0.113.9' } as const;

export function subscribe(
  api: Api,
  endpoint: string,
  { name = 'listener', kind = 'Test', headers = {} }: SubscriptionOptions = {},
): Promise<Answer> {
  const body = {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'Subscription',
    metadata: { name },
    spec: { selector: { matchKind: kind }, subscriber: { endpoint } },
  };
  return api.call('POST', '/subscriptions', { body, headers });
}

/** The id of a new subscription; throws when it was refused. */
export async function subscribed(
  ...[api, endpoint, options]: Parameters<typeof subscribe>
): Promise<string> {
  const answer = await subscribe(api, endpoint, options);
  const { uuid } = detailsOf(answer);
  if (typeof uuid !== 'string') throw new Error(`${answer.code}: ${answer.text}`);
  return uuid;
}

/** The status of each listed subscription, by its id. */
export async function listedStatus(api: Api, id: string): Promise<Loose> {
  const { items } = bodyOf(await api.call('GET', '/subscriptions'));
  const listed = Object(items)[id];
  if (listed === undefined) throw new Error(`There is no subscription ${id}.`);
  return listed.status;
}

export async function summaryOf(api: Api, id: string): Promise<Readonly<Record<string, number>>> {
  return Object((await listedStatus(api, id)).publicationStatusSummary);
}
