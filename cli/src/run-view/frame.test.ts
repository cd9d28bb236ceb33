import { emptyRunView, reduceRunView } from '@tutti/run-view';
import { createRunLog, type RunLog, START_MS } from '@tutti/run-view/testing';
import { describe, expect, test } from 'vitest';
import { createPaint, widthOf } from '../terminal/style.ts';
import { type FrameLook, frameOf } from './frame.ts';

const steps = [{ id: 's1', name: 'Run the tests', run: 'make' }];
const LOOK: FrameLook = {
  nowMs: START_MS + 65_000,
  columns: 80,
  rows: 24,
  paint: createPaint(false),
  expected: null,
};

function begin(log: RunLog, ...jobs: string[]): void {
  for (const job of jobs) {
    log.request(job);
    log.offer(job);
    log.step(job, 's1', 'make');
  }
}

function frame(log: RunLog, look: Partial<FrameLook> = {}): readonly string[] {
  const view = log.events.reduce(reduceRunView, emptyRunView);
  return frameOf(view, { ...LOOK, ...look }).map(({ text }) => text);
}

const busy = { reason: 'max-parallel', limit: 1, running: 1 } as const;

test('before its first event a run has nothing to show', () => {
  expect(frameOf(emptyRunView, LOOK)).toEqual([]);
});

test('jobs and steps that are too deep are shown by the ones around them', () => {
  const log = createRunLog({ tests: {}, lint: { steps }, docs: {} });
  log.expand('tests', { unit: { steps }, browsers: {} });
  log.expand('tests/browsers', { firefox: { steps } });
  log.expand('docs', { build: { steps } });
  log.request('lint');
  log.offer('lint');
  log.provide('lint', 's1', 'check/all@v1');
  log.step('lint', 'x', 'check one', { origin: ['s1'] });
  begin(log, 'tests/unit');
  const depths = { jobDepth: 1, stepDepth: 1 };
  expect(frame(log, depths)).toEqual([
    '0 of 4 jobs done · 1 min 05 s',
    '▾ tests  0 of 2 jobs done',
    '● lint   running 58 s  ▸ Run the tests 59 s',
    '▾ docs   0 of 1 job done',
  ]);
  expect(frame(log, { ...depths, rows: 5 }).slice(1)).toEqual([
    '▾ tests  0 of 2 jobs done',
    '… and 1 more job run, 1 wait',
  ]);
  expect(frame(log).join('\n')).toContain('    ○ firefox');
  expect(frame(log, { jobDepth: 2 })).toContain('  ▾ browsers  0 of 1 job done');
});

test('jobs run with their steps, and wait for something; their output is in the log above', () => {
  const log = createRunLog({
    build: { steps },
    unit: { steps },
    deploy: { steps, needs: ['build', 'unit'] },
    audit: { steps },
    notify: { steps, needs: 'deploy' },
  });
  begin(log, 'build', 'unit');
  log.output('build', 's1', 'one', '10 %\r20 %\r\u001b[2J30 %\r');
  log.output('unit', 's1', 'a\tb', '日本\u0007');
  log.tests('unit', 'SUCCESS', 'FAILURE');
  log.request('audit');
  log.wait('audit', busy, 'Job "audit" waits: max-parallel 1 reached (1 job running).');
  expect(frame(log)).toEqual([
    '0 of 5 jobs done · 1 min 05 s · 2 tests, 1 failed',
    '● build   running 1 min 02 s  ▸ Run the tests 1 min 02 s',
    '● unit    running 59 s · 2 tests, 1 failed  ▸ Run the tests 59 s',
    '○ deploy  waits for build, unit',
    '○ audit   waits: max-parallel 1 reached (1 job running)',
    '○ notify  waits for deploy',
  ]);
});

test('a job that asks for an environment says so, and one that waits for many jobs names some', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const jobs = Object.fromEntries(names.map((name) => [name, { steps }]));
  const log = createRunLog({ ...jobs, last: { steps, needs: names } });
  log.request('a');
  const lines = frame(log);
  expect(lines[1]).toBe('○ a     waits: asks for an environment');
  expect(lines[2]).toBe('○ b     waits');
  expect(lines.at(-1)).toBe('○ last  waits for a, b, c and 2 more');
});

test('a job that asks for its jobs, or for another workflow, says so', () => {
  const log = createRunLog({ gen: { generator: 'acme/gen@v1' }, call: { uses: 'shop.yaml' } });
  log.generate('gen', 'gen');
  log.call('call', 'shop.yaml');
  expect(frame(log).slice(1)).toEqual([
    '○ gen   waits: asks for its jobs: acme/gen@v1',
    '○ call  waits: calls shop.yaml',
  ]);
});

test('steps that are over stand below their job, as far as there is room', () => {
  const log = createRunLog({
    a: {
      steps: [
        { id: 's1', name: 'Checkout', uses: 'actions/checkout@v2' },
        { id: 's2', name: 'Lint', run: 'x' },
        { id: 's3', name: 'Notify', run: 'x' },
        { id: 's4', name: 'Test', run: 'x' },
      ],
    },
  });
  log.request('a');
  log.offer('a');
  log.provide('a', 's1', 'actions/checkout@v2', 'Checkout');
  log.step('a', 'inner', 'git clone', { origin: ['s1'] });
  log.done('a', 'inner', 0);
  expect(frame(log).slice(1)).toEqual(['● a  running 1 min 01 s']);
  log.step('a', 's2', 'x', { isForgiven: true });
  log.done('a', 's2', 1);
  log.skip('a', 's3');
  log.step('a', 's4', 'x');
  expect(frame(log).slice(1)).toEqual([
    '● a  running 1 min 01 s  ▸ Test 56 s',
    '    ✓ Checkout succeeded after 3 s',
    '    ! Lint failed (allowed) after 1 s',
    '    · Notify skipped',
  ]);
  expect(frame(log, { rows: 5 }).slice(1)).toEqual([
    '● a  running 1 min 01 s  ▸ Test 56 s',
    '    · Notify skipped',
  ]);
});

test('a function shows whether a step in it failed the job', () => {
  const steps = ['s1', 's2', 's3'].map((id) => ({ id, name: id, uses: 'a/b@v1' }));
  const log = createRunLog({ a: { steps } });
  log.request('a');
  log.offer('a');
  log.provide('a', 's1', 'a/b@v1', 's1');
  log.step('a', 'i1', 'x', { origin: ['s1'], isForgiven: true });
  log.doneWithin('a', 'i1', 1, 's1');
  log.provide('a', 's2', 'a/b@v1', 's2');
  log.step('a', 'i2', 'x', { origin: ['s2'] });
  log.doneWithin('a', 'i2', 1, 's2');
  log.provide('a', 's3', 'a/b@v1', 's3');
  expect(frame(log).slice(2)).toEqual(['    · s1 over after 3 s', '    ✗ s2 failed after 3 s']);
});

test('times are shown beside those of an earlier run', () => {
  const log = createRunLog({ build: { steps }, test: { steps } });
  begin(log, 'build', 'test');
  const expected = { totalMs: 200_400, jobs: new Map([['build', 40_000]]) };
  expect(frame(log, { expected })).toEqual([
    '0 of 2 jobs done · 1 min 05 s of about 3 min 20 s',
    '● build  running 1 min 02 s of about 40 s  ▸ Run the tests 1 min 02 s',
    '● test   running 59 s  ▸ Run the tests 59 s',
  ]);
});

test('jobs of bundles stand below them, and ended ones leave', () => {
  const log = createRunLog({ build: { steps }, checks: { steps } });
  log.expand('checks', { lint: { steps }, unit: { steps }, types: { steps } });
  begin(log, 'build', 'checks/lint', 'checks/unit');
  log.done('build', 's1', 1);
  log.release('build', 'failure');
  log.done('checks/lint', 's1', 0);
  log.release('checks/lint', 'success');
  expect(frame(log)).toEqual([
    '2 of 4 jobs done · 1 failed · 1 min 05 s',
    '▾ checks   1 of 3 jobs done',
    '  ● unit   running 55 s  ▸ Run the tests 55 s',
    '  ○ types  waits',
  ]);
});

test('a run that waits as a whole says why', () => {
  const log = createRunLog({ build: { steps } });
  log.wait(null, busy, 'Workflow waits: group "g" is held.');
  expect(frame(log)).toEqual([
    '0 of 1 job done · 1 min 05 s',
    'Workflow waits: group "g" is held.',
    '○ build  waits',
  ]);
});

describe('of a thousand jobs', () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `job-${index}`);
  const log = createRunLog(Object.fromEntries(names.map((name) => [name, { steps }])));
  begin(log, ...names.slice(100, 140));

  test.each([
    [24, 12, '… and 30 more jobs run, 960 wait'],
    [100, 50, '… and 952 more jobs wait'],
    [8, 6, '… and 36 more jobs run, 960 wait'],
    [5, 3, '… and 39 more jobs run, 960 wait'],
  ])('with %d rows %d lines are shown, running jobs first', (rows, count, last) => {
    const lines = frame(log, { rows });
    expect(lines).toHaveLength(count);
    expect(lines.join('\n')).toContain('● job-100  running');
    expect(lines.at(-1)).toBe(last);
  });

  test('a terminal of one row has the line on the whole run', () => {
    expect(frame(log, { rows: 1 })).toEqual(['0 of 1000 jobs done · 1 min 05 s']);
  });
});

test.each([20, 7, 2, 1])('no line is wider than a terminal of %d columns', (columns) => {
  const log = createRunLog({ build: { steps }, 試験試験試験試験試験: { steps } });
  begin(log, 'build', '試験試験試験試験試験');
  log.output('build', 's1', '👍👍👍👍👍👍👍👍👍👍👍👍');
  const view = log.events.reduce(reduceRunView, emptyRunView);
  for (const { text, width } of frameOf(view, { ...LOOK, columns })) {
    expect(width).toBe(widthOf(text));
    expect(width).toBeLessThan(columns);
  }
});

test('nothing in it moves the cursor', () => {
  const clear = '\u001b[2J\n';
  const log = createRunLog({ build: { steps }, test: { steps } });
  log.expand('build', { cell: { name: `cell ${clear}`, steps: [] } }, '.matrix');
  begin(log, 'test');
  log.wait('build/cell', busy, `Job "x" waits: ${clear}.`);
  log.wait(null, busy, `Workflow waits: ${clear}`);
  log.step('test', 's2', `make ${clear}`);
  log.output('test', 's2', `text ${clear}`);
  const text = frame(log).join('');
  expect(text).toContain('cell');
  expect(text).not.toContain('\u001b');
  expect(text).not.toContain('\n');
});
