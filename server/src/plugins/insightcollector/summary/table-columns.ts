/** Columns of tables: title and field. */
import type { SectionDefinition } from '@tutti/manifests';

const DEFAULT_COLUMNS = {
  testcases: {
    Outcome: 'test.outcome',
    Suite: 'test.suiteName',
    'Test case': 'test.testCaseName',
    Job: 'test.job',
    Duration: 'execution.duration',
  },
  tags: {
    Tag: 'metadata.name',
    Jobs: 'status.jobCount',
    'Test cases': 'status.testCaseCount',
    Success: 'status.testCaseStatusSummary.success',
    Failure: 'status.testCaseStatusSummary.failure',
    Error: 'status.testCaseStatusSummary.error',
    Skipped: 'status.testCaseStatusSummary.skipped',
  },
} as const;

export function columnsOf({
  columns,
  datasource,
}: SectionDefinition): Readonly<Record<string, string>> {
  return columns ?? DEFAULT_COLUMNS[datasource === 'tags' ? 'tags' : 'testcases'];
}
