/** Advice for waiting jobs, in words. */
import type { WaitingReason } from '@tutti/manifests';

type ReasonOf<Name extends WaitingReason['reason']> = Extract<WaitingReason, { reason: Name }>;

/** One sentence for people who want the job to begin. */
export function describeHelp(reason: WaitingReason): string {
  switch (reason.reason) {
    case 'no-environment':
      return helpAbsence(reason);
    case 'busy':
      return `Start one more agent${withTags(reason.tags)} for namespace "${reason.namespace}", or wait for the end of a job.`;
    case 'unreachable':
      return `Look at ${namesOf(reason)}: is the agent started, and does it reach the server?`;
    case 'draining':
      return `Take ${namesOf(reason)} back into service with "tutti agents undrain", or start another agent${withTags(reason.tags)}.`;
    case 'max-parallel':
      return `Wait for the end of a job of this run, or raise max-parallel above ${reason.limit}.`;
    case 'concurrency':
      return `Wait for the end of ${holderOf(reason)}, or cancel it.`;
  }
}

function helpAbsence({ tags, missingTags, namespace }: ReasonOf<'no-environment'>): string {
  const start = `Start an agent${withTags(tags)} for namespace "${namespace}"`;
  return missingTags.length === 0 ? `${start}.` : `${start}, or correct runs-on.`;
}

const holderOf = ({ heldBy, heldByJob }: ReasonOf<'concurrency'>): string =>
  heldByJob === undefined ? `workflow ${heldBy}` : `job "${heldByJob}"`;

const withTags = (tags: readonly string[]): string =>
  tags.length === 0 ? '' : ` with ${tags.length === 1 ? 'tag' : 'tags'} ${quoted(tags)}`;

const quoted = (texts: readonly string[]): string => texts.map((text) => `"${text}"`).join(', ');

/** Environments of a reason: it names ten at most. */
function namesOf({
  environments,
  matching,
}: {
  readonly environments: readonly { readonly name: string }[];
  readonly matching: number;
}): string {
  if (environments.length === 0) return 'the environments';
  const hidden = matching - environments.length;
  const names = environments.map(({ name }) => name).join(', ');
  return `${environments.length === 1 && hidden === 0 ? 'environment' : 'environments'} ${names}${hidden > 0 ? ` and ${hidden} more` : ''}`;
}
