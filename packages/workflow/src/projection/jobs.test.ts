import type { JobId, Timestamp, WorkflowId } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { type EndedJob, jobManifest, withTestCounts } from './jobs.ts';
import { tagManifests } from './tags.ts';
import type { RunOfItem } from './test-cases.ts';
import { addOutcome, NO_TESTS } from './test-counts.ts';

const at = (seconds: string): Timestamp => `2026-01-31T12:00:${seconds}` as Timestamp;

const workflow: RunOfItem = { id: 'w' as WorkflowId, name: 'nightly', namespace: 'shop' };
const ended: EndedJob = {
  jobId: 'j' as JobId,
  name: 'unit',
  runsOn: ['linux', 'node'],
  variables: { BROWSER: 'firefox' },
  phase: 'SUCCEEDED',
  requestTime: at('01.000000'),
  startTime: at('02.000001'),
  endTime: at('03.500002'),
};
const job = (changed: Partial<EndedJob> = {}) =>
  jobManifest('opentestfactory.org', workflow, { ...ended, ...changed });

describe('the manifest of a job', () => {
  // HTTP 2.7: A job has names, ids, namespace, time, tags and variables.
  test('has its times, its variables and the counts of its test cases', () => {
    const counts = addOutcome(addOutcome(NO_TESTS, 'success', 3), 'failure', 1);
    expect(withTestCounts(job(), counts)).toEqual({
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind: 'Job',
      metadata: {
        name: 'unit',
        id: 'j',
        namespace: 'shop',
        workflow_id: 'w',
        creationTimestamp: at('01.000000'),
      },
      spec: { 'runs-on': ['linux', 'node'], variables: { BROWSER: 'firefox' } },
      status: {
        phase: 'SUCCEEDED',
        requestTime: at('01.000000'),
        startTime: at('02.000001'),
        endTime: at('03.500002'),
        duration: 1500.001,
        testCaseCount: 4,
        testCaseStatusSummary: { success: 3, failure: 1, error: 0, skipped: 0, cancelled: 0 },
      },
      uuid: 'unit',
    });
  });

  // HTTP 2.7: Its status has phase, times, duration and counts.
  test('of a job that never began starts when it ends, and lasts no time', () => {
    const { status } = job({ startTime: null, phase: 'CANCELLED' });
    expect(status).toMatchObject({ startTime: ended.endTime, endTime: ended.endTime, duration: 0 });
  });

  test('of a job during which the clock was set back lasts no time', () => {
    expect(job({ endTime: at('01.000000') }).status.duration).toBe(0);
  });
});

describe('tags', () => {
  // HTTP 2.8: A tag counts its jobs and their test cases.
  test('count their jobs and the test cases of these', () => {
    const jobs = [job(), job({ jobId: 'k' as JobId, name: 'ui', runsOn: ['linux', 'linux'] })];
    const counts = new Map([
      ['j' as JobId, addOutcome(NO_TESTS, 'success', 2)],
      ['k' as JobId, addOutcome(NO_TESTS, 'skipped', 1)],
    ]);
    const summary = { ...NO_TESTS, success: 2 };
    expect(tagManifests(jobs, counts)).toEqual([
      {
        apiVersion: 'opentestfactory.org/v1alpha1',
        kind: 'Tag',
        metadata: { name: 'linux', workflow_id: 'w', namespace: 'shop' },
        status: {
          jobCount: 2,
          testCaseCount: 3,
          testCaseStatusSummary: { ...summary, skipped: 1 },
        },
      },
      {
        apiVersion: 'opentestfactory.org/v1alpha1',
        kind: 'Tag',
        metadata: { name: 'node', workflow_id: 'w', namespace: 'shop' },
        status: { jobCount: 1, testCaseCount: 2, testCaseStatusSummary: summary },
      },
    ]);
  });

  test('of jobs without test cases count zero', () => {
    expect(tagManifests([job({ runsOn: ['linux'] })], new Map())[0]?.status).toEqual({
      jobCount: 1,
      testCaseCount: 0,
      testCaseStatusSummary: NO_TESTS,
    });
  });
});
