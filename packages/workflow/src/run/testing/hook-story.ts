/** Plays runs with hooks in which every command ends as the test says. */
import type { Hook, HookStep, RunEvent } from '@tutti/manifests';
import { given } from './given.ts';
import { type Happening, result } from './inputs.ts';
import { shortForm } from './short-form.ts';

export type Events = Hook['events'];

const steps = (texts: readonly (string | HookStep)[]): HookStep[] =>
  texts.map((text) => (typeof text === 'string' ? { id: text, run: text } : text));

export function hook(
  name: string,
  events: Events,
  around: {
    readonly before?: readonly (string | HookStep)[];
    readonly after?: readonly (string | HookStep)[];
    readonly if?: string;
  } = { before: [`${name}-before`], after: [`${name}-after`] },
): Hook {
  const { before, after, if: condition } = around;
  return {
    name,
    events,
    ...(condition === undefined ? {} : { if: condition }),
    ...(before === undefined ? {} : { before: steps(before) }),
    ...(after === undefined ? {} : { after: steps(after) }),
  };
}

/** Plays a run in which each command ends with its number in `exits` (0 by default). Returns its events without the results. */
export function story(
  happened: readonly Happening[],
  exits: Readonly<Record<string, number>> = {},
): readonly RunEvent[] {
  const all = [...happened];
  for (;;) {
    const { run, log } = given(...all);
    const command = run.jobs.get('a')?.command;
    if (command === null || command === undefined) return log;
    const last = log.findLast(({ kind }) => kind === 'ExecutionCommand');
    const script = last?.kind === 'ExecutionCommand' ? (last.scripts[0] ?? '') : '';
    all.push(result('a', exits[script] ?? 0));
  }
}

export const shownBy = (events: readonly RunEvent[]): readonly string[] =>
  events.map(shortForm).filter((text) => /^(run|call|step|release|error) /.test(text));

export const ran = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => {
    const isStep = event.kind === 'ExecutionCommand' && event.metadata.step_sequence_id >= 0;
    return isStep ? [event.scripts.join(' ; ')] : [];
  });

export const annotations = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => {
    if (event.kind !== 'ExecutionCommand' || event.metadata.step_sequence_id === -1) return [];
    const { annotations: all, step_sequence_id: sequence } = event.metadata;
    const hooks = JSON.stringify(all?.['example.org/hooks'] ?? null);
    return [`${event.scripts[0] ?? 'release'} ${sequence} ${hooks}`];
  });

export const FUNCTION = [{ category: 'run', categoryPrefix: 'tests' }];
export const SETUP: Events = [{ channel: 'setup' }];
export const TEARDOWN: Events = [{ channel: 'teardown' }];
