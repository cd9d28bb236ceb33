/** Checks of hooks that a schema cannot express (wire facts 1.10). */
import { nearestName } from './documents/nearest-name.ts';
import type { Problem } from './documents/problem.ts';
import { unknownKeys } from './documents/unknown-keys.ts';
import {
  HOOK_STEP_COMPANIONS,
  type Hook,
  type HookEvent,
  type HookStep,
  hookEventSchema,
  hookStepSchema,
  WORKSPACE_STEPS,
} from './workflow-manifest.ts';

/** Problems of hooks that fit their schema; empty when there are none. Paths start at the list of hooks. */
export function problemsOfHooks(hooks: readonly Hook[]): readonly Problem[] {
  return hooks.flatMap((hook, index) => [
    ...[...problemsOfEvents(hook.events), ...problemsOfSteps(hook)].map((problem) => ({
      ...problem,
      path: [index, ...problem.path],
      message: `Hook "${hook.name}" ${problem.message}`,
    })),
    ...unknownKeysOf(hook, index),
  ]);
}

function unknownKeysOf(
  { events, before = [], after = [] }: Hook,
  hook: number,
): readonly Problem[] {
  return [
    ...events.flatMap((event, index) =>
      unknownKeys(event, hookEventSchema, [hook, 'events', index]),
    ),
    ...before.flatMap((step, index) => unknownKeys(step, hookStepSchema, [hook, 'before', index])),
    ...after.flatMap((step, index) => unknownKeys(step, hookStepSchema, [hook, 'after', index])),
  ];
}

/** Characters of names of functions and of their prefixes. A name with another one would match nothing. */
const NAME = /^[\w.-]+$/;

const CHANNEL_EVENTS: readonly string[] = Object.values(WORKSPACE_STEPS);

/** Existing servers take any event. */
function problemsOfEvents(events: Hook['events']): readonly Problem[] {
  return events.flatMap((event, index) => {
    const path = ['events', index];
    return [...problemsOfEvent(event, path), ...problemsOfNames(event, path)];
  });
}

function problemsOfEvent(
  { channel, category, categoryPrefix }: HookEvent,
  path: Problem['path'],
): readonly Problem[] {
  if (channel === undefined) {
    if (category !== undefined || categoryPrefix !== undefined) return [];
    const keys = '"channel", "category" or "categoryPrefix"';
    return [
      { path, message: `has an event without ${keys}, which nothing fits.`, isWarning: true },
    ];
  }
  if (CHANNEL_EVENTS.includes(channel)) return [];
  const nearest = nearestName(channel, CHANNEL_EVENTS);
  const message = `has the channel "${channel}", which is neither "setup" nor "teardown".`;
  const hint = nearest === null ? {} : { hint: `did you mean "${nearest}"?` };
  return [{ path: [...path, 'channel'], message, ...hint, isWarning: true }];
}

function problemsOfNames(event: HookEvent, path: Problem['path']): readonly Problem[] {
  const why = 'which no function has: the prefix, the name and the version have a key each.';
  const keys = ['category', 'categoryPrefix', 'categoryVersion'] as const;
  return (
    keys
      .filter((key) => !NAME.test(event[key] ?? '_'))
      // The schema refuses an empty one, and another problem reports expressions, which are not evaluated here.
      .filter((key) => event[key] !== '' && event[key]?.includes('${{') !== true)
      .map((key) => ({
        path: [...path, key],
        message: `has the ${key} "${event[key]}", ${why}`,
        isWarning: true as const,
      }))
  );
}

function problemsOfSteps(hook: Hook): readonly Problem[] {
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
    const isThere = list === 'before' && hook.events.some(({ channel }) => channel === place);
    const others = Object.keys(step).filter(
      (name) =>
        Object.hasOwn(hookStepSchema.properties, name) &&
        name !== key &&
        !HOOK_STEP_COMPANIONS.includes(name),
    );
    return [
      ...(isThere
        ? []
        : [`has a step "${key}", which must be in "before" of "channel: ${place}".`]),
      ...others.map((name) => `has a step "${key}" with "${name}", which it cannot have.`),
    ];
  });
}

function problemsOfIds({ before = [], after = [] }: Hook): readonly Problem[] {
  const seen = new Set<string>();
  const lists = { before, after };
  return (['before', 'after'] as const).flatMap((list) =>
    lists[list].flatMap(({ id }, index) => {
      if (id === undefined || !seen.has(id)) {
        if (id !== undefined) seen.add(id);
        return [];
      }
      const message = `has several steps with the id "${id}".`;
      return [{ path: [list, index, 'id'], message, isWarning: true }];
    }),
  );
}
