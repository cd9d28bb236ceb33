import { createRunLog, START_MS, WORKFLOW_ID } from '@tutti/run-view/testing';
import { expect, test } from 'vitest';
import { createPaint } from '../terminal/style.ts';
import { createJsonPresenter, startedRecord } from './json-presenter.ts';
import { createSilentPresenter } from './silent-presenter.ts';

const steps = [{ id: 's1', name: 'Run the tests', run: 'make' }];

function memory() {
  const written = { stdout: '', stderr: '' };
  const io = {
    screen: {
      write: (text: string) => {
        written.stdout += text;
      },
      isTerminal: true,
      hasColors: true,
      paint: createPaint(true),
      columns: () => 80,
    },
    complain: (text: string) => {
      written.stderr += text;
    },
  };
  return { io, written };
}

function failedRun() {
  const log = createRunLog({ a: { steps }, b: { steps } });
  log.request('a');
  log.offer('a');
  log.step('a', 's1', 'make');
  log.done('a', 's1', 3, ['one', 'two']);
  log.release('a', 'failure');
  log.endUnplaced('b', 'skipped', 'Job "b" skipped.');
  log.attach('a', 's1', 'x');
  log.fail({ reason: 'Job "a" failed.' });
  return log;
}

const results = {
  testCases: [{ metadata: { name: 't' }, test: {}, status: 'FAILURE', execution: {} }],
  isComplete: true,
  mayBeMissing: false,
  gate: 'FAILURE',
} as const;

test('programs get the events unchanged, one a line, and the result of the run', () => {
  const { events } = failedRun();
  const { io, written } = memory();
  const presenter = createJsonPresenter(io);
  for (const event of events) presenter.event(event);
  presenter.say('The server is back.');
  presenter.tick();
  presenter.close();
  presenter.sumUp({ view: presenter.view, status: 'FAILED', ...results }, 'tutti');
  const documents = written.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(documents.slice(0, -1)).toEqual(events);
  expect(documents.at(-1)).toEqual({
    kind: 'RunEnded',
    workflow_id: WORKFLOW_ID,
    name: 'nightly',
    namespace: 'default',
    status: 'FAILED',
    canceled: false,
    canceled_by: null,
    reason: 'Job "a" failed.',
    duration: 8_000,
    jobs: { total: 2, succeeded: 0, failed: 1, canceled: 0, skipped: 1 },
    tests: { total: 1, passed: 0, failed: 1, skipped: 0, complete: true },
    quality_gate: 'FAILURE',
    attachments: 1,
    reports: 0,
    failures: [
      {
        job: 'a',
        step: 'Run the tests',
        message: 'exit code 3 after 1.0 s',
        exit_code: 3,
        line: 2,
      },
    ],
  });
  expect(written.stderr).toBe('The server is back.\n');
});

test('a run begins with its id', () => {
  expect(startedRecord('x', false)).toEqual({ kind: 'RunStarted', workflow_id: 'x' });
  expect(startedRecord('x', true)).toEqual({ kind: 'RunValid', workflow_id: 'x' });
});

test('without progress a run is silent until its end', () => {
  const log = failedRun();
  const { io, written } = memory();
  const presenter = createSilentPresenter(io);
  for (const event of log.events) presenter.event(event);
  presenter.startAgain(log.events);
  presenter.tick();
  presenter.close();
  expect(written).toEqual({ stdout: '', stderr: '' });
  presenter.say('The server is back.');
  expect(written.stderr).toBe('The server is back.\n');
  expect(presenter.view.startedAt).toBe(START_MS);
  presenter.sumUp({ view: presenter.view, status: 'FAILED', ...results }, null);
  expect(written.stdout).toContain('a ▸ Run the tests: ');
});
