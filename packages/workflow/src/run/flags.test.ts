// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Keys that take true, false or an expression, and the error for an expression that gives neither. */
import { describe, expect, test } from 'vitest';
import { flag } from './evaluation.ts';
import { given } from './testing/given.ts';
import { bundle, type Happening, job, offer, result, workflow } from './testing/inputs.ts';

const evaluated = (value: unknown): boolean =>
  flag('${{ v.it }}', { contexts: { v: { it: value } } });

describe('a key that takes true or false', () => {
  test.each([
    [true, true],
    [false, false],
    ['true', true],
    ['TRUE', true],
    ['False', false],
    ['', false],
    [null, false],
    // Language 1.2: Where an expression may stand, it is the whole text.
  ])('takes %j from an expression as %j', (value, expected) => {
    expect(evaluated(value)).toBe(expected);
  });

  test('takes an output that was never set as false', () => {
    const contexts = { steps: { s: { outputs: {} } } };
    expect(flag('${{ steps.s.outputs.none }}', { contexts })).toBe(false);
  });

  test('takes an expression with blanks around it as without', () => {
    const contexts = { steps: {} };
    expect(flag(' ${{ true }} \n', { contexts })).toBe(true);
  });

  test.each([
    [undefined, false],
    [true, true],
    [false, false],
  ])('takes %j without an expression as %j', (value, expected) => {
    expect(flag(value, { contexts: {} })).toBe(expected);
  });

  test.each([
    ['yes', 'yes'],
    [' true', ' true'],
    [1, '1'],
    [0, '0'],
    [['true'], '["true"]'],
    [{ a: true }, '{"a":true}'],
    // Language 1.2: Where an expression may stand, it is the whole text.
  ])('takes no %j', (value, shown) => {
    const message = `Expected true or false from "\${{ v.it }}", got "${shown}".`;
    expect(() => evaluated(value)).toThrow(message);
  });

  test('shows no piece of a long text, which would not be masked', () => {
    const message = 'got a text of 101 characters.';
    expect(() => evaluated('x'.repeat(101))).toThrow(message);
  });
});

describe('an expression that gives neither true nor false is an error of the run', () => {
  const wrong = '${{ opentf.workflow }}';
  const text = 'Expected true or false from "${{ opentf.workflow }}", got "demo".';
  const strategy = { 'fail-fast': wrong };
  const concurrency = { group: 'g', 'cancel-in-progress': wrong };
  const cleanup = {
    name: 'h',
    events: [{ channel: 'teardown' as const }],
    before: [{ id: 'k', 'keep-workspace': wrong }],
  };

  test.each<[where: string, error: string, happened: readonly Happening[], last: Happening]>([
    [
      'continue-on-error of a step',
      'jobs.a, step s: ',
      [workflow({ a: job([{ id: 's', run: 'x', 'continue-on-error': wrong }]) })],
      offer('a'),
    ],
    [
      'continue-on-error of a function',
      'jobs.a, step s: ',
      [workflow({ a: job([{ id: 's', uses: 'a/b@v1', 'continue-on-error': wrong }]) })],
      offer('a'),
    ],
    [
      'continue-on-error of a job',
      'jobs.a: ',
      [workflow({ a: job(['x'], { 'continue-on-error': wrong }) }), offer('a')],
      result('a', 1),
    ],
    [
      'keep-workspace',
      'jobs.a, step k: ',
      [workflow({ a: job(['x']) }, { hooks: [cleanup] }), offer('a')],
      result('a'),
    ],
    [
      'fail-fast of a bundle',
      'jobs.a: ',
      [],
      workflow({ a: bundle({ b: job(['x']) }, { strategy }) }),
    ],
    ['fail-fast of a workflow', 'strategy: ', [], workflow({ a: job(['x']) }, { strategy })],
    [
      'cancel-in-progress of a job',
      'jobs.a.concurrency.cancel-in-progress: ',
      [],
      workflow({ a: job(['x'], { concurrency }) }),
    ],
    [
      'cancel-in-progress of a workflow',
      'concurrency.cancel-in-progress: ',
      [],
      workflow({ a: job(['x']) }, { concurrency }),
    ],
  ])('in %s', (_, where, happened, last) => {
    const { events } = given(...happened).when(last);
    const errors = events.filter(({ kind }) => kind === 'ExecutionError');
    expect(errors).toMatchObject([{ details: { error: `${where}${text}` } }]);
  });
});
