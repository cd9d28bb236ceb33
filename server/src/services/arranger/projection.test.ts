/** The log of a commit: stored text, and parts whose text is in the events. */
import type {
  ExecutionResultEvent,
  JobId,
  LoggedEvent,
  NotificationEvent,
  RunEvent,
  StepId,
  Timestamp,
  WorkflowId,
} from '@tutti/manifests';
import { createLogOptions, createRedactor, emptyRun, renderEvent } from '@tutti/workflow';
import { expect, test } from 'vitest';
import { roomForLog, writeLogPart } from '../../store/log-part.ts';
import { project } from './projection.ts';

const metadata = {
  name: 'log notification',
  workflow_id: 'aaaaaaaa-2222-4333-8444-555555555555' as WorkflowId,
  namespace: 'default',
  creationTimestamp: '2026-01-31T12:00:00.000000' as Timestamp,
  job_id: '11111111-2222-4333-8444-555555555555' as JobId,
  job_origin: [],
  step_id: 'bbbbbbbb-2222-4333-8444-555555555555' as StepId,
  step_origin: [],
  step_sequence_id: 1,
};
const apiVersion = 'opentestfactory.org/v1alpha1';

const printed = (lines: readonly string[]) =>
  ({
    apiVersion,
    kind: 'Notification',
    metadata,
    spec: { 'tutti.output': lines, 'tutti.stderr': [[0, 1]] },
  }) as NotificationEvent;

const answered = (logs: readonly string[], status = 0, streamed = 0): ExecutionResultEvent => ({
  apiVersion: 'opentestfactory.org/v1alpha1',
  kind: 'ExecutionResult',
  metadata: { ...metadata, ...{ 'tutti.streamed': streamed } },
  logs: [...logs],
  status,
});

const LINES = Array.from({ length: 200 }, (_, number) => `line ${number}, é, 𝄞`);
const COLORED = LINES.map((line) => `\u001b[31m"${line}"\u001b[0m C:\\new $& ${line}`);
const OPTIONS = createLogOptions();
const OTHER: LoggedEvent = { kind: 'Custom', metadata };

/** The log that these events add, put together again, and which of them have it as a part. */
function logged(events: readonly LoggedEvent[], masks: readonly string[] = []) {
  const redactor = createRedactor(masks);
  const committed = events.map((event) => {
    const json = JSON.stringify(event);
    return { event, json, shown: redactor.shown(event, json) };
  });
  const { logText, logParts = [] } = project(emptyRun, emptyRun, committed, redactor);
  let [text, written] = ['', 0];
  for (const part of logParts) {
    const room = roomForLog(part.bytes);
    expect(writeLogPart(room, committed[part.event]?.json ?? '', part)).toBe(true);
    text += logText.slice(written, part.textBefore) + room.toString('utf8', 0, part.bytes);
    written = part.textBefore;
  }
  return { text: text + logText.slice(written), parts: logParts.map(({ event }) => event) };
}

const rendered = (...events: readonly RunEvent[]) =>
  events.map((event) => renderEvent(event, OPTIONS)).join('');

test('large output of a step is a part of the log, whatever is in its lines', () => {
  const events = [
    printed(['short']),
    printed(LINES),
    answered(LINES),
    answered(COLORED, 3),
    printed(COLORED),
    answered(LINES, 1, LINES.length),
    answered(LINES, 0, 10),
    { ...printed([]), spec: { logs: LINES } },
  ];
  const { text, parts } = logged([OTHER, ...events]);
  expect(text).toBe(rendered(...events));
  expect(parts).toEqual([2, 3, 4, 5]);
});

test('a long list of lines is made in stretches, wherever they end', () => {
  const lines = Array.from(
    { length: 40_000 },
    (_, number) => [',', '', 'é', ',,', 'a,'][number % 5] ?? '',
  );
  const commas = Array.from({ length: 40_000 }, () => ',');
  const long = Array.from({ length: 3 }, () => 'long, '.repeat(20_000));
  for (const each of [lines, [...lines, 'last'], commas, long]) {
    expect(logged([printed(each)])).toEqual({ text: rendered(printed(each)), parts: [0] });
  }
});

test('lines with line breaks are stored as they are shown', () => {
  for (const end of ['\n', '\r', '\r\n']) {
    const broken = printed(LINES.map((line) => `${line}${end}more`));
    expect(logged([broken])).toEqual({ text: rendered(broken), parts: [] });
  }
});

test('output with a masked text is stored as it is shown', () => {
  const secret = printed([...LINES, 'it is hunter22']);
  const { text, parts } = logged([printed(LINES), secret], ['hunter22']);
  expect(text).toBe(rendered(printed(LINES), printed([...LINES, 'it is ***'])));
  expect(parts).toEqual([0]);
});

test('an event whose text another one could hide as well is stored where it is not the same', () => {
  const twice = { ...printed(LINES), metadata: { ...metadata, lines: LINES } } as NotificationEvent;
  expect(logged([twice])).toEqual({ text: rendered(twice), parts: [] });
});
