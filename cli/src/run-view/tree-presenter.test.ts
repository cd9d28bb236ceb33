import { createRunLog, type RunLog, START_MS, UTC_CLOCK } from '@tutti/run-view/testing';
import { expect, test } from 'vitest';
import { createPaint } from '../terminal/style.ts';
import { createTestTerminal } from '../testing/terminal.ts';
import { createTreePresenter } from './tree-presenter.ts';

const steps = [{ id: 's1', name: 'Run the tests', run: 'make' }];

/** A presenter on a terminal, with a clock that the test moves. */
function setUp(log: RunLog) {
  const terminal = createTestTerminal(60, 10);
  const pieces: string[] = [];
  const waiting: (() => void)[] = [];
  let nowMs = START_MS + 5_000;
  let size = { columns: 60, rows: 10 };
  const presenter = createTreePresenter({
    screen: {
      write: (text) => pieces.push(text),
      isTerminal: true,
      hasColors: false,
      paint: createPaint(false),
      columns: () => size.columns,
      rows: () => size.rows,
    },
    nowMs: () => nowMs,
    later: (callback) => waiting.push(callback),
    clock: UTC_CLOCK,
  });
  return {
    presenter,
    pieces,
    report: () => {
      for (const event of log.events.splice(0)) presenter.event(event);
    },
    passFrame: () => waiting.shift()?.(),
    passSeconds: (seconds: number) => {
      nowMs += seconds * 1000;
      presenter.tick();
    },
    resize: (columns: number, rows: number) => {
      size = { columns, rows };
      terminal.resize(columns, rows);
    },
    async shown() {
      await terminal.write(pieces.splice(0).join(''));
      return terminal.lines();
    },
    type: (text: string) => terminal.write(text),
  };
}

function begun(): RunLog {
  const log = createRunLog({ a: { steps }, b: { steps, needs: 'a' } });
  log.request('a');
  log.offer('a');
  log.step('a', 's1', 'make');
  return log;
}

const LOG = [
  '12:00:00     Workflow "nightly" in namespace default',
  '12:00:01  a  · asks for an environment: linux',
  '12:00:02  a  ● started',
  '12:00:03  a  ▸ Run the tests',
];

test('many events at once are two frames: the first at once, the others soon', async () => {
  const run = setUp(begun());
  run.report();
  expect(run.pieces).toHaveLength(1);
  run.passFrame();
  expect(run.pieces).toHaveLength(2);
  expect(await run.shown()).toEqual([
    ...LOG,
    '0 of 2 jobs done · 5 s',
    '● a  running 2 s  ▸ Run the tests 2 s',
    '○ b  waits for a',
  ]);
  run.passFrame();
  expect(run.pieces).toEqual([]);
});

test('times go on while nothing happens', async () => {
  const run = setUp(begun());
  run.report();
  run.passFrame();
  run.passSeconds(7);
  expect((await run.shown()).slice(-3)).toEqual([
    '0 of 2 jobs done · 12 s',
    '● a  running 9 s  ▸ Run the tests 9 s',
    '○ b  waits for a',
  ]);
});

test('the times of an earlier run are shown when they are known', async () => {
  const run = setUp(begun());
  run.report();
  run.passFrame();
  run.presenter.expect?.({ totalMs: 60_000, jobs: new Map([['a', 30_000]]) });
  run.passFrame();
  expect(await run.shown()).toContain('● a  running 2 s of about 30 s  ▸ Run the tests 2 s');
});

test('lines that were not drawn yet are in the log at the end, and the area is gone', async () => {
  const log = begun();
  const run = setUp(log);
  run.report();
  log.output('a', 's1', 'the last word');
  run.report();
  run.presenter.close();
  run.presenter.close();
  run.passFrame();
  expect(await run.shown()).toEqual([...LOG, '12:00:04  a  │ the last word']);
});

test('messages beside the run scroll with it', async () => {
  const run = setUp(begun());
  run.report();
  run.presenter.say('The server is back.');
  run.passFrame();
  expect((await run.shown()).slice(3, 6)).toEqual([
    LOG[3],
    'The server is back.',
    '0 of 2 jobs done · 5 s',
  ]);
});

test('while the process is suspended the area is hidden, and then it continues below other output', async () => {
  const log = begun();
  const run = setUp(log);
  run.report();
  run.passFrame();
  run.presenter.hide();
  expect(await run.shown()).toEqual(LOG);
  await run.type('[1]+  Stopped\n$ fg\n');
  log.output('a', 's1', 'meanwhile');
  run.report();
  run.passSeconds(1);
  run.passFrame();
  expect(run.pieces).toEqual([]);
  run.presenter.show();
  expect((await run.shown()).slice(LOG.length)).toEqual([
    '[1]+  Stopped',
    '$ fg',
    '12:00:04  a  │ meanwhile',
    '0 of 2 jobs done · 6 s',
    '● a  running 3 s  ▸ Run the tests 3 s',
    '○ b  waits for a',
  ]);
});

test('a terminal that changes its size is redrawn', async () => {
  const run = setUp(begun());
  run.report();
  run.passFrame();
  await run.shown();
  run.resize(20, 5);
  run.passSeconds(0);
  expect((await run.shown()).slice(-3)).toEqual([
    '0 of 2 jobs done ·…',
    '● a  running 2 s  …',
    '○ b  waits for a',
  ]);
});

test('events that the server changed are shown in the new form', async () => {
  const run = setUp(begun());
  run.report();
  const log = createRunLog({ a: { steps: [{ id: 's1', name: 'Use ***', run: 'x' }] } });
  log.request('a');
  log.offer('a');
  log.step('a', 's1', 'x');
  run.presenter.startAgain(log.events);
  run.passSeconds(0);
  expect((await run.shown()).at(-1)).toBe('● a  running 2 s  ▸ Use *** 2 s');
});
