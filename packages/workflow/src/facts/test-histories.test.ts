import type { NotificationEvent } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { historiesIn, historyEntries, type KnownHistory } from './test-histories.ts';

const notification = (spec: object) => ({ kind: 'Notification', spec }) as NotificationEvent;

const HISTORIES: readonly (KnownHistory | null)[] = [
  {
    state: 'flaky',
    flakeRate: 0.024,
    failures: 5,
    executions: 100,
    hadFailed: true,
    quarantined: true,
  },
  null,
  { state: 'new', flakeRate: 0, failures: 0, executions: 1, hadFailed: false, quarantined: false },
];

// The log keeps these bytes: every later version has to read them.
test('an event has the histories of its results as numbers', () => {
  const entries = historyEntries(HISTORIES);
  expect(JSON.stringify(entries)).toBe(
    '{"tutti.test-histories":[[3,0.024,5,100,1,1],[],[0,0,0,1,0]]}',
  );
  expect(historiesIn(notification(entries))).toEqual(HISTORIES);
});

test('an event without any has no entry, and those of earlier versions have none', () => {
  expect(historyEntries([null, null])).toEqual({});
  expect(historiesIn(notification({}))).toEqual([]);
});
