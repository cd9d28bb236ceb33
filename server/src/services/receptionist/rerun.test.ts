/** Reruns that are refused, and the content of accepted ones. */
import { formatTimestamp, type WorkflowEvent, type WorkflowId } from '@tutti/manifests';
import { emptyRun, evolve, formatTraceparent, type Run, runSpanId } from '@tutti/workflow';
import { expect, test } from 'vitest';
import { created, MANIFEST, openReception, refused } from './testing.ts';

const ID = '0198c0de-0000-7000-8000-000000000001' as WorkflowId;
const OURS = formatTraceparent({ traceId: 'a'.repeat(32), spanId: runSpanId(ID), isSampled: true });

/** A run that is over, with one job. */
function earlier(more: object = {}, annotations: object = {}): Run {
  const event = {
    apiVersion: 'opentestfactory.org/v1beta1',
    kind: 'Workflow',
    metadata: {
      name: 'demo',
      namespace: 'team',
      workflow_id: ID,
      creationTimestamp: formatTimestamp(0),
      annotations: { 'example.org/kept': 'x', ...annotations },
    },
    jobs: { build: MANIFEST.jobs.a, test: { ...MANIFEST.jobs.a, needs: 'build' } },
    ...more,
  } as unknown as WorkflowEvent;
  return { ...evolve(emptyRun, event), phase: 'FAILED' };
}

async function ask(query: string, run: Run = earlier()) {
  const reception = await openReception({ disk: {}, earlier: [run] });
  const { app, admin, published } = reception;
  const url = `/workflows/${ID}/rerun${query}`;
  const headers = { authorization: admin };
  return { ...reception, published, answer: await app.inject({ method: 'POST', url, headers }) };
}

test.each([
  ['?jobs=tst', 'The workflow has no job "tst", did you mean "test"? It has "build", "test".'],
  ['?jobs=x,y,test', 'The workflow has no jobs "x", "y". It has "build", "test".'],
  ['?jobs=,', 'Parameter "jobs" names no job. Write the names of jobs, separated by commas.'],
  [
    '?failed&jobs=test',
    'Parameters "failed" and "jobs" exclude each other: the first runs what failed or did not run, the second the jobs that it names.',
  ],
  ['?failed=perhaps', 'Parameter "failed" must be true or false, not "perhaps".'],
])('%s is refused', async (query, message) => {
  const { answer, published } = await ask(query);
  expect(answer.json()).toEqual(refused(422, 'Invalid', message));
  expect(published).toEqual([]);
});

test('a new run has all that the earlier one was started with', async () => {
  const given = { 'tutti.inputs': { stage: 'qa' }, 'tutti.jobs': ['test'] };
  const more = { variables: { A: 'a' }, secrets: { S: 'hidden' }, hooks: [] };
  const { answer, published } = await ask('', earlier(more, given));
  expect(answer.json()).toEqual(created());
  expect(published).toMatchObject([
    {
      kind: 'Workflow',
      ...more,
      metadata: {
        name: 'demo',
        namespace: 'team',
        workflow_id: answer.json().details.workflow_id,
        annotations: { 'example.org/kept': 'x', ...given, 'tutti.rerun-of': ID },
      },
    },
  ]);
});

test.each([
  ['that the earlier run was given', OURS, undefined],
  ["of the workflow's author", '00-b', '00-b'],
])('the trace %s is passed on or not', async (_, value, expected) => {
  const { published } = await ask('', earlier({ variables: { TRACEPARENT: value, B: 'b' } }));
  expect(published[0]?.variables).toEqual({
    ...(expected === undefined ? {} : { TRACEPARENT: expected }),
    B: 'b',
  });
});

test('a run without its files is refused, and leaves nothing', async () => {
  const run = earlier({}, { 'tutti.files': { 'data.csv': 'in_0', rules: 'in_1' } });
  const reception = await ask('', run);
  expect(reception.answer.json()).toEqual(
    refused(
      409,
      'Conflict',
      `The file "data.csv" of workflow ${ID} is no longer there, so that it cannot run again. Start it anew with its files.`,
    ),
  );
  expect(reception.blobScopes()).toEqual([]);
});

test.each(['', '&dryRun'])('a start with jobs%s is held to the same names', async (more) => {
  const { json, published } = await openReception();
  expect(await json(MANIFEST, `?jobs=b${more}`)).toEqual(
    refused(422, 'Invalid', 'The workflow has no job "b". It has "a".'),
  );
  expect(await json(MANIFEST, `?jobs=a,%20a${more}`)).toEqual(created());
  const annotations = { 'tutti.jobs': ['a'] };
  expect(published).toMatchObject(more === '' ? [{ metadata: { annotations } }] : []);
});

test('for a workflow of many jobs some are listed', async () => {
  const { json } = await openReception();
  const names = Array.from({ length: 23 }, (_, index) => `job-${index}-of-all`);
  const jobs = Object.fromEntries(names.map((name) => [name, MANIFEST.jobs.a]));
  const answer = await json({ ...MANIFEST, jobs }, '?jobs=x');
  expect(answer.message).toMatch(
    /^The workflow has no job "x"\. It has .*"job-19-of-all" and 3 more\.$/,
  );
});
