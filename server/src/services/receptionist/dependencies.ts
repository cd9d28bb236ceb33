/** Checks on `needs`: the jobs exist, and none waits for itself (wire facts 1.12). */
import type { WorkflowManifest } from '@tutti/manifests';
import type { Problem } from '../../http/validate.ts';

type Jobs = WorkflowManifest['jobs'];

export function needsOf(job: Jobs[string]): readonly string[] {
  return [job.needs ?? []].flat();
}

export function dependencyProblems(jobs: Jobs): readonly Problem[] {
  const missing = Object.entries(jobs).flatMap(([name, job]) =>
    needsOf(job)
      .filter((need) => !Object.hasOwn(jobs, need))
      .map((need) => ({
        path: ['jobs', name, 'needs'],
        message: `Job "${name}" has a dependency on job "${need}" which does not exist.`,
      })),
  );
  if (missing.length > 0) return missing;
  const cycle = findCycle(jobs);
  return cycle === null ? [] : [cycleProblem(cycle)];
}

function cycleProblem(cycle: readonly string[]): Problem {
  const [first = ''] = cycle;
  const chain = [...cycle, first].map((name) => `"${name}"`).join(' needs ');
  return { path: ['jobs', first, 'needs'], message: `Jobs wait for each other: ${chain}.` };
}

/**
 * The names of one cycle, or null. Jobs whose needs are all met are taken away until none is left or only cycles and what
 * waits for them are: that needs no recursion, however long a chain of jobs is.
 */
function findCycle(jobs: Jobs): readonly string[] | null {
  const waiting = new Map(Object.entries(jobs).map(([name, job]) => [name, needsOf(job)]));
  const dependants = dependantsOf(waiting);
  const open = new Map([...waiting].map(([name, needs]) => [name, needs.length]));
  const ready = [...open].filter(([, count]) => count === 0).map(([name]) => name);
  for (let name = ready.pop(); name !== undefined; name = ready.pop()) {
    waiting.delete(name);
    for (const dependant of dependants.get(name) ?? []) {
      const left = (open.get(dependant) ?? 0) - 1;
      open.set(dependant, left);
      if (left === 0) ready.push(dependant);
    }
  }
  return walkCycle(waiting);
}

function dependantsOf(waiting: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const dependants = new Map<string, string[]>();
  for (const [name, needs] of waiting) {
    for (const need of needs) {
      const known = dependants.get(need) ?? [];
      known.push(name);
      dependants.set(need, known);
    }
  }
  return dependants;
}

/** Every job that is left needs another one that is left, so following them comes back to one that was seen. */
function walkCycle(left: ReadonlyMap<string, readonly string[]>): readonly string[] | null {
  const seen: string[] = [];
  let [name] = left.keys();
  while (name !== undefined && !seen.includes(name)) {
    seen.push(name);
    name = left.get(name)?.find((need) => left.has(need));
  }
  return name === undefined ? null : seen.slice(seen.indexOf(name));
}
