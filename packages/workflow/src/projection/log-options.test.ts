import { expect, test } from 'vitest';
import { createInsightLogOptions, createLogOptions } from './log-options.ts';

const defaults = createLogOptions();

// HTTP 4.5: Logs: outer jobs and steps with whole commands, unless labels say otherwise.
test('by default only jobs and steps of the manifest are shown, with whole commands', () => {
  expect(defaults).toEqual({
    stepDepth: 1,
    jobDepth: 1,
    maxCommandLength: 0,
    showsAttachments: false,
    showsNotifications: false,
    showsDebugging: false,
    outputPrefix: null,
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

test.each([
  [{}, {}],
  [
    { 'step-depth': 0, 'job-depth': 2 },
    { stepDepth: 0, jobDepth: 2 },
  ],
  [{ 'max-command-length': 15 }, { maxCommandLength: 15 }],
  [{ 'step-depth': -1, 'job-depth': 1.5, 'max-command-length': 1e300 }, {}],
  [{ 'output-prefix': '' }, { outputPrefix: '' }],
  [{ 'output-prefix': '{timestamp} ' }, { outputPrefix: '{timestamp} ' }],
  [{ verbose: 'true' }, { showsAttachments: true, showsDebugging: true }],
  [{ 'show-notifications': ' True ' }, { showsNotifications: true }],
  [{ verbose: 'false', 'show-notifications': 'no' }, {}],
])('for an insight with %j the options differ by %j', (spec, change) => {
  expect(createInsightLogOptions(spec)).toEqual({ ...defaults, ...change });
});
