// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import type { Timestamp, WorkflowId, WorkflowManifest } from '@tutti/manifests';
import { decide, emptyRun, type Run, type RunInput } from '@tutti/workflow';
import { expect, test } from 'vitest';
import { ConcurrencyGroups, type GroupChange } from './concurrency-groups.ts';

const AT = '2026-01-01T12:00:00.000000' as Timestamp;

function after(run: Run, input: RunInput): Run {
  const decision = decide(run, input, { at: AT, newId: () => 'some-id' });
  if (decision.outcome === 'refused') throw new Error(decision.why);
  return decision.run;
}

/** A run that just began, with a group of its own and one of its job. */
function begun(
  id: string,
  groups: { readonly workflow?: string; readonly job?: string },
  more: { readonly namespace?: string; readonly variables?: WorkflowManifest['variables'] } = {},
): Run {
  const group = (name: string | undefined) =>
    name === undefined ? {} : { concurrency: { group: name } };
  const { namespace = 'default', variables = {} } = more;
  const metadata = { name: id, workflow_id: id as WorkflowId, namespace, creationTimestamp: AT };
  const jobs = { a: { steps: [{ id: 's', run: 'true' }], ...group(groups.job) } };
  const rest = { ...group(groups.workflow), variables, jobs };
  const event = { apiVersion: 'example.org/v1', kind: 'Workflow', metadata, ...rest } as const;
  return after(emptyRun, { type: 'event', event });
}

const granted = (run: Run, job: string | null = null) => after(run, { type: 'granted', job });
const canceled = (run: Run): Run => {
  const { workflowId, name, namespace, createdAt } = run;
  const metadata = { name, workflow_id: workflowId, namespace, creationTimestamp: createdAt };
  const apiVersion = 'example.org/v1';
  return after(run, {
    type: 'event',
    event: { apiVersion, kind: 'WorkflowCancellation', metadata },
  });
};

/** `granted run/job group` or `held run/job group by run`; the workflow's own group has no job. */
function told(change: GroupChange): readonly string[] {
  const who = ({ workflowId, job }: GroupChange['granted'][number]) =>
    job === null ? workflowId : `${workflowId}/${job}`;
  return [
    ...change.granted.map((claim) => `granted ${who(claim)} ${claim.group}`),
    ...change.held.map((claim) => `held ${who(claim)} ${claim.group} by ${claim.heldBy}`),
  ];
}

test('a group goes from run to run in the order of asking', () => {
  const groups = new ConcurrencyGroups();
  const one = begun('1', { workflow: 'lab' });
  const two = begun('2', { workflow: 'lab' });
  const three = begun('3', { workflow: 'lab' });
  expect(told(groups.update(one))).toEqual(['granted 1 lab']);
  expect(told(groups.update(two))).toEqual(['held 2 lab by 1']);
  expect(told(groups.update(three))).toEqual(['held 3 lab by 1']);
  expect(told(groups.update(granted(one)))).toEqual([]);
  expect(told(groups.update(canceled(granted(one))))).toEqual(['granted 2 lab']);
  expect(told(groups.update(canceled(granted(two))))).toEqual(['granted 3 lab']);
});

test('a run that ends while it waits leaves the queue', () => {
  const groups = new ConcurrencyGroups();
  const one = begun('1', { workflow: 'lab' });
  const two = begun('2', { workflow: 'lab' });
  groups.update(one);
  groups.update(two);
  expect(told(groups.update(canceled(two)))).toEqual([]);
  expect(told(groups.update(canceled(granted(one))))).toEqual([]);
  expect(told(groups.update(begun('3', { workflow: 'lab' })))).toEqual(['granted 3 lab']);
});

test('names that expressions give meet those that are written out, and differ where values differ', () => {
  const groups = new ConcurrencyGroups();
  const inSite = (id: string, SITE: string) =>
    begun(id, { workflow: 'of-${{ variables.SITE }}' }, { variables: { SITE } });
  expect(told(groups.update(begun('1', { job: 'of-lyon' })))).toEqual(['granted 1/a of-lyon']);
  expect(told(groups.update(inSite('2', 'lyon')))).toEqual(['held 2 of-lyon by 1']);
  expect(told(groups.update(inSite('3', 'nice')))).toEqual(['granted 3 of-nice']);
});

test('groups of different namespaces never meet', () => {
  const groups = new ConcurrencyGroups();
  groups.update(begun('1', { workflow: 'lab' }));
  const other = begun('2', { workflow: 'lab' }, { namespace: 'other' });
  expect(told(groups.update(other))).toEqual(['granted 2 lab']);
});

test('after a restart what was granted is held before anybody asks', () => {
  const groups = new ConcurrencyGroups();
  const group = 'of-${{ opentf.namespace }}';
  const first = begun('1', { workflow: group });
  const holder = granted(begun('2', { workflow: group }));
  for (const run of [first, holder]) groups.restore(run);
  expect(told(groups.update(first))).toEqual(['held 1 of-default by 2']);
  expect(told(groups.update(holder))).toEqual([]);
  expect(told(groups.update(canceled(holder)))).toEqual(['granted 1 of-default']);
});
