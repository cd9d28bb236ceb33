/** `GET /runs`: runs in a list, with what became of them. */
import { status } from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { enterPage, pageLength } from '../../../http/answer-memory.ts';
import { askedNamespaces } from '../../../http/asked-namespaces.ts';
import { sendList } from '../../../http/list-answer.ts';
import { queryPage, setPageLinks } from '../../../http/paging.ts';
import { choiceOf, queryChoice, queryPhrase, queryText, queryTime } from '../../../http/query.ts';
import { searched } from '../../../http/searched.ts';
import type { RunConditions } from '../../../store/store.ts';
import { readSelectors } from '../selectors.ts';
import { LIST_RUNS, ORDERS, RUNS_MESSAGE, STATUSES } from './list-words.ts';
import { runItem, usualDurations } from './run-items.ts';
import { type ListStore, type RunQuestion, runPage } from './run-page.ts';

/** Answers with a page of the runs that the caller may list. */
export async function listRuns(store: ListStore, reply: FastifyReply): Promise<FastifyReply> {
  const { request } = reply;
  const page = queryPage(request);
  const question = questionOf(request);
  const { lengthMax } = await enterPage(request, reply);
  const find = () => runPage(store, question, page, pageLength({ lengthMax }));
  const { runs, total } = await (question.selectors.isEmpty ? find() : searched(request, find));
  const usual = await usualDurations(store, runs);
  setPageLinks(reply, page, { total });
  const missing = runs.filter(({ summary }) => summary === null).length;
  const warnings = missing === 0 ? {} : { warnings: [withoutSummary(missing)] };
  const document = status('OK', RUNS_MESSAGE, { items: [], total, ...warnings });
  const items = runs.map((run) => JSON.stringify(runItem(run, usual(run))));
  return await sendList(request, reply, { document, items });
}

const withoutSummary = (count: number): string =>
  `${count} of these runs are of an earlier version of the server. Their jobs, labels and failures are read now; ask again in a minute.`;

function questionOf(request: FastifyRequest): RunQuestion {
  const sort = queryChoice(request, 'sort', ORDERS) ?? '-started';
  const isDescending = sort.startsWith('-');
  const order = choiceOf('sort', sort.replace('-', ''), [
    'started',
    'name',
    'duration',
    'failures',
  ]);
  return {
    conditions: conditionsOf(request),
    order,
    isDescending,
    selectors: readSelectors(request),
  };
}

function conditionsOf(request: FastifyRequest): RunConditions {
  const namespaces = askedNamespaces(request, LIST_RUNS);
  const statuses = queryText(request, 'status')
    ?.split(',')
    .map((each) => choiceOf('status', each, STATUSES));
  const name = queryText(request, 'name');
  const search = queryPhrase(request, 'search');
  const since = queryTime(request, 'since');
  const until = queryTime(request, 'until');
  return {
    ...(namespaces === null ? {} : { namespaces }),
    ...(statuses === undefined ? {} : { statuses }),
    ...(name === null ? {} : { name }),
    ...(search === null ? {} : { search }),
    ...(since === null ? {} : { since }),
    ...(until === null ? {} : { until }),
  };
}
