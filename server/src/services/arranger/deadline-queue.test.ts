import type { WorkflowId } from '@tutti/manifests';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DeadlineQueue } from './deadline-queue.ts';

const id = (n: number) => `run-${n}` as WorkflowId;

test('runs come out in the order of their newest deadlines, and only due ones', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(fc.integer({ min: 0, max: 20 }), fc.option(fc.integer({ min: 0, max: 99 }))),
      ),
      fc.integer({ min: 0, max: 99 }),
      (changes, now) => {
        const queue = new DeadlineQueue();
        const expected = new Map<number, number>();
        for (const [run, at] of changes) {
          queue.set(id(run), at);
          if (at === null) expected.delete(run);
          else expected.set(run, at);
        }
        expect(queue.earliest()).toBe(expected.size === 0 ? null : Math.min(...expected.values()));
        const due = queue.takeDue(now).map((run) => Number(run.slice(4)));
        const times = due.map((run) => expected.get(run));
        expect(times).toEqual([...times].sort((a, b) => Number(a) - Number(b)));
        expect(new Set(due)).toEqual(
          new Set([...expected].filter(([, at]) => at <= now).map(([run]) => run)),
        );
        expect(queue.takeDue(now)).toEqual([]);
      },
    ),
  );
});
