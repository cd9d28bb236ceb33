/**
 * Checks jobs that fit their schema: those of a manifest, a bundle or a generator's answer (wire facts 1.12). Needed
 * jobs must exist, and no job may wait for itself. Steps must be distinguishable. The number of jobs is limited.
 */
import { nearestName } from './documents/nearest-name.ts';
import type { Problem } from './documents/problem.ts';
import {
  JOB_DEPTH_MAX,
  JOBS_MAX,
  type WorkflowJob,
  type WorkflowJobs,
} from './workflow-manifest.ts';

/** Its path starts at the map with the jobs: `['jobs', 'a', 'needs']`. */
export type JobProblem = Problem;

type Path = JobProblem['path'];

/** Numbers of the run that jobs are added to: its jobs so far, and the bundles around the new jobs. */
export interface JobSurroundings {
  readonly jobs: number;
  readonly bundles: number;
}

/** Problems of jobs that fit the schema. */
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

/** The number of jobs, bundles and the jobs in them included. */
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
        ...formProblems(name, job, path),
        ...(job.jobs === undefined ? [] : problemsOfSet(job.jobs, path(), depth + 1)),
      ];
    }),
  ];
}

/** Steps with the same id are ambiguous in expressions and in events. Existing servers accept them. */
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
    const hint = 'expressions read the one that ended last';
    return [{ path: [...path(), 'steps', index, 'id'], message, hint, isWarning: true }];
  });
}

/** Checks which keys a job may combine. The schema only demands one of `steps`, `jobs`, `generator` and `uses` (wire facts 1.3). */
function formProblems(name: string, job: WorkflowJob, path: () => Path): readonly JobProblem[] {
  if (job.outputs === undefined && job.with === undefined) return [];
  const isFromElsewhere = job.generator !== undefined || job.uses !== undefined;
  const isHere = job.steps !== undefined || job.jobs !== undefined;
  const unfit = [
    ...(isFromElsewhere && job.outputs !== undefined
      ? [['outputs', 'they come from where its jobs come from']]
      : []),
    // A job without the four keys, or with a misspelt one, can be meant as any kind of job.
    ...(isHere && !isFromElsewhere && job.with !== undefined
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
      // The empty name stands for a name that is invalid. The schema reports it.
      if (need === '' || Object.hasOwn(jobs, need)) return [];
      const path = [...above, 'jobs', name, 'needs', ...(Array.isArray(job.needs) ? [index] : [])];
      return [{ path, name, need }];
    }),
  );
  const cycles = Object.values(jobs).some(hasNeeds) ? findCycles(jobs) : [];
  return [
    ...missing.map((each, index) => missingProblem(each, index, jobs)),
    ...cycles.map((cycle) => cycleProblem(cycle, above)),
  ];
}

interface MissingJob {
  readonly path: Path;
  readonly name: string;
  readonly need: string;
}

/** Problems with hints. More are never shown, and searching all names for thousands takes long. */
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
 * The names in cycles. Jobs whose needs are met are removed, until only cycles and jobs that wait for them are left.
 * This needs no recursion, however long a chain of jobs is. Then the jobs of one cycle are removed, and so on. Among cycles that share a
 * job, one is reported, since a single wrong need may close hundreds.
 */
function findCycles(jobs: WorkflowJobs): readonly (readonly string[])[] {
  const waiting = new WaitingJobs(jobs);
  const cycles: (readonly string[])[] = [];
  for (let cycle = waiting.cycle(); cycle !== null; cycle = waiting.cycle()) {
    cycles.push(cycle);
    waiting.take(cycle);
  }
  return cycles;
}

/** Jobs that cannot begin, with the needs of each that are not met. */
class WaitingJobs {
  readonly #needs: Map<string, Set<string>>;
  readonly #dependants: ReadonlyMap<string, readonly string[]>;

  constructor(jobs: WorkflowJobs) {
    const needs = Object.entries(jobs).map(([name, job]) => {
      const known = needsOf(job).filter((need) => Object.hasOwn(jobs, need));
      return [name, new Set(known)] as const;
    });
    this.#needs = new Map(needs);
    this.#dependants = dependantsOf(this.#needs);
    this.take([...this.#needs].filter(([, open]) => open.size === 0).map(([name]) => name));
  }

  /** Every waiting job needs another waiting one, so following the needs leads back to a job seen before. */
  cycle(): readonly string[] | null {
    const seen = new Set<string>();
    let [name] = this.#needs.keys();
    while (name !== undefined && !seen.has(name)) {
      seen.add(name);
      [name] = this.#needs.get(name) ?? [];
    }
    const names = [...seen];
    return name === undefined ? null : names.slice(names.indexOf(name));
  }

  /** Removes jobs, as if they had ended. */
  take(names: readonly string[]): void {
    const ready = [...names];
    for (let name = ready.pop(); name !== undefined; name = ready.pop()) {
      this.#needs.delete(name);
      for (const dependant of this.#dependants.get(name) ?? []) {
        const open = this.#needs.get(dependant);
        if (open?.delete(name) === true && open.size === 0) ready.push(dependant);
      }
    }
  }
}

function dependantsOf(
  waiting: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, readonly string[]> {
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
