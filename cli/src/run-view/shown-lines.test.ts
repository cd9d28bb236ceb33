import { createRunLog, type RunLog, START_MS, UTC_CLOCK } from '@tutti/run-view/testing';
import { expect, test } from 'vitest';
import { createPaint } from '../terminal/style.ts';
import { type Display, WHOLE_DISPLAY } from './display.ts';
import { createPresenter } from './presenter.ts';

/** The lines about a run with this display. */
function shown(log: RunLog, wanted: Partial<Display>, hasColors = false): readonly string[] {
  let written = '';
  const screen = {
    write: (text: string) => {
      written += text;
    },
    isTerminal: false,
    hasColors,
    paint: createPaint(hasColors),
    columns: () => 80,
  };
  const display = { ...WHOLE_DISPLAY, ...wanted };
  const presenter = createPresenter(screen, () => START_MS, { clock: UTC_CLOCK, display });
  for (const event of log.events) presenter.event(event);
  return written.trimEnd().split('\n').slice(1);
}

const call = [{ id: 's1', uses: 'make/all@v1' }];

test('lines have the colours that their user chose, if any', () => {
  const log = createRunLog({ test: {} });
  log.request('test');
  log.offer('test');
  log.output('test', 's1', 'printed');
  log.complete();
  const lineColors = { output: '1;32', plain: '35' };
  expect(shown(log, { lineColors }).at(-2)).toBe('12:00:03  test  │ printed');
  const lines = shown(log, { lineColors }, true);
  expect(lines.at(-2)).toContain('\u001b[1;32m│ printed\u001b[0m');
  expect(lines.at(-1)).toContain('\u001b[32m✓ Workflow completed');
});

/** A bundle with a job and a failing function in it. */
function nested(): RunLog {
  const log = createRunLog({ tests: {} });
  log.expand('tests', { unit: { steps: call } });
  log.request('tests/unit');
  log.offer('tests/unit');
  log.provide('tests/unit', 's1', 'make/all@v1');
  log.provided('tests/unit', 's1', [
    { id: 'a', run: 'make everything' },
    { id: 'b', run: 'make nothing' },
  ]);
  log.step('tests/unit', 'a', 'make everything', { origin: ['s1'] });
  log.output('tests/unit', 'a', 'made');
  log.doneWithin('tests/unit', 'a', 0, 's1');
  log.step('tests/unit', 'b', 'make nothing', { origin: ['s1'] });
  log.doneWithin('tests/unit', 'b', 2, 's1');
  log.release('tests/unit', 'failure');
  log.endUnplaced('tests', 'failure', 'Job "tests" failed: job "unit" failed.');
  log.fail();
  return log;
}

test('without a wish, all of a run is shown', () => {
  expect(shown(nested(), {})).toEqual([
    '12:00:01  tests       ● stands for 1 job',
    '12:00:02  tests/unit  · asks for an environment: linux',
    '12:00:03  tests/unit  ● started',
    '12:00:04  tests/unit  ▸ make/all@v1',
    '12:00:06  tests/unit    ▸ make/all@v1: make everything',
    '12:00:07  tests/unit  │ made',
    '12:00:09  tests/unit    ▸ make/all@v1: make nothing',
    '12:00:10  tests/unit    ✗ make/all@v1: make nothing failed (exit code 2)',
    '12:00:11  tests/unit  ✗ failed in 5.0 s',
    '12:00:12  tests       · Job "tests" failed: job "unit" failed.',
    '12:00:12  tests       ✗ failed in 11 s',
    '12:00:13              ✗ Workflow failed after 13 s',
  ]);
});

test('jobs that are too deep show only output and failures', () => {
  expect(shown(nested(), { jobDepth: 1 })).toEqual([
    '12:00:01  tests       ● stands for 1 job',
    '12:00:07  tests/unit  │ made',
    '12:00:10  tests/unit    ✗ make/all@v1: make nothing failed (exit code 2)',
    '12:00:11  tests/unit  ✗ failed in 5.0 s',
    '12:00:12  tests       · Job "tests" failed: job "unit" failed.',
    '12:00:12  tests       ✗ failed in 11 s',
    '12:00:13              ✗ Workflow failed after 13 s',
  ]);
  expect(shown(nested(), { jobDepth: 2 })).toEqual(shown(nested(), {}));
});

test('steps that are too deep do so, too', () => {
  const lines = shown(nested(), { stepDepth: 1 });
  expect(lines.filter((line) => line.includes('▸'))).toEqual([
    '12:00:04  tests/unit  ▸ make/all@v1',
  ]);
  expect(lines).toContain('12:00:07  tests/unit  │ made');
  expect(lines.filter((line) => line.includes('make nothing failed'))).toHaveLength(1);
  expect(shown(nested(), { stepDepth: 2 })).toEqual(shown(nested(), {}));
});

test('commands are cut, names and functions are not', () => {
  const steps = [
    { id: 's1', run: 'make 😀 everything' },
    { id: 's2', name: 'Make nothing at all', run: 'x' },
  ];
  const log = createRunLog({ test: { steps } });
  log.request('test');
  log.offer('test');
  log.step('test', 's1', 'make 😀 everything');
  log.done('test', 's1', 3);
  log.step('test', 's2', 'make nothing');
  log.step('test', 's3', 'echo a long command');
  log.skip('test', 's1');
  const marked = shown(log, { commandLength: 6 }).filter((line) => /[▸✗]|skipped/.test(line));
  expect(marked).toEqual([
    '12:00:03  test  ▸ make 😀…',
    '12:00:04  test  ✗ make 😀… failed (exit code 3)',
    '12:00:05  test  ▸ Make nothing at all',
    '12:00:06  test  ▸ echo a…',
    '12:00:07  test  · make 😀… skipped',
  ]);
  expect(shown(nested(), { commandLength: 4 })).toContain(
    '12:00:06  tests/unit    ▸ make/all@v1: make…',
  );
});

test('a prefix takes the place of time and job', () => {
  const log = createRunLog({ test: {}, other: {} });
  log.request('test');
  log.complete();
  expect(shown(log, { prefix: '{timestamp} [{job}] {time}|' })).toEqual([
    '2026-01-31T12:00:01 [test ] 12:00:01|· asks for an environment: linux',
    '2026-01-31T12:00:02 [     ] 12:00:02|✓ Workflow completed in 2.0 s',
  ]);
  expect(shown(log, { prefix: '{job_id}>' })).toEqual([
    `job-test${' '.repeat(28)}>· asks for an environment: linux`,
    `${' '.repeat(36)}>✓ Workflow completed in 2.0 s`,
  ]);
});

test('files are shown with the option', () => {
  const log = createRunLog({ test: {} });
  log.request('test');
  log.attach('test', 's1', 'a_b_report.xml');
  log.publish('c_d_summary.html');
  expect(shown(log, {})).toHaveLength(1);
  expect(shown(log, { showsFiles: true, jobDepth: 1 }).slice(1)).toEqual([
    '12:00:02  test  + report.xml (a_b_report.xml)',
    '12:00:03        + summary.html (c_d_summary.html)',
  ]);
});

test('logs of services are shown with the option, debugging lines with another', () => {
  const log = createRunLog({ test: {} });
  log.note({}, '[2026-01-31T12:00:00] INFO one', 'DEBUG two');
  log.note({ name: 'reader' }, 'TRACE three', 'four');
  expect(shown(log, {})).toEqual([]);
  expect(shown(log, { showsServices: true })).toEqual([
    '12:00:01        · INFO one',
    '12:00:02        · [reader] four',
  ]);
  expect(shown(log, { showsServices: true, isVerbose: true })).toEqual([
    '12:00:01        · INFO one',
    '12:00:01        · DEBUG two',
    '12:00:02        · [reader] TRACE three',
    '12:00:02        · [reader] four',
  ]);
});

test('verbose output has the command of a function, and the environment of a job', () => {
  const log = createRunLog({ test: { steps: call } });
  log.request('test');
  log.offer('test');
  log.provide('test', 's1', 'make/all@v1');
  log.provided('test', 's1', [{ id: 'a', run: 'make everything' }]);
  log.step('test', 'a', 'make everything', { origin: ['s1'] });
  expect(shown(log, {}).at(-1)).toBe('12:00:03  test  ▸ make/all@v1');
  expect(shown(log, { isVerbose: true, commandLength: 6 })).toEqual([
    '12:00:01  test  · asks for an environment: linux',
    '12:00:02  test  ● started',
    '12:00:02  test  · runs on lab-7',
    '12:00:03  test  ▸ make/all@v1',
    '12:00:05  test    ▸ make e…',
  ]);
});
