/** The pool against a model that looks at everything every time, and the number of looks at a large scale. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ChannelPool, createChannelPool } from './channel-pool.ts';
import { canServe, createChannelState } from './channel-state.ts';
import type { ChannelPhase, PoolChannel, PoolRequest } from './pool-types.ts';
import { compareRequests } from './request-queue.ts';
import { channel, channelId, jobId, request, workflowId } from './testing.ts';

/** The rules of the pool, written down naively. */
class Model {
  channels = new Map<
    string,
    { channel: PoolChannel; phase: ChannelPhase; usedBy: string | null; isDraining: boolean }
  >();
  requests = new Map<string, PoolRequest>();
  reported = new Map<string, string>();
  /** Namespaces in the order in which they got channels. */
  served: string[] = [];

  matching(wanted: PoolRequest) {
    return [...this.channels.values()].filter((entry) =>
      canServe(createChannelState(entry.channel), wanted.tags, wanted.namespace),
    );
  }

  idleFor(wanted: PoolRequest) {
    return this.matching(wanted).filter((entry) => entry.phase === 'IDLE' && !entry.isDraining);
  }

  usage(wanted: PoolRequest): number {
    return this.matching(wanted).filter((entry) => entry.usedBy === wanted.namespace).length;
  }

  next(fits = (wanted: PoolRequest) => this.idleFor(wanted).length > 0): PoolRequest | undefined {
    return [...this.requests.values()]
      .filter(fits)
      .sort(
        (left, right) =>
          this.usage(left) - this.usage(right) ||
          this.served.lastIndexOf(left.namespace) - this.served.lastIndexOf(right.namespace) ||
          left.order - right.order,
      )[0];
  }

  reason(wanted: PoolRequest): string | null {
    const all = this.matching(wanted);
    const matching = all.filter((entry) => !entry.isDraining);
    if (matching.some((entry) => entry.phase === 'IDLE')) return null;
    const gone = matching.filter((entry) => entry.phase === 'UNREACHABLE').length;
    if (gone < matching.length) return gone > 0 ? 'busy, unreachable' : 'busy';
    if (gone > 0) return 'unreachable';
    if (all.length > 0) return 'draining';
    return `no-environment ${this.missing(wanted)}`;
  }

  missing(wanted: PoolRequest): string {
    const known = [...this.channels.values()]
      .filter((entry) => canServe(createChannelState(entry.channel), [], wanted.namespace))
      .flatMap((entry) => entry.channel.tags);
    return wanted.tags
      .filter((tag) => !known.includes(tag))
      .sort()
      .join();
  }

  /** Requests that `nextInLine` may give, per queue in its order. */
  inLine(): string[][] {
    const queues = new Map<string, PoolRequest[]>();
    for (const wanted of this.requests.values()) {
      if (!this.reason(wanted)?.startsWith('busy')) continue;
      const key = JSON.stringify([wanted.namespace, [...wanted.tags].sort()]);
      queues.set(key, [...(queues.get(key) ?? []), wanted]);
    }
    return [...queues.values()].map((queue) =>
      queue.sort(compareRequests).map(({ jobId: id }) => id),
    );
  }

  /** Expected result of `waitingChanged`, as `job reason`. */
  changes(): string[] {
    const changes: string[] = [];
    for (const [id, wanted] of this.requests) {
      const reason = this.reason(wanted);
      if (reason === null || this.reported.get(id) === reason) continue;
      this.reported.set(id, reason);
      changes.push(`${id} ${reason}`);
    }
    return changes.sort();
  }
}

type Step =
  | { type: 'upsert'; name: string; tags: readonly string[]; namespaces: string }
  | { type: 'remove'; name: string }
  | { type: 'phase'; name: string; phase: ChannelPhase }
  | { type: 'drain'; name: string; isDraining: boolean }
  | { type: 'request'; name: string; tags: readonly string[]; namespace: string }
  | { type: 'withdraw'; name: string }
  | { type: 'assign'; limit: number }
  | { type: 'next'; name: string }
  | { type: 'report' };

const tags = fc.subarray(['a', 'b', 'c']);
const channelName = fc.constantFrom('c1', 'c2', 'c3', 'c4');
const jobName = fc.constantFrom('j1', 'j2', 'j3', 'j4', 'j5', 'j6');

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('upsert' as const),
    name: channelName,
    tags,
    namespaces: fc.constantFrom('', '*', 'x', 'default,x'),
  }),
  fc.record({ type: fc.constant('remove' as const), name: channelName }),
  fc.record({
    type: fc.constant('phase' as const),
    name: channelName,
    phase: fc.constantFrom<ChannelPhase>('IDLE', 'BUSY', 'UNREACHABLE'),
  }),
  fc.record({
    type: fc.constant('drain' as const),
    name: channelName,
    isDraining: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('request' as const),
    name: jobName,
    tags,
    namespace: fc.constantFrom('default', 'x'),
  }),
  fc.record({ type: fc.constant('withdraw' as const), name: jobName }),
  fc.record({ type: fc.constant('assign' as const), limit: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ type: fc.constant('next' as const), name: channelName }),
  fc.record({ type: fc.constant('report' as const) }),
);

function play(pool: ChannelPool, model: Model, next: Step): void {
  switch (next.type) {
    case 'upsert':
      playUpsert(pool, model, channel(next.name, next.tags.join(' '), next.namespaces));
      break;
    case 'remove':
      model.channels.delete(next.name);
      pool.removeChannel(channelId(next.name));
      break;
    case 'phase':
      playPhase(pool, model, next.name, next.phase);
      break;
    case 'drain':
      Object.assign(model.channels.get(next.name) ?? {}, { isDraining: next.isDraining });
      pool.setDraining(channelId(next.name), next.isDraining);
      break;
    case 'request':
      playRequest(pool, model, request(next.name, next.tags.join(' '), next));
      break;
    case 'withdraw':
      model.requests.delete(next.name);
      model.reported.delete(next.name);
      pool.removeRequest(jobId(next.name));
      break;
    case 'assign':
      playAssign(pool, model, next.limit);
      break;
    case 'next':
      playNext(pool, model, next.name);
      break;
    case 'report':
      expect(reported(pool)).toEqual(model.changes());
      expect(model.inLine()).toEqual(expect.arrayContaining(inLine(pool)));
  }
}

const NEW_CHANNEL = { phase: 'IDLE', usedBy: null, isDraining: false } as const;

function playUpsert(pool: ChannelPool, model: Model, changed: PoolChannel): void {
  const known = model.channels.get(changed.name) ?? NEW_CHANNEL;
  model.channels.set(changed.name, { ...known, channel: changed });
  pool.upsertChannel(changed);
}

function playPhase(pool: ChannelPool, model: Model, name: string, phase: ChannelPhase): void {
  const entry = model.channels.get(name);
  if (entry !== undefined) entry.phase = phase;
  if (entry !== undefined && phase === 'IDLE') entry.usedBy = null;
  pool.setPhase(channelId(name), phase);
}

function playRequest(pool: ChannelPool, model: Model, wanted: PoolRequest): void {
  if (!model.requests.has(wanted.jobId)) model.requests.set(wanted.jobId, wanted);
  pool.addRequest(wanted);
}

function playAssign(pool: ChannelPool, model: Model, limit: number): void {
  const assignments = pool.takeAssignments(limit);
  for (const assignment of assignments) {
    const wanted = model.next();
    expect(assignment.request).toBe(wanted);
    if (wanted === undefined) return;
    const idle = model.idleFor(wanted);
    const chosen = idle.find((entry) => entry.channel.channelId === assignment.channelId);
    const fewest = Math.min(...idle.map((entry) => entry.channel.tags.length));
    expect(chosen?.channel.tags.length).toBe(fewest);
    Object.assign(chosen ?? {}, { phase: 'PENDING', usedBy: wanted.namespace });
    model.served.push(wanted.namespace);
    model.requests.delete(wanted.jobId);
    model.reported.delete(wanted.jobId);
  }
  if (assignments.length < limit) expect(model.next()).toBeUndefined();
}

/** The request that gets a busy channel when its job ends, as if that had ended. The channel runs it then. */
function playNext(pool: ChannelPool, model: Model, name: string): void {
  const entry = model.channels.get(name);
  if (entry?.phase !== 'BUSY' || entry.isDraining) return;
  entry.usedBy = null;
  const wanted = model.next((each) => model.matching(each).includes(entry));
  const run = workflowId(wanted === undefined ? 'none' : wanted.workflowId);
  expect(pool.takeNext(channelId(name), { workflowId: workflowId('other'), asked: [] })).toBeNull();
  expect(pool.takeNext(channelId(name), { workflowId: run, asked: [] })).toBe(wanted ?? null);
  pool.setPhase(channelId(name), 'IDLE');
  entry.phase = 'IDLE';
  if (wanted === undefined) return;
  const { jobId: id, namespace } = wanted;
  pool.setPhase(channelId(name), 'BUSY', { job: { namespace, workflowId: run, jobId: id } });
  Object.assign(entry, { phase: 'BUSY', usedBy: namespace });
  model.served.push(namespace);
  model.requests.delete(id);
  model.reported.delete(id);
}

/** Given queue by queue. */
function inLine(pool: ChannelPool): string[][] {
  const queues: string[][] = [];
  let last: unknown = null;
  for (const { jobId: id, reason } of pool.nextInLine(1000)) {
    if (reason !== last) queues.push([]);
    last = reason;
    queues.at(-1)?.push(id);
  }
  return queues;
}

function reported(pool: ChannelPool): string[] {
  return pool
    .waitingChanged(1000)
    .map(({ jobId: id, reason }) =>
      reason.reason === 'no-environment'
        ? `${id} no-environment ${reason.missingTags.join()}`
        : `${id} ${reason.reason}${'unreachable' in reason ? ', unreachable' : ''}`,
    )
    .sort();
}

test('whatever happens, the pool decides and explains as the rules say', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const pool = createChannelPool();
      const model = new Model();
      for (const next of steps) play(pool, model, next);
      playAssign(pool, model, 10);
      expect(reported(pool)).toEqual(model.changes());
    }),
    { numRuns: 500 },
  );
});

/** Minutes on a busy machine; the assertions count and measure no time. */
const MANY_TIMEOUT_MS = 300_000;

describe('with 2 000 channels and 20 000 waiting requests', { timeout: MANY_TIMEOUT_MS }, () => {
  const CHANNELS = 2_000;
  const REQUESTS = 20_000;
  let looks = 0;

  /** A request that counts how often its place in a queue is looked at. */
  const counted = (index: number): PoolRequest => ({
    ...request(`j${index}`, `linux t${index % 50}`, { namespace: `n${index % 4}` }),
    get order() {
      looks += 1;
      return index;
    },
  });

  /** A channel that counts how often somebody asks whether it fits. */
  const countedChannel = (index: number): PoolChannel => {
    const made = channel(`c${index}`, `linux t${index % 50} t${(index + 1) % 50}`, '*');
    return {
      ...made,
      get tags() {
        looks += 1;
        return made.tags;
      },
    };
  };

  const looksOf = (action: () => void): number => {
    looks = 0;
    action();
    return looks;
  };

  test('a freed channel, a new request and a changed reason cost a few looks each', () => {
    const pool = createChannelPool();
    for (let index = 0; index < CHANNELS; index += 1) pool.upsertChannel(countedChannel(index));
    const added = looksOf(() => {
      for (let index = 0; index < REQUESTS; index += 1) pool.addRequest(counted(index));
    });
    expect(added / REQUESTS).toBeLessThan(40);
    const first = looksOf(() => expect(pool.takeAssignments(CHANNELS)).toHaveLength(CHANNELS));
    // 50 tags in two of four namespaces each: at most 100 classes are ready, with up to two comparisons each.
    expect(first / CHANNELS).toBeLessThan(1000);
    pool.waitingChanged(REQUESTS);

    const freed = looksOf(() => {
      pool.setPhase(channelId('c7'), 'IDLE');
      expect(pool.takeAssignments(10)).toHaveLength(1);
      expect(pool.waitingChanged(10)).toHaveLength(0);
    });
    expect(freed).toBeLessThan(200);
    // Two queues wait for a channel that is taken; the first ten of each are found.
    pool.nextInLine(REQUESTS);
    pool.setPhase(channelId('c7'), 'BUSY', { job: null });
    expect(looksOf(() => pool.nextInLine(REQUESTS))).toBeLessThan(20_000);
    const another = looksOf(() => {
      pool.addRequest(counted(REQUESTS));
      pool.takeAssignments(10);
      expect(pool.waitingChanged(10)).toHaveLength(1);
      pool.removeRequest(jobId(`j${REQUESTS}`));
    });
    expect(another).toBeLessThan(200);
  });
});
