import type { Timestamp } from '@tutti/manifests';
import { expect, test } from 'vitest';
import type { Publication } from '../../bus/bus.ts';
import type { NamespaceScope } from '../../bus/subscription-record.ts';
import { OTHER_HANDLERS_LIMITS, OtherHandlers } from './other-handlers.ts';

const ID = 'aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb';
const AT = '2026-01-31T12:34:56.123456' as Timestamp;
const { forgetMs, handlers: handlersMax } = OTHER_HANDLERS_LIMITS;
const channel = { metadata: { name: 'ssh' }, spec: { tags: ['linux'] }, status: { phase: 'IDLE' } };
const idOf = (index: number): string => ID.replace(/.{4}$/, String(index).padStart(4, '0'));

function setUp() {
  const time = { now: 0 };
  const listeners: ((publication: Publication, scope: NamespaceScope) => boolean)[] = [];
  const warnings: unknown[] = [];
  const others = new OtherHandlers({
    bus: { subscribePublications: (takes) => void listeners.push(takes) },
    clock: { monotonicMs: () => time.now, timestamp: () => AT },
    logger: { warn: (about: unknown) => void warnings.push(about) },
  });
  const publish = (publication: Publication, scope: NamespaceScope = '*'): boolean =>
    listeners.some((takes) => takes(publication, scope));
  const report = (id: unknown, channels: unknown = [channel], scope?: NamespaceScope): boolean =>
    publish(
      { kind: 'Notification', spec: { channelHandler: { channelhandler_id: id, channels } } },
      scope,
    );
  /** Namespaces of the channels that are known, by their names. */
  const known = () =>
    [...others.entries()].flatMap(([, { channels }]) =>
      channels.map(({ name, namespaces }) => [name, namespaces]),
    );
  const ids = () => [...others.entries()].map(([id]) => id);
  return { time, publish, report, ids, known, others, warnings };
}

test('a handler is known by its id in lower case, with its latest channels', () => {
  const { report, others } = setUp();
  report(ID.toUpperCase());
  report(ID, [{ ...channel, metadata: { name: 'other', namespaces: 'a' } }]);
  expect([...others.entries()]).toMatchObject([
    [
      ID,
      { channels: [{ name: 'other', namespaces: 'a', tags: ['linux'], phase: 'IDLE', at: AT }] },
    ],
  ]);
});

test('a handler that is silent for an hour is forgotten', () => {
  const { time, report, ids } = setUp();
  report(idOf(1));
  report(idOf(2));
  time.now = forgetMs;
  report(idOf(1));
  expect(ids()).toEqual([idOf(2), idOf(1)]);
  time.now = forgetMs + 1;
  expect(ids()).toEqual([idOf(1)]);
});

// Bound: Channel handlers; channels of all of them.
test('there are as many handlers as can be true, and room again when some are forgotten', () => {
  const { time, report, ids, warnings } = setUp();
  for (let index = 0; index < handlersMax; index++) expect(report(idOf(index))).toBe(true);
  expect([report(ID), report(idOf(0))]).toEqual([false, true]);
  expect(ids()).toHaveLength(handlersMax);
  expect(warnings).toEqual([{ why: `There are ${handlersMax} channel handlers already.` }]);
  time.now = forgetMs + 1;
  report(ID);
  expect(ids()).toEqual([ID]);
});

test.each<[string, unknown, unknown, number]>([
  ['more channels than are believed', ID, Array(2_000).fill(channel), 1_000],
  ['a name without end', ID, [{ ...channel, metadata: { name: 'x'.repeat(2_000) } }, channel], 1],
  ['tags without end', ID, [{ ...channel, spec: { tags: Array(2_000).fill('x') } }], 0],
])(
  'of %s only what can be shown is kept, and the log tells it',
  (_name, id, channels, expected) => {
    const { report, others, warnings } = setUp();
    expect(report(id, channels)).toBe(true);
    const [entry] = others.entries();
    expect(entry?.[1].channels.length).toBe(expected);
    expect(warnings).toEqual([{ handler: ID, left: Object(channels).length - expected }]);
  },
);

test.each<[string, unknown]>([
  ['nothing', null],
  ['a text', 'x'],
  ['an id that is none', { channelhandler_id: 'x', channels: [channel] }],
  ['no list', { channelhandler_id: ID, channels: {} }],
  ['no channels', { channelhandler_id: ID }],
  // HTTP 4.5: GET /channelhandlers: ids.
])('a list that is %s is not taken, and the log tells it', (_name, channelHandler) => {
  const { publish, ids, warnings } = setUp();
  expect(publish({ kind: 'Notification', spec: { channelHandler } })).toBe(false);
  expect(ids()).toEqual([]);
  expect(warnings).toMatchObject([{ why: expect.stringMatching(/^Its .*\.$/) }]);
});

test.each<Publication>([
  {},
  { kind: 'Notification' },
  { kind: 'Notification', spec: null },
  { kind: 'Notification', spec: { logs: [] } },
  { kind: 'Other', spec: { channelHandler: { channelhandler_id: ID, channels: [] } } },
])('%j is no list of channels', (publication) => {
  const { publish, ids, warnings } = setUp();
  expect([publish(publication), ids(), warnings]).toEqual([false, [], []]);
});

test.each<[status: unknown, phase: string]>([
  [undefined, 'IDLE'],
  [{}, 'IDLE'],
  [{ phase: null }, 'IDLE'],
  [{ phase: null, currentJobID: ID }, 'BUSY'],
  [{ currentJobID: ID }, 'BUSY'],
  [{ phase: 'IDLE' }, 'IDLE'],
  [{ phase: 'PENDING' }, 'PENDING'],
  [{ phase: 'BUSY' }, 'BUSY'],
  [{ phase: 'UNREACHABLE' }, 'UNREACHABLE'],
  [{ phase: 'TERMINATING' }, 'BUSY'],
  // HTTP 2.3: The phase of a channel is one of four, also of channels of other handlers.
])('2.3, 3.1: a channel of status %j is shown with the phase %s', (status, phase) => {
  const { report, others } = setUp();
  expect(report(ID, [{ ...channel, status }])).toBe(true);
  const [entry] = others.entries();
  expect(entry?.[1].channels.map((each) => each.phase)).toEqual([phase]);
});

test.each(['BLUE', 'idle', '', 7, {}, []])(
  // HTTP 2.3: The phase of a channel is one of four, also of channels of other handlers.
  '3.1: a list with the phase %j is not taken',
  (phase) => {
    const { report, ids, warnings } = setUp();
    expect(report(ID, [channel, { ...channel, status: { phase } }])).toBe(false);
    expect(ids()).toEqual([]);
    const why = `Its channels have a phase that is none: ${JSON.stringify(phase)}.`;
    expect(warnings).toEqual([{ why }]);
  },
);

// HTTP 2.3: The job of a channel is an id or null.
test('a job that is no id is none', () => {
  const { report, others } = setUp();
  report(ID, [
    { ...channel, status: { currentJobID: 'x' } },
    { ...channel, status: { currentJobID: ID } },
  ]);
  const [entry] = others.entries();
  expect(entry?.[1].channels.map(({ currentJobID }) => currentJobID)).toEqual([null, ID]);
});

const named = (name: string, namespaces?: string) => ({
  ...channel,
  metadata: { name, ...(namespaces === undefined ? {} : { namespaces }) },
});
const A = new Set(['team-a']);
const B = new Set(['team-b']);

// HTTP 4.5: GET /channels: channels, with selectors.
test('2.3: a sender tells of channels whose namespaces it reaches, all of them', () => {
  const { report, known, warnings } = setUp();
  const shownBy = ['team-a', 'team-b', 'team-a,team-b', '*', ''].map((names) => named('x', names));
  expect(report(ID, shownBy, A)).toBe(true);
  expect(known()).toEqual([['x', 'team-a']]);
  expect(warnings).toEqual([{ handler: ID, beyond: 4 }]);
  report(ID, shownBy, new Set(['team-a', 'team-b', 'default']));
  expect(known().map(([, names]) => names)).toEqual([
    'team-a',
    'team-b',
    'team-a,team-b',
    'default',
  ]);
  report(ID, shownBy);
  expect(known()).toHaveLength(5);
});

// HTTP 4.5: GET /channels: channels, with selectors.
test('2.3: a sender takes no channel away that it does not reach', () => {
  const { report, known } = setUp();
  report(ID, [named('a', 'team-a'), named('b', 'team-b'), named('both', 'team-a,team-b')]);
  report(ID, [], A);
  expect(known().map(([name]) => name)).toEqual(['b', 'both']);
  report(ID, [named('a2', 'team-a')], A);
  report(ID, [named('b2', 'team-b')], B);
  expect(known().map(([name]) => name)).toEqual(['both', 'a2', 'b2']);
  report(ID, []);
  expect(known()).toEqual([]);
});

test('a channel without news for an hour is forgotten, though its handler lists others', () => {
  const { time, report, known } = setUp();
  report(ID, [named('b', 'team-b')], B);
  time.now = forgetMs;
  report(ID, [named('a', 'team-a')], A);
  expect(known()).toHaveLength(2);
  time.now = forgetMs + 1;
  expect(known()).toEqual([['a', 'team-a']]);
});

test('all handlers together have a limit of channels, and no sender replaces channels of another', () => {
  const { report, known, others, warnings } = setUp();
  const { channels: channelsMax, channelsOfHandler } = OTHER_HANDLERS_LIMITS;
  const many = (team: string) => Array(channelsOfHandler).fill(named('x', team));
  for (let index = 0; index < channelsMax / channelsOfHandler; index++) {
    report(idOf(index), many('team-a'), A);
  }
  expect(report(idOf(0), many('team-b'), B)).toBe(true);
  expect(warnings).toEqual([{ handler: idOf(0), left: channelsOfHandler }]);
  expect(new Set(known().map(([, names]) => names))).toEqual(new Set(['team-a']));
  expect([...others.entries()]).toHaveLength(handlersMax);
});

// HTTP 2.3: A Channel has name, namespaces, handler, tags, last contact, phase and job.
test('2.3: blanks between namespaces are none of their names', () => {
  const { report, known } = setUp();
  report(
    ID,
    [named('x', 'team-a, team-b'), named('y', ' , ')],
    new Set(['team-a', 'team-b', 'default']),
  );
  expect(known()).toEqual([
    ['x', 'team-a,team-b'],
    ['y', 'default'],
  ]);
});
