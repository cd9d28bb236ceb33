import { createRunLog, type RunLog, START_MS, UTC_CLOCK } from '@tutti/run-view/testing';
import { expect, test } from 'vitest';
import { createPaint } from '../terminal/style.ts';
import { HELD_LINES_MAX, HELD_MS_MAX } from './folded-log.ts';
import { createFoldedPresenter, MARKED_ERRORS_MAX } from './folded-presenter.ts';
import { createFolding } from './folding.ts';

const steps = [
  { id: 's1', name: 'Compile', run: 'make' },
  { id: 's2', name: 'Link', run: 'make' },
];
const twoJobs = { a: { steps }, b: { steps } };

function setUp(log: RunLog, marks: 'github' | 'azure' = 'azure') {
  let written = '';
  let nowMs = START_MS;
  const presenter = createFoldedPresenter({
    screen: {
      write: (text) => {
        written += text;
      },
      isTerminal: false,
      hasColors: false,
      paint: createPaint(false),
      columns: () => 80,
    },
    nowMs: () => nowMs,
    folding: createFolding(marks, 'secret'),
    clock: UTC_CLOCK,
  });
  return {
    presenter,
    report: () => {
      for (const event of log.events.splice(0)) presenter.event(event);
    },
    passMs: (ms: number) => {
      nowMs += ms;
      presenter.tick();
    },
    /** Text written since the last call, without times. */
    lines() {
      const lines = written.trimEnd().split('\n');
      written = '';
      return lines.map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, ''));
    },
  };
}

function begin(log: RunLog, ...jobs: string[]): void {
  for (const job of jobs) {
    log.request(job);
    log.offer(job);
  }
}

test('the output of each step is a group, and lines about the job stand outside', () => {
  const log = createRunLog({ a: { steps } });
  begin(log, 'a');
  log.step('a', 's1', 'make');
  log.output('a', 's1', 'one', 'two');
  log.done('a', 's1', 0, ['three']);
  log.step('a', 's2', 'make');
  log.done('a', 's2', 3, ['four']);
  log.release('a', 'failure');
  const run = setUp(log);
  run.report();
  expect(run.lines()).toEqual([
    '   Workflow "nightly" in namespace default',
    'a  · asks for an environment: linux',
    'a  ● started',
    '##[group]a ▸ Compile',
    'a  │ one',
    'a  │ two',
    'a  │ three',
    '##[endgroup]',
    '##[group]a ▸ Link',
    'a  │ four',
    '##[endgroup]',
    'a  ✗ Link failed (exit code 3)',
    'a  ✗ failed in 5.0 s',
  ]);
});

test('a step without output has no group, unless it takes long', () => {
  const log = createRunLog({ a: { steps } });
  begin(log, 'a');
  log.step('a', 's1', 'make');
  log.done('a', 's1', 0);
  log.step('a', 's2', 'make');
  const run = setUp(log);
  run.report();
  expect(run.lines().slice(3)).toEqual(['a  ▸ Compile']);
  run.passMs(1_000);
  expect(run.lines()).toEqual(['##[group]a ▸ Link']);
  run.presenter.close();
  expect(run.lines()).toEqual(['##[endgroup]']);
});

test('jobs that run at the same time do not mix: one is shown, the others wait for the end of its group', () => {
  const log = createRunLog(twoJobs);
  begin(log, 'a', 'b');
  log.step('a', 's1', 'make');
  log.output('a', 's1', 'a1');
  log.step('b', 's1', 'make');
  log.output('b', 's1', 'b1');
  log.output('a', 's1', 'a2');
  const run = setUp(log);
  run.report();
  expect(run.lines().slice(5)).toEqual(['##[group]a ▸ Compile', 'a  │ a1', 'a  │ a2']);
  log.done('a', 's1', 0);
  log.step('a', 's2', 'make');
  log.output('b', 's1', 'b2');
  log.output('a', 's2', 'a3');
  log.done('a', 's2', 0);
  log.release('a', 'success');
  run.report();
  expect(run.lines()).toEqual([
    '##[endgroup]',
    '##[group]b ▸ Compile',
    'b  │ b1',
    '##[endgroup]',
    '##[group]a ▸ Link',
    'a  │ a3',
    '##[endgroup]',
    'a  ✓ succeeded in 10 s',
    '##[group]b ▸ Compile (continued)',
    'b  │ b2',
    '##[endgroup]',
  ]);
});

test('nothing waits for longer than some seconds', () => {
  const log = createRunLog(twoJobs);
  begin(log, 'a', 'b');
  log.step('a', 's1', 'make');
  log.output('a', 's1', 'a1');
  log.step('b', 's1', 'make');
  log.output('b', 's1', 'b1');
  const run = setUp(log);
  run.report();
  run.passMs(HELD_MS_MAX - 1);
  expect(run.lines().at(-1)).toBe('a  │ a1');
  run.passMs(1);
  expect(run.lines()).toEqual(['##[endgroup]', '##[group]b ▸ Compile', 'b  │ b1', '##[endgroup]']);
  log.output('a', 's1', 'a2');
  run.report();
  expect(run.lines()).toEqual(['##[group]a ▸ Compile (continued)', 'a  │ a2']);
});

test('no more lines wait than there is room for', () => {
  const log = createRunLog(twoJobs);
  begin(log, 'a', 'b');
  log.step('a', 's1', 'make');
  log.output('a', 's1', 'a1');
  log.output('b', 's1', ...Array.from({ length: HELD_LINES_MAX - 1 }, (_, index) => `b${index}`));
  const run = setUp(log);
  run.report();
  expect(run.lines().at(-1)).toBe('a  │ a1');
  log.output('b', 's1', 'the last one');
  run.report();
  expect(run.lines().slice(-2)).toEqual(['b  │ the last one', '##[endgroup]']);
});

test('waiting lines are shown masked if a text in them becomes masked', () => {
  const report = (log: RunLog, secret: string) => {
    begin(log, 'a', 'b');
    log.step('a', 's1', 'make');
    log.output('a', 's1', 'a1');
    log.step('b', 's1', 'make');
    log.output('b', 's1', `login ${secret}`);
  };
  const log = createRunLog(twoJobs);
  report(log, 'S3cretXY');
  const run = setUp(log);
  run.report();
  const again = createRunLog(twoJobs);
  report(again, '***');
  run.presenter.startAgain(again.events);
  run.presenter.close();
  const lines = run.lines();
  expect(lines).toContain('b  │ login ***');
  expect(lines.join()).not.toContain('S3cretXY');
});

test('at the end nothing waits, and messages stand in no group', () => {
  const log = createRunLog(twoJobs);
  begin(log, 'a', 'b');
  log.step('a', 's1', 'make');
  log.output('a', 's1', 'a1');
  log.output('b', 's1', 'b1');
  const run = setUp(log, 'github');
  run.report();
  run.lines();
  run.presenter.say('The server is back.');
  expect(run.lines()).toEqual([
    '::secret::',
    '::endgroup::',
    '::group::b',
    '::stop-commands::secret',
    'b  │ b1',
    '::secret::',
    '::endgroup::',
    '::stop-commands::secret',
    'The server is back.',
    '::secret::',
  ]);
});

test('a line of output with a line end in it begins no line of the log', () => {
  const log = createRunLog({ a: { steps } });
  begin(log, 'a');
  log.step('a', 's1', 'make');
  log.output('a', 's1', 'one\n::secret::\r\n::error::two');
  const run = setUp(log, 'github');
  run.report();
  expect(run.lines().at(-1)).toBe('a  │ one ::secret:: ::error::two');
});

test('the first failures are marked as errors of the build', () => {
  const names = Array.from({ length: MARKED_ERRORS_MAX + 2 }, (_, index) => `job-${index}`);
  const log = createRunLog(Object.fromEntries(names.map((name) => [name, { steps }])));
  for (const name of names) {
    begin(log, name);
    log.step(name, 's1', 'make');
    log.done(name, 's1', 1, ['no such file']);
    log.release(name, 'failure');
  }
  log.fail();
  const run = setUp(log, 'github');
  run.report();
  run.presenter.close();
  const { view } = run.presenter;
  const results = { testCases: [], isComplete: true, mayBeMissing: false } as const;
  run.presenter.sumUp({ view, status: 'FAILED', ...results }, null);
  const lines = run.lines();
  const errors = lines.filter((line) => line.startsWith('::error'));
  expect(errors).toHaveLength(MARKED_ERRORS_MAX);
  expect(errors[0]).toBe('::error title=job-0 ▸ Compile::exit code 1 after 1.0 s: no such file');
  // The summary contains output of steps.
  const summary = lines.indexOf('What failed first');
  expect(lines.lastIndexOf('::stop-commands::secret')).toBeLessThan(summary);
  expect(lines.lastIndexOf('::secret::')).toBeGreaterThan(summary);
});
