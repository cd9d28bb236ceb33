// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import type { Timestamp, WorkflowId, WorkflowManifest } from '@tutti/manifests';
import { decide, emptyRun, type Run, type RunInput } from '@tutti/workflow';
import { describe, expect, test } from 'vitest';
import { ConcurrencyGroups, type GroupChange } from './concurrency-groups.ts';

const AT = '2026-01-01T12:00:00.000000' as Timestamp;

function after(run: Run, input: RunInput): Run {
  const decision = decide(run, input, { at: AT, newId: () => 'some-id' });
  if (decision.outcome === 'refused') throw new Error(decision.why);
  return decision.run;
}

/** A new run with a group for itself and one for its job. */
function begun(
  id: string,
  groups: { readonly workflow?: string; readonly job?: string },
  more: {
    readonly namespace?: string;
    readonly variables?: WorkflowManifest['variables'];
    readonly takesOver?: boolean;
    readonly minute?: number;
  } = {},
): Run {
  const { namespace = 'default', variables = {}, takesOver = false, minute = 0 } = more;
  const group = (name: string | undefined) =>
    name === undefined ? {} : { concurrency: { group: name, 'cancel-in-progress': takesOver } };
  const creationTimestamp = AT.replace(':00:', `:0${minute}:`) as Timestamp;
  const metadata = { name: id, workflow_id: id as WorkflowId, namespace, creationTimestamp };
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
function shownBy(change: GroupChange): readonly string[] {
  const who = ({ workflowId, job }: GroupChange['granted'][number]) =>
    job === null ? workflowId : `${workflowId}/${job}`;
  return [
    ...change.granted.map((claim) => `granted ${who(claim)} ${claim.group}`),
    ...change.superseded.map((claim) => `end ${who(claim)} ${claim.group} for ${claim.by}`),
    ...change.held.map((claim) => `held ${who(claim)} ${claim.group} by ${claim.heldBy}`),
    ...change.deadlocked.map((claim) => `deadlock ${who(claim)} ${claim.group} by ${claim.heldBy}`),
  ];
}

/** The changes that follow from the present state of a run. */
function updated(groups: ConcurrencyGroups, run: Run): readonly string[] {
  const changes = [groups.update(run)];
  for (let next = groups.checkNext(); next !== null; next = groups.checkNext()) changes.push(next);
  return changes.flatMap(shownBy);
}

test('a group goes from run to run in the order of asking', () => {
  const groups = new ConcurrencyGroups();
  const one = begun('1', { workflow: 'lab' });
  const two = begun('2', { workflow: 'lab' });
  const three = begun('3', { workflow: 'lab' });
  expect(updated(groups, one)).toEqual(['granted 1 lab']);
  expect(updated(groups, two)).toEqual(['held 2 lab by 1']);
  expect(updated(groups, three)).toEqual(['held 3 lab by 1']);
  expect(updated(groups, granted(one))).toEqual([]);
  expect(updated(groups, canceled(granted(one)))).toEqual(['granted 2 lab']);
  expect(updated(groups, canceled(granted(two)))).toEqual(['granted 3 lab']);
});

test('a run that ends while it waits leaves the queue', () => {
  const groups = new ConcurrencyGroups();
  const one = begun('1', { workflow: 'lab' });
  const two = begun('2', { workflow: 'lab' });
  updated(groups, one);
  updated(groups, two);
  expect(updated(groups, canceled(two))).toEqual([]);
  expect(updated(groups, canceled(granted(one)))).toEqual([]);
  expect(updated(groups, begun('3', { workflow: 'lab' }))).toEqual(['granted 3 lab']);
});

test('names from expressions equal literal ones, and differ with their values', () => {
  const groups = new ConcurrencyGroups();
  const inSite = (id: string, SITE: string) =>
    begun(id, { workflow: 'of-${{ variables.SITE }}' }, { variables: { SITE } });
  expect(updated(groups, begun('1', { job: 'of-lyon' }))).toEqual(['granted 1/a of-lyon']);
  expect(updated(groups, inSite('2', 'lyon'))).toEqual(['held 2 of-lyon by 1']);
  expect(updated(groups, inSite('3', 'nice'))).toEqual(['granted 3 of-nice']);
});

test('groups of different namespaces never meet', () => {
  const groups = new ConcurrencyGroups();
  updated(groups, begun('1', { workflow: 'lab' }));
  const other = begun('2', { workflow: 'lab' }, { namespace: 'other' });
  expect(updated(groups, other)).toEqual(['granted 2 lab']);
});

test('after a restart granted groups are held before any claim', () => {
  const groups = new ConcurrencyGroups();
  const group = 'of-${{ opentf.namespace }}';
  const first = begun('1', { workflow: group });
  const holder = granted(begun('2', { workflow: group }));
  expect(shownBy(groups.restore([first, holder]))).toEqual(['held 1 of-default by 2']);
  expect(updated(groups, first)).toEqual([]);
  expect(updated(groups, holder)).toEqual([]);
  expect(updated(groups, canceled(holder))).toEqual(['granted 1 of-default']);
});

describe('a run that takes a group over', () => {
  const takesOver = true;

  test('ends the holder and all that waits, and is next', () => {
    const groups = new ConcurrencyGroups();
    const [one, two] = [begun('1', { workflow: 'lab' }), begun('2', { job: 'lab' })];
    updated(groups, one);
    updated(groups, two);
    expect(updated(groups, begun('3', { workflow: 'lab' }, { takesOver }))).toEqual([
      'end 1 lab for 3',
      'end 2/a lab for 3',
      'held 3 lab by 1',
    ]);
    expect(updated(groups, canceled(two))).toEqual([]);
    expect(updated(groups, canceled(granted(one)))).toEqual(['granted 3 lab']);
  });

  test('ends nothing in a free group, in other groups and in other namespaces', () => {
    const groups = new ConcurrencyGroups();
    updated(groups, begun('1', { workflow: 'lab' }));
    updated(groups, begun('2', { workflow: 'shop' }, { namespace: 'other' }));
    const more = { takesOver, namespace: 'default' };
    expect(updated(groups, begun('3', { workflow: 'shop' }, more))).toEqual(['granted 3 shop']);
  });

  test('the others wait behind one that took over', () => {
    const groups = new ConcurrencyGroups();
    updated(groups, begun('1', { workflow: 'lab' }, { takesOver }));
    expect(updated(groups, begun('2', { workflow: 'lab' }))).toEqual(['held 2 lab by 1']);
  });

  test('ends them again after a restart, in the order in which they asked', () => {
    const holder = granted(begun('1', { workflow: 'lab' }));
    const second = begun('2', { workflow: 'lab' }, { takesOver, minute: 1 });
    const third = begun('3', { workflow: 'lab' }, { takesOver, minute: 2 });
    for (const runs of [
      [holder, second, third],
      [third, second, holder],
    ]) {
      expect(shownBy(new ConcurrencyGroups().restore(runs))).toEqual([
        'end 1 lab for 2',
        'end 1 lab for 3',
        'end 2 lab for 3',
        'held 2 lab by 1',
        'held 3 lab by 1',
      ]);
    }
  });

  test('notifies each waiting run once, for any number of takeovers', () => {
    const groups = new ConcurrencyGroups();
    const waiting = ['2', '3'].map((id) => begun(id, { workflow: 'lab' }));
    for (const run of [begun('1', { workflow: 'lab' }), ...waiting]) updated(groups, run);
    const next = (id: string) => updated(groups, begun(id, { workflow: 'lab' }, { takesOver }));
    const [second, third] = waiting;
    if (second === undefined || third === undefined) throw new Error('There are two.');
    expect(next('4').slice(0, -1)).toEqual([
      'end 1 lab for 4',
      'end 2 lab for 4',
      'end 3 lab for 4',
    ]);
    updated(groups, canceled(second));
    expect(next('5').slice(0, -1)).toEqual(['end 1 lab for 5', 'end 4 lab for 5']);
    updated(groups, canceled(third));
    updated(groups, begun('6', { workflow: 'lab' }));
    expect(next('7').slice(0, -1)).toEqual([
      'end 1 lab for 7',
      'end 5 lab for 7',
      'end 6 lab for 7',
    ]);
  });

  test('is the last of several jobs of one run, also after a restart', () => {
    const concurrency = { group: 'lab', 'cancel-in-progress': true };
    const jobs = Object.fromEntries(
      ['c', 'a', 'b'].map((name) => [name, { steps: [{ run: 'x' }], concurrency }]),
    );
    const metadata = {
      name: '1',
      workflow_id: '1' as WorkflowId,
      namespace: 'n',
      creationTimestamp: AT,
    };
    const event = { apiVersion: 'example.org/v1', kind: 'Workflow', metadata, jobs } as const;
    const run = after(emptyRun, { type: 'event', event });
    const expected = [
      'granted 1/c lab',
      'end 1/c lab for 1',
      'end 1/c lab for 1',
      'end 1/a lab for 1',
    ];
    const inOrder = [...expected, 'held 1/a lab by 1', 'held 1/b lab by 1'];
    expect(updated(new ConcurrencyGroups(), run)).toEqual(inOrder);
    expect(shownBy(new ConcurrencyGroups().restore([run]))).toEqual(inOrder);
  });

  test('does not end a run that got the group before the restart', () => {
    const holder = granted(begun('2', { workflow: 'lab' }, { takesOver, minute: 1 }));
    expect(shownBy(new ConcurrencyGroups().restore([holder]))).toEqual([]);
  });
});

/** A run whose bundle `b` has a group. A job in it wants another group later. */
function nested(id: string, outer: string, inner: string, takesOver = false): Run {
  const steps = [{ id: 's', run: 'true' }];
  const concurrency = { group: inner, 'cancel-in-progress': takesOver };
  const jobs = { b: { concurrency: { group: outer }, jobs: { i: { concurrency, steps } } } };
  const metadata = {
    name: id,
    workflow_id: id as WorkflowId,
    namespace: 'default',
    creationTimestamp: AT,
  };
  const event = { apiVersion: 'example.org/v1', kind: 'Workflow', metadata, jobs } as const;
  return after(emptyRun, { type: 'event', event });
}

describe('claims that wait for each other', () => {
  const groups = () => new ConcurrencyGroups();

  test('are found when the last one asks, which gives way', () => {
    const registry = groups();
    const [one, two] = [nested('1', 'x', 'y'), nested('2', 'y', 'x')];
    expect(updated(registry, one)).toEqual(['granted 1/b x']);
    expect(updated(registry, two)).toEqual(['granted 2/b y']);
    expect(updated(registry, granted(one, 'b'))).toEqual(['held 1/b/i y by 2']);
    const last = granted(two, 'b');
    expect(updated(registry, last)).toEqual(['held 2/b/i x by 1', 'deadlock 2/b/i x by 1']);
    expect(updated(registry, last)).toEqual([]);
    const ended = after(last, {
      type: 'deadlocked',
      job: 'b/i',
      group: 'x',
      heldBy: '1' as WorkflowId,
    });
    expect(updated(registry, ended)).toEqual(['granted 1/b/i y']);
  });

  test('are found through others, and through groups of whole runs', () => {
    const registry = groups();
    const runs = [
      nested('1', 'x', 'y'),
      nested('2', 'y', 'z'),
      begun('3', { workflow: 'z', job: 'x' }),
    ];
    for (const run of runs) updated(registry, run);
    const [one, two, three] = runs.map((run, index) => granted(run, index === 2 ? null : 'b'));
    if (one === undefined || two === undefined || three === undefined) throw new Error('Three.');
    expect(updated(registry, two)).toEqual(['held 2/b/i z by 3']);
    expect(updated(registry, three)).toEqual(['held 3/a x by 1']);
    expect(updated(registry, one)).toEqual(['held 1/b/i y by 2', 'deadlock 1/b/i y by 2']);
  });

  test('are found after a restart, and one of them gives way', () => {
    const [one, two] = [nested('1', 'x', 'y'), nested('2', 'y', 'x')].map((run) =>
      granted(run, 'b'),
    );
    if (one === undefined || two === undefined) throw new Error('Two.');
    expect(shownBy(groups().restore([two, one]))).toEqual([
      'held 1/b/i y by 2',
      'held 2/b/i x by 1',
      'deadlock 2/b/i x by 1',
    ]);
  });

  test('are no circle where one takes over, or ends for another', () => {
    const registry = groups();
    const [one, two] = [nested('1', 'x', 'y'), nested('2', 'y', 'x', true)];
    for (const run of [one, two]) updated(registry, run);
    updated(registry, granted(one, 'b'));
    expect(updated(registry, granted(two, 'b'))).toEqual(['end 1/b x for 2', 'held 2/b/i x by 1']);
  });

  test('are no circle if one only stands in line', () => {
    const registry = groups();
    const [one, two] = [nested('1', 'x', 'y'), nested('2', 'z', 'y')];
    for (const run of [one, two, begun('3', { workflow: 'y' })]) updated(registry, run);
    expect(updated(registry, granted(one, 'b'))).toEqual(['held 1/b/i y by 3']);
    expect(updated(registry, granted(two, 'b'))).toEqual(['held 2/b/i y by 3']);
  });
});
