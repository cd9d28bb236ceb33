/** `GET /quarantine` and `GET /test-journal`: what is in quarantine, and what became of tests. */
import { isUuid, OrchestratorError, parseTimestamp, status } from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { enterPage, pageLength } from '../../../http/answer-memory.ts';
import { askedNamespaces } from '../../../http/asked-namespaces.ts';
import { sendList } from '../../../http/list-answer.ts';
import { pageOffset, queryPage, setPageLinks } from '../../../http/paging.ts';
import { queryChoice, queryPhrase, queryText, queryTime } from '../../../http/query.ts';
import { searched } from '../../../http/searched.ts';
import type { JournalConditions, ListedChange } from '../../../store/test-history.ts';
import type { HistoryStore } from './history-store.ts';
import { changeItem, quarantineItem, testPart } from './quarantine-items.ts';
import { CHANGES, JOURNAL_MESSAGE, QUARANTINE_MESSAGE } from './quarantine-words.ts';
import { LIST_TESTS } from './words.ts';

export function listQuarantine(
  store: HistoryStore,
  reply: FastifyReply,
  nowMs: number,
): Promise<FastifyReply> {
  const conditions = { ...placeOf(reply.request), inForceMs: nowMs };
  const itemOf = (change: ListedChange) => ({
    ...testPart(change),
    state: change.state,
    ...quarantineItem(change, nowMs),
  });
  return sendChanges(store, reply, { conditions, itemOf, message: QUARANTINE_MESSAGE });
}

export function listJournal(store: HistoryStore, reply: FastifyReply): Promise<FastifyReply> {
  const { request } = reply;
  const testId = queryText(request, 'test');
  if (testId !== null && !isUuid(testId))
    throw new OrchestratorError('Invalid', `Parameter "test" must be a UUID, not "${testId}".`);
  const kind = queryChoice(request, 'kind', CHANGES);
  const since = queryTime(request, 'since');
  const conditions = {
    ...placeOf(request),
    ...(testId === null ? {} : { testId: testId.toLowerCase() }),
    ...(kind === null ? {} : { kind }),
    ...(since === null ? {} : { sinceMs: parseTimestamp(since) ?? 0 }),
  };
  const itemOf = (change: ListedChange) => ({ ...testPart(change), ...changeItem(change) });
  return sendChanges(store, reply, { conditions, itemOf, message: JOURNAL_MESSAGE });
}

function placeOf(request: FastifyRequest): JournalConditions {
  const namespaces = askedNamespaces(request, LIST_TESTS);
  const project = queryPhrase(request, 'project');
  return {
    ...(namespaces === null ? {} : { namespaces }),
    ...(project === null ? {} : { project }),
  };
}

interface ChangeList {
  readonly conditions: JournalConditions;
  readonly itemOf: (change: ListedChange) => object;
  readonly message: string;
}

async function sendChanges(
  store: HistoryStore,
  reply: FastifyReply,
  { conditions, itemOf, message }: ChangeList,
): Promise<FastifyReply> {
  const { request } = reply;
  const page = queryPage(request);
  const count = pageLength(await enterPage(request, reply));
  const query = { ...conditions, offset: pageOffset(page), limit: page.perPage };
  const [{ entries: total }, changes] = await searched(request, () =>
    Promise.all([store.countJournal(conditions), store.testJournal(query)]),
  );
  setPageLinks(reply, page, { total });
  const items = changes.map((change) => JSON.stringify(itemOf(change)));
  for (const item of items) count(item);
  return await sendList(request, reply, {
    document: status('OK', message, { items: [], total }),
    items,
  });
}
