import { expect, test } from 'vitest';
import { RUN_MASKS_LENGTH_MAX, RUN_MASKS_MAX } from './masks-of-run.ts';
import { given } from './testing/given.ts';
import { job, jobNotification, offer, result, workflow } from './testing/inputs.ts';

const secrets = { TOKEN: 'abc$d', KEY: 'first line\nsecond line', NONE: '' };
const begun = (steps: readonly string[] = ['x']) =>
  [workflow({ a: job(steps) }, { secrets }), offer('a')] as const;

// Language 1.2: `secrets`: at least one text; exported and masked.
test('a run masks its secrets from the start, line by line', () => {
  expect(given(...begun()).run.masks).toEqual([
    'abc$d',
    'first line',
    'second line',
    String.raw`first line\nsecond line`,
  ]);
});

// Language 1.2: `secrets`: at least one text; exported and masked.
test('secrets are variables of every step that the shell does not expand, and weaker than others', () => {
  const jobs = { a: job([{ run: 'x', variables: { KEY: 'own' } }]) };
  const { events } = given(workflow(jobs, { secrets })).when(offer('a'));
  expect(events.at(-1)).toMatchObject({
    metadata: { 'tutti.secrets': ['TOKEN', 'NONE'] },
    variables: { TOKEN: { value: 'abc$d', verbatim: true }, KEY: 'own' },
  });
});

// Language 6.7: `secrets`.
test('expressions read secrets, and functions get those alone that they are given', () => {
  const key = ['$', '{{ secrets.TOKEN }}'].join('');
  const jobs = { a: job([{ uses: 'a/b@v1', with: { key } }]) };
  const { events } = given(workflow(jobs, { secrets })).when(offer('a'));
  const call = events.at(-1);
  expect(call).toMatchObject({ kind: 'ProviderCommand', step: { with: { key: 'abc$d' } } });
  expect(JSON.stringify(call)).not.toContain('second line');
});

test('names of jobs of a matrix have no secrets, whatever they are made of', () => {
  const token = ['$', '{{ secrets.TOKEN }}'].join('');
  const strategy = { matrix: { key: [token, 'x'] } };
  const jobs = {
    a: job(['x'], { strategy }),
    b: job(['x'], { strategy, name: `With ${token}` }),
  };
  const { run } = given(workflow(jobs, { secrets }));
  expect([...run.jobs].map(([key, { name }]) => [key, name])).toEqual([
    ['a', 'a'],
    ['b', 'b'],
    ['a/a-_', 'a (***)'],
    ['a/a-x', 'a (x)'],
    ['b/b-_', 'With ***'],
    ['b/b-x', 'With *** 2'],
  ]);
  expect(run.jobs.get('a/a-_')?.matrix).toEqual({ key: 'abc$d' });
});

test('the run masks texts that steps mask from then on, once each', () => {
  const masked = jobNotification('a', { 'tutti.masks': ['one', 'abc$d'] }, {});
  const { run } = given(
    ...begun(),
    masked,
    masked,
    result('a', 0, { metadata: { 'tutti.masks': ['two'] } }),
  );
  expect(run.masks.slice(4)).toEqual(['one', 'two']);
});

test('a run that cannot hide all that its steps mask ends with an error', () => {
  const many = Array.from({ length: RUN_MASKS_MAX }, (_, index) => `mask ${index}`);
  const outcome = given(...begun()).when(jobNotification('a', { 'tutti.masks': many }, {}));
  expect(outcome.events.map(({ kind }) => kind)).toContain('ExecutionError');
  expect(outcome.run.cancellation?.cause).toBe('error');
  const fits = given(...begun()).when(jobNotification('a', { 'tutti.masks': many.slice(4) }, {}));
  expect(fits.run.masks).toHaveLength(RUN_MASKS_MAX);
  expect(fits.run.cancellation).toBeNull();
});

// Bound: Secrets of a workflow, with credentials in addresses.
test('a run that cannot hide all of its secrets ends with an error', () => {
  const many = Object.fromEntries(
    Array.from({ length: RUN_MASKS_MAX + 1 }, (_, index) => [`S${index}`, `secret ${index}`]),
  );
  for (const secrets of [many, { LONG: 'x'.repeat(RUN_MASKS_LENGTH_MAX + 1) }]) {
    const { run } = given(workflow({ a: job(['x']) }, { secrets }));
    expect(run.cancellation).toMatchObject({
      cause: 'error',
      reason: expect.stringContaining('The secrets of the workflow are more than 4000 texts'),
    });
  }
  const { run } = given(
    workflow({ a: job(['x']) }, { secrets: { LONG: 'x'.repeat(RUN_MASKS_LENGTH_MAX) } }),
  );
  expect(run.cancellation).toBeNull();
});

test('masks of what is no list of texts mask what is one', () => {
  const { run } = given(
    ...begun(),
    jobNotification('a', { 'tutti.masks': [1, 'one', null] }, {}),
    jobNotification('a', { 'tutti.masks': 'x' }, {}),
  );
  expect(run.masks.slice(4)).toEqual(['one']);
});
