/** Functions of pytest and Robot Framework, with the real tools. */
import { describe, expect, test } from 'vitest';
import { need } from '../support/found-tool.ts';
import { sh } from '../support/runs.ts';
import { technologyBench } from './bench.ts';
import { evidenceOf, whileOpen } from './evidence.ts';
import { installedTools } from './tools.ts';

const bench = await technologyBench();
const tools = await installedTools('bin');

describe('pytest', () => {
  test('runs a file: what passes, fails, breaks and is skipped', async (context) => {
    const path = need(tools, 'pytest', context);
    const call = { uses: 'pytest/execute@v1', with: { test: 'test_cart.py' } };
    const { cases, texts, hasPassed } = await bench.run('pytest', call, { path });
    expect(cases).toEqual([
      'test_cart.TestRest: test_subtracts FAILURE',
      'test_cart: test_adds SUCCESS',
      'test_cart: test_divides SKIPPED',
      'test_cart: test_names[$(touch breach)] SUCCESS',
      'test_cart: test_names[\\xe9; touch breach] SUCCESS',
      'test_cart: test_names[a b] SUCCESS',
      'test_cart: test_takes ERROR',
    ]);
    expect(texts.test_subtracts).toContain('two less one is one');
    expect(texts.test_takes).toContain('the shelf is empty');
    expect(hasPassed).toBe(false);
  });

  test('runs one test, also when its name could be a command', async (context) => {
    const path = need(tools, 'pytest', context);
    for (const name of ['test_adds', 'test_names[$(touch breach)]']) {
      const call = { uses: 'pytest/execute@v1', with: { test: `test_cart.py::${name}` } };
      const { cases, hasPassed } = await bench.run('pytest', call, { path });
      expect(cases).toEqual([`test_cart: ${name} SUCCESS`]);
      expect(hasPassed).toBe(true);
    }
  });

  test('ends within a test, as if it had passed: its report is told to be missing', async (context) => {
    const path = need(tools, 'pytest', context);
    const write = "printf 'import os\\ndef test_dies():\\n    os._exit(0)\\n' > test_dies.py";
    const call = { uses: 'pytest/execute@v1', with: { test: 'test_dies.py' } };
    const options = { path, before: [sh(write)], isBroken: true };
    const { cases, hasPassed, warnings } = await bench.run('pytest', call, options);
    expect([cases, hasPassed]).toEqual([[], true]);
    expect(warnings).toEqual([
      'Report "pytest-report.xml" of job "main", step "pytest/execute@v1": There is no such file. None of its test cases were read. ' +
        'Look into the log of the step, correct what writes the report, and run it again.',
    ]);
  });

  test('takes keywords and options, and nothing for an option that is none', async (context) => {
    const path = need(tools, 'pytest', context);
    const chosen = { keyword: 'adds or divides', options: ['--color=no', '-q'] };
    const call = { uses: 'pytest/pytest@v1', with: chosen };
    const { cases } = await bench.run('pytest', call, { path });
    expect(cases).toEqual(['test_cart: test_adds SUCCESS', 'test_cart: test_divides SKIPPED']);
    const hostile = { uses: 'pytest/execute@v1', with: { test: '--help' } };
    const { log, hasPassed } = await bench.run('pytest', hostile, { path });
    expect(log).toContain('file or directory not found: ./--help');
    expect(hasPassed).toBe(false);
  });
});

describe('Robot Framework', () => {
  test('runs a file: what passes, fails and is skipped', async (context) => {
    const path = need(tools, 'Robot Framework', context);
    const call = { uses: 'robotframework/execute@v1', with: { test: 'cart.robot' } };
    const { id, cases, texts } = await bench.run('robotframework', call, { path });
    expect(cases).toEqual([
      'Cart: Adds SUCCESS',
      'Cart: Divides SKIPPED',
      'Cart: Subtracts; touch breach FAILURE',
      'Cart: Takes [all] of é? FAILURE',
    ]);
    expect(texts['Subtracts; touch breach']).toContain('two less one is one');
    const files = await evidenceOf(bench.shared, id, '*Subtracts*', /png$/);
    expect(files).toEqual(['shots/a b.png']);
    await whileOpen(bench.shared, [id], async (address) => {
      expect((await (await fetch(address)).text()).includes('"label":"Cart"')).toBe(true);
      expect((await fetch(new URL('log.html', address))).status).toBe(200);
      expect((await fetch(new URL('shots/a%20b.png', address))).status).toBe(200);
    });
  });

  test('runs one test, whatever its name has', async (context) => {
    const path = need(tools, 'Robot Framework', context);
    for (const name of ['Takes [all] of é?', 'Subtracts; touch breach']) {
      const call = { uses: 'robotframework/execute@v1', with: { test: `cart.robot#${name}` } };
      const { cases } = await bench.run('robotframework', call, { path });
      expect(cases).toEqual([`Cart: ${name} FAILURE`]);
    }
  });

  test('tells of a tear-down that failed around a suite whose set-up failed', async (context) => {
    const path = need(tools, 'Robot Framework', context);
    const call = { uses: 'robotframework/robot@v1', with: { datasource: 'shop' } };
    const { cases, texts } = await bench.run('robotframework-suites', call, { path });
    expect(cases).toEqual([
      'Shop.Adds: Adds SUCCESS',
      'Shop.Ships: Ships FAILURE',
      'Shop: Shop ERROR',
    ]);
    expect(texts.Shop).toContain('books do not balance');
    expect(texts.Ships).toContain('no host');
  });

  test('runs those that fit a pattern, with options', async (context) => {
    const path = need(tools, 'Robot Framework', context);
    // By its end: in front of it, patterns see the name of the folder, too.
    const chosen = { datasource: '.', test: '*[s]', options: ['--loglevel=DEBUG'] };
    const call = { uses: 'robotframework/robot@v1', with: chosen };
    const { cases, hasPassed } = await bench.run('robotframework', call, { path });
    expect(cases.map((each) => each.replace(/^.*: /, ''))).toEqual([
      'Adds SUCCESS',
      'Divides SKIPPED',
    ]);
    expect(hasPassed).toBe(true);
  });
});
