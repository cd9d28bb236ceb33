/** `GET /causes`: causes of failures over all runs. */
import { parseTimestamp, status } from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { enterPage, pageLength } from '../../../http/answer-memory.ts';
import { askedNamespaces } from '../../../http/asked-namespaces.ts';
import { sendList } from '../../../http/list-answer.ts';
import { pageOffset, queryPage, setPageLinks } from '../../../http/paging.ts';
import { queryPhrase, queryTime } from '../../../http/query.ts';
import { searched } from '../../../http/searched.ts';
import type { CauseConditions } from '../../../store/causes.ts';
import { causeItem } from './cause-items.ts';
import { CAUSES_MESSAGE } from './cause-words.ts';
import type { HistoryStore } from './history-store.ts';
import { queryId } from './test-in-path.ts';
import { LIST_TESTS } from './words.ts';

/** Answers with a page of the causes that the caller may list. */
export async function listCauses(store: HistoryStore, reply: FastifyReply): Promise<FastifyReply> {
  const { request } = reply;
  const page = queryPage(request);
  const conditions = conditionsOf(request);
  const count = pageLength(await enterPage(request, reply));
  const query = { ...conditions, offset: pageOffset(page), limit: page.perPage };
  const { total, causes } = await searched(request, async () => ({
    total: await store.countCauses(conditions),
    causes: await store.causes(query),
  }));
  setPageLinks(reply, page, { total });
  const items = causes.map((cause) => JSON.stringify(causeItem(cause)));
  for (const item of items) count(item);
  const document = status('OK', CAUSES_MESSAGE, { items: [], total });
  return await sendList(request, reply, { document, items });
}

function conditionsOf(request: FastifyRequest): CauseConditions {
  const namespaces = askedNamespaces(request, LIST_TESTS);
  const project = queryPhrase(request, 'project');
  const search = queryPhrase(request, 'search');
  const since = queryTime(request, 'since');
  const testId = queryId(request, 'test');
  return {
    ...(namespaces === null ? {} : { namespaces }),
    ...(project === null ? {} : { project }),
    ...(search === null ? {} : { search }),
    ...(since === null ? {} : { sinceMs: parseTimestamp(since) ?? 0 }),
    ...(testId === null ? {} : { testId }),
  };
}
