/** What the schema of hooks cannot say (wire facts 1.10). */
import {
  HOOK_STEP_COMPANIONS,
  type Hook,
  type HookStep,
  WORKSPACE_STEPS,
} from './workflow-manifest.ts';

export interface HookProblem {
  /** From the list of hooks on: index, key, index … */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What is wrong with hooks that fit their schema, one sentence each; empty when nothing is. */
export function problemsOfHooks(hooks: readonly Hook[]): readonly HookProblem[] {
  return hooks.flatMap((hook, index) =>
    [...problemsOfEvents(hook), ...problemsOfSteps(hook)].map(({ path, message }) => ({
      path: [index, ...path],
      message: `Hook "${hook.name}" ${message}`,
    })),
  );
}

/** What happens to a workspace and what happens at a function are different things, with different steps. */
function problemsOfEvents({ events }: Hook): readonly HookProblem[] {
  const ofChannels = events.filter(({ channel }) => channel !== undefined);
  const names = ['category', 'categoryPrefix', 'categoryVersion'] as const;
  const isMixed =
    (ofChannels.length > 0 && ofChannels.length < events.length) ||
    ofChannels.some((event) => names.some((name) => event[name] !== undefined));
  const message = 'mixes events of channels with events of functions: make two hooks of it.';
  return [...(isMixed ? [{ path: ['events'], message }] : []), ...problemsOfNames(events)];
}

/** Names of functions, and of their prefixes, have these alone; another one would fit nothing, and nobody would be told. */
const NAME = /^[\w.-]+$/;

function problemsOfNames(events: Hook['events']): readonly HookProblem[] {
  const why = 'which no function has: the prefix, the name and the version have a key each.';
  return events.flatMap((event, index) =>
    (['category', 'categoryPrefix', 'categoryVersion'] as const)
      .filter((key) => !NAME.test(event[key] ?? '_'))
      // An empty one is refused by the schema, and an expression as one that nobody evaluates.
      .filter((key) => event[key] !== '' && event[key]?.includes('${{') !== true)
      .map((key) => ({
        path: ['events', index, key],
        message: `has the ${key} "${event[key]}", ${why}`,
      })),
  );
}

function problemsOfSteps(hook: Hook): readonly HookProblem[] {
  const lists = (['before', 'after'] as const).flatMap((list) =>
    (hook[list] ?? []).flatMap((step, index) =>
      problemsOfStep(hook, list, step).map((message) => ({ path: [list, index], message })),
    ),
  );
  return [...lists, ...problemsOfIds(hook)];
}

type WorkspaceKey = keyof typeof WORKSPACE_STEPS;

function problemsOfStep(hook: Hook, list: 'before' | 'after', step: HookStep): readonly string[] {
  return (Object.keys(WORKSPACE_STEPS) as WorkspaceKey[]).flatMap((key) => {
    if (step[key] === undefined) return [];
    const place = WORKSPACE_STEPS[key];
    const isThere = list === 'before' && hook.events.every(({ channel }) => channel === place);
    const others = Object.keys(step).filter(
      (name) => name !== key && !HOOK_STEP_COMPANIONS.includes(name),
    );
    return [
      ...(isThere
        ? []
        : [`has a step "${key}", which must be in "before" of "channel: ${place}".`]),
      ...others.map((name) => `has a step "${key}" with "${name}", which it cannot have.`),
    ];
  });
}

function problemsOfIds({ before = [], after = [] }: Hook): readonly HookProblem[] {
  const seen = new Set<string>();
  const lists = { before, after };
  return (['before', 'after'] as const).flatMap((list) =>
    lists[list].flatMap(({ id }, index) => {
      if (id === undefined || !seen.has(id)) {
        if (id !== undefined) seen.add(id);
        return [];
      }
      return [{ path: [list, index, 'id'], message: `has several steps with the id "${id}".` }];
    }),
  );
}
