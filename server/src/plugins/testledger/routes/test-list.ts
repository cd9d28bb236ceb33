/** `GET /tests`: tests with their states. */
import { status } from '@tutti/manifests';
import { Ledger } from '@tutti/test-history';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { enterPage, pageLength } from '../../../http/answer-memory.ts';
import { askedNamespaces } from '../../../http/asked-namespaces.ts';
import { sendList } from '../../../http/list-answer.ts';
import { type Page, pageOffset, queryPage, setPageLinks } from '../../../http/paging.ts';
import { choiceOf, queryChoice, queryFlag, queryPhrase, queryText } from '../../../http/query.ts';
import { searched } from '../../../http/searched.ts';
import { nextTurn } from '../../../runtime/turns.ts';
import {
  type ListedTest,
  TEST_STATES,
  type TestConditions,
  type TestOrder,
} from '../../../store/test-history.ts';
import type { HistoryStore } from './history-store.ts';
import { testItem, versionWarnings } from './test-items.ts';
import { LIST_TESTS, ORDERS, TESTS_MESSAGE } from './words.ts';

/** Tests that are read together. */
const PORTION = 200;

/** Answers with a page of the tests that the caller may list. */
export async function listTests(
  store: HistoryStore,
  reply: FastifyReply,
  nowMs: number,
): Promise<FastifyReply> {
  const { request } = reply;
  const page = queryPage(request);
  const conditions = conditionsOf(request);
  const order = orderOf(request);
  const count = pageLength(await enterPage(request, reply));
  const { total, tests } = await searched(request, async () => ({
    total: await store.countTests(conditions),
    tests: await testsOfPage(store, { ...conditions, ...order, page }, count),
  }));
  setPageLinks(reply, page, { total });
  const warnings = versionWarnings(tests);
  const details = { items: [], total, ...(warnings.length > 0 ? { warnings } : {}) };
  const document = status('OK', TESTS_MESSAGE, details);
  const hasStrips = queryFlag(request, 'strip');
  const items: string[] = [];
  for (const test of tests) {
    const item = testItem(test, nowMs);
    const strip = hasStrips ? { strip: await stripOf(store, test) } : {};
    items.push(JSON.stringify({ ...item, status: { ...item.status, ...strip } }));
  }
  return await sendList(request, reply, { document, items });
}

interface Order {
  readonly order: TestOrder;
  readonly isDescending: boolean;
}

async function testsOfPage(
  store: HistoryStore,
  { page, ...query }: TestConditions & Order & { readonly page: Page },
  count: (text: string) => void,
): Promise<readonly ListedTest[]> {
  const tests: ListedTest[] = [];
  while (tests.length < page.perPage) {
    const limit = Math.min(PORTION, page.perPage - tests.length);
    const offset = pageOffset(page) + tests.length;
    const portion = await store.tests({ ...query, offset, limit });
    for (const { project, suite, name } of portion)
      count(`${project}${suite}${suite}${name}${name}`);
    tests.push(...portion);
    if (portion.length < limit) break;
    await nextTurn();
  }
  return tests;
}

/** The outcomes of the variant whose state the test has. */
async function stripOf(store: HistoryStore, { id }: ListedTest): Promise<string> {
  const [worst] = await store.testVariants({ testId: id, limit: 1 });
  const bytes = worst?.ledger ?? null;
  return bytes === null ? '' : (Ledger.read(bytes)?.letters ?? '');
}

function conditionsOf(request: FastifyRequest): TestConditions {
  const namespaces = askedNamespaces(request, LIST_TESTS);
  const project = queryPhrase(request, 'project');
  const search = queryPhrase(request, 'search');
  const states = queryText(request, 'state')
    ?.split(',')
    .map((each) => choiceOf('state', each, TEST_STATES));
  return {
    ...(namespaces === null ? {} : { namespaces }),
    ...(project === null ? {} : { project }),
    ...(search === null ? {} : { search }),
    ...(states === undefined ? {} : { states }),
  };
}

function orderOf(request: FastifyRequest): Order {
  const sort = queryChoice(request, 'sort', ORDERS) ?? '-impact';
  const order = choiceOf('sort', sort.replace('-', ''), [
    'impact',
    'flakeRate',
    'failures',
    'duration',
    'name',
    'lastFailed',
  ]);
  return { order, isDescending: sort.startsWith('-') };
}
