/** What would let a waiting job begin, in words. */
import { countOf, type WaitingReason } from '@tutti/manifests';

const quoted = (tags: readonly string[]): string =>
  tags.length === 0 ? '' : ` with ${tags.map((tag) => `"${tag}"`).join(', ')}`;

/** A sentence for each thing that would help. */
export function helpFor(reason: WaitingReason): readonly string[] {
  switch (reason.reason) {
    case 'no-environment':
      return [
        `An environment${quoted(reason.tags)} in namespace "${reason.namespace}": start an agent there${tagsOption(reason.tags)}.`,
        ...(reason.tags.length === 0 ? [] : ['Other tags in `runs-on` of the job.']),
      ];
    case 'busy':
      return [
        `One more environment${quoted(reason.tags)}, or the end of a job on one of them.`,
        ...drained(reason.draining?.matching ?? 0),
        ...lost(reason.unreachable?.matching ?? 0),
      ];
    case 'unreachable':
      return [...lost(reason.matching), ...drained(reason.draining?.matching ?? 0)];
    case 'draining':
      return drained(reason.matching);
    case 'max-parallel':
      return [`A larger \`max-parallel\` than ${reason.limit}, or the end of a job beside it.`];
    case 'concurrency':
      return [
        `The end of what holds the group "${reason.group}", or another group in \`concurrency\`.`,
      ];
  }
}

const tagsOption = (tags: readonly string[]): string =>
  tags.length === 0 ? '' : ` with \`--tags ${tags.join(',')}\``;

const lost = (count: number): readonly string[] =>
  count === 0
    ? []
    : [`The return of ${countOf(count, 'environment')} that the server cannot reach.`];

const drained = (count: number): readonly string[] =>
  count === 0 ? [] : [`\`tutti agents undrain\` for ${countOf(count, 'draining environment')}.`];
