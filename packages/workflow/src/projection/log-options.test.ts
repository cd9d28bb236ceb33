import { expect, test } from 'vitest';
import { createLogOptions } from './log-options.ts';

const defaults = createLogOptions();

test('by default only jobs and steps of the manifest are shown, with whole commands', () => {
  expect(defaults).toEqual({
    stepDepth: 1,
    jobDepth: 1,
    maxCommandLength: 0,
    showsAttachments: false,
    showsNotifications: false,
  });
});

test.each([
  ['live-executionlog/step-depth', '0', { stepDepth: 0 }],
  ['live-executionlog/step-depth', '3', { stepDepth: 3 }],
  ['live-executionlog/job-depth', '2', { jobDepth: 2 }],
  ['live-executionlog/max-command-length', ' 15 ', { maxCommandLength: 15 }],
  ['live-executionlog/step-depth', '-1', {}],
  ['live-executionlog/step-depth', '1.5', {}],
  ['live-executionlog/step-depth', 'many', {}],
  ['live-executionlog/step-depth', '', {}],
  ['step-depth', '5', {}],
])('with the label %s=%j the options differ by %j', (label, value, change) => {
  expect(createLogOptions({ [label]: value })).toEqual({ ...defaults, ...change });
});
