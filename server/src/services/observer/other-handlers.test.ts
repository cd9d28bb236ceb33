import type { NotificationEvent, RunEvent, Timestamp } from '@tutti/manifests';
import { expect, test } from 'vitest';
import type { EventBus } from '../../bus/bus.ts';
import { OTHER_HANDLERS_LIMITS, OtherHandlers } from './other-handlers.ts';

const ID = 'aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb';
const { forgetMs, handlers: handlersMax } = OTHER_HANDLERS_LIMITS;
const channel = { metadata: { name: 'ssh' }, spec: { tags: ['linux'] }, status: { phase: 'IDLE' } };
const idOf = (index: number): string => ID.replace(/.{4}$/, String(index).padStart(4, '0'));

function setUp() {
  const time = { now: 0 };
  const heard: ((event: NotificationEvent) => void)[] = [];
  // One kind is subscribed to, so the handler is one of this kind.
  const subscribe = ((_kind: RunEvent['kind'], handle: (event: NotificationEvent) => void) => {
    heard.push(handle);
  }) as EventBus['subscribe'];
  const others = new OtherHandlers({ subscribe }, { now: () => time.now });
  const tell = (id: unknown, channels: unknown = [channel]): void => {
    const metadata = { creationTimestamp: '2026-01-31T12:34:56.123456' as Timestamp };
    const event = { metadata, spec: { channelHandler: { channelhandler_id: id, channels } } };
    // Of an event only what is read here.
    for (const handle of heard) handle(event as unknown as NotificationEvent);
  };
  return { time, tell, ids: () => [...others.entries()].map(([id]) => id), others };
}

test('a handler is known by its id in lower case, with the channels it told of last', () => {
  const { tell, others } = setUp();
  tell(ID.toUpperCase());
  tell(ID, [{ ...channel, metadata: { name: 'other', namespaces: 'a' } }]);
  expect([...others.entries()]).toMatchObject([
    [ID, { channels: [{ name: 'other', namespaces: 'a', tags: ['linux'], phase: 'IDLE' }] }],
  ]);
});

test('a handler that is silent for an hour is forgotten', () => {
  const { time, tell, ids } = setUp();
  tell(idOf(1));
  tell(idOf(2));
  time.now = forgetMs;
  tell(idOf(1));
  expect(ids()).toEqual([idOf(2), idOf(1)]);
  time.now = forgetMs + 1;
  expect(ids()).toEqual([idOf(1)]);
});

test('there are as many handlers as can be true, and room again when some are forgotten', () => {
  const { time, tell, ids } = setUp();
  for (let index = 0; index <= handlersMax; index++) tell(idOf(index));
  expect(ids()).toHaveLength(handlersMax);
  time.now = forgetMs + 1;
  tell(ID);
  expect(ids()).toEqual([ID]);
});

test.each<[string, unknown, unknown, number | null]>([
  ['an id that is none', 'x', [channel], null],
  ['no list', ID, {}, 0],
  ['more channels than are believed', ID, Array(2_000).fill(channel), 1_000],
  ['a name without end', ID, [{ ...channel, metadata: { name: 'x'.repeat(2_000) } }, channel], 1],
  ['tags without end', ID, [{ ...channel, spec: { tags: Array(2_000).fill('x') } }], 0],
])('of %s only what can be shown is kept', (_name, id, channels, expected) => {
  const { tell, others } = setUp();
  tell(id, channels);
  const [entry] = others.entries();
  expect(entry?.[1].channels.length ?? null).toBe(expected);
});
