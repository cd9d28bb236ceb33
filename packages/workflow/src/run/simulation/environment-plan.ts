/** The environments around a simulated run, and the tags that its jobs demand. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import type { ChannelOs, WorkflowJob } from '@tutti/manifests';
import { isDownloadKey } from './call-plan.ts';
import { axisOf, type JobPlan, jobsOnWay, type WorkflowPlan } from './plan.ts';

const SYSTEMS: readonly string[] = ['linux', 'macos', 'windows'] satisfies readonly ChannelOs[];

/** The system that tags demand, if one of them does. */
export const systemOf = (tags: readonly string[]): string | null =>
  tags.find((tag) => SYSTEMS.includes(tag)) ?? null;

/** Expression in a script that prints the system it runs on. */
export const SYSTEM_WORD = '${{ runner.os }}';

const listed = (tags: readonly string[]): string => `\${{ fromJSON('${JSON.stringify(tags)}') }}`;

export function runsOnOf(job: JobPlan): Pick<WorkflowJob, 'runs-on'> {
  const { names, form } = job.tags;
  const [first, ...others] = names;
  switch (form) {
    case 'cell':
      return { 'runs-on': `\${{ matrix.${axisOf(job)} }}` };
    case 'broken':
      return { 'runs-on': names.length > 0 ? "${{ 'no tag' }}" : '${{ nowhere.to.be.found }}' };
    case 'plain':
      if (first === undefined) return {};
      return { 'runs-on': others.length === 0 ? first : [first, ...others] };
    case 'list':
      return { 'runs-on': listed(names) };
    case 'mixed':
      return first === undefined ? {} : { 'runs-on': [first, ` ${listed(others)} `] };
    case 'status': {
      const [one, ...more] = names.map((name) => `\${{ always() && '${name}' }}`);
      return one === undefined ? {} : { 'runs-on': [one, ...more] };
    }
  }
}

/** The tags of the job with this key: its own, then those around it; null where they cannot be evaluated. */
export function expectedTags(plan: WorkflowPlan, key: string): readonly string[] | null {
  const names = key.split('/');
  const tags = jobsOnWay(plan, key)
    .toReversed()
    .map((job) => tagsAt(job, names));
  if (tags.includes(null)) return null;
  const ofOperator = isDownloadKey(key) ? plan.downloadTags : [];
  return [...new Set([...tags.flatMap((each) => each ?? []), ...ofOperator])];
}

/** `names`: those on the way to the job; that of a cell tells its value. */
function tagsAt({ name, tags, matrix }: JobPlan, names: readonly string[]) {
  if (tags.form === 'broken') return null;
  if (tags.form !== 'cell') return tags.names;
  return (matrix ?? []).filter((value) =>
    names.some((each) => each === `${name}-${value}` || each === `${name}-${value}-p`),
  );
}
