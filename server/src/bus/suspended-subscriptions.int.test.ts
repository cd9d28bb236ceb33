/** Subscriptions whose tokens come and go, with a real store and real inboxes. */
import { expect, test } from 'vitest';
import type { NamespaceScope } from './subscription-record.ts';
import type { SubscriptionTokens } from './suspended-subscriptions.ts';
import {
  createTestBus,
  eventually,
  openInbox,
  openStoreFolder,
  subscriptionTo,
} from './testing.ts';

/** Accepts the token `good` until `why` is set; refuses all others. */
function createTokens() {
  const state = { why: null as string | null };
  const asked: (readonly [string | null, NamespaceScope])[] = [];
  const refusal: SubscriptionTokens['refusal'] = async (token, { scope }) => {
    asked.push([token, scope]);
    return token === 'good' ? state.why : 'unknown token';
  };
  return { state, asked, tokens: { refusal } };
}

const news = (n: number) => ({ kind: 'News', metadata: { namespace: 'a' }, n });

test('a suspended subscription gets nothing; what waited comes when its token counts again', async () => {
  const { state, tokens } = createTokens();
  const store = await (await openStoreFolder()).open();
  const bus = createTestBus(store, { tokens });
  await bus.start();
  const inbox = await openInbox();
  const id = await bus.createSubscription(subscriptionTo(inbox.url), new Set(['a']), {
    token: 'good',
  });
  const suspended = () => bus.listSubscriptions('*').get(id)?.status.suspended;
  await bus.distribute(news(1), '*');
  await eventually(() => expect(inbox.numbers()).toEqual([1]));
  state.why = 'revoked';
  // The check before the delivery finds it, without news from the files.
  await bus.distribute(news(2), '*');
  await eventually(() => expect(suspended()).toBe('revoked'));
  await bus.distribute(news(3), '*');
  state.why = null;
  await bus.suspendExpired();
  expect([suspended(), inbox.numbers()]).toEqual(['revoked', [1]]);
  await bus.checkSubscriptions();
  expect(suspended()).toBeUndefined();
  await eventually(() => expect(inbox.numbers()).toEqual([1, 2, 3]));
});

test('a stored subscription is suspended before anything is sent, and renewed by a token that counts', async () => {
  const folder = await openStoreFolder();
  const inbox = await openInbox();
  const first = await folder.open();
  const earlier = createTestBus(first);
  await earlier.start();
  const scope = new Set(['a']);
  const id = await earlier.createSubscription(subscriptionTo(inbox.url), scope, { token: 'bad' });
  await earlier.stop();
  await first.close();
  const { asked, tokens } = createTokens();
  const bus = createTestBus(await folder.open(), { tokens });
  await bus.start();
  await bus.distribute(news(1), '*');
  expect(asked).toEqual([['bad', scope]]);
  expect(bus.listSubscriptions('*').get(id)?.status.suspended).toBe('unknown token');
  await bus.createSubscription(subscriptionTo(inbox.url), scope, { token: 'good' });
  await eventually(() => expect(inbox.numbers()).toEqual([1]));
  expect(bus.listSubscriptions('*').get(id)?.status.suspended).toBeUndefined();
});
