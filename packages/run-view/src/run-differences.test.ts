import type { LoggedEvent } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { runDifferences } from './run-differences.ts';
import { runDocument } from './run-document.ts';
import { emptyRunStory, reduceRunStory } from './run-story.ts';
import { createRunLog } from './testing.ts';

const STEPS = { 'runs-on': 'linux', steps: [] };
const documentOf = (events: readonly LoggedEvent[]) =>
  runDocument(events.reduce(reduceRunStory, emptyRunStory));

/** A run of these jobs: seconds and exit code. */
function run(jobs: Readonly<Record<string, readonly [seconds: number, status: number]>>) {
  const log = createRunLog(Object.fromEntries(Object.keys(jobs).map((job) => [job, STEPS])));
  for (const [job, [seconds, status]] of Object.entries(jobs)) {
    log.request(job);
    log.offer(job);
    log.step(job, 's', 'make');
    log.pause(1_000 * (seconds - 1));
    log.done(job, 's', status);
    log.release(job, status === 0 ? 'success' : 'failure');
  }
  return documentOf(log.events);
}

test('jobs of two runs are compared by result and duration', () => {
  const before = run({ gone: [1, 0], broken: [1, 0], slow: [10, 0], same: [10, 0], fixed: [1, 1] });
  const after = run({ new: [1, 0], broken: [1, 2], slow: [14, 0], same: [11, 0], fixed: [1, 0] });
  const { onlyBefore, onlyAfter, changed, slower, same } = runDifferences(before, after);
  const keys = (list: readonly { readonly key: string }[]) => list.map(({ key }) => key);
  expect([keys(onlyBefore), keys(onlyAfter)]).toEqual([['gone'], ['new']]);
  expect(changed.map((pair) => [pair.key, pair.before.status, pair.after.status])).toEqual([
    ['broken', 'SUCCEEDED', 'FAILED'],
    ['fixed', 'FAILED', 'SUCCEEDED'],
  ]);
  expect([keys(slower), same]).toEqual([['slow'], 1]);
});

test('jobs of two runs are compared by their environments, whatever their results are', () => {
  const jobs = { other: [1, 0], retagged: [1, 0], same: [1, 0], waits: [1, 0] } as const;
  const before = run(jobs);
  const places: Readonly<Record<string, readonly [string | null, readonly string[]]>> = {
    other: ['agent-2', ['linux']],
    retagged: ['agent-1', ['linux', 'gpu']],
    same: ['agent-1', ['x64', 'linux']],
    waits: [null, ['linux']],
  };
  const placed = (of: typeof places) => ({
    ...before,
    jobs: before.jobs.map((job) => {
      const [environment = null, tags = []] = of[job.key] ?? [];
      return { ...job, environment, tags };
    }),
  });
  const usual = ['agent-1', ['linux']] as const;
  const first = placed({
    other: usual,
    retagged: usual,
    waits: usual,
    same: ['agent-1', ['linux', 'x64']],
  });
  const { moved } = runDifferences(first, placed(places));
  expect(moved.map(({ key }) => key)).toEqual(['other', 'retagged']);
});
