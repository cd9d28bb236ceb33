import type { Timestamp } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { type ChannelPool, createChannelPool } from './channel-pool.ts';
import { CLASSES_MAX, MATCHES_MAX } from './class-counts.ts';
import { channel, channelId, jobId, request, workflowId } from './testing.ts';

const ALL = 1000;
const SINCE = '2026-01-31T12:34:56.123456' as Timestamp;

function assigned(pool: ChannelPool): string[] {
  return pool
    .takeAssignments(ALL)
    .map((assignment) => `${assignment.request.jobName} on ${assignment.channelId}`);
}

function reasons(pool: ChannelPool): string[] {
  return pool.waitingChanged(ALL).map((change) => `${change.jobId}: ${change.reason.reason}`);
}

describe('access to a channel', () => {
  test.each([
    // Language 3.2: An offering channel has all tags and serves the namespace.
    ['all tags', 'linux node', '', 'linux', 'default', true],
    ['tags in any order', 'linux node', '', 'node linux', 'default', true],
    ['no tags asked for', 'linux', '', '', 'default', true],
    // Language 3.2: An offering channel has all tags and serves the namespace.
    ['one tag missing', 'linux', '', 'linux node', 'default', false],
    ['tags in another case', 'Linux', '', 'linux', 'default', false],
    ['no namespaces means default', 'linux', '', 'linux', 'team-a', false],
    ['blank namespaces mean default', 'linux', ' , ', 'linux', 'default', true],
    ['the same namespace', 'linux', 'team-a', 'linux', 'team-a', true],
    // Language 3.2: An offering channel has all tags and serves the namespace.
    ['another namespace', 'linux', 'team-a', 'linux', 'default', false],
    // Language 3.2: An offering channel has all tags and serves the namespace.
    ['one of several namespaces', 'linux', 'team-a, team-b', 'linux', 'team-b', true],
    ['all namespaces', 'linux', '*', 'linux', 'team-a', true],
    ['all namespaces among others', 'linux', 'team-b,*', 'linux', 'team-a', true],
    ['a name of Object.prototype', 'linux', '', 'constructor', 'default', false],
  ])('%s', (_, tags, namespaces, wanted, namespace, expected) => {
    const pool = createChannelPool();
    pool.upsertChannel(channel('c', tags, namespaces));
    pool.addRequest(request('j', wanted, { namespace }));
    expect(assigned(pool)).toEqual(expected ? ['j on c'] : []);
  });
});

describe('the order of requests', () => {
  test('the oldest', () => {
    const pool = createChannelPool();
    pool.addRequest(request('young', 'linux', { order: 3 }));
    pool.addRequest(request('old', 'linux', { order: 1 }));
    for (const name of ['c1', 'c2', 'c3']) pool.upsertChannel(channel(name, 'linux'));
    expect(assigned(pool)).toEqual(['old on c1', 'young on c2']);
  });

  test('before that, the namespace that uses the fewest channels', () => {
    const pool = createChannelPool();
    for (const name of ['a1', 'a2', 'a3'])
      pool.addRequest(request(name, 'linux', { namespace: 'a' }));
    pool.addRequest(request('b1', 'linux', { namespace: 'b' }));
    for (const name of ['c1', 'c2', 'c3']) pool.upsertChannel(channel(name, 'linux', '*'));
    expect(assigned(pool)).toEqual(['a1 on c1', 'b1 on c2', 'a2 on c3']);
  });

  test('only the channels count that fit the request', () => {
    const pool = createChannelPool();
    pool.upsertChannel(channel('own', 'linux', 'b'));
    pool.addRequest(request('b1', 'linux', { namespace: 'b' }));
    expect(assigned(pool)).toEqual(['b1 on own']);
    pool.upsertChannel(channel('shared', 'windows', '*'));
    for (const name of ['a1', 'a2', 'b2']) {
      pool.addRequest(request(name, 'windows', { namespace: name.slice(0, 1) }));
    }
    const served = ['a1', 'a2', 'b2'].map(() => {
      const [name] = assigned(pool);
      pool.setPhase(channelId('shared'), 'IDLE');
      return name;
    });
    expect(served).toEqual(['a1 on shared', 'b2 on shared', 'a2 on shared']);
  });

  test('jobs from before a restart count as well', () => {
    const pool = createChannelPool();
    for (const name of ['c1', 'c2']) pool.upsertChannel(channel(name, 'linux', '*'));
    const job = { namespace: 'a', workflowId: workflowId('w'), jobId: jobId('j') };
    pool.setPhase(channelId('c1'), 'BUSY', { job });
    pool.addRequest(request('a1', 'linux', { namespace: 'a' }));
    pool.addRequest(request('b1', 'linux', { namespace: 'b' }));
    expect(assigned(pool)).toEqual(['b1 on c2']);
  });

  test('a channel that became idle no longer counts for its namespace', () => {
    const pool = createChannelPool();
    pool.upsertChannel(channel('c1', 'linux', '*'));
    for (const namespace of ['a', 'b']) {
      pool.addRequest(request(`${namespace}1`, 'linux', { namespace }));
      pool.takeAssignments(ALL);
      pool.setPhase(channelId('c1'), 'IDLE');
    }
    pool.addRequest(request('b2', 'linux', { namespace: 'b' }));
    pool.addRequest(request('a2', 'linux', { namespace: 'a' }));
    expect(assigned(pool)).toEqual(['a2 on c1']);
  });

  test('among namespaces that use as many, the one that got a channel least recently', () => {
    const pool = createChannelPool();
    pool.upsertChannel(channel('c1', 'linux', '*'));
    const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'];
    for (const name of names) {
      pool.addRequest(request(name, 'linux', { namespace: name.slice(0, 1) }));
    }
    const served = names.map(() => {
      const [assignment] = pool.takeAssignments(1);
      pool.setPhase(channelId('c1'), 'IDLE');
      return assignment?.request.jobName;
    });
    expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  test('the limit bounds the assignments, and the rest comes with the next call', () => {
    const pool = createChannelPool();
    for (const name of ['c1', 'c2']) pool.upsertChannel(channel(name, 'linux'));
    for (const name of ['j1', 'j2']) pool.addRequest(request(name, 'linux'));
    expect(pool.takeAssignments(1).map(({ request: { jobName } }) => jobName)).toEqual(['j1']);
    expect(pool.waitingReason(jobId('j2'))).toBeNull();
    expect(assigned(pool)).toEqual(['j2 on c2']);
  });
});

describe('which channel is used', () => {
  test('the one with the fewest tags, so that special environments stay free', () => {
    const pool = createChannelPool();
    pool.upsertChannel(channel('special', 'linux gpu'));
    pool.upsertChannel(channel('plain', 'linux'));
    pool.addRequest(request('j1', 'linux'));
    pool.addRequest(request('j2', 'gpu'));
    expect(assigned(pool)).toEqual(['j1 on plain', 'j2 on special']);
  });

  test('the one whose job ended last, then the one that is idle for longest', () => {
    const pool = createChannelPool();
    for (const name of ['c1', 'c2', 'c3']) pool.upsertChannel(channel(name, 'linux'));
    pool.setPhase(channelId('c2'), 'BUSY');
    pool.setPhase(channelId('c2'), 'IDLE');
    for (const name of ['j1', 'j2', 'j3']) pool.addRequest(request(name, 'linux'));
    expect(assigned(pool)).toEqual(['j1 on c2', 'j2 on c1', 'j3 on c3']);
  });

  test('the one with fewer tags, before the one whose job ended last', () => {
    const pool = createChannelPool();
    pool.upsertChannel(channel('plain', 'linux'));
    pool.upsertChannel(channel('special', 'linux gpu'));
    pool.setPhase(channelId('special'), 'BUSY');
    pool.setPhase(channelId('special'), 'IDLE');
    pool.addRequest(request('j1', 'linux'));
    expect(assigned(pool)).toEqual(['j1 on plain']);
  });

  test('a busy one, for a job that asks when its job ends', () => {
    const pool = createChannelPool();
    pool.upsertChannel(channel('c', 'linux'));
    const first = request('first', 'linux');
    pool.addRequest(first);
    expect(assigned(pool)).toEqual(['first on c']);
    pool.setPhase(channelId('c'), 'BUSY');
    const [alien, next] = [request('alien', 'windows'), request('next', 'linux')];
    const ask = { workflowId: next.workflowId, asked: [alien, next] };
    expect(pool.takeNext(channelId('c'), ask)).toBe(next);
    // One that waits comes first.
    pool.addRequest(first);
    expect(pool.takeNext(channelId('c'), ask)).toBeNull();
    pool.removeRequest(first.jobId);
    pool.setDraining(channelId('c'), true);
    expect(pool.takeNext(channelId('c'), ask)).toBeNull();
    pool.setDraining(channelId('c'), false);
    pool.setPhase(channelId('c'), 'IDLE');
    expect(pool.takeNext(channelId('c'), ask)).toBeNull();
  });

  test('not a busy one for such a job, where an idle one has fewer tags', () => {
    const pool = createChannelPool();
    pool.upsertChannel(channel('special', 'linux gpu'));
    pool.addRequest(request('first', 'linux'));
    expect(assigned(pool)).toEqual(['first on special']);
    pool.setPhase(channelId('special'), 'BUSY');
    pool.upsertChannel(channel('plain', 'linux'));
    const next = request('next', 'linux');
    const ask = { workflowId: next.workflowId, asked: [next] };
    expect(pool.takeNext(channelId('special'), ask)).toBeNull();
    pool.removeChannel(channelId('plain'));
    expect(pool.takeNext(channelId('special'), ask)).toBe(next);
  });

  // Language 3.2: A channel runs one job at a time. Its phases are `IDLE`, `PENDING`, `BUSY`, `IDLE` and `UNREACHABLE`.
  test.each(['PENDING', 'BUSY', 'UNREACHABLE'] as const)('none that is %s', (phase) => {
    const pool = createChannelPool();
    pool.upsertChannel(channel('c', 'linux'));
    pool.setPhase(channelId('c'), phase);
    pool.addRequest(request('j', 'linux'));
    expect(assigned(pool)).toEqual([]);
  });
});

describe('channels', () => {
  // Language 3.2: An offer is held for a time, in which the channel is `PENDING`.
  // HTTP 3.1: Channels are IDLE, PENDING, BUSY or UNREACHABLE.
  test('an assignment makes the channel pending with its job', () => {
    const pool = createChannelPool();
    pool.upsertChannel(channel('c', 'linux'));
    pool.addRequest(request('j', 'linux'));
    pool.takeAssignments(ALL);
    expect([...pool.channels()]).toEqual([
      {
        ...channel('c', 'linux'),
        phase: 'PENDING',
        job: { namespace: 'default', workflowId: workflowId('run of j'), jobId: jobId('j') },
        isDraining: false,
        since: null,
      },
    ]);
  });

  test('an unreachable channel keeps its job, an idle one has none', () => {
    const pool = createChannelPool();
    const job = { namespace: 'default', workflowId: workflowId('w'), jobId: jobId('j') };
    pool.upsertChannel(channel('c', 'linux'));
    pool.setPhase(channelId('c'), 'BUSY', { job });
    pool.setPhase(channelId('c'), 'UNREACHABLE', { since: SINCE });
    pool.setPhase(channelId('c'), 'UNREACHABLE');
    expect(pool.channelOf(channelId('c'))).toMatchObject({ job, since: SINCE });
    pool.setPhase(channelId('c'), 'IDLE');
    expect(pool.channelOf(channelId('c'))).toMatchObject({ job: null, since: null });
  });

  test('a channel that changes its tags keeps its phase and serves other requests', () => {
    const pool = createChannelPool();
    pool.upsertChannel(channel('c', 'linux'));
    pool.setPhase(channelId('c'), 'BUSY');
    pool.upsertChannel(channel('c', 'windows', 'a'));
    expect(pool.phaseOf(channelId('c'))).toBe('BUSY');
    pool.setPhase(channelId('c'), 'IDLE');
    pool.addRequest(request('j1', 'linux'));
    pool.addRequest(request('j2', 'windows', { namespace: 'a' }));
    expect(assigned(pool)).toEqual(['j2 on c']);
  });

  test('unknown channels are ignored', () => {
    const pool = createChannelPool();
    pool.setPhase(channelId('c'), 'BUSY');
    pool.removeChannel(channelId('c'));
    pool.removeRequest(jobId('j'));
    expect(pool.phaseOf(channelId('c'))).toBeNull();
    expect(pool.channelOf(channelId('c'))).toBeNull();
    expect(pool.waitingReason(jobId('j'))).toBeNull();
  });

  test('a request is added once, and a removed one is gone', () => {
    const pool = createChannelPool();
    pool.addRequest(request('j', 'linux'));
    pool.addRequest(request('j', 'linux'));
    expect(pool.hasRequest(jobId('j'))).toBe(true);
    pool.removeRequest(jobId('j'));
    expect(pool.hasRequest(jobId('j'))).toBe(false);
    pool.upsertChannel(channel('c', 'linux'));
    expect(assigned(pool)).toEqual([]);
  });
});

describe('why a request waits', () => {
  test('nobody has one of the tags', () => {
    const pool = createChannelPool();
    pool.upsertChannel(channel('c1', 'linux'));
    pool.upsertChannel(channel('c2', 'gpu', 'other'));
    pool.addRequest(request('j', 'linux gpu'));
    expect(pool.waitingReason(jobId('j'))).toEqual({
      reason: 'no-environment',
      tags: ['gpu', 'linux'],
      namespace: 'default',
      missingTags: ['gpu'],
    });
  });

  test('each tag exists, but not together', () => {
    const pool = createChannelPool();
    pool.upsertChannel(channel('c1', 'linux'));
    pool.upsertChannel(channel('c2', 'gpu', '*'));
    pool.addRequest(request('j', 'linux gpu'));
    expect(pool.waitingReason(jobId('j'))).toMatchObject({
      reason: 'no-environment',
      missingTags: [],
    });
  });

  test('all that match are busy: the first ten are named with their jobs', () => {
    const pool = createChannelPool();
    const job = { namespace: 'default', workflowId: workflowId('w'), jobId: jobId('other') };
    for (let index = 0; index < 12; index += 1) {
      pool.upsertChannel(channel(`c${index}`, 'linux'));
      pool.setPhase(channelId(`c${index}`), 'BUSY', { job });
    }
    pool.addRequest(request('j', 'linux'));
    const reason = pool.waitingReason(jobId('j'));
    expect(reason).toMatchObject({ reason: 'busy', matching: 12 });
    expect(reason).toHaveProperty('environments.length', 10);
    expect(reason).toHaveProperty('environments.0', {
      name: 'c0',
      channel_id: 'c0',
      workflow_id: 'w',
      job_id: 'other',
    });
  });

  test('some that match are busy and others unreachable: both are told, and a job that waits hears of the first', () => {
    const pool = createChannelPool();
    const job = { namespace: 'default', workflowId: workflowId('w'), jobId: jobId('other') };
    for (const name of ['a', 'b', 'c']) {
      pool.upsertChannel(channel(name, 'linux'));
      pool.setPhase(channelId(name), 'BUSY', { job });
    }
    pool.addRequest(request('j', 'linux'));
    expect(pool.waitingChanged(9)).toMatchObject([{ reason: { reason: 'busy', matching: 3 } }]);
    pool.setPhase(channelId('b'), 'UNREACHABLE', { since: SINCE });
    const [shownBy] = pool.waitingChanged(9);
    expect(shownBy?.reason).toMatchObject({
      reason: 'busy',
      environments: [{ name: 'a' }, { name: 'c' }],
      matching: 3,
      unreachable: { environments: [{ name: 'b', since: SINCE }], matching: 1 },
    });
    pool.setPhase(channelId('c'), 'UNREACHABLE', { since: SINCE });
    expect(pool.waitingChanged(9)).toEqual([]);
    pool.setPhase(channelId('a'), 'UNREACHABLE', { since: SINCE });
    expect(pool.waitingChanged(9)).toMatchObject([
      { reason: { reason: 'unreachable', matching: 3 } },
    ]);
  });

  const BUSY_ONE = { name: 'c', channel_id: 'c' };
  const OWN_JOB = { ...BUSY_ONE, workflow_id: 'run of holder', job_id: 'holder' };
  const HIDDEN_JOB = { ...BUSY_ONE, workflow_id: null, job_id: null };

  test.each([
    ['team-a', 'team-a', '*', OWN_JOB],
    ['default', 'default', 'team-a,default', OWN_JOB],
    ['default', 'team-a', '*', HIDDEN_JOB],
    ['team-b', 'team-a', 'team-a,team-b', HIDDEN_JOB],
    ['team-a', 'default', 'team-a,default', HIDDEN_JOB],
    ['team', 'team-a', 'team,team-a', HIDDEN_JOB],
  ])(
    'a job of %s keeps one of %s from an environment for %s: which job it is, is told within one namespace',
    (holder, waiter, namespaces, environment) => {
      const pool = createChannelPool();
      pool.upsertChannel(channel('c', 'linux', namespaces));
      pool.addRequest(request('holder', 'linux', { namespace: holder }));
      pool.addRequest(request('j', 'linux', { namespace: waiter }));
      pool.takeAssignments(1);
      const shownBy = () => pool.waitingReason(jobId('j'));
      const pending = shownBy();
      expect(pending).toMatchObject({ reason: 'busy', environments: [environment], matching: 1 });
      const ids = { workflowId: workflowId('run of holder'), jobId: jobId('holder') };
      pool.setPhase(channelId('c'), 'BUSY', { job: { namespace: holder, ...ids } });
      expect(shownBy()).toEqual(pending);
      pool.setPhase(channelId('c'), 'UNREACHABLE', { since: SINCE });
      expect(shownBy()).toMatchObject({ environments: [{ ...BUSY_ONE, since: SINCE }] });
      expect(JSON.stringify(shownBy())).not.toContain('holder');
    },
  );

  test('all that match are unreachable', () => {
    const pool = createChannelPool();
    pool.upsertChannel(channel('c', 'linux'));
    pool.setPhase(channelId('c'), 'UNREACHABLE', { since: SINCE });
    pool.addRequest(request('j', 'linux'));
    expect(pool.waitingReason(jobId('j'))).toEqual({
      reason: 'unreachable',
      tags: ['linux'],
      namespace: 'default',
      environments: [{ name: 'c', channel_id: 'c', since: SINCE }],
      matching: 1,
    });
  });
});

describe('changes of waiting reasons', () => {
  test('a request that the inception environment takes does not wait', () => {
    const pool = createChannelPool();
    pool.addRequest(request('j', 'inception linux'));
    expect(reasons(pool)).toEqual([]);
    expect(pool.waitingReason(jobId('j'))).toBeNull();
    pool.upsertChannel(channel('c', 'inception linux'));
    expect(assigned(pool)).toEqual(['j on c']);
  });

  test('each change of the kind of reason is given once', () => {
    const pool = createChannelPool();
    pool.addRequest(request('j', 'linux'));
    expect(reasons(pool)).toEqual(['j: no-environment']);
    expect(reasons(pool)).toEqual([]);
    pool.upsertChannel(channel('c', 'linux'));
    pool.setPhase(channelId('c'), 'BUSY');
    expect(reasons(pool)).toEqual(['j: busy']);
    pool.setPhase(channelId('c'), 'UNREACHABLE', { since: SINCE });
    expect(reasons(pool)).toEqual(['j: unreachable']);
    pool.removeChannel(channelId('c'));
    expect(reasons(pool)).toEqual(['j: no-environment']);
  });

  test('another job on the busy environment is no change', () => {
    const pool = createChannelPool();
    pool.upsertChannel(channel('c', 'linux'));
    for (const name of ['j1', 'j2', 'j3']) pool.addRequest(request(name, 'linux'));
    expect(assigned(pool)).toEqual(['j1 on c']);
    expect(reasons(pool)).toEqual(['j2: busy', 'j3: busy']);
    pool.setPhase(channelId('c'), 'IDLE');
    expect(assigned(pool)).toEqual(['j2 on c']);
    expect(reasons(pool)).toEqual([]);
  });

  test('the first ten in line are given with who has the environment now, whenever something moved', () => {
    const pool = createChannelPool();
    pool.upsertChannel(channel('c', 'linux'));
    const names = Array.from({ length: 30 }, (_, index) => `j${index}`);
    // Whatever the order in which they come, the oldest are first in line.
    for (const order of [...names.keys()].reverse())
      pool.addRequest(request(`j${order}`, 'linux', { order }));
    const inLine = () =>
      pool.nextInLine(ALL).map(({ jobId: id, reason }) => {
        const [keeper] = reason.reason === 'busy' ? reason.environments : [];
        return `${id}: ${keeper?.job_id}`;
      });
    expect(inLine()).toEqual([]);
    pool.takeAssignments(ALL);
    expect(inLine()).toEqual(names.slice(1, 11).map((name) => `${name}: j0`));
    expect(inLine()).toEqual([]);
    pool.setPhase(channelId('c'), 'IDLE');
    pool.takeAssignments(ALL);
    expect(inLine()).toEqual(names.slice(2, 12).map((name) => `${name}: j1`));
    pool.removeRequest(jobId('j2'));
    expect(inLine()).toEqual(names.slice(3, 13).map((name) => `${name}: j1`));
  });

  test('requests in line that the limit leaves out come with the next call', () => {
    const pool = createChannelPool();
    for (const tag of ['a', 'b']) {
      pool.upsertChannel(channel(tag, tag));
      pool.setPhase(channelId(tag), 'BUSY');
      for (const order of Array(12).keys()) pool.addRequest(request(`${tag}${order}`, tag));
    }
    const given = [pool.nextInLine(19), pool.nextInLine(19), pool.nextInLine(19)];
    expect(given.map((some) => some.length)).toEqual([10, 10, 0]);
  });

  test('a reason that came and went between two calls is no change', () => {
    const pool = createChannelPool();
    pool.upsertChannel(channel('c', 'linux'));
    pool.setPhase(channelId('c'), 'BUSY');
    pool.addRequest(request('j', 'linux'));
    pool.waitingChanged(ALL);
    pool.setPhase(channelId('c'), 'UNREACHABLE');
    pool.setPhase(channelId('c'), 'BUSY');
    expect(reasons(pool)).toEqual([]);
  });

  test('other missing tags are a change, even if the channel that brings them does not match', () => {
    const pool = createChannelPool();
    pool.addRequest(request('j', 'linux gpu'));
    pool.waitingChanged(ALL);
    pool.upsertChannel(channel('c', 'linux'));
    expect(pool.waitingChanged(ALL)).toMatchObject([{ reason: { missingTags: ['gpu'] } }]);
    pool.removeChannel(channelId('c'));
    expect(pool.waitingChanged(ALL)).toMatchObject([{ reason: { missingTags: ['gpu', 'linux'] } }]);
  });

  test('more changes than the limit come with the next calls', () => {
    const pool = createChannelPool();
    for (const name of ['j1', 'j2', 'j3']) pool.addRequest(request(name, 'linux'));
    pool.addRequest(request('j4', 'gpu'));
    const calls = [2, 1, 5, 5].map((limit) =>
      pool.waitingChanged(limit).map((change) => change.jobId),
    );
    expect(calls).toEqual([['j1', 'j2'], ['j3'], ['j4'], []]);
  });
});

describe('a channel that drains', () => {
  test('is given to no request, keeps what it does, and is given again afterwards', () => {
    const pool = createChannelPool();
    pool.upsertChannel(channel('c', 'linux'));
    pool.addRequest(request('first', 'linux'));
    expect(assigned(pool)).toEqual(['first on c']);
    pool.setDraining(channelId('c'), true);
    expect(pool.channelOf(channelId('c'))).toMatchObject({ phase: 'PENDING', isDraining: true });
    pool.setPhase(channelId('c'), 'IDLE');
    pool.addRequest(request('second', 'linux'));
    expect(assigned(pool)).toEqual([]);
    expect(pool.waitingReason(jobId('second'))).toEqual({
      reason: 'draining',
      tags: ['linux'],
      namespace: 'default',
      environments: [{ name: 'c', channel_id: 'c' }],
      matching: 1,
    });
    pool.setDraining(channelId('c'), false);
    expect(assigned(pool)).toEqual(['second on c']);
  });

  test('is told beside those that are busy or unreachable', () => {
    const pool = createChannelPool();
    for (const name of ['c1', 'c2', 'c3']) pool.upsertChannel(channel(name, 'linux'));
    pool.setDraining(channelId('c1'), true);
    pool.setPhase(channelId('c2'), 'UNREACHABLE', { since: SINCE });
    pool.setPhase(channelId('c3'), 'BUSY');
    pool.addRequest(request('j', 'linux'));
    const draining = { environments: [{ name: 'c1', channel_id: 'c1' }], matching: 1 };
    expect(pool.waitingReason(jobId('j'))).toMatchObject({
      reason: 'busy',
      matching: 3,
      unreachable: { matching: 1 },
      draining,
    });
    pool.removeChannel(channelId('c3'));
    expect(pool.waitingReason(jobId('j'))).toMatchObject({
      reason: 'unreachable',
      matching: 1,
      draining,
    });
  });
});

describe('bounds', () => {
  const many = (count: number): ChannelPool => {
    const pool = createChannelPool();
    for (let index = 0; index < count; index += 1)
      pool.addRequest(request(`j${index}`, `t${index}`));
    return pool;
  };

  // Bound: Sets of tags that jobs of one namespace wait for; agents with them, per set.
  test('a namespace has room for so many sets of tags', () => {
    const pool = many(CLASSES_MAX);
    const another = request('another', 'another');
    expect(pool.hasRoomFor(another)).toBe(false);
    expect(pool.hasRoomFor(request('known', 't0'))).toBe(true);
    expect(pool.hasRoomFor({ ...another, namespace: 'other' })).toBe(true);
    // Some sets are kept, as jobs with the same needs come again.
    for (let index = 0; index < CLASSES_MAX; index += 1) pool.removeRequest(jobId(`j${index}`));
    while (pool.forgetUnused());
    expect(pool.hasRoomFor(another)).toBe(true);
  });

  test('a namespace has room for so many channels that match them', () => {
    const pool = many(MATCHES_MAX / 1000);
    const tags = Array.from({ length: MATCHES_MAX / 1000 }, (_, index) => `t${index}`).join(' ');
    const named = (index: number) => channelId(`c${index}`);
    for (let index = 0; index < 1000; index += 1) {
      expect(pool.isCrowded('default')).toBe(false);
      pool.upsertChannel(channel(`c${index}`, tags));
      pool.setDraining(named(index), true);
    }
    expect([pool.isCrowded('a,default'), pool.isCrowded('a'), pool.isCrowded('*')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(pool.hasRoomFor(request('another', 'another'))).toBe(false);
    pool.removeChannel(named(0));
    expect(pool.isCrowded('default')).toBe(false);
  });
});
