/** Several publications in one request, for inboxes that take lists. */
import type { WorkflowId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { BUS_LIMITS } from './limits.ts';
import {
  createTestBus,
  eventually,
  type Inbox,
  notification,
  openInbox,
  openStoreFolder,
  subscriptionTo,
  testIds,
} from './testing.ts';

const NUMBERS = Array.from({ length: 40 }, (_, index) => index);
const annotations = { 'tutti/publication-lists': 'true' };

interface Item {
  readonly id: string;
  readonly publication: { readonly n: number };
}

/** The publications of each request. */
const requestsAt = ({ received }: Inbox): readonly (readonly Item[])[] =>
  received.map(({ body, headers }) => {
    if (Array.isArray(body)) return body;
    return [{ id: String(headers['x-publication-id']), publication: Object(body) }];
  });

const numbersAt = (inbox: Inbox): readonly number[] =>
  requestsAt(inbox)
    .flat()
    .map(({ publication }) => publication.n);

/** A bus, and an inbox for which all numbers wait: the first one comes alone. */
async function setUp(answer: Inbox['answer'] = 200) {
  const store = await (await openStoreFolder()).open();
  const bus = createTestBus(store);
  await bus.start();
  const inbox = await openInbox(answer);
  const subscription = subscriptionTo(inbox.url);
  const metadata = { ...subscription.metadata, annotations };
  const id = await bus.createSubscription({ ...subscription, metadata }, '*');
  const workflowId = testIds.random<WorkflowId>();
  await Promise.all(NUMBERS.map((n) => bus.distribute({ ...notification(n, workflowId) }, '*')));
  const answers = () => bus.listSubscriptions('*').get(id)?.status.publicationStatusSummary;
  return { bus, inbox, id, answers };
}

test('an inbox that takes lists gets what waits in few requests, in order, with ids', async () => {
  const { inbox, id, answers } = await setUp();
  await eventually(() => expect(answers()).toEqual({ '200': NUMBERS.length }));
  expect(numbersAt(inbox)).toEqual(NUMBERS);
  const lengths = requestsAt(inbox).map(({ length }) => length);
  expect(lengths.slice(0, 3)).toEqual([1, 2, 4]);
  expect(Math.max(...lengths)).toBeGreaterThan(4);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(BUS_LIMITS.listLength);
  const ids = requestsAt(inbox)
    .flat()
    .map((item) => item.id);
  expect(new Set(ids).size).toBe(NUMBERS.length);
  expect(inbox.received[1]?.headers).toMatchObject({ 'x-subscription-id': id });
  expect(inbox.received[1]?.headers).not.toHaveProperty('x-publication-id');
});

test('a long publication comes alone', async () => {
  const { bus, inbox, answers } = await setUp();
  const text = 'x'.repeat(BUS_LIMITS.heldBodyBytes);
  const more = [{ n: 40 }, { n: 41, text }, { n: 42 }];
  await Promise.all(more.map((event) => bus.distribute(event, '*')));
  await eventually(() => expect(answers()).toEqual({ '200': 43 }));
  expect(numbersAt(inbox)).toEqual([...NUMBERS, 40, 41, 42]);
  expect(
    requestsAt(inbox).find((list) => list.some(({ publication }) => publication.n === 41)),
  ).toHaveLength(1);
});

test.each([
  [400, 'loses only the publication that it refuses', 39],
  [503, 'gets it alone until it takes it, before anything newer', 40],
] as const)('an inbox that answers %i to a list %s', async (code, _, taken) => {
  let refusals = 0;
  const hasSeven = (body: unknown) => JSON.stringify(body).includes('"n":7');
  const { bus, inbox, answers } = await setUp((body) => {
    if (!hasSeven(body) || refusals === 2) return 200;
    refusals += 1;
    return code;
  });
  await bus.timers.fire(0, 500);
  if (code === 503) await bus.timers.fire(1, 2_000);
  await eventually(() => expect(Object(answers())['200']).toBe(taken));
  const withSeven = requestsAt(inbox).filter(hasSeven);
  expect(withSeven.length).toBe(code === 503 ? 3 : 2);
  expect(withSeven[0]?.length).toBeGreaterThan(1);
  expect(withSeven.slice(1).every(({ length }) => length === 1)).toBe(true);
  expect([...new Set(numbersAt(inbox))].toSorted((a, b) => a - b)).toEqual(NUMBERS);
});

test('a new start of the plugin without lists gets one at a time', async () => {
  const { bus, inbox } = await setUp('never');
  await eventually(() => expect(inbox.received).toHaveLength(1));
  await bus.createSubscription(subscriptionTo(inbox.url), '*');
  inbox.answer = 200;
  await bus.timers.fire(BUS_LIMITS.inboxTimeoutMs);
  await bus.timers.fire(250, 500);
  await eventually(() => expect(inbox.received).toHaveLength(NUMBERS.length + 1));
  expect(requestsAt(inbox).every(({ length }) => length === 1)).toBe(true);
});
