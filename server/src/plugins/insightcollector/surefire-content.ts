/** The test cases of a run as a file of JUnit XML. Only some hundred of a million are in memory. */
import {
  addOutcome,
  NO_TESTS,
  parseTestScope,
  type Run,
  type TestCaseManifest,
  type WrittenScope,
} from '@tutti/workflow';
import { suiteKey, XML_END, xmlHead, xmlSuite, xmlWarnings } from '@tutti/workflow/junit-xml';
import type { Store } from '../../store/store.ts';
import { COLLECTOR_LIMITS } from './limits.ts';
import { reportNotices } from './report-notices.ts';
import type { Spool } from './spool.ts';
import { presented, testCasePages } from './test-case-pages.ts';

type CaseStore = Pick<Store, 'testCases' | 'brokenReports'>;
type Suite = readonly TestCaseManifest[];

/**
 * The report in XML, in UTF-8. Throws `Invalid` for a wrong scope. Counts come before the test cases, which may change between two
 * readings. So the test cases are read once, and wait in the spool.
 */
export async function* surefireContent(
  store: CaseStore,
  run: Run,
  scope: WrittenScope,
  spool: Spool,
): AsyncGenerator<Uint8Array> {
  let counts = NO_TESTS;
  const count = (suite: Suite) => {
    for (const { test } of suite) counts = addOutcome(counts, test.outcome, 1);
  };
  const body = await spool(bodyOf(suitesOf(store, run, scope), count));
  try {
    const warnings = await reportNotices(store, run);
    yield Buffer.from(xmlHead(run.name, counts) + xmlWarnings(warnings));
    yield* body;
    yield Buffer.from(XML_END);
  } finally {
    body.destroy();
  }
}

async function* bodyOf(
  suites: AsyncIterable<Suite>,
  count: (suite: Suite) => void,
): AsyncGenerator<Uint8Array> {
  let gathered = '';
  for await (const suite of suites) {
    count(suite);
    gathered += xmlSuite(suite);
    if (gathered.length < COLLECTOR_LIMITS.chunkLength) continue;
    yield Buffer.from(gathered);
    gathered = '';
  }
  yield Buffer.from(gathered);
}

/** Neighbours of one suite are one element. Where suites ran side by side, or are large, there are several of one name. */
async function* suitesOf(store: CaseStore, run: Run, scope: WrittenScope): AsyncGenerator<Suite> {
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
