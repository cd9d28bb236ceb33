/** Why something waits, in words. */
import type { DrainingEnvironments, WaitingReason } from '@tutti/manifests';

type ReasonOf<Name extends WaitingReason['reason']> = Extract<WaitingReason, { reason: Name }>;

/** One sentence about a job that waits; with null for the job's name, about the workflow as a whole. */
export function describeWaiting(reason: WaitingReason, jobName: string | null): string {
  const subject = jobName === null ? 'Workflow' : `Job "${jobName}"`;
  return `${subject} waits: ${describeReason(reason)}.`;
}

function describeReason(reason: WaitingReason): string {
  switch (reason.reason) {
    case 'no-environment':
      return describeAbsence(reason);
    case 'busy':
      return describeBusy(reason);
    case 'unreachable':
      return describeUnreachable(reason);
    case 'draining':
      return describeDraining(reason);
    case 'max-parallel':
      return `max-parallel ${reason.limit} reached (${reason.running} ${jobs(reason.running)} running)`;
    case 'concurrency':
      return `concurrency group "${reason.group}" is held by ${holderOf(reason)}`;
  }
}

const ownJob = (name: string): string => `job "${name}" of this workflow`;

const holderOf = ({ heldBy, heldByJob }: ReasonOf<'concurrency'>): string =>
  heldByJob === undefined ? `workflow ${heldBy}` : ownJob(heldByJob);

const jobs = (count: number): string => (count === 1 ? 'job' : 'jobs');

const quoted = (texts: readonly string[]): string => texts.map((text) => `"${text}"`).join(', ');

const tagged = (tags: readonly string[]): string =>
  tags.length === 0 ? '' : ` with ${tags.length === 1 ? 'tag' : 'tags'} ${quoted(tags)}`;

function describeAbsence({ tags, missingTags, namespace }: ReasonOf<'no-environment'>): string {
  const place = `in namespace "${namespace}"`;
  if (missingTags.length > 0) return `no environment${tagged(missingTags)} ${place} exists`;
  return tags.length === 0
    ? `no environment ${place} exists`
    : `no environment ${place} has all of the tags ${quoted(tags)}`;
}

type Matching = Pick<
  ReasonOf<'busy' | 'unreachable' | 'draining'>,
  'matching' | 'tags' | 'namespace'
>;

const kindOf = ({ tags, namespace }: Matching): string =>
  `${tagged(tags)} in namespace "${namespace}"`;

/** `the only environment with ... is` or `all 3 environments with ... are`, with tags and namespace. */
function allMatching(reason: Matching): string {
  return reason.matching === 1
    ? `the only environment${kindOf(reason)} is`
    : `all ${ofMatching(reason)} are`;
}

const ofMatching = (reason: Matching): string => `${reason.matching} environments${kindOf(reason)}`;

function list(shown: readonly string[], matching: number): string {
  const hidden = matching - shown.length;
  if (shown.length === 0) return '';
  return ` (${shown.join('; ')}${hidden > 0 ? `; and ${hidden} more` : ''})`;
}

function describeBusy(reason: ReasonOf<'busy'>): string {
  const shown = reason.environments.map((environment) => {
    const { name, job_id: job, job_name: ownName, workflow_id: workflow } = environment;
    if (ownName !== undefined) return `${name} with ${ownJob(ownName)}`;
    if (job === null) return name;
    return `${name} with job ${job}${workflow === null ? '' : ` of workflow ${workflow}`}`;
  });
  const { matching, unreachable = NONE, draining = NONE } = reason;
  const busy = matching - unreachable.matching - draining.matching;
  return describeStates(reason, [
    { count: busy, state: `busy${list(shown, busy)}` },
    { count: unreachable.matching, state: `unreachable${listUnreachable(unreachable)}` },
    { count: draining.matching, state: `draining${listDraining(draining)}` },
  ]);
}

const NONE = { environments: [], matching: 0 } as const;

function describeUnreachable(reason: ReasonOf<'unreachable'>): string {
  const { draining = NONE } = reason;
  const all = { ...reason, matching: reason.matching + draining.matching };
  return describeStates(all, [
    { count: reason.matching, state: `unreachable${listUnreachable(reason)}` },
    { count: draining.matching, state: `draining${listDraining(draining)}` },
  ]);
}

const describeDraining = (reason: ReasonOf<'draining'>): string =>
  `${allMatching(reason)} draining${listDraining(reason)}`;

/** Describes environments: `all` if they share one state, else a number `of` them for each state. */
function describeStates(
  reason: Matching,
  states: readonly { readonly count: number; readonly state: string }[],
): string {
  const [first, ...others] = states.filter(({ count }) => count > 0);
  if (first === undefined) return `${allMatching(reason)} busy`;
  if (others.length === 0) return `${allMatching(reason)} ${first.state}`;
  const parts = [first, ...others].map(({ count, state }) => `${count} ${are(count)} ${state}`);
  return `of ${ofMatching(reason)}, ${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

const listDraining = ({ environments, matching }: DrainingEnvironments): string =>
  list(
    environments.map(({ name }) => name),
    matching,
  );

type Unreachable = Pick<ReasonOf<'unreachable'>, 'environments' | 'matching'>;

function listUnreachable({ environments, matching }: Unreachable): string {
  const shown = environments.map(({ name, since }) => `${name} since ${since.slice(0, 19)}`);
  return list(shown, matching);
}

const are = (count: number): string => (count === 1 ? 'is' : 'are');
