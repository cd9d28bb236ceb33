/** Test cases by their names, and what to say if none has the name. */
import type { JsonRecord } from '@tutti/client';
import { cleanLine } from '@tutti/run-view/text';
import { createNamePattern } from '@tutti/selectors';
import { UsageError } from '../terminal/problem.ts';
import { readTestCase } from './shown-test-case.ts';

/** Names that a refusal suggests. */
const SIMILAR_MAX = 5;

/** A name that is also a pattern, as in `test_total[1-2]`, is first of all a name. */
export function createNameSearch(name: string) {
  const isLike = createNamePattern(name);
  const part = name.toLowerCase();
  const similar = new Set<string>();
  return {
    isMeant(item: JsonRecord): boolean {
      const { metadata, test } = readTestCase(item);
      const names = [metadata.name, test.testCaseName];
      if (names.some((each) => each === name || isLike(each))) return true;
      if (similar.size < SIMILAR_MAX && metadata.name.toLowerCase().includes(part))
        similar.add(metadata.name);
      return false;
    },
    unknown(workflowId: string): UsageError {
      const found = [...similar].map((each) => `"${cleanLine(each)}"`).join(', ');
      const next =
        found === ''
          ? `see all of them with: tutti testcases ${workflowId}`
          : `take one of these: ${found}.`;
      return new UsageError(`No test case has the name "${cleanLine(name)}".`, next);
    },
  };
}
