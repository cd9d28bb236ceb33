import type { JobId, WorkflowJob } from '@tutti/manifests';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDecisionBudget } from './evaluation.ts';
import { RunEvents } from './events.ts';
import { evolve } from './evolve.ts';
import { nextJobEvent } from './next-job-event.ts';
import { isQuietList } from './quiet-jobs.ts';
import { emptyRun, isEnded, type Run } from './run.ts';
import { given } from './testing/given.ts';
import {
  cancel,
  type Happening,
  job,
  offer,
  released,
  result,
  workflow,
} from './testing/inputs.ts';
import { LIST_LENGTH, listsOf } from './with-entry.ts';

/** Maps of so many jobs have lists. */
const COUNT = 3 * LIST_LENGTH - 5;

const makerOf = (run: Run): RunEvents =>
  new RunEvents(run, {
    at: run.createdAt,
    newId: <Id>() => 'id' as Id & JobId,
    downloadTags: [],
    budget: createDecisionBudget(),
  });

/** Each state that its events lead to, also within a decision. Answers how many lists were quiet. */
function checkStates(happened: readonly Happening[]): number {
  let quiet = 0;
  let run = emptyRun;
  for (const event of given(...happened).log) {
    run = evolve(run, event);
    if (isEnded(run)) break;
    const events = makerOf(run);
    listsOf(run.jobs).forEach((jobs, index) => {
      if (!isQuietList(run, index)) return;
      quiet += 1;
      expect(jobs.map((each) => nextJobEvent(run, each, events))).toEqual(jobs.map(() => null));
    });
  }
  return quiet;
}

const needs = fc.array(fc.nat(COUNT), { maxLength: 2 });
const jobsOf = (all: readonly (readonly number[])[], more: Partial<WorkflowJob>) =>
  Object.fromEntries(
    all.map((each, index) => {
      const names = [...new Set(each.map((need) => `j${need % Math.max(1, index)}`))];
      return [`j${index}`, job(['x'], index === 0 ? more : { ...more, needs: names })];
    }),
  );

test('no job of a quiet list has a next event', () => {
  const all = fc.array(needs, { minLength: COUNT, maxLength: COUNT });
  fc.assert(
    fc.property(
      all,
      fc.array(fc.nat(), { maxLength: 25 }),
      fc.boolean(),
      (each, picks, cancels) => {
        const happened: Happening[] = [workflow(jobsOf(each, {}))];
        for (const pick of picks) {
          const next = nextOf(given(...happened).run, pick);
          if (next !== null) happened.push(next);
        }
        if (cancels) happened.push(cancel());
        checkStates(happened);
      },
    ),
    { numRuns: 20 },
  );
});

/** An answer of the environment of one of the jobs. */
function nextOf(run: Run, pick: number): Happening | null {
  const open = [...run.jobs.values()].filter(
    ({ phase, command }) => phase === 'REQUESTED' || phase === 'RELEASING' || command !== null,
  );
  const chosen = open[pick % open.length];
  if (chosen === undefined) return null;
  if (chosen.phase === 'REQUESTED') return offer(chosen.key);
  if (chosen.phase === 'RELEASING') return released(chosen.key);
  return result(chosen.key, pick % 3 === 0 ? 1 : 0);
}

test('most lists of a chain are quiet', () => {
  const chain = Array.from({ length: COUNT }, (_, index) => [Math.max(0, index - 1)]);
  const story = [workflow(jobsOf(chain, {})), offer('j0'), result('j0', 0), released('j0')];
  expect(checkStates(story)).toBeGreaterThan(10);
});
