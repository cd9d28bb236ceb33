import type { LoggedEvent, WorkflowId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { CHANGES_LIMITS, type Change, Changes } from './changes.ts';

const id = (run: number) => `run ${run}` as WorkflowId;

/** Changes of runs that happen when the test says so. */
function changing() {
  let handler: (event: LoggedEvent, seq: number) => void = () => {};
  const changes = new Changes({
    subscribeAll: (given) => {
      handler = given;
      return () => {};
    },
  });
  const happen = (run: number, seq: number, spec: object, kind = 'Notification') =>
    handler(
      {
        kind,
        metadata: { workflow_id: id(run), namespace: 'default' },
        spec,
      } as unknown as LoggedEvent,
      seq,
    );
  const print = (run: number, seq: number) => happen(run, seq, { 'tutti.output': ['line'] });
  const notice = (run: number, seq: number) => happen(run, seq, { logs: ['waits'] });
  return { changes, print, notice };
}

const shown = (changes: readonly Change[] | null) =>
  changes?.map((change) =>
    change.kind === 'run' ? [change.workflowId, change.seq, change.isListed] : change.kind,
  ) ?? null;

test('a reader that comes back gets what changed since', () => {
  const { changes, print, notice } = changing();
  const begin = changes.position;
  print(1, 1);
  notice(2, 1);
  changes.environmentChanged('default');
  const later = changes.position;
  print(1, 2);
  changes.runsRemoved();
  expect(shown(changes.since(begin))).toEqual([
    [id(1), 1, false],
    [id(2), 1, true],
    'environments',
    [id(1), 2, false],
    'removal',
  ]);
  expect(shown(changes.since(later))).toEqual([[id(1), 2, false], 'removal']);
  expect(shown(changes.since(changes.position))).toEqual([]);
});

test('events of a run that nobody has seen are one change', () => {
  const { changes, print, notice } = changing();
  const begin = changes.position;
  for (let seq = 1; seq <= 100; seq += 1) print(1, seq);
  notice(1, 101);
  print(1, 102);
  expect(shown(changes.since(begin))).toEqual([[id(1), 102, true]]);
});

test('a reader learns that it has missed changes: after too many, and of another process', () => {
  const { changes, print } = changing();
  const begin = changes.position;
  for (let run = 0; run < CHANGES_LIMITS.remembered; run += 1) print(run, 1);
  expect(changes.since(begin)).toHaveLength(CHANGES_LIMITS.remembered);
  print(CHANGES_LIMITS.remembered, 1);
  expect(changes.since(begin)).toBeNull();
  print(0, 2);
  expect(shown(changes.since(changes.position))).toEqual([]);
  const [name] = begin.split('.');
  for (const other of [
    '',
    'x.1',
    name,
    `${name}.`,
    `${name}.-1`,
    `${name}.1e99`,
    `${name}.99999`,
  ]) {
    expect(changes.since(other ?? '')).toBeNull();
  }
});

test('readers are called for the runs that they want, and for lists', () => {
  const { changes, print, notice } = changing();
  const called: string[] = [];
  const reader = (name: string) => ({
    noted: ({ kind }: Change) => called.push(`${name} ${kind}`),
  });
  const leave = changes.read(reader('run'), { runs: [id(1)], hasLists: false });
  changes.read(reader('list'), { runs: [], hasLists: true });
  print(1, 1);
  print(2, 1);
  notice(2, 2);
  changes.environmentChanged('');
  leave();
  print(1, 2);
  expect(called).toEqual(['run run', 'list run', 'list environments']);
});
