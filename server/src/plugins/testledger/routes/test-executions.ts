/** `GET /tests/{test_id}/executions`: where, when and how a test ran. */
import { formatTimestamp, status } from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { enterPage, pageLength } from '../../../http/answer-memory.ts';
import { sendList } from '../../../http/list-answer.ts';
import { pageOffset, queryPage, setPageLinks } from '../../../http/paging.ts';
import { queryChoice, queryPhrase, queryTime } from '../../../http/query.ts';
import { searched } from '../../../http/searched.ts';
import type {
  ExecutionConditions,
  ListedExecution,
  ListedTest,
} from '../../../store/test-history.ts';
import type { HistoryStore } from './history-store.ts';
import { queryVariant, testInPath } from './test-in-path.ts';
import { EXECUTIONS_MESSAGE, OUTCOMES, type TestPath } from './words.ts';

export async function listExecutions(
  store: HistoryStore,
  reply: FastifyReply<TestPath>,
): Promise<FastifyReply> {
  const { request } = reply;
  const page = queryPage(request);
  const test = await testInPath(store, request);
  const conditions = conditionsOf(request, test);
  const count = pageLength(await enterPage(request, reply));
  const query = { ...conditions, offset: pageOffset(page), limit: page.perPage };
  const { items: executions, total } = await searched(request, () => store.testExecutions(query));
  setPageLinks(reply, page, { total });
  const items = executions.map((execution) => JSON.stringify(itemOf(execution)));
  for (const item of items) count(item);
  const document = status('OK', EXECUTIONS_MESSAGE, { items: [], total });
  return await sendList(request, reply, { document, items });
}

function conditionsOf(request: FastifyRequest, { id }: ListedTest): ExecutionConditions {
  const variantId = queryVariant(request);
  const version = queryPhrase(request, 'version');
  const branch = queryPhrase(request, 'branch');
  const outcome = queryChoice(request, 'outcome', OUTCOMES);
  const since = queryTime(request, 'since');
  return {
    testId: id,
    ...(variantId === null ? {} : { variantId }),
    ...(version === null ? {} : { version }),
    ...(branch === null ? {} : { branch }),
    ...(outcome === null ? {} : { outcome }),
    ...(since === null ? {} : { since }),
  };
}

function itemOf(execution: ListedExecution) {
  const { variantId, job, attempt, outcome, startedMs, durationMs, run, place } = execution;
  return {
    workflow_id: run.workflowId,
    variant_id: variantId,
    job,
    attempt,
    outcome,
    started: formatTimestamp(startedMs),
    duration: durationMs,
    version: run.version,
    branch: run.branch,
    isMain: run.isMain,
    agent: place?.agent ?? null,
  };
}
