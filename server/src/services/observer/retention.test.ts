import { formatTimestamp, type WorkflowId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import type { WorkflowRow } from '../../store/store.ts';
import { overdueRuns } from './retention.ts';

const MINUTE = 60_000;
const NOW = 1_000 * MINUTE;

const run = (name: string, endedMinutesAgo: number | null, live = false): WorkflowRow => ({
  workflowId: name as WorkflowId,
  name,
  namespace: 'default',
  status: endedMinutesAgo === null ? 'RUNNING' : 'DONE',
  live,
  workers: [],
  createdAt: formatTimestamp(0),
  completedAt: endedMinutesAgo === null ? null : formatTimestamp(NOW - endedMinutesAgo * MINUTE),
});

const overdue = (rows: WorkflowRow[], minutes: number, runs: number) =>
  overdueRuns(rows, { minutes, runs }, NOW).map(({ name }) => name);

test('a run leaves when its time is over', () => {
  expect(overdue([run('young', 59), run('old', 61)], 60, 100)).toEqual(['old']);
});

test('the oldest runs leave when there are too many', () => {
  expect(overdue([run('b', 2), run('c', 1), run('a', 3)], 60, 1)).toEqual(['a', 'b']);
});

test('a run that goes on, or that somebody still works on, stays', () => {
  expect(overdue([run('running', null, true), run('read', 99, true)], 60, 1)).toEqual([]);
});
