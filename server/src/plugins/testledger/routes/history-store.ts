/** The reads of the routes. */
import type { TestHistoryReads } from '../../../store/test-history.ts';

export type HistoryStore = Pick<
  TestHistoryReads,
  | 'causes'
  | 'countCauses'
  | 'cause'
  | 'causeVariants'
  | 'causeRuns'
  | 'tests'
  | 'countTests'
  | 'test'
  | 'testVariants'
  | 'testExecutions'
  | 'testJournal'
  | 'countJournal'
  | 'testedRuns'
>;
