/**
 * What can be wrong with jobs that fit their schema: of a manifest, of a bundle, of a generator's answer (wire facts 1.12). The
 * jobs that are needed exist, and none waits for itself; steps can be told apart; there are not too many jobs.
 */
import { nearestName } from './documents/nearest-name.ts';
import type { Problem } from './documents/problem.ts';
import {
  JOB_DEPTH_MAX,
  JOBS_MAX,
  type WorkflowJob,
  type WorkflowJobs,
} from './workflow-manifest.ts';

/** Its path is from what holds the jobs: `['jobs', 'a', 'needs']`. */
export type JobProblem = Problem;

type Path = JobProblem['path'];

/** Where jobs come to in a run: how many jobs there are already, and how many bundles are around them. */
export interface JobSurroundings {
  readonly jobs: number;
  readonly bundles: number;
}

/** All that is wrong; empty when nothing is. The jobs must fit the schema. */
export function problemsOfJobs(
  jobs: WorkflowJobs,
  around: JobSurroundings = { jobs: 0, bundles: 0 },
): readonly JobProblem[] {
  const count = around.jobs + countJobs(jobs);
  const tooMany = `There are ${count} jobs, jobs in jobs included; at most ${JOBS_MAX} are possible.`;
  return [
    ...(count > JOBS_MAX ? [{ path: ['jobs'], message: tooMany }] : []),
    ...problemsOfSet(jobs, [], around.bundles + 1),
  ];
}

/** How many jobs there are, bundles and the jobs in them included. */
export function countJobs(jobs: WorkflowJobs): number {
  return Object.values(jobs).reduce((count, job) => count + 1 + countJobs(job.jobs ?? {}), 0);
}

function problemsOfSet(jobs: WorkflowJobs, above: Path, depth: number): readonly JobProblem[] {
  if (depth > JOB_DEPTH_MAX) {
    return [{ path: above, message: `Jobs are nested more than ${JOB_DEPTH_MAX} deep.` }];
  }
  return [
    ...dependencyProblems(jobs, above),
    ...Object.entries(jobs).flatMap(([name, job]) => {
      const path = () => [...above, 'jobs', name];
      return [
        ...stepIdProblems(name, job, path),
        ...strategyProblems(name, job, path),
        ...formProblems(name, job, path),
        ...(job.jobs === undefined ? [] : problemsOfSet(job.jobs, path(), depth + 1)),
      ];
    }),
  ];
}

/** Two steps of a job with one id could not be told apart, neither in expressions nor in events. */
function stepIdProblems(
  name: string,
  { steps }: WorkflowJob,
  path: () => Path,
): readonly JobProblem[] {
  const seen = new Set<string>();
  return (steps ?? []).flatMap(({ id }, index) => {
    if (id === undefined || !seen.has(id)) {
      if (id !== undefined) seen.add(id);
      return [];
    }
    const message = `Job "${name}" has several steps with the id "${id}".`;
    return [{ path: [...path(), 'steps', index, 'id'], message }];
  });
}

function strategyProblems(name: string, job: WorkflowJob, path: () => Path): readonly JobProblem[] {
  const { strategy, steps } = job;
  if (strategy === undefined || strategy.matrix !== undefined || steps === undefined) return [];
  const message = `Job "${name}" has a strategy, but neither a matrix nor other jobs that it could be for.`;
  return [{ path: [...path(), 'strategy'], message }];
}

/** What goes with what: the schema says only that there is one of `steps`, `jobs`, `generator` and `uses` (wire facts 1.3). */
function formProblems(name: string, job: WorkflowJob, path: () => Path): readonly JobProblem[] {
  if (job.outputs === undefined && job.with === undefined) return [];
  const isFromElsewhere = job.generator !== undefined || job.uses !== undefined;
  const unfit = [
    ...(isFromElsewhere && job.outputs !== undefined
      ? [['outputs', 'they come from where its jobs come from']]
      : []),
    ...(!isFromElsewhere && job.with !== undefined
      ? [['with', 'only generators and called workflows have inputs']]
      : []),
  ];
  return unfit.map(([key = '', why]) => ({
    path: [...path(), key],
    message: `Job "${name}" must not have "${key}": ${why}.`,
  }));
}

const hasNeeds = ({ needs }: WorkflowJob): boolean => needs !== undefined;

function needsOf({ needs }: WorkflowJob): readonly string[] {
  if (needs === undefined) return [];
  return typeof needs === 'string' ? [needs] : needs;
}

function dependencyProblems(jobs: WorkflowJobs, above: Path): readonly JobProblem[] {
  const missing = Object.entries(jobs).flatMap(([name, job]) =>
    needsOf(job).flatMap((need, index) => {
      if (Object.hasOwn(jobs, need)) return [];
      const path = [...above, 'jobs', name, 'needs', ...(Array.isArray(job.needs) ? [index] : [])];
      return [{ path, name, need }];
    }),
  );
  if (missing.length > 0) return missing.map((each, index) => missingProblem(each, index, jobs));
  const cycle = Object.values(jobs).some(hasNeeds) ? findCycle(jobs) : null;
  return cycle === null ? [] : [cycleProblem(cycle, above)];
}

interface MissingJob {
  readonly path: Path;
  readonly name: string;
  readonly need: string;
}

/** Problems with hints: nobody is told of more, and looking at every name for each of thousands takes long. */
const HINTS_MAX = 50;

function missingProblem(
  { path, name, need }: MissingJob,
  index: number,
  jobs: WorkflowJobs,
): JobProblem {
  const message = `Job "${name}" has a dependency on job "${need}" which does not exist.`;
  const others = index < HINTS_MAX ? Object.keys(jobs).filter((other) => other !== name) : [];
  const nearest = nearestName(need, others);
  return { path, message, ...(nearest === null ? {} : { hint: `did you mean "${nearest}"?` }) };
}

function cycleProblem(cycle: readonly string[], above: Path): JobProblem {
  const [first = ''] = cycle;
  const chain = [...cycle, first].map((name) => `"${name}"`).join(' needs ');
  const path = [...above, 'jobs', first, 'needs'];
  return { path, message: `Jobs wait for each other: ${chain}.` };
}

/**
 * The names of one cycle, or null. Jobs whose needs are all met are taken away until none is left or only cycles and what
 * waits for them are: that needs no recursion, however long a chain of jobs is.
 */
function findCycle(jobs: WorkflowJobs): readonly string[] | null {
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
