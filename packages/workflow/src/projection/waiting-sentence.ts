/** Why something waits, in words. */
import type { WaitingReason } from '@tutti/manifests';

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

type Matching = Pick<ReasonOf<'busy' | 'unreachable'>, 'matching' | 'tags' | 'namespace'>;

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
  const { matching, unreachable = null } = reason;
  if (unreachable === null) return `${allMatching(reason)} busy${list(shown, matching)}`;
  const busy = matching - unreachable.matching;
  return `of ${ofMatching(reason)}, ${busy} ${are(busy)} busy${list(shown, busy)} and ${unreachable.matching} ${are(unreachable.matching)} unreachable${listUnreachable(unreachable)}`;
}

function describeUnreachable(reason: ReasonOf<'unreachable'>): string {
  return `${allMatching(reason)} unreachable${listUnreachable(reason)}`;
}

type Unreachable = Pick<ReasonOf<'unreachable'>, 'environments' | 'matching'>;

function listUnreachable({ environments, matching }: Unreachable): string {
  const shown = environments.map(({ name, since }) => `${name} since ${since.slice(0, 19)}`);
  return list(shown, matching);
}

const are = (count: number): string => (count === 1 ? 'is' : 'are');
