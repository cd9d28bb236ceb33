/** The test cases of a run as a file of JUnit XML; of a million of them, some hundred are in memory. */
import {
  addOutcome,
  NO_TESTS,
  parseTestScope,
  presentTestCase,
  type Run,
  type TestCaseManifest,
  type TestCounts,
  type WrittenScope,
} from '@tutti/workflow';
import { suiteKey, XML_END, xmlHead, xmlSuite, xmlWarnings } from '@tutti/workflow/junit-xml';
import { reportWarnings } from '../../store/report-warnings.ts';
import type { Store, StoredTestCase } from '../../store/store.ts';
import { COLLECTOR_LIMITS } from './limits.ts';
import { testCasePages } from './test-case-pages.ts';

type CaseStore = Pick<Store, 'testCases' | 'brokenReports'>;

/** In UTF-8. Throws `Invalid` when the scope is wrong. */
export async function* surefireContent(
  store: CaseStore,
  run: Run,
  scope: WrittenScope,
): AsyncGenerator<Uint8Array> {
  // Read twice: the counts stand before what is counted.
  const counts = await countCases(store, run, scope);
  const warnings = await reportWarnings(store, run.workflowId);
  let gathered = xmlHead(run.name, counts) + xmlWarnings(warnings);
  for await (const suite of suitesOf(store, run, scope)) {
    gathered += xmlSuite(suite);
    if (gathered.length < COLLECTOR_LIMITS.chunkLength) continue;
    yield Buffer.from(gathered);
    gathered = '';
  }
  yield Buffer.from(gathered + XML_END);
}

async function countCases(store: CaseStore, run: Run, scope: WrittenScope): Promise<TestCounts> {
  const takes = parseTestScope(scope);
  let counts = NO_TESTS;
  for await (const page of testCasePages(store, run.workflowId)) {
    for (const { json, outcome } of page) {
      if (takes === null || takes(JSON.parse(json))) counts = addOutcome(counts, outcome, 1);
    }
  }
  return counts;
}

/** Neighbours of one suite are one element; where suites ran side by side, or are large, there are several of one name. */
async function* suitesOf(
  store: CaseStore,
  run: Run,
  scope: WrittenScope,
): AsyncGenerator<readonly TestCaseManifest[]> {
  const takes = parseTestScope(scope);
  let suite: TestCaseManifest[] = [];
  let key = '';
  for await (const page of testCasePages(store, run.workflowId)) {
    for (const stored of page) {
      const testCase = presented(stored);
      if (takes?.(testCase) === false) continue;
      const own = suiteKey(testCase);
      if (suite.length > 0 && (own !== key || suite.length >= COLLECTOR_LIMITS.suiteCases)) {
        yield suite;
        suite = [];
      }
      key = own;
      suite.push(testCase);
    }
  }
  if (suite.length > 0) yield suite;
}

function presented({ json, executions, history }: StoredTestCase): TestCaseManifest {
  return presentTestCase(
    JSON.parse(json),
    executions,
    history.map((each) => JSON.parse(each)),
  );
}
