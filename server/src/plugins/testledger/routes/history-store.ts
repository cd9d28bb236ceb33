/** The reads of the routes. */
import type { TestHistoryReads } from '../../../store/test-history.ts';

export type HistoryStore = Pick<
  TestHistoryReads,
  | 'tests'
  | 'countTests'
  | 'test'
  | 'testVariants'
  | 'testExecutions'
  | 'testJournal'
  | 'countJournal'
  | 'testedRuns'
>;
