import { expect, test } from 'vitest';
import { createChannelPool } from './channel-pool.ts';
import type { QueueQuery } from './pool-types.ts';
import { channel, channelId, jobId, request } from './testing.ts';

const EVERYTHING: QueueQuery = { limit: 100, sees: () => true };

/** A pool with a channel that is taken. */
function poolWith(tags: string, namespaces = '') {
  const pool = createChannelPool();
  pool.upsertChannel(channel('c', tags, namespaces));
  pool.setPhase(channelId('c'), 'BUSY');
  return pool;
}

function queueOf(pool: ReturnType<typeof poolWith>, query: Partial<QueueQuery> = {}) {
  const queue = pool.queueOf(channelId('c'), { ...EVERYTHING, ...query });
  return {
    served: queue.served.map(({ jobName }) => jobName),
    unserved: queue.unserved.map(
      ({ request: { jobName }, missingTags }) => `${jobName} ${missingTags.join()}`,
    ),
    counts: [queue.servedCount, queue.unservedCount],
  };
}

test('requests are told in the order in which the channel would get them', () => {
  const pool = poolWith('linux jdk');
  pool.addRequest(request('first', 'linux'));
  pool.addRequest(request('second', 'jdk linux'));
  pool.addRequest(request('older', 'jdk', { order: 0 }));
  pool.addRequest(request('third', 'linux'));
  expect(queueOf(pool)).toEqual({
    served: ['older', 'first', 'second', 'third'],
    unserved: [],
    counts: [4, 0],
  });
  const given: string[] = [];
  for (let index = 0; index < 4; index += 1) {
    pool.setPhase(channelId('c'), 'IDLE');
    given.push(...pool.takeAssignments(1).map(({ request: { jobName } }) => jobName));
  }
  expect(given).toEqual(['older', 'first', 'second', 'third']);
});

test('requests that the channel does not serve are told with what it lacks', () => {
  const pool = poolWith('linux', 'qa');
  pool.addRequest(request('lacking', 'linux gpu', { namespace: 'qa' }));
  pool.addRequest(request('elsewhere', 'linux', { namespace: 'dev' }));
  pool.addRequest(request('neither', 'gpu', { namespace: 'dev' }));
  expect(queueOf(pool)).toEqual({
    served: [],
    unserved: ['lacking gpu', 'elsewhere '],
    counts: [0, 2],
  });
  expect(queueOf(pool, { sees: (namespace) => namespace === 'qa' })).toEqual({
    served: [],
    unserved: ['lacking gpu'],
    counts: [0, 1],
  });
});

test('no more are named than asked for, and all are counted', () => {
  const pool = poolWith('linux');
  for (const name of ['a', 'b', 'c']) {
    pool.addRequest(request(name, 'linux'));
    pool.addRequest(request(`${name}2`, 'windows'));
  }
  expect(queueOf(pool, { limit: 2 })).toEqual({
    served: ['a', 'b'],
    unserved: ['a2 windows', 'b2 windows'],
    counts: [3, 3],
  });
  expect(pool.queueOf(channelId('unknown'), EVERYTHING).servedCount).toBe(0);
});

test('all that wait are told in the order in which they would get a channel', () => {
  const pool = poolWith('linux');
  for (const name of ['a', 'b', 'c']) pool.addRequest(request(name, 'linux'));
  pool.addRequest(request('oldest', 'gpu', { order: 0 }));
  pool.addRequest(request('other', 'linux', { namespace: 'qa' }));
  const { items, total } = pool.waiting(EVERYTHING);
  expect(
    items.map(({ request: { jobName }, place, reason }) => [jobName, place, reason?.reason]),
  ).toEqual([
    ['oldest', 1, 'no-environment'],
    ['a', 1, 'busy'],
    ['b', 2, 'busy'],
    ['c', 3, 'busy'],
    ['other', 1, 'no-environment'],
  ]);
  expect(total).toBe(5);
  const some = pool.waiting({ limit: 1, sees: (namespace) => namespace === 'default' });
  expect([some.items.length, some.total]).toEqual([1, 4]);
});

test('the list of all that wait is sorted, however they came and went', () => {
  const pool = poolWith('linux');
  const order = (index: number) => (index * 7_919) % 1_000;
  for (let index = 0; index < 1_000; index += 1) {
    pool.addRequest(
      request(`${index}`, index % 3 === 0 ? 'gpu' : 'linux', { order: order(index) }),
    );
  }
  for (let index = 0; index < 1_000; index += 5) pool.removeRequest(jobId(`${index}`));
  const orders = pool
    .waiting({ ...EVERYTHING, limit: 1_000 })
    .items.map(({ request: each }) => each.order);
  expect(orders).toHaveLength(800);
  expect(orders).toEqual(orders.toSorted((left, right) => left - right));
});
