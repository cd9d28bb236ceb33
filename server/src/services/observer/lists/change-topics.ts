/** Topics of a reader of changes: what it may know, and what it is shown. */
import { OrchestratorError, parseWorkflowId, type WorkflowId } from '@tutti/manifests';
import type { FastifyRequest } from 'fastify';
import {
  type Access,
  isAllowed,
  notAuthorized,
  type Right,
  requireAccessAsAsked,
} from '../../../auth/access.ts';
import { queryText } from '../../../http/query.ts';
import { knownRun } from '../../../http/run-in-path.ts';
import type { Store } from '../../../store/store.ts';
import type { Change, RunChange, Wanted } from './changes.ts';
import { LIST_RUNS } from './list-words.ts';

export const TOPICS_LIMITS = {
  /** A page shows one thing, and some numbers of others. */
  topics: 32,
  /** Ids of runs in one message; a list with more changes is read anew. */
  ids: 100,
} as const;

const READ_RUN: Right = { resource: 'status', verb: 'get' };
const LIST_CHANNELS: Right = { resource: 'channels', verb: 'list' };

export interface Topic {
  /** As the reader wrote it. */
  readonly name: string;
  readonly workflowId: WorkflowId | null;
  wants(change: Change): boolean;
  /** `details` about changes that it wants. */
  describe(changes: readonly Change[]): object;
}

/** The topics of a request. Throws `Invalid`, and `NotFound` or `Forbidden` for what the caller may not see. */
export async function topicsOf(
  store: Pick<Store, 'workflow'>,
  request: FastifyRequest,
): Promise<readonly Topic[]> {
  const names = [...new Set((queryText(request, 'topics') ?? '').split(','))];
  if (names.length > TOPICS_LIMITS.topics) {
    const error = `Parameter "topics" has more than ${TOPICS_LIMITS.topics} topics.`;
    throw new OrchestratorError('Invalid', error);
  }
  const topics: Topic[] = [];
  for (const name of names) topics.push(await topicOf(store, request, name));
  return topics;
}

export const wantedOf = (topics: readonly Topic[]): Wanted => ({
  runs: topics.flatMap(({ workflowId }) => workflowId ?? []),
  hasLists: topics.some(({ workflowId }) => workflowId === null),
});

/** Details of these changes, by topic; null where the reader wants none of them. */
export function newsFor(
  topics: readonly Topic[],
  changes: readonly Change[],
): Readonly<Record<string, object>> | null {
  const shown = topics.flatMap((topic) => {
    const wanted = changes.filter((change) => topic.wants(change));
    return wanted.length === 0 ? [] : [[topic.name, topic.describe(wanted)] as const];
  });
  return shown.length === 0 ? null : Object.fromEntries(shown);
}

async function topicOf(
  store: Pick<Store, 'workflow'>,
  { access }: FastifyRequest,
  name: string,
): Promise<Topic> {
  const [kind = '', ...rest] = name.split(':');
  const about = rest.length === 0 ? null : rest.join(':');
  if (kind === 'run' && about !== null) return await runTopic(store, access, name, about);
  if (kind === 'runs' || kind === 'queue') return listTopic(access, name, { kind, about });
  if (name === 'environments') return environmentsTopic(access, name);
  throw new OrchestratorError(
    'Invalid',
    `Unknown topic "${name}". Topics are runs, queue, both also with :NAMESPACE, run:ID and environments.`,
  );
}

async function runTopic(
  store: Pick<Store, 'workflow'>,
  access: Access,
  name: string,
  id: string,
): Promise<Topic> {
  const { workflowId } = await knownRun(store, parseWorkflowId(id), access, READ_RUN);
  return {
    name,
    workflowId,
    wants: (change) => change.kind === 'run' && change.workflowId === workflowId,
    describe: (changes) => ({ seq: Math.max(...changes.map((change) => seqOf(change))) }),
  };
}

const seqOf = (change: Change): number => (change.kind === 'run' ? change.seq : 0);

function listTopic(
  access: Access,
  name: string,
  { kind, about }: { readonly kind: 'runs' | 'queue'; readonly about: string | null },
): Topic {
  if (about !== null) requireAccessAsAsked(access, LIST_RUNS, about);
  else requireSome(access, LIST_RUNS);
  const sees = (namespace: string) =>
    about === null ? isAllowed(access, LIST_RUNS, namespace) : namespace === about;
  return {
    name,
    workflowId: null,
    wants: (change) =>
      change.kind === 'run'
        ? change.isListed && sees(change.namespace)
        : change.kind === 'removal' && kind === 'runs',
    describe: (changes) => (kind === 'queue' ? {} : { ids: idsOf(changes) }),
  };
}

/** Null where the list is to be read anew. */
function idsOf(changes: readonly Change[]): readonly WorkflowId[] | null {
  const runs = changes.filter((change): change is RunChange => change.kind === 'run');
  const ids = [...new Set(runs.map(({ workflowId }) => workflowId))];
  return runs.length < changes.length || ids.length > TOPICS_LIMITS.ids ? null : ids;
}

function environmentsTopic(access: Access, name: string): Topic {
  requireSome(access, LIST_CHANNELS);
  const allowed = access.namespaces(LIST_CHANNELS.resource, LIST_CHANNELS.verb);
  const sees = (namespaces: string): boolean => {
    const names = (namespaces || 'default').split(',').map((each) => each.trim());
    return allowed === '*' || names.some((each) => each === '*' || allowed.has(each));
  };
  return {
    name,
    workflowId: null,
    wants: (change) => change.kind === 'environments' && sees(change.namespaces),
    describe: () => ({}),
  };
}

function requireSome(access: Access, { resource, verb }: Right): void {
  const allowed = access.namespaces(resource, verb);
  if (allowed !== '*' && allowed.size === 0) throw notAuthorized(access, verb, resource);
}
