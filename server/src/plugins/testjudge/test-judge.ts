/** Answers what the results of a judged step say: whether it succeeded, failed, or runs its failed tests again. */
import { apiVersionOf, type TestsCommandEvent, type TestUnit } from '@tutti/manifests';
import type { EventBus } from '../../bus/bus.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Store } from '../../store/store.ts';
import type { Judgement } from './verdict.ts';

interface TestJudgeDeps {
  readonly bus: Pick<EventBus, 'publish' | 'subscribeDurably'>;
  readonly store: Pick<Store, 'events'>;
  readonly clock: Pick<Clock, 'timestamp'>;
  readonly apiGroup: string;
  /** The form in which the function takes the names of tests; null if it selects none. */
  unitOf(uses: string): Promise<TestUnit | null>;
}

/** Subscribes the judge; to be called before the bus starts. */
export function judgeSteps(deps: TestJudgeDeps): void {
  deps.bus.subscribeDurably('testjudge', 'TestsCommand', {
    takes: () => true,
    handle: async (command, signal) => {
      // A server without judged steps loads no judge.
      const [{ readAttempts }, { judge }, { isSelectable, writerOf }] = await Promise.all([
        import('./attempt-results.ts'),
        import('./verdict.ts'),
        import('./units.ts'),
      ]);
      const results = await readAttempts(deps.store, command, signal);
      const unit = await deps.unitOf(command.uses);
      const { passed: hasPassed, channel_os: os, tests } = command;
      const writeUnit = unit !== null && isSelectable(unit, os) ? writerOf(unit) : null;
      await answer(deps, command, judge({ ...results, hasPassed, os, tests, writeUnit }));
    },
    giveUp: async (command) => {
      await answer(deps, command, {
        verdict: command.passed ? 'success' : 'failure',
        counts: { failed: 0, spared: 0, flaked: 0 },
        ...{ retried: [], selection: [] },
        logs: ['WARNING,The server could not judge the tests of the step. Its exit code counts.'],
      });
    },
  });
}

/** A repeated answer is refused: the run takes one for each question. */
async function answer(
  { bus, clock, apiGroup }: TestJudgeDeps,
  { metadata }: TestsCommandEvent,
  judgement: Judgement,
): Promise<void> {
  await bus.publish({
    apiVersion: apiVersionOf(apiGroup, 'TestsResult'),
    kind: 'TestsResult',
    metadata: { ...metadata, creationTimestamp: clock.timestamp() },
    ...judgement,
  });
}
