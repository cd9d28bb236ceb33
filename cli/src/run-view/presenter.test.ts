import type { Hook } from '@tutti/manifests';
import { createRunLog, type RunLog, START_MS, UTC_CLOCK } from '@tutti/run-view/testing';
import { describe, expect, test } from 'vitest';
import type { Screen } from '../terminal/io.ts';
import { createPaint } from '../terminal/style.ts';
import { createPresenter, type PresenterLook } from './presenter.ts';

const steps = [{ id: 's1', name: 'Run the tests', run: 'make test' }];
const oneJob = { test: { steps } };

/** Output of a presenter for the events of a log. */
function written(log: RunLog, screen: Partial<Screen> = {}, look: PresenterLook = {}): string[] {
  const pieces: string[] = [];
  const presenter = createPresenter(
    {
      write: (text) => pieces.push(text),
      isTerminal: false,
      hasColors: false,
      paint: createPaint(screen.hasColors === true),
      columns: () => 80,
      ...screen,
    },
    () => START_MS + 65_000,
    { clock: UTC_CLOCK, ...look },
  );
  for (const event of log.events) presenter.event(event);
  presenter.close();
  return pieces;
}

const linesOf = (log: RunLog) => written(log).join('').trimEnd().split('\n');

type Row = readonly [name: string, report: (log: RunLog) => void, lines: readonly string[]];

const rows: readonly Row[] = [
  [
    'a step that succeeds, its output streamed and the rest in the result',
    (log) => {
      log.request('test');
      log.offer('test');
      log.step('test', 's1', 'make test');
      log.output('test', 's1', 'one', 'two');
      log.done('test', 's1', 0, ['three']);
      log.release('test', 'success');
      log.released('test');
      log.complete();
    },
    [
      '12:00:01  test  · asks for an environment: linux',
      '12:00:02  test  ● started',
      '12:00:03  test  ▸ Run the tests',
      '12:00:04  test  │ one',
      '12:00:04  test  │ two',
      '12:00:05  test  │ three',
      '12:00:06  test  ✓ succeeded in 3.0 s',
      '12:00:08        ✓ Workflow completed in 8.0 s',
    ],
  ],
  [
    'a job whose release takes its time, which is part of it',
    (log) => {
      log.request('test');
      log.offer('test');
      log.step('test', 's1', 'make test');
      log.done('test', 's1', 0);
      log.releasing('test', 'success');
      log.pause(5_000);
      log.released('test');
    },
    [
      '12:00:01  test  · asks for an environment: linux',
      '12:00:02  test  ● started',
      '12:00:03  test  ▸ Run the tests',
      '12:00:11  test  ✓ succeeded in 8.0 s',
    ],
  ],
  [
    'a bundle with its jobs',
    (log) => {
      log.expand('test', { unit: { steps }, lint: { steps } });
      log.request('test/unit');
      log.offer('test/unit');
      log.step('test/unit', 's1', 'make test');
      log.done('test/unit', 's1', 1);
      log.release('test/unit', 'failure');
      log.endUnplaced('test/lint', 'skipped', 'Job "lint" skipped.');
      log.endUnplaced('test', 'failure', 'Job "test" failed: job "unit" failed.');
    },
    [
      '12:00:01  test       ● stands for 2 jobs',
      '12:00:02  test/unit  · asks for an environment: linux',
      '12:00:03  test/unit  ● started',
      '12:00:04  test/unit  ▸ Run the tests',
      '12:00:05  test/unit  ✗ Run the tests failed (exit code 1)',
      '12:00:06  test/unit  ✗ failed in 2.0 s',
      '12:00:07  test/lint  · Job "lint" skipped.',
      '12:00:07  test/lint  · skipped',
      '12:00:08  test       · Job "test" failed: job "unit" failed.',
      '12:00:08  test       ✗ failed in 7.0 s',
    ],
  ],
  [
    'a step that fails, on a server that tells no result of the job',
    (log) => {
      log.request('test');
      log.offer('test');
      log.step('test', 's1', 'make test');
      log.done('test', 's1', 2, ['no rule']);
      log.release('test');
      log.fail({ reason: 'job test failed' });
    },
    [
      '12:00:01  test  · asks for an environment: linux',
      '12:00:02  test  ● started',
      '12:00:03  test  ▸ Run the tests',
      '12:00:04  test  │ no rule',
      '12:00:04  test  ✗ Run the tests failed (exit code 2)',
      '12:00:05  test  ✗ failed in 2.0 s',
      '12:00:06        ✗ Workflow failed after 6.0 s: job test failed',
    ],
  ],
  [
    'a step whose failure is forgiven, one without a name, one that is skipped',
    (log) => {
      log.request('test');
      log.offer('test');
      log.step('test', 's1', 'make test', { isForgiven: true });
      log.done('test', 's1', 1);
      log.step('test', 'unnamed', '\n  echo hello\necho more');
      log.done('test', 'unnamed', 0);
      log.skip('test', 's1');
      log.release('test', 'success');
    },
    [
      '12:00:01  test  · asks for an environment: linux',
      '12:00:02  test  ● started',
      '12:00:03  test  ▸ Run the tests',
      '12:00:04  test  ! Run the tests failed (exit code 1), the job goes on',
      '12:00:05  test  ▸ echo hello',
      '12:00:07  test  · Run the tests skipped',
      '12:00:08  test  ✓ succeeded in 5.0 s',
    ],
  ],
  [
    'steps whose names were evaluated, of a command and of a function',
    (log) => {
      log.request('test');
      log.offer('test');
      log.step('test', 's1', 'make test', { name: 'Run the tests in Lyon\nand more' });
      log.done('test', 's1', 1);
      log.provide('test', 's1', 'a/b@v1', 'Call from Lyon');
    },
    [
      '12:00:01  test  · asks for an environment: linux',
      '12:00:02  test  ● started',
      '12:00:03  test  ▸ Run the tests in Lyon',
      '12:00:04  test  ✗ Run the tests in Lyon failed (exit code 1)',
      '12:00:05  test  ▸ Call from Lyon',
    ],
  ],
  [
    'a job whose failure is forgiven',
    (log) => {
      log.request('test');
      log.offer('test');
      log.release('test', 'success', true);
    },
    [
      '12:00:01  test  · asks for an environment: linux',
      '12:00:02  test  ● started',
      '12:00:03  test  ! failed (allowed)',
    ],
  ],
  [
    'the only script of a function by the name of its step',
    (log) => {
      log.request('test');
      log.offer('test');
      log.provide('test', 's1', 'node-test/execute@v1');
      log.provided('test', 's1', [{ id: 'p1', run: 'rm -f report.xml\nnode --test' }]);
      log.step('test', 'p1', 'rm -f report.xml\nnode --test', { origin: ['s1'] });
      log.done('test', 'p1', 1, ['not ok']);
    },
    [
      '12:00:01  test  · asks for an environment: linux',
      '12:00:02  test  ● started',
      '12:00:03  test  ▸ Run the tests',
      '12:00:06  test  │ not ok',
      '12:00:06  test  ✗ Run the tests failed (exit code 1)',
    ],
  ],
  [
    'the steps of a provider, set in',
    (log) => {
      log.request('test');
      log.offer('test');
      log.provide('test', 's1', 'actions/checkout@v3');
      log.provided('test', 's1', [
        { id: 'p1', run: 'git clone' },
        { id: 'p2', run: 'git checkout' },
        { id: 'p3', name: 'Clean up', run: 'rm -r .git' },
      ]);
      for (const [id, run] of [
        ['p1', 'git clone'],
        ['p2', 'git checkout'],
        ['p3', 'rm -r .git'],
      ] as const) {
        log.step('test', id, run, { origin: ['s1'] });
        log.done('test', id, 0);
      }
    },
    [
      '12:00:01  test  · asks for an environment: linux',
      '12:00:02  test  ● started',
      '12:00:03  test  ▸ Run the tests',
      '12:00:05  test    ▸ Run the tests: git clone',
      '12:00:07  test    ▸ Run the tests: git checkout',
      '12:00:09  test    ▸ Clean up',
    ],
  ],
  [
    'a cancellation and a step that is stopped for it',
    (log) => {
      log.request('test');
      log.offer('test');
      log.step('test', 's1', 'make test');
      log.cancel('not needed');
      log.stop('test', 's1', 'canceled');
      log.done('test', 's1', 143);
      log.release('test', 'cancelled');
      log.fail({ reason: 'not needed', status: 'cancelled' });
    },
    [
      '12:00:01  test  · asks for an environment: linux',
      '12:00:02  test  ● started',
      '12:00:03  test  ▸ Run the tests',
      '12:00:04        ! cancellation asked: not needed',
      '12:00:05  test  ! Run the tests is stopped',
      '12:00:06  test  ! Run the tests was stopped',
      '12:00:07  test  ! canceled in 4.0 s',
      '12:00:08        ✗ Workflow canceled after 8.0 s: not needed',
    ],
  ],
  [
    'a step that takes too long',
    (log) => {
      log.request('test');
      log.offer('test');
      log.step('test', 's1', 'make test');
      log.stepOvertime('test', 's1', 'It ran longer than 1 second.');
      log.stop('test', 's1', 'timeout');
      log.done('test', 's1', 143);
    },
    [
      '12:00:01  test  · asks for an environment: linux',
      '12:00:02  test  ● started',
      '12:00:03  test  ▸ Run the tests',
      '12:00:04  test  ! It ran longer than 1 second.',
      '12:00:06  test  ✗ Run the tests failed (exit code 143)',
    ],
  ],
  [
    'a step that takes too long for a server that does not tell its limit',
    (log) => {
      log.request('test');
      log.offer('test');
      log.step('test', 's1', 'make test');
      log.stop('test', 's1', 'timeout');
    },
    [
      '12:00:01  test  · asks for an environment: linux',
      '12:00:02  test  ● started',
      '12:00:03  test  ▸ Run the tests',
      '12:00:04  test  ! Run the tests takes too long and is stopped',
    ],
  ],
  [
    'a job that waits and never gets an environment',
    (log) => {
      const reason = {
        reason: 'no-environment',
        tags: [],
        namespace: 'x',
        missingTags: [],
      } as const;
      log.request('test');
      log.wait('test', reason, 'Job "test" waits: no environment.');
      log.endUnplaced('test', 'failure', 'Waited too long.');
    },
    [
      '12:00:01  test  · asks for an environment: linux',
      '12:00:02  test  ! Job "test" waits: no environment.',
      '12:00:03  test  · Waited too long.',
      '12:00:03  test  ✗ failed',
    ],
  ],
  [
    'test results, errors and notes; not the logs of services',
    (log) => {
      log.request('test');
      log.offer('test');
      log.tests('test', 'SUCCESS', 'FAILURE', 'ERROR', 'SKIPPED');
      log.tests('test', 'SUCCESS');
      log.error('test', 'first\nsecond');
      log.note({}, 'service gossip');
      log.note({ name: 'group notification' }, 'for everybody');
      log.note({ job_id: 'job-test' }, 'about the job');
    },
    [
      '12:00:01  test  · asks for an environment: linux',
      '12:00:02  test  ● started',
      '12:00:03  test  ✗ 4 test cases: 1 passed, 2 failed, 1 skipped',
      '12:00:04  test  ✓ 1 test case: 1 passed',
      '12:00:05  test  ✗ first',
      '12:00:05  test  ✗ second',
      '12:00:07        · for everybody',
      '12:00:08  test  · about the job',
    ],
  ],
  [
    'a job that ends with test cases',
    (log) => {
      log.request('test');
      log.offer('test');
      log.step('test', 's1', 'make test');
      log.tests('test', 'SUCCESS', 'FAILURE');
      log.done('test', 's1', 1);
      log.release('test', 'failure');
    },
    [
      '12:00:01  test  · asks for an environment: linux',
      '12:00:02  test  ● started',
      '12:00:03  test  ▸ Run the tests',
      '12:00:04  test  ✗ 2 test cases: 1 passed, 1 failed',
      '12:00:05  test  ✗ Run the tests failed (exit code 1)',
      '12:00:06  test  ✗ failed in 3.0 s, 2 tests, 1 failed',
    ],
  ],
  [
    'output that tries to move the cursor',
    (log) => {
      log.request('test');
      log.offer('test');
      log.output(
        'test',
        's1',
        '\u001b[2J\u001b[31mred\u001b[0m\rover\u0007 \u001b]0;title\u0007end',
      );
    },
    [
      '12:00:01  test  · asks for an environment: linux',
      '12:00:02  test  ● started',
      '12:00:03  test  │ over end',
    ],
  ],
  [
    'the last that programs left where they wrote over a line, as those that show progress',
    (log) => {
      log.request('test');
      log.offer('test');
      const erased = '98 %\r99 %\r      \r\u001b[K';
      log.output('test', 's1', '1 %\r50 %\r\u001b[32m100 %\u001b[0m\r', erased, '\r', 'done\r');
    },
    [
      '12:00:01  test  · asks for an environment: linux',
      '12:00:02  test  ● started',
      '12:00:03  test  │ 100 %',
      '12:00:03  test  │ 99 %',
      '12:00:03  test  │',
      '12:00:03  test  │ done',
    ],
  ],
];

test.each(rows)('plain lines show %s', (_name, report, lines) => {
  const log = createRunLog(oneJob);
  report(log);
  expect(linesOf(log)).toEqual([
    '12:00:00        Workflow "nightly" in namespace default',
    ...lines,
  ]);
});

test('the names of jobs stand in one column', () => {
  const log = createRunLog({ a: { steps }, 'long-name': { steps } });
  log.request('a');
  log.request('long-name');
  expect(linesOf(log)).toEqual([
    '12:00:00             Workflow "nightly" in namespace default',
    '12:00:01  a          · asks for an environment: linux',
    '12:00:02  long-name  · asks for an environment: linux',
  ]);
});

test("steps of hooks keep their authors' names", () => {
  const hook = (id: string, name: string, list: 'before' | 'after'): Hook => ({
    name: 'h',
    events: [{ channel: 'setup' }],
    [list]: [{ id, name, run: 'x' }],
  });
  const log = createRunLog(oneJob, [
    hook('9a2326a8-4145-4b77-a4f6-163199ae106b', 'Mine', 'before'),
  ]);
  log.request('test');
  log.offer('test', [hook('b2', 'Of the operator', 'after')]);
  log.step('test', '9a2326a8-4145-4b77-a4f6-163199ae106b', 'x');
  log.done('test', '9a2326a8-4145-4b77-a4f6-163199ae106b', 0);
  log.skip('test', 'b2');
  expect(linesOf(log).slice(3)).toEqual([
    '12:00:03  test  ▸ Mine',
    '12:00:05  test  · Of the operator skipped',
  ]);
});

test('steps of unknown hooks are named from the events of the run', () => {
  const log = createRunLog(oneJob);
  log.request('test');
  log.offer('test');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: expressions are written so.
  log.skip('test', '9a2326a8-4145-4b77-a4f6-163199ae106b-2', 'Clean ${{ matrix.os }}');
  log.skip('test', 'hook-0');
  expect(linesOf(log).slice(3)).toEqual([
    '12:00:03  test  · Clean … skipped',
    '12:00:04  test  · hook-0 skipped',
  ]);
});

test('a job that calls a workflow names its file', () => {
  const log = createRunLog(oneJob);
  log.call('test', 'checks.yaml');
  expect(linesOf(log).slice(1)).toEqual(['12:00:01  test  · calls checks.yaml']);
});

test('events of an unknown job are ignored', () => {
  const log = createRunLog(oneJob);
  log.step('unknown', 's1', 'x');
  log.done('unknown', 's1', 1);
  expect(linesOf(log)).toHaveLength(1);
});

describe('on a terminal', () => {
  test('lines scroll over one line of progress, each change in one write', () => {
    const log = createRunLog(oneJob);
    log.request('test');
    log.offer('test');
    log.step('test', 's1', 'make test');
    expect(written(log, { isTerminal: true })).toEqual([
      '12:00:00        Workflow "nightly" in namespace default\n0 of 1 job done · 1 waiting · 1 min 05 s',
      '\r\u001b[K12:00:01  test  · asks for an environment: linux\n0 of 1 job done · 1 waiting · 1 min 05 s',
      '\r\u001b[K12:00:02  test  ● started\n0 of 1 job done · 1 running · 1 min 05 s',
      '\r\u001b[K12:00:03  test  ▸ Run the tests\n0 of 1 job done · 1 running · 1 min 05 s · test ▸ Run the tests',
      '\r\u001b[K',
    ]);
  });

  test('nothing in the line of progress moves the cursor', () => {
    const log = createRunLog(oneJob);
    const reason = { reason: 'max-parallel', limit: 1, running: 1 } as const;
    log.wait('test', reason, 'waits\u001b[2J\nfor "a"');
    const [last] = written(log, { isTerminal: true }).slice(-2);
    expect(last?.split('\n').at(-1)).toContain('waits for "a"');
  });

  test('nothing is written when a tick changes nothing', () => {
    const pieces: string[] = [];
    const screen: Screen = {
      write: (text) => pieces.push(text),
      isTerminal: true,
      hasColors: false,
      paint: createPaint(false),
      columns: () => 20,
    };
    const presenter = createPresenter(screen, () => START_MS);
    for (const event of createRunLog(oneJob).events) presenter.event(event);
    presenter.tick();
    expect(pieces).toHaveLength(1);
    expect(pieces[0]?.split('\n').at(-1)).toBe('0 of 1 job done · …');
  });

  test('colours are used where they are wanted', () => {
    const log = createRunLog(oneJob);
    log.complete();
    expect(written(log, { hasColors: true }).at(-1)).toBe(
      '\u001b[2m12:00:01\u001b[22m        \u001b[32m✓ Workflow completed in 1.0 s\u001b[39m\n',
    );
  });
});
