import { describe, expect, test } from 'vitest';
import { readText, shownCases } from '../testing/read-text.ts';
import { createCucumberReader } from './cucumber-reader.ts';

const step = (keyword: string, name: string, status: string, more: object = {}) => ({
  keyword,
  name,
  line: 3,
  match: { location: 'steps.js:1' },
  result: { status, duration: 1_000_000, ...more },
});
const scenario = (name: string, steps: readonly object[], more: object = {}) => ({
  id: `cart;${name.toLowerCase().replaceAll(' ', '-')}`,
  keyword: 'Scenario',
  type: 'scenario',
  name,
  steps,
  ...more,
});
const passed = step('Given ', 'a cart', 'passed');
const report = (elements: readonly object[], more: object = {}): string =>
  JSON.stringify([{ description: '', elements, id: 'cart', keyword: 'Feature', name: 'Cart', uri: 'features/cart.feature', ...more }]); // biome-ignore format: one line

describe('a scenario', () => {
  test.each<[string, object, string]>([
    ['with steps that passed', scenario('Adds', [passed, passed]), 'Cart#Adds SUCCESS 2'],
    [
      'with a step that failed',
      scenario('Adds', [passed, step('Then ', 'it is full', 'failed', { error_message: 'AssertionError: 1\n  at x' }), step('And ', 'so', 'skipped')]),
      'Cart#Adds FAILURE 3 AssertionError: 1',
    ],
    [
      'with a hook that failed',
      scenario('Adds', [step('Given ', 'a cart', 'skipped')], { before: [{ result: { status: 'failed', error_message: 'no browser' } }] }),
      'Cart#Adds FAILURE 1 no browser',
    ],
    [
      'with a hook of a step that failed',
      scenario('Adds', [{ ...passed, after: [{ result: { status: 'failed', duration: 0 } }] }]),
      'Cart#Adds FAILURE 1 A hook: failed',
    ],
    ['with an undefined step', scenario('Adds', [passed, step('When ', 'magic', 'undefined')]), 'Cart#Adds ERROR 2 When magic: undefined'],
    ['with an ambiguous step', scenario('Adds', [step('When ', 'magic', 'AMBIGUOUS')]), 'Cart#Adds ERROR 1 When magic: AMBIGUOUS'],
    ['with a pending step', scenario('Adds', [step('When ', 'later', 'pending'), step('Then ', 'x', 'skipped')]), 'Cart#Adds SKIPPED 2 When later: pending'],
    ['without steps', scenario('Adds', []), 'Cart#Adds SUCCESS 0'],
    ['without a name', { steps: [passed] }, 'Cart#(unnamed) SUCCESS 1'],
  ])('%s', async (_what, element, expected) => {
    const reading = await readText(createCucumberReader, report([element]));
    expect(reading.error).toBeNull();
    expect(shownCases(reading)).toEqual([expected]);
  }); // biome-ignore format: a table

  test('has the line of the step that failed, though the file of the feature comes later', async () => {
    const undefinedStep = step('When ', 'I pay', 'undefined');
    const reading = await readText(
      createCucumberReader,
      report([scenario('Pays', [undefinedStep])]),
    );
    expect(reading.cases[0]?.errorDetails?.text).toBe('features/cart.feature:3');
  });

  test('counts the steps of the background in front of it', async () => {
    const background = {
      type: 'background',
      keyword: 'Background',
      name: '',
      steps: [step('Given ', 'a shop', 'failed', { error_message: 'closed' })],
    };
    const skipped = step('Given ', 'a cart', 'skipped');
    const reading = await readText(
      createCucumberReader,
      report([background, scenario('Adds', [skipped]), scenario('Removes', [passed])]),
    );
    expect(shownCases(reading)).toEqual(['Cart#Adds FAILURE 2 closed', 'Cart#Removes SUCCESS 1']);
  });

  test('in an outline is distinct from the other examples', async () => {
    const outline = (row: number) =>
      scenario('Costs', [passed], { keyword: 'Scenario Outline', id: `cart;costs;prices;${row}` });
    const reading = await readText(
      createCucumberReader,
      report([outline(2), outline(3), scenario('Costs', [passed])]),
    );
    expect(shownCases(reading)).toEqual([
      'Cart#Costs - Example #1 SUCCESS 1',
      'Cart#Costs - Example #2 SUCCESS 1',
      'Cart#Costs SUCCESS 1',
    ]);
  });

  test('has the file for a suite where the feature has no name', async () => {
    const reading = await readText(
      createCucumberReader,
      report([scenario('Adds', [passed])], { name: '' }),
    );
    expect(shownCases(reading)).toEqual(['cart.feature#Adds SUCCESS 1']);
  });

  test('may have a picture of any size', async () => {
    const embeddings = [{ data: 'x'.repeat(1_000_000), mime_type: 'image/png' }];
    const reading = await readText(
      createCucumberReader,
      report([scenario('Adds', [{ ...passed, embeddings }])]),
      64 * 1024,
    );
    expect(shownCases(reading)).toEqual(['Cart#Adds SUCCESS 1']);
  });
});

test('scenarios that were read before the report was cut off count', async () => {
  const text = report([scenario('Adds', [passed]), scenario('Removes', [passed])]);
  const { cases, error } = await readText(
    createCucumberReader,
    text.slice(0, text.indexOf('Removes')),
  );
  expect(cases.map(({ suite, name }) => [suite, name])).toEqual([['cart', 'Adds']]);
  expect(error).toMatch(/the document ends too early$/);
});

test('a document that is no list is no report', async () => {
  expect((await readText(createCucumberReader, '{"a": []}')).error).toMatch(/no list of features$/);
});
