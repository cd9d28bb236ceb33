import { isOrchestratorError } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { readDocument } from '../../http/documents.ts';
import { insightsOf, remarksOn } from './insight-document.ts';

const of = (insights: readonly unknown[]) => insightsOf(readDocument(JSON.stringify({ insights })));

/** All that is wrong, a line each. */
function problemsOf(insights: readonly unknown[]): string {
  try {
    of(insights);
    return '';
  } catch (error) {
    if (!isOrchestratorError(error)) throw error;
    expect(error.reason).toBe('Invalid');
    expect(error.message).toMatch(/^Not a valid insight definition: /);
    return error.details !== null && 'error' in error.details ? String(error.details.error) : '';
  }
}

const summary = (...template: readonly unknown[]) => [
  { name: 'summary', kind: 'SummaryReport', spec: { template } },
];
const chart = { name: 'c', datasource: 'testcases', primaryAxis: { data: 'test.job' } };

describe('a definition is taken', () => {
  test.each<[string, readonly unknown[]]>([
    ['without a spec', [{ name: 'log', kind: 'ExecutionLog' }]],
    [
      'with a title and a condition',
      [{ name: 'log', kind: 'ExecutionLog', title: 'T', if: 'always()' }],
    ],
    [
      'with a condition on the workflow',
      [{ name: 'l', kind: 'ExecutionLog', if: "workflow.namespace == 'a'" }],
    ],
    [
      'with all entries of a log',
      [
        {
          name: 'log',
          kind: 'ExecutionLog',
          spec: {
            'step-depth': 1,
            'job-depth': 0,
            'max-command-length': 15,
            'output-prefix': '>',
            verbose: 'true',
            'show-notifications': 'true',
          },
        },
      ],
    ],
    [
      'of a report for machines',
      [{ name: 'x', kind: 'SurefireXmlReport', spec: { scope: "test.job == 'a'" } }],
    ],
    ['of all test cases', [{ name: 'x', kind: 'SurefireXmlReport', spec: { scope: true } }]],
    ['of no test case', summary({ name: 'b', kind: 'SummaryBlock', scope: false })],
    ['of an empty summary', summary()],
    ['of a block', summary({ name: 'b', kind: 'SummaryBlock' })],
    ['of a cloud', summary({ name: 'c', kind: 'Cloud', datasource: 'jobs' })],
    [
      'of a table',
      summary({
        name: 't',
        kind: 'Table',
        datasource: 'testcases',
        columns: { Name: 'metadata.name' },
        orderBy: { key: 'Name', order: 'ascending' },
        maxItems: 10,
        scope: "test.outcome == 'failure'",
        if: 'failure()',
        skipIfNotFound: true,
      }),
    ],
    [
      'of a bar',
      summary({ name: 'p', kind: 'ProgressBar', datasource: 'tags', groupBy: 'test.outcome' }),
    ],
    [
      'of a chart',
      summary({
        ...chart,
        kind: 'BarChart',
        primaryAxis: { data: 'a', title: 'A', reversed: true },
        secondaryAxis: { data: 'b', min: 0, max: 9 },
        aggregateFunction: 'count',
        orientation: 'vertical',
      }),
    ],
    ['of points', summary({ ...chart, kind: 'ScatterChart', groupBy: 'test.job' })],
  ])('%s', (_what, insights) => {
    expect(problemsOf(insights)).toBe('');
  });
});

describe('a definition is refused', () => {
  const log = { name: 'log', kind: 'ExecutionLog' };

  test.each<[string, readonly unknown[], string]>([
    ['that is empty', [], 'insights: must not be empty'],
    ['without a name', [{ kind: 'ExecutionLog' }], 'insights[0]: "name" is missing'],
    [
      'with a wrong name',
      [{ ...log, name: 'My log' }],
      'must be a name of small letters, digits and hyphens, not "My log"',
    ],
    ['without a kind', [{ name: 'log' }], 'insights[0]: "kind" is missing'],
    [
      'of an unknown kind',
      [{ ...log, kind: 'Log' }],
      'insights[0].kind: must be one of "ExecutionLog"',
    ],
    ['with another key', [{ ...log, specs: {} }], 'unknown key "specs", did you mean "spec"?'],
    [
      'with the spec of another kind',
      [{ ...log, spec: { template: [] } }],
      'insights[0].spec: unknown key "template"',
    ],
    [
      'with a text for a number',
      [{ ...log, spec: { 'job-depth': '1' } }],
      'insights[0].spec.job-depth: must be a number',
    ],
    ['with a wrong condition', [{ ...log, if: 'a ==' }], 'insights[0].if: '],
    [
      'with an unknown context',
      [{ ...log, if: 'job.name' }],
      'insights[0].if: unknown context "job"',
    ],
    [
      'with an unknown function',
      [{ ...log, if: 'never()' }],
      'insights[0].if: unknown function "never"',
    ],
    [
      'with a wrong scope',
      [{ name: 'x', kind: 'SurefireXmlReport', spec: { scope: 'job.a' } }],
      'insights[0].spec.scope: [SCOPE ERROR] ',
    ],
    [
      'with a section of no kind',
      summary({ name: 'a' }),
      'insights[0].spec.template[0]: "kind" is missing',
    ],
    [
      'with a section of an unknown kind',
      summary({ name: 'a', kind: 'Pie' }),
      'template[0].kind: must be one of',
    ],
    [
      'with an unknown key of a section',
      summary({ name: 'a', kind: 'SummaryBlock', x: 1 }),
      'template[0]: unknown key "x"',
    ],
    [
      'with columns of no table',
      summary({ name: 'a', kind: 'SummaryBlock', columns: {} }),
      'unknown key "columns"',
    ],
    [
      'with a cloud of test cases',
      summary({ name: 'a', kind: 'Cloud', datasource: 'testcases' }),
      'must be "jobs"',
    ],
    [
      'with a table of jobs',
      summary({ name: 'a', kind: 'Table', datasource: 'jobs' }),
      'must be one of "tags", "testcases"',
    ],
    [
      'with a bar without groups',
      summary({ name: 'a', kind: 'ProgressBar', datasource: 'tags' }),
      '"groupBy" is missing',
    ],
    [
      'with a chart of one axis',
      summary({ ...chart, kind: 'BarChart' }),
      '"secondaryAxis" is missing',
    ],
    [
      'with an axis without data',
      summary({ ...chart, kind: 'ScatterChart', groupBy: 'a', primaryAxis: {} }),
      'primaryAxis: "data" is missing',
    ],
    [
      'with an order by nothing',
      summary({ name: 'a', kind: 'SummaryBlock', orderBy: {} }),
      'template[0].orderBy: "key" is missing',
    ],
    [
      'with a column of no field',
      summary({ name: 'a', kind: 'Table', datasource: 'tags', columns: { Name: 'a b' } }),
      'template[0].columns.Name: must be a field such as test.job, not "a b"',
    ],
    [
      'with an order of no field',
      summary({ name: 'a', kind: 'Table', datasource: 'tags', orderBy: { key: 'a b' } }),
      'template[0].orderBy.key: must be a field',
    ],
    [
      'with an axis of no field',
      summary({ ...chart, kind: 'ScatterChart', groupBy: '1', primaryAxis: { data: 'a=b' } }),
      'template[0].primaryAxis.data: must be a field',
    ],
    [
      'with a wrong condition of a section',
      summary({ name: 'a', kind: 'SummaryBlock', if: '(' }),
      'template[0].if: ',
    ],
    [
      'with a wrong scope of a section',
      summary({ name: 'a', kind: 'SummaryBlock', scope: '(' }),
      'template[0].scope: ',
    ],
  ])('%s', (_what, insights, problem) => {
    expect(problemsOf(insights)).toContain(problem);
  });

  test('with all that is wrong in it, and where', () => {
    const text =
      'insights:\n- name: a\n  kind: ExecutionLog\n  if: job.x\n- name: b\n  kind: ExecutionLog\n  spec: {x: 1}\n';
    expect(() => insightsOf(readDocument(text))).toThrow(
      'Not a valid insight definition: insights[0].if: unknown context "job" (line 4) (and 1 more).',
    );
  });

  test('with another key beside the insights', () => {
    expect(() => insightsOf(readDocument('{"insights": [], "kind": "x"}'))).toThrow();
  });
});

test('the first of several insights with one name counts', () => {
  const found = of([
    { name: 'a', kind: 'ExecutionLog' },
    { name: 'a', kind: 'SummaryReport' },
    { name: 'b', kind: 'SummaryReport' },
  ]);
  expect(found.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    'a ExecutionLog',
    'b SummaryReport',
  ]);
});

describe('a definition is taken, with a remark on', () => {
  const table = (more: object) =>
    summary({ name: 't', kind: 'Table', datasource: 'testcases', ...more });
  const place = 'Insight definition: insights[0].spec.template[0]';
  test.each<[string, readonly unknown[], string]>([
    [
      'a field that nothing is like',
      table({ columns: { A: 'nosuch.field' } }),
      '.columns.A: unknown field "nosuch.field", there are "apiVersion", "kind", "status", "metadata", "test", "execution", "executionHistory"',
    ],
    [
      'a field that is misspelt',
      table({ columns: { A: 'metadata.name', B: "test['outcom']" } }),
      '.columns.B: unknown field "test.outcom", did you mean "test.outcome"?',
    ],
    [
      'a field whose place is missing',
      table({ columns: { A: 'duration' } }),
      '.columns.A: unknown field "duration", did you mean "execution.duration"?',
    ],
    [
      'a field below a value',
      table({ columns: { A: 'test.job.name.first' } }),
      '.columns.A: unknown field "test.job.name.first", "test.job" has no fields',
    ],
    [
      'the second of two fields',
      table({ columns: { A: 'test.job || execution.x' } }),
      '.columns.A: unknown field "execution.x", there are "execution.startTime", "execution.endTime", "execution.duration", "execution.outcome", "execution.failureDetails", "execution.warningDetails", "execution.errorDetails", "execution.errorsList"',
    ],
    [
      'unknown groups',
      summary({ ...chart, kind: 'ScatterChart', groupBy: 'test.suitename' }),
      '.groupBy: unknown field "test.suitename", did you mean "test.suiteName"?',
    ],
    [
      'a field that only other items have',
      summary({ name: 'c', kind: 'Cloud', datasource: 'jobs', data: 'status.jobCount' }),
      '.data: unknown field "status.jobCount", there are "status.phase", "status.requestTime", "status.startTime", "status.endTime", "status.duration", "status.testCaseCount", "status.testCaseStatusSummary"',
    ],
    [
      'an unknown key to order by',
      table({ columns: { A: 'test.job' }, orderBy: { key: 'test.jobs' } }),
      '.orderBy.key: unknown field "test.jobs", did you mean "test.job"?',
    ],
    [
      'an order that is none',
      table({ orderBy: { key: 'Job', order: 'zigzag' } }),
      '.orderBy.order: must be "ascending" or "descending", not "zigzag", which counts as ascending',
    ],
    [
      'an axis that ends where it begins',
      summary({
        ...chart,
        kind: 'ScatterChart',
        groupBy: 'test.job',
        secondaryAxis: { min: 5, max: 5 },
      }),
      '.secondaryAxis.max: must be greater than min, 5, not 5',
    ],
    [
      'fewer than no items',
      table({ maxItems: -1 }),
      '.maxItems: must be a whole number from 1, not -1, which counts as 0',
    ],
    [
      'no items',
      table({ maxItems: 0 }),
      '.maxItems: must be a whole number from 1, not 0, which counts as 0',
    ],
    [
      'a part of an item',
      table({ maxItems: 1.5 }),
      '.maxItems: must be a whole number from 1, not 1.5, which counts as 1',
    ],
  ])('%s', (_what, insights, remark) => {
    const document = readDocument(JSON.stringify({ insights }));
    expect(insightsOf(document)).toHaveLength(1);
    expect(remarksOn(document)).toEqual([expect.stringContaining(`${place}${remark}`)]);
  });

  test('its place, of the chosen insights alone, and bounded', () => {
    const column = (at: number) => `            C${at}: no.field`;
    const columns = Array.from({ length: 60 }, (_, at) => column(at)).join('\n');
    const of = (name: string) =>
      `  - name: ${name}\n    kind: SummaryReport\n    spec:\n      template:\n        - name: t\n          kind: Table\n          datasource: tags\n          columns:\n${columns}\n`;
    const document = readDocument(`insights:\n${of('a')}${of('b')}`);
    expect(remarksOn(document, (name) => name === 'c')).toEqual([]);
    const remarks = remarksOn(document, (name) => name === 'b');
    expect(remarks[0]).toBe(
      'Insight definition: insights[1].spec.template[0].columns.C0: unknown field "no.field", there are "apiVersion", "kind", "metadata", "status" (line 78).',
    );
    expect(remarks).toHaveLength(51);
    expect(remarks.at(-1)).toBe('Insight definition: ... and 10 more of that kind.');
  });
});

describe('of conditions are told', () => {
  const remarksOnIf = (condition: string, more: object = {}) =>
    remarksOn(
      readDocument(
        JSON.stringify({
          insights: [{ name: 'a', kind: 'SummaryReport', if: condition, spec: more }],
        }),
      ),
    );

  test.each([
    ['workflow.nam', 'unknown field "workflow.nam", did you mean "workflow.name"?'],
    [
      "always() && workflow.branch == 'main'",
      'unknown field "workflow.branch", there are "workflow.workflow_id", "workflow.name", "workflow.namespace", "workflow.status", "workflow.creationTimestamp", "workflow.labels"',
    ],
    [
      'workflow.status.phase',
      'unknown field "workflow.status.phase", "workflow.status" has no fields',
    ],
  ])('%s', (condition, remark) => {
    const [actual = ''] = remarksOnIf(condition);
    expect(actual.slice(0, actual.lastIndexOf(' ('))).toBe(
      `Insight definition: insights[0].if: ${remark}`,
    );
  });

  test('also of those of sections, with contexts that there are not', () => {
    const section = { name: 't', kind: 'SummaryBlock', if: "jobs.unit == 'x'" };
    expect(remarksOnIf('always()', { template: [section] })).toEqual([
      expect.stringContaining(
        'insights[0].spec.template[0].if: unknown field "jobs.unit", there are "workflow"',
      ),
    ]);
  });

  test('but nothing of what there is, and of labels', () => {
    const condition = "failure() || workflow.labels.any == 'x' || workflow['name'] == 'y'";
    expect(remarksOnIf(condition)).toEqual([]);
  });
});

test('a field that every item may have is no reason for a remark', () => {
  const fields = [
    'status',
    'metadata.executions',
    "test['runs-on'][0]",
    'test.data.customer.name',
    'execution.failureDetails.message || execution.errorDetails.message',
    'execution.errorsList',
    'executionHistory',
  ];
  const columns = Object.fromEntries(fields.map((field) => [field, field]));
  const insights = summary(
    { name: 't', kind: 'Table', datasource: 'testcases', columns },
    { name: 'd', kind: 'Table', datasource: 'tags', orderBy: { key: 'Tag', order: 'DESC' } },
    {
      name: 'c',
      kind: 'Cloud',
      datasource: 'jobs',
      groupBy: 'spec.variables.A',
      data: 'x || uuid',
    },
    { name: 'p', kind: 'ProgressBar', datasource: 'jobs', groupBy: 'metadata.name', maxItems: 3 },
  );
  const remarks = remarksOn(readDocument(JSON.stringify({ insights })));
  expect(remarks).toEqual([expect.stringContaining('"x"')]);
});
