/** Settings of a called workflow are evaluated once, when its jobs come. From then on the metadata of the event has them. */
import type { EvaluationBudget } from '@tutti/expressions';
import { calledEntries } from '../facts/decode.ts';
import { calledEntry } from '../facts/encode.ts';
import { extension } from '../facts/extensions.ts';
import type { FactOf } from '../facts/fact.ts';
import { bundleScope } from './contexts.ts';
import { attempt, countOf, type Evaluated, flag, minutesToMs } from './evaluation.ts';
import type { Job, Run } from './run.ts';

/** Entries of the metadata: none for jobs that come from elsewhere. */
export function settingsOfCalled(
  run: Run,
  job: Job,
  { called, event }: FactOf<'JobsGiven'>,
  within: EvaluationBudget,
): Evaluated<object> {
  const { bundle } = job;
  if (called === null || bundle === null) return { ok: true, value: {} };
  const written = calledEntries(event);
  const minutes = limitIn(written, 'timeout-minutes');
  const strategy = extension.record(written, 'strategy');
  const limit = limitIn(strategy, 'max-parallel');
  const failFast = flagIn(strategy, 'fail-fast');
  if (minutes === null && limit === null && failFast === null) return { ok: true, value: {} };
  const scope = bundleScope(run, { ...job, bundle: { ...bundle, called } }, within);
  const timeout = attempt('timeout-minutes', () =>
    minutes === null ? {} : { 'timeout-ms': minutesToMs(minutes, scope) },
  );
  if (!timeout.ok) return timeout;
  return attempt('strategy', () =>
    calledEntry({
      ...written,
      ...timeout.value,
      ...(limit === null ? {} : { 'max-parallel': countOf(limit, scope) }),
      ...(failFast === null ? {} : { 'fail-fast': flag(failFast, scope) }),
    }),
  );
}

const limitIn = (entries: object, name: string): number | string | null =>
  extension.number(entries, name) ?? extension.text(entries, name);

const flagIn = (entries: object, name: string): boolean | string | null =>
  extension.isTrue(entries, name) || extension.text(entries, name);
