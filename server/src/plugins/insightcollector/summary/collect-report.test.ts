/** Each key of each kind of section (wire facts 9.5). */
import { parseTimestamp, type SectionDefinition, type Timestamp } from '@tutti/manifests';
import type { Run } from '@tutti/workflow';
import { describe, expect, test } from 'vitest';
import { type SampleCase, sampleRun, storeOf, summaryOptions } from '../testing.ts';
import { collectReport } from './collect-report.ts';
import type { SectionModel } from './section-model.ts';

const NOW = '2026-01-31T13:00:00.000000' as Timestamp;

const CASES: readonly SampleCase[] = [
  { suite: 'A', name: 'a1', job: 'unit', duration: 30, tags: ['linux'] },
  { suite: 'A', name: 'a2', job: 'unit', duration: 10, tags: ['linux'], status: 'FAILURE' },
  { suite: 'B', name: 'b1', job: 'web', duration: 20, tags: ['linux', 'gpu'], status: 'ERROR' },
  { suite: 'B', name: 'b2', job: 'web', duration: 0, tags: ['linux', 'gpu'], status: 'SKIPPED' },
  { suite: 'B', name: 'b3', job: 'web', duration: 40, earlier: [{ status: 'FAILURE' }] },
];
const JOBS: readonly SampleCase[] = [
  { job: 'unit', tags: ['linux'] },
  { job: 'web', tags: ['linux', 'gpu'], status: 'FAILURE' },
];
const store = storeOf(CASES, JOBS);

const report = (template: readonly object[] | null, more: object = {}, run: Partial<Run> = {}) => {
  const definitions = template as readonly SectionDefinition[] | null;
  const options = summaryOptions({ template: definitions, ...more });
  return collectReport({ store, run: sampleRun(run), generatedAt: NOW }, options);
};

/** The one section of a template of one. */
async function sectionOf(definition: object): Promise<SectionModel | undefined> {
  const { sections } = await report([{ name: 's', datasource: 'testcases', ...definition }]);
  return sections[0]?.model;
}

const column = (model: SectionModel | undefined, title: string) =>
  model?.kind === 'Table' ? model.columns.find((each) => each.title === title)?.values : undefined;

const bars = (model: SectionModel | undefined) =>
  model?.kind === 'ProgressBar' || model?.kind === 'BarChart'
    ? model.bars.map(({ label, values }) => [label, ...values])
    : undefined;

describe('a report', () => {
  test('without a template has the sections of our own, those without content left out', async () => {
    const { sections, title, workflow } = await report(null);
    expect(sections.map(({ name, model }) => [name, model.kind])).toEqual([
      ['Summary', 'SummaryBlock'],
      ['Failures', 'Table'],
      ['Jobs', 'Cloud'],
      ['By job', 'ProgressBar'],
      ['By technology', 'ProgressBar'],
      ['Slowest test cases', 'BarChart'],
      ['All test cases', 'Table'],
    ]);
    expect([title, workflow.state]).toEqual(['nightly', 'success']);
    const none = await collectReport(
      { store: storeOf([]), run: sampleRun(), generatedAt: NOW },
      summaryOptions(),
    );
    expect(none.sections.map(({ name }) => name)).toEqual(['Summary', 'All test cases']);
  });

  test('has the title, the times and the state of its run', async () => {
    const cancellation = { reason: null, source: null, cause: 'user' } as const;
    const { title, workflow, generatedAt } = await report(
      [],
      { title: 'T' },
      { phase: 'FAILED', cancellation },
    );
    expect(workflow).toMatchObject({ name: 'nightly', namespace: 'shop', state: 'cancelled' });
    const { createdAt, completedAt } = workflow;
    expect((parseTimestamp(completedAt ?? '') ?? 0) - (parseTimestamp(createdAt) ?? 0)).toBe(
      754_000,
    );
    expect([title, generatedAt]).toEqual(['T', NOW]);
  });

  test.each<[Partial<Run>, string]>([
    [{ phase: 'RUNNING' }, 'running'],
    [{ phase: 'FAILED' }, 'failure'],
    [{ phase: 'DONE' }, 'success'],
  ])('of a run with %j is of the state %s', async (run, state) => {
    expect((await report([], {}, run)).workflow.state).toBe(state);
  });

  test('has a scope, which those of its sections narrow', async () => {
    const template = [
      { name: 'all', kind: 'SummaryBlock' },
      { name: 'web', kind: 'SummaryBlock', scope: "test.job == 'web'" },
    ];
    const { sections } = await report(template, {
      scope: "test.suiteName == 'B' && test.testCaseName != 'b3'",
    });
    expect(sections.map(({ model }) => (model.kind === 'SummaryBlock' ? model.total : 0))).toEqual([
      2, 2,
    ]);
    await expect(report([], { scope: 'test.' })).rejects.toThrow('[SCOPE ERROR]');
    await expect(report([], { scope: 'test.outcome[0' })).rejects.toMatchObject({
      reason: 'Invalid',
    });
  });

  test('of a run that is gone is NotFound', async () => {
    const gone = { ...store, workflow: async () => null };
    await expect(
      collectReport({ store: gone, run: sampleRun(), generatedAt: NOW }, summaryOptions()),
    ).rejects.toMatchObject({
      reason: 'NotFound',
    });
  });
});

describe('sections', () => {
  test('whose condition does not hold are left out; one that cannot be evaluated says why', async () => {
    const { sections } = await report([
      { name: 'no', kind: 'SummaryBlock', if: 'failure()' },
      { name: 'yes', kind: 'SummaryBlock', if: "workflow.name == 'nightly'" },
      { name: 'odd', kind: 'SummaryBlock', if: 'workflow.a.b == 1' },
    ]);
    expect(sections.map(({ name, model }) => [name, model.kind])).toEqual([
      ['yes', 'SummaryBlock'],
      ['odd', 'Note'],
    ]);
    expect(sections[1]?.model).toMatchObject({
      text: expect.stringContaining('cannot be evaluated'),
    });
  });

  test('with nothing to show say so, or are left out', async () => {
    const empty = { kind: 'Table', scope: "test.job == 'none'" };
    expect(await sectionOf(empty)).toEqual({ kind: 'Note', text: 'There is nothing to show.' });
    expect(await sectionOf({ ...empty, skipIfNotFound: true })).toBeUndefined();
  });

  test('whose scope is wrong for a test case say so', async () => {
    const scope = "test.nothing == 'a'";
    const model = await sectionOf({ kind: 'Table', scope: 'test.data.b.c == 2' });
    expect(model).toMatchObject({ kind: 'Note', text: expect.stringContaining('[SCOPE ERROR]') });
    await expect(report([{ name: 's', kind: 'Table', scope }])).rejects.toThrow('[SCOPE ERROR]');
  });
});

test('a summary counts outcomes, time and repetitions', async () => {
  expect(await sectionOf({ kind: 'SummaryBlock', datasource: 'jobs' })).toEqual({
    kind: 'SummaryBlock',
    counts: { success: 2, failure: 1, error: 1, skipped: 1, cancelled: 0 },
    total: 5,
    durationMs: 100,
    repeated: 1,
  });
});

describe('a cloud', () => {
  const cloud = { kind: 'Cloud', datasource: 'jobs' };

  test('has jobs, as large as the number of their test cases', async () => {
    expect(await sectionOf(cloud)).toEqual({
      kind: 'Cloud',
      words: [
        { label: 'unit', weight: 2, phase: 'SUCCEEDED', failed: 1 },
        { label: 'web', weight: 3, phase: 'FAILED', failed: 1 },
      ],
      left: 0,
    });
  });

  test('of another size than the number of test cases does not tell which did not pass', async () => {
    const model = await sectionOf({ ...cloud, data: 'status.duration' });
    expect(model).toMatchObject({ words: [{ failed: null }, { failed: null }] });
  });

  test.each<[string, object, readonly string[]]>([
    ['groupBy', { groupBy: 'status.phase' }, ['SUCCEEDED 2', 'FAILED 3']],
    ['data', { data: 'status.duration' }, ['unit 60000', 'web 60000']],
    ['scope', { scope: "test.outcome == 'success'" }, ['unit 1', 'web 1']],
    ['orderBy', { orderBy: { key: 'value', order: 'descending' } }, ['web 3', 'unit 2']],
    ['orderBy', { orderBy: { key: 'name', order: 'descending' } }, ['web 3', 'unit 2']],
    ['maxItems', { maxItems: 1 }, ['unit 2']],
  ])('takes %s: %j', async (_key, more, expected) => {
    const model = await sectionOf({ ...cloud, ...more });
    const words = model?.kind === 'Cloud' ? model.words : [];
    expect(words.map(({ label, weight }) => `${label} ${weight}`)).toEqual(expected);
  });
});

describe('a table', () => {
  const table = {
    kind: 'Table',
    columns: { Name: 'test.testCaseName', Time: 'execution.duration' },
  };

  test('of test cases, of tags, has columns of our own unless it says', async () => {
    const titles = async (datasource: string) => {
      const model = await sectionOf({ kind: 'Table', datasource });
      return model?.kind === 'Table'
        ? model.columns.map(({ title, kind }) => `${title}: ${kind}`)
        : [];
    };
    expect(await titles('testcases')).toEqual([
      'Outcome: outcome',
      'Suite: text',
      'Test case: text',
      'Job: text',
      'Duration: duration',
    ]);
    expect((await titles('tags')).slice(0, 3)).toEqual([
      'Tag: text',
      'Jobs: number',
      'Test cases: number',
    ]);
    const tags = await sectionOf({ kind: 'Table', datasource: 'tags', scope: "test.job == 'web'" });
    expect(column(tags, 'Tag')).toEqual(['linux', 'gpu']);
    expect(column(tags, 'Test cases')).toEqual([3, 3]);
  });

  test.each<[string, object, readonly string[], number]>([
    ['nothing', {}, ['a1', 'a2', 'b1', 'b2', 'b3'], 0],
    ['scope', { scope: "test.job == 'unit'" }, ['a1', 'a2'], 0],
    ['orderBy a title', { orderBy: { key: 'Time' } }, ['b2', 'a2', 'b1', 'a1', 'b3'], 0],
    [
      'orderBy a field',
      { orderBy: { key: 'execution.duration', order: 'DESC' } },
      ['b3', 'a1', 'b1', 'a2', 'b2'],
      0,
    ],
    [
      'orderBy a text',
      { orderBy: { key: 'test.job', order: 'descending' } },
      ['b1', 'b2', 'b3', 'a1', 'a2'],
      0,
    ],
    [
      'orderBy what is nowhere',
      { orderBy: { key: 'test.none' } },
      ['a1', 'a2', 'b1', 'b2', 'b3'],
      0,
    ],
    ['maxItems', { maxItems: 2 }, ['a1', 'a2'], 3],
    ['the first of an order', { maxItems: 1, orderBy: { key: 'Time', order: 'desc' } }, ['b3'], 4],
  ])('takes %s', async (_what, more, names, left) => {
    const model = await sectionOf({ ...table, ...more });
    expect(column(model, 'Name')).toEqual(names);
    expect(model).toMatchObject({ rows: names.length, left });
  });

  test('cuts what is too long, more so the further down it is', async () => {
    const failed: SampleCase = { status: 'FAILURE', failureDetails: { text: 'x'.repeat(20_000) } };
    const long = storeOf(Array.from({ length: 1_001 }, () => failed));
    const columns = { N: 'execution.failureDetails.text' };
    const template = [{ name: 't', kind: 'Table', datasource: 'testcases', columns }];
    const options = summaryOptions({ template: template as readonly SectionDefinition[] });
    const { sections } = await collectReport(
      { store: long, run: sampleRun(), generatedAt: NOW },
      options,
    );
    const values = column(sections[0]?.model, 'N') ?? [];
    expect([values[0], values[1_000]].map((value) => String(value).length)).toEqual([8_192, 512]);
    expect(String(values[0]).endsWith('x…')).toBe(true);
  });
});

describe('why a test case did not pass', () => {
  test.each<[object, string]>([
    [{ message: 'm', type: 'T', text: 'T: m\n  at x' }, 'm\nT: m\n  at x'],
    [{ message: 'm', text: 'm\n  at x' }, 'm\n  at x'],
    [{ message: 'm\nn', text: 'T: m\nn\n  at x' }, 'm\nT: m\nn\n  at x'],
    [{ message: 'm\nn', text: '  at x' }, 'm\nn\nat x'],
    [{ message: 'm', type: 'T' }, 'm\nT'],
    [{ message: 'm' }, 'm'],
    [{ text: '  at x\n' }, 'at x'],
    [{ type: 'T' }, 'T'],
    [{}, ''],
  ])('of %j is one line, and what else is known below it', async (failureDetails, expected) => {
    const failed = storeOf([{ status: 'FAILURE', failureDetails }]);
    const { sections } = await collectReport(
      { store: failed, run: sampleRun(), generatedAt: NOW },
      summaryOptions(),
    );
    const failures = sections.find(({ name }) => name === 'Failures');
    expect(column(failures?.model, 'Message')).toEqual([expected]);
  });
});

describe('a progress bar', () => {
  const progress = { kind: 'ProgressBar', groupBy: 'test.job' };

  test.each<[string, object, readonly (readonly unknown[])[]]>([
    [
      'nothing: outcomes',
      {},
      [
        ['unit', 1, 1, 0, 0],
        ['web', 1, 0, 1, 1],
      ],
    ],
    [
      'data',
      { data: 'test.suiteName' },
      [
        ['unit', 2, 0],
        ['web', 0, 3],
      ],
    ],
    [
      'sum',
      { data: 'execution.duration', aggregateFunction: 'sum' },
      [
        ['unit', 40],
        ['web', 60],
      ],
    ],
    [
      'avg',
      { data: 'execution.duration', aggregateFunction: 'avg' },
      [
        ['unit', 20],
        ['web', 20],
      ],
    ],
    [
      'min',
      { data: 'execution.duration', aggregateFunction: 'min' },
      [
        ['unit', 10],
        ['web', 0],
      ],
    ],
    [
      'max',
      { data: 'execution.duration', aggregateFunction: 'max' },
      [
        ['unit', 30],
        ['web', 40],
      ],
    ],
    [
      'jobs',
      { datasource: 'jobs', groupBy: 'metadata.name' },
      [
        ['unit', 1, 1, 0, 0],
        ['web', 1, 0, 1, 1],
      ],
    ],
    [
      'tags',
      { datasource: 'tags', groupBy: 'metadata.name' },
      [
        ['linux', 2, 1, 1, 1],
        ['gpu', 1, 0, 1, 1],
      ],
    ],
    [
      'orderBy',
      { orderBy: { key: 'value', order: 'descending' } },
      [
        ['web', 1, 0, 1, 1],
        ['unit', 1, 1, 0, 0],
      ],
    ],
    [
      'orderBy a name',
      { orderBy: { key: 'name', order: 'desc' } },
      [
        ['web', 1, 0, 1, 1],
        ['unit', 1, 1, 0, 0],
      ],
    ],
    [
      'orderBy a field',
      { orderBy: { key: 'execution.duration', order: 'desc' } },
      [
        ['unit', 1, 1, 0, 0],
        ['web', 1, 0, 1, 1],
      ],
    ],
    ['maxItems', { maxItems: 1 }, [['unit', 1, 1, 0, 0]]],
    ['a group without a name', { groupBy: 'test.none' }, [['(none)', 2, 1, 1, 1]]],
  ])('takes %s', async (_what, more, expected) => {
    expect(bars(await sectionOf({ ...progress, ...more }))).toEqual(expected);
  });

  test('compares sums with each other, and counts with their whole', async () => {
    const sum = { data: 'execution.duration', aggregateFunction: 'sum' };
    expect(await sectionOf({ ...progress, ...sum })).toMatchObject({ max: 60, isDuration: true });
    expect(await sectionOf(progress)).toMatchObject({ max: null, isDuration: false, left: 0 });
  });

  test.each([
    [undefined, { title: '' }],
    [true, { title: '' }],
    [false, null],
    ['none', null],
    ['Outcomes', { title: 'Outcomes' }],
    [{ title: 'O' }, { title: 'O' }],
    [{ show: false }, null],
  ])('with the legend %j has %j', async (legend, expected) => {
    expect(await sectionOf({ ...progress, legend })).toMatchObject({ legend: expected });
  });
});

describe('a bar chart', () => {
  const chart = {
    kind: 'BarChart',
    primaryAxis: { data: 'test.suiteName' },
    secondaryAxis: { data: 'execution.duration' },
  };

  test.each<[string, object, readonly (readonly unknown[])[]]>([
    [
      'nothing: sums of numbers',
      {},
      [
        ['A', 40],
        ['B', 60],
      ],
    ],
    [
      'counts of texts',
      { secondaryAxis: { data: 'test.testCaseName' } },
      [
        ['A', 2],
        ['B', 3],
      ],
    ],
    [
      'aggregateFunction',
      { aggregateFunction: 'avg' },
      [
        ['A', 20],
        ['B', 20],
      ],
    ],
    [
      'groupBy',
      { groupBy: 'test.outcome' },
      [
        ['A', 30, 10, 0, 0],
        ['B', 40, 0, 20, 0],
      ],
    ],
    [
      'reversed',
      { primaryAxis: { data: 'test.suiteName', reversed: true } },
      [
        ['B', 60],
        ['A', 40],
      ],
    ],
    [
      'orderBy',
      { orderBy: { key: 'secondaryAxis', order: 'descending' } },
      [
        ['B', 60],
        ['A', 40],
      ],
    ],
    ['maxItems', { maxItems: 1 }, [['A', 40]]],
    [
      'scope',
      { scope: "test.outcome == 'success'" },
      [
        ['A', 30],
        ['B', 40],
      ],
    ],
  ])('takes %s', async (_what, more, expected) => {
    expect(bars(await sectionOf({ ...chart, ...more }))).toEqual(expected);
  });

  test('has axes from 0 to beyond the greatest, with round ticks and titles', async () => {
    expect(await sectionOf(chart)).toMatchObject({
      orientation: 'vertical',
      primaryTitle: 'test.suiteName',
      isDuration: true,
      legend: null,
      axis: { title: 'execution.duration', min: 0, max: 60, ticks: [0, 20, 40, 60] },
    });
  });

  test.each<[string, object, object]>([
    ['min and max', { min: 10, max: 50 }, { min: 10, max: 50, ticks: [10, 20, 30, 40, 50] }],
    ['a number of ticks', { ticks: 2 }, { min: 0, max: 100, ticks: [0, 50, 100] }],
    ['the places of ticks', { ticks: [0, 15, 999] }, { max: 60, ticks: [0, 15] }],
    ['a title', { title: 'ms' }, { title: 'ms' }],
    ['ends in the wrong order', { min: 10, max: 5 }, { min: 10, max: 11 }],
  ])('takes %s of the second axis', async (_what, axis, expected) => {
    const secondaryAxis = { ...chart.secondaryAxis, ...axis };
    expect(await sectionOf({ ...chart, secondaryAxis })).toMatchObject({ axis: expected });
  });

  test('takes an orientation, a legend of its groups and the title of the first axis', async () => {
    const primaryAxis = { data: 'test.suiteName', title: 'Suite' };
    const more = { orientation: 'horizontal', groupBy: 'test.job', legend: 'Jobs', primaryAxis };
    expect(await sectionOf({ ...chart, ...more })).toMatchObject({
      orientation: 'horizontal',
      categories: ['unit', 'web'],
      legend: { title: 'Jobs' },
      primaryTitle: 'Suite',
    });
  });
});

test('a part of an item is none to show', async () => {
  const table = await sectionOf({ kind: 'Table', maxItems: 1.5 });
  const chart = await sectionOf({ kind: 'ProgressBar', groupBy: 'test.job', maxItems: 1.5 });
  const cloud = await sectionOf({ kind: 'Cloud', datasource: 'jobs', maxItems: 1.5 });
  expect(table).toMatchObject({ rows: 1, left: 4 });
  for (const each of [chart, cloud]) expect(each).toMatchObject({ left: 1 });
});

describe('a scatter chart', () => {
  const chart = {
    kind: 'ScatterChart',
    groupBy: 'test.job',
    primaryAxis: { data: 'execution.duration' },
  };

  test('has a series of points for each group', async () => {
    expect(await sectionOf(chart)).toMatchObject({
      series: [
        {
          label: 'unit',
          count: 2,
          points: [
            { x: 30, y: null },
            { x: 10, y: null },
          ],
        },
        {
          label: 'web',
          count: 3,
          points: [
            { x: 20, y: null },
            { x: 0, y: null },
            { x: 40, y: null },
          ],
        },
      ],
      primary: { title: 'execution.duration', min: 0, max: 40 },
      secondary: null,
      isDuration: true,
      legend: { title: '' },
      left: 0,
    });
  });

  test('takes a second axis, for which points without a value are left out', async () => {
    const secondaryAxis = { data: 'metadata.executions', title: 'Executions', max: 4 };
    const model = await sectionOf({ ...chart, secondaryAxis, maxItems: 1, legend: false });
    expect(model).toMatchObject({
      series: [
        {
          label: 'unit',
          points: [
            { x: 30, y: 1 },
            { x: 10, y: 1 },
          ],
        },
      ],
      secondary: { title: 'Executions', max: 4 },
      legend: null,
      left: 1,
    });
    expect(await sectionOf({ ...chart, primaryAxis: { data: 'test.job' } })).toMatchObject({
      kind: 'Note',
    });
  });

  test('draws a bounded number of points that stand for all', async () => {
    const many = storeOf(Array.from({ length: 5_000 }, (_, index) => ({ duration: index })));
    const template = [{ name: 's', datasource: 'testcases', ...chart }] as readonly object[];
    const options = summaryOptions({ template: template as readonly SectionDefinition[] });
    const { sections } = await collectReport(
      { store: many, run: sampleRun(), generatedAt: NOW },
      options,
    );
    const [series] = sections[0]?.model.kind === 'ScatterChart' ? sections[0].model.series : [];
    expect([series?.count, series?.points.length]).toEqual([5_000, 2_000]);
    expect(series?.points.some(({ x }) => x > 4_000)).toBe(true);
  });
});
