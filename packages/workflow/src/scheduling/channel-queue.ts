/** Lists the requests that wait for one channel, and the waiting requests that it cannot serve: for people, on request. */
import type { ChannelState } from './channel-state.ts';
import type { ChannelQueue, ListedRequest, QueueQuery } from './pool-types.ts';
import type { RequestClass, WaitingRequest } from './request-class.ts';
import { insertSorted } from './request-queue.ts';

export const NO_QUEUE: ChannelQueue = {
  served: [],
  servedCount: 0,
  unserved: [],
  unservedCount: 0,
};

/** Looks at each class once, and at no more of its requests than are named. */
export function queueOf(
  state: ChannelState,
  classes: Iterable<RequestClass>,
  { limit, sees }: QueueQuery,
  compare: (left: WaitingRequest, right: WaitingRequest) => number,
): ChannelQueue {
  const seen = [...classes].filter(({ queue, namespace }) => queue.size > 0 && sees(namespace));
  const verdicts = seen.map((each) => ({ each, ...verdictOn(state, each) }));
  const isServed = (verdict: Verdict) => verdict.isReached && verdict.missingTags.length === 0;
  const isNear = (verdict: Verdict) => verdict.isReached !== (verdict.missingTags.length === 0);
  const served = verdicts.filter(isServed);
  const unserved = verdicts.filter(isNear);
  return {
    served: served
      .flatMap(({ each }) => each.queue.firstOnes(limit))
      .sort(compare)
      .slice(0, limit)
      .map(({ request }) => request),
    servedCount: sizeOf(served),
    unserved: unserved
      .flatMap(({ each, missingTags }) =>
        each.queue.firstOnes(limit).map(({ request }) => ({ request, missingTags })),
      )
      .sort((left, right) => left.request.order - right.request.order)
      .slice(0, limit),
    unservedCount: sizeOf(unserved),
  };
}

/** The first request of a class that is not listed yet, and those behind it. */
interface Head {
  readonly waiting: WaitingRequest;
  readonly place: number;
  readonly rest: Iterator<WaitingRequest>;
}

/** Merges the queues of these classes. It looks at no more requests than it lists. */
export function waitingIn(
  classes: readonly RequestClass[],
  limit: number,
  compare: (left: WaitingRequest, right: WaitingRequest) => number,
): readonly Omit<ListedRequest, 'reason'>[] {
  const byTurn = (left: Head, right: Head) => compare(left.waiting, right.waiting);
  const headOf = (rest: Iterator<WaitingRequest>, place: number): Head[] => {
    const { value, done } = rest.next();
    return done === true ? [] : [{ waiting: value, place, rest }];
  };
  const heads = classes.flatMap(({ queue }) => headOf(queue.inOrder(), 1)).sort(byTurn);
  const listed: Omit<ListedRequest, 'reason'>[] = [];
  while (listed.length < limit) {
    const head = heads.shift();
    if (head === undefined) break;
    listed.push({ request: head.waiting.request, place: head.place });
    for (const next of headOf(head.rest, head.place + 1)) insertSorted(heads, next, byTurn);
  }
  return listed;
}

interface Verdict {
  readonly missingTags: readonly string[];
  readonly isReached: boolean;
}

function verdictOn({ tags, namespaces }: ChannelState, wanted: RequestClass): Verdict {
  return {
    missingTags: wanted.tags.filter((tag) => !tags.has(tag)),
    isReached: namespaces.has('*') || namespaces.has(wanted.namespace),
  };
}

const sizeOf = (verdicts: readonly { readonly each: RequestClass }[]): number =>
  verdicts.reduce((sum, { each }) => sum + each.queue.size, 0);
