/** One poll for several agents: the slots of one process. */
import { expect, test } from 'vitest';
import { OwnAgent } from './testing/scripted-agents.ts';
import {
  type Answer,
  eventually,
  type Loose,
  startServer,
  type TestServer,
} from './testing/test-server.ts';

function pollOf(
  server: TestServer,
  agents: readonly OwnAgent[],
  { waitSeconds = 20, signal }: { waitSeconds?: number; signal?: AbortSignal } = {},
): Promise<Answer> {
  const polls = agents.map(({ id, last, running }) => ({ agent_id: id, last, running }));
  return server.call('POST', '/agents/polls', {
    body: { polls },
    headers: { prefer: `wait=${waitSeconds}` },
    ...(signal === undefined ? {} : { signal }),
  });
}

async function openSlots() {
  const server = await startServer();
  const slots = [
    await OwnAgent.register(server, { name: 'slot-1' }),
    await OwnAgent.register(server, { name: 'slot-2' }),
  ] as const;
  const areHeld = () =>
    eventually(() => {
      for (const { known } of slots) expect(known.waiter).not.toBeNull();
    });
  return { server, slots, areHeld };
}

test('a poll without an order is held, and ends with 204', async () => {
  const { server, slots } = await openSlots();
  expect((await pollOf(server, slots, { waitSeconds: 0 })).code).toBe(204);
  for (const { known } of slots) expect(known.answers.get(204)).toBe(2);
});

test('an order for one agent ends the poll of all, and each keeps its phase', async () => {
  const { server, slots, areHeld } = await openSlots();
  const held = pollOf(server, slots);
  await areHeld();
  await server.start(['one']);
  const { code, body } = await held;
  expect(code).toBe(200);
  const details = Object(body?.details);
  expect(details.unknown).toEqual([]);
  expect(Object.values(details.orders)).toEqual([expect.objectContaining({ kind: 'run' })]);
  const [[id = '', { command_id = '' } = {}] = []] = Object.entries<Loose>(details.orders);
  const busy = slots.find((slot) => slot.id === id);
  busy?.accept(String(command_id));
  const again = pollOf(server, slots);
  await areHeld();
  const phases = await Promise.all(slots.map(async (slot) => (await slot.listed())?.phase));
  expect(phases.sort()).toEqual(['BUSY', 'IDLE']);
  server.channel.releasePolls();
  await again;
});

test('a newer poll ends the older one, which is no break of a connection', async () => {
  const { server, slots, areHeld } = await openSlots();
  const older = pollOf(server, slots.slice(0, 1));
  await eventually(() => expect(slots[0].known.waiter).not.toBeNull());
  const newer = pollOf(server, slots);
  expect((await older).code).toBe(204);
  await areHeld();
  for (const slot of slots) expect((await slot.listed())?.phase).toBe('IDLE');
  server.channel.releasePolls();
  expect((await newer).code).toBe(204);
});

test('a broken connection makes all its agents unreachable', async () => {
  const { server, slots, areHeld } = await openSlots();
  const leaving = new AbortController();
  const held = pollOf(server, slots, { signal: leaving.signal });
  await areHeld();
  leaving.abort();
  await held.catch(() => undefined);
  for (const slot of slots) await slot.isIn('UNREACHABLE');
});

test('an agent that the server does not know is named at once', async () => {
  const { server, slots } = await openSlots();
  await server.call('DELETE', slots[0].path);
  const { code, body } = await pollOf(server, slots);
  expect(code).toBe(200);
  expect(body?.details).toEqual({ orders: {}, unknown: [slots[0].id] });
});

test.each([
  ['no list', { polls: 'all' }],
  ['an empty list', { polls: [] }],
  ['an agent without an id', { polls: [{ last: null }] }],
  ['an id of no agent', { polls: [{ agent_id: 'slot' }] }],
  [
    'more than 256 agents',
    { polls: Array.from({ length: 257 }, () => ({ agent_id: crypto.randomUUID() })) },
  ],
])('a poll with %s is refused', async (_, body) => {
  const { server } = await openSlots();
  const answer = await server.call('POST', '/agents/polls', { body });
  expect(answer.code).toBe(422);
});
