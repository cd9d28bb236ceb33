import { describe, expect, test } from 'vitest';
import { readText, shownCases } from '../testing/read-text.ts';
import { createGotestReader } from './gotest-reader.ts';

const cart = 'acme.org/shop/cart';
const lines = (events: readonly (object | string)[]): string =>
  events.map((event) => `${typeof event === 'string' ? event : JSON.stringify(event)}\n`).join('');
const of = (Action: string, Test = '', more: object = {}) => ({
  Time: '2026-01-31T12:34:56.123456Z',
  Action,
  Package: cart,
  ...(Test === '' ? {} : { Test }),
  ...more,
});

describe('events', () => {
  test('from concurrent tests and subtests', async () => {
    const reading = await readText(
      createGotestReader,
      lines([
        of('start'),
        of('run', 'TestAdd'),
        of('output', 'TestAdd', { Output: '=== RUN   TestAdd\n' }),
        of('run', 'TestAdd/empty_cart'),
        of('run', 'TestRemove'),
        of('pause', 'TestRemove'),
        of('output', 'TestAdd/empty_cart', { Output: '    cart_test.go:12: got 1, want 2\n' }),
        of('output', 'TestAdd/empty_cart', {
          Output: '    --- FAIL: TestAdd/empty_cart (0.01s)\n',
        }),
        of('fail', 'TestAdd/empty_cart', { Elapsed: 0.01 }),
        of('fail', 'TestAdd', { Elapsed: 0.02 }),
        of('output', 'TestRemove', { Output: '    cart_test.go:30: no carrier\n' }),
        of('skip', 'TestRemove', { Elapsed: 0 }),
        of('run', 'TestPay'),
        of('pass', 'TestPay', { Elapsed: 1.5 }),
        of('output', '', { Output: 'FAIL\n' }),
        of('fail', '', { Elapsed: 1.6 }),
      ]),
    );
    expect(reading).toMatchObject({ error: null, generalErrors: [] });
    expect(shownCases(reading)).toEqual([
      `${cart}#TestAdd/empty_cart FAILURE 10 cart_test.go:12: got 1, want 2`,
      `${cart}#TestRemove SKIPPED 0 cart_test.go:30: no carrier`,
      `${cart}#TestPay SUCCESS 1500`,
    ]);
  });

  test('of a test with subtests count it only where it failed and no subtest did', async () => {
    const reading = await readText(
      createGotestReader,
      lines([
        ...['TestPass', 'TestPass/a/b', 'TestPass/a/b/c'].map((name) => of('run', name)),
        ...['TestPass/a/b/c', 'TestPass/a/b', 'TestPass'].map((name) => of('pass', name)),
        ...['TestOwn', 'TestOwn/a'].map((name) => of('run', name)),
        of('pass', 'TestOwn/a'),
        of('output', 'TestOwn', { Output: '    cart_test.go:9: left open\n' }),
        of('fail', 'TestOwn'),
        ...['TestHangs', 'TestHangs/a'].map((name) => of('run', name)),
        of('fail', ''),
      ]),
    );
    expect(shownCases(reading)).toEqual([
      `${cart}#TestPass/a/b/c SUCCESS 0`,
      `${cart}#TestOwn/a SUCCESS 0`,
      `${cart}#TestOwn FAILURE 0 cart_test.go:9: left open`,
      `${cart}#TestHangs/a ERROR 0 The test did not end.`,
    ]);
  });

  test('from a package that could not be built', async () => {
    const build = { ImportPath: `${cart} [${cart}.test]`, Action: 'build-output' };
    const reading = await readText(
      createGotestReader,
      lines([
        { ...build, Output: `# ${cart} [${cart}.test]\n` },
        { ...build, Output: './cart.go:3:2: undefined: x\n' },
        { ...build, Action: 'build-fail' },
        of('start'),
        of('output', '', { Output: `FAIL\t${cart} [build failed]\n` }),
        of('fail', '', { Elapsed: 0, FailedBuild: build.ImportPath }),
      ]),
    );
    const message = './cart.go:3:2: undefined: x';
    expect(shownCases(reading)).toEqual([`${cart}#${cart} ERROR 0 ${message}`]);
    expect(reading.generalErrors).toEqual([`${cart}: ${message}`]);
  });

  test('from a build that failed, in the form before Go 1.24', async () => {
    const reading = await readText(
      createGotestReader,
      lines([
        `# ${cart}`,
        './cart.go:3:2: undefined: x',
        `FAIL\t${cart} [build failed]`,
        of('fail', ''),
      ]),
    );
    expect(shownCases(reading)).toEqual([`${cart}#${cart} ERROR 0 ./cart.go:3:2: undefined: x`]);
  });

  test('with a panic leave the other tests without an end', async () => {
    const reading = await readText(
      createGotestReader,
      lines([
        of('run', 'TestOther'),
        of('run', 'TestAdd'),
        of('output', 'TestAdd', { Output: 'panic: no cart [recovered]\n' }),
        of('fail', 'TestAdd', { Elapsed: 0.1 }),
        of('fail', '', { Elapsed: 0.2 }),
      ]),
    );
    expect(shownCases(reading)).toEqual([
      `${cart}#TestAdd FAILURE 100 panic: no cart [recovered]`,
      `${cart}#TestOther ERROR 0 The test did not end.`,
    ]);
    expect(reading.generalErrors).toEqual([]);
  });

  test('with a cut are reported, and the running test is an error', async () => {
    const text = lines([of('run', 'TestAdd'), of('output', 'TestAdd', { Output: 'x' })]);
    const reading = await readText(createGotestReader, text.slice(0, -10));
    expect(shownCases(reading)).toEqual([`${cart}#TestAdd ERROR 0 The test did not end.`]);
    const errors = [
      'Some lines of the report are no events: it may have been cut off.',
      `The report has no end of package ${cart}: it may have been cut off.`,
    ];
    expect(reading.generalErrors).toEqual(errors);
    expect(reading.doubts).toEqual(errors.slice(0, 1));
  });

  test('with a cut between two lines are reported, though each test ended', async () => {
    const begun = ['b', 'c'].map((name) => ({ ...of('start'), Package: name }));
    const reading = await readText(
      createGotestReader,
      lines([of('run', 'TestAdd'), of('pass', 'TestAdd'), of('pass'), ...begun]),
    );
    expect(shownCases(reading)).toEqual([`${cart}#TestAdd SUCCESS 0`]);
    expect(reading.doubts).toEqual([
      'The report has no end of package b and of 1 more: it may have been cut off.',
    ]);
  });

  test('may have lines between them that programs printed', async () => {
    const events = [of('run', 'TestAdd'), of('pass', 'TestAdd'), of('pass')].map((event) =>
      JSON.stringify(event),
    );
    const text = `go: downloading example.org/a v1.0.0\n${events.join('\nprinted\n\n')}\n`;
    const reading = await readText(createGotestReader, text);
    expect(shownCases(reading)).toEqual([`${cart}#TestAdd SUCCESS 0`]);
    expect(reading.generalErrors).toEqual([]);
  });

  test.each(['no\nevents\n', '[]\n'])('are expected in %j', async (text) => {
    const { error } = await readText(createGotestReader, text);
    expect(error).toMatch(/no line is an event of "go test -json"$/);
  });
});
