/** The sections of a report whose definition has none: the verdict, its source, the most important failures, then everything. */
import type { SectionDefinition } from '@tutti/manifests';

const FAILED = "test.outcome == 'failure' || test.outcome == 'error'";

export const DEFAULT_TEMPLATE: readonly SectionDefinition[] = [
  { name: 'Summary', kind: 'SummaryBlock' },
  {
    name: 'Failures',
    kind: 'Table',
    datasource: 'testcases',
    scope: FAILED,
    skipIfNotFound: true,
    columns: {
      Outcome: 'test.outcome',
      'Test case': 'test.testCaseName',
      Suite: 'test.suiteName',
      Job: 'test.job',
      Message: 'execution.failureDetails || execution.errorDetails',
    },
  },
  { name: 'Jobs', kind: 'Cloud', datasource: 'jobs', skipIfNotFound: true },
  {
    name: 'By job',
    kind: 'ProgressBar',
    datasource: 'testcases',
    groupBy: 'test.job',
    data: 'test.outcome',
    skipIfNotFound: true,
  },
  {
    name: 'By technology',
    kind: 'ProgressBar',
    datasource: 'testcases',
    groupBy: 'test.technology',
    data: 'test.outcome',
    skipIfNotFound: true,
  },
  {
    name: 'Slowest test cases',
    kind: 'BarChart',
    datasource: 'testcases',
    primaryAxis: { data: 'metadata.name', title: 'Test case' },
    secondaryAxis: { data: 'execution.duration', title: 'Duration' },
    aggregateFunction: 'max',
    orderBy: { key: 'value', order: 'descending' },
    orientation: 'horizontal',
    maxItems: 10,
    skipIfNotFound: true,
  },
  {
    name: 'All test cases',
    kind: 'Table',
    datasource: 'testcases',
    columns: {
      Outcome: 'test.outcome',
      'Test case': 'test.testCaseName',
      Suite: 'test.suiteName',
      Technology: 'test.technology',
      Job: 'test.job',
      Duration: 'execution.duration',
      Executions: 'metadata.executions',
    },
  },
];
