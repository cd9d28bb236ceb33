/** Test cases as JUnit XML: one document, whatever the technologies were. */
import { suiteKey, XML_END, xmlHead, xmlSuite, xmlWarnings } from '@tutti/workflow/junit-xml';
import { readTestCase, type ShownTestCase } from './shown-test-case.ts';
import type { FormatContext, TestCaseFormat } from './test-case-format.ts';

/** Test cases of one element; a larger suite has several. */
const SUITE_MAX = 1_000;

/** Adjacent test cases of a suite become one element. Each element has its counts: totals would have to precede all elements. */
export function createJunitFormat({ workflowId }: FormatContext): TestCaseFormat {
  let suite: ShownTestCase[] = [];
  let key = '';
  const close = (): string => {
    const text = xmlSuite(suite);
    suite = [];
    return text;
  };
  return {
    begin: ({ warnings }) => xmlHead(workflowId, null) + xmlWarnings(warnings),
    items(items) {
      let text = '';
      for (const testCase of items.map(readTestCase)) {
        const own = suiteKey(testCase);
        if (own !== key || suite.length >= SUITE_MAX) text += close();
        key = own;
        suite.push(testCase);
      }
      return text;
    },
    end: () => `${close()}${XML_END}`,
  };
}
