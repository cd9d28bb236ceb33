/** Tests that share a name, with the real tools: one that failed counts, whatever came of the others. */
import { describe, expect, test } from 'vitest';
import { detailsOf } from '../support/api.ts';
import { need } from '../support/found-tool.ts';
import type { Manifest } from '../support/runs.ts';
import { xmlReportOf } from '../support/xml-report.ts';
import { type RunOptions, technologyBench } from './bench.ts';
import { findGo } from './go.ts';
import { installedTools, installNode, ownPackages } from './tools.ts';

// Before there is an agent, which finds it then.
const go = findGo();
const bench = await technologyBench();
const [jest, mocha, python] = await Promise.all([
  installNode('jest'),
  installNode('mocha'),
  installedTools('bin'),
]);

/** The test cases of a run, and what its gate and its report say of them. */
async function ran(project: string, call: Manifest, options?: RunOptions) {
  const { server } = bench.shared;
  const { id, cases } = await bench.run(`equal-names/${project}`, call, options);
  const gate = detailsOf(await server.call('GET', `/workflows/${id}/qualitygate`));
  const [head] = /<testsuites [^>]*>/.exec(await xmlReportOf(server, id)) ?? [''];
  return { cases, verdict: gate.status, report: /tests="\d+" failures="\d+"/.exec(head)?.[0] };
}

describe('a test that failed counts before others of its name, and files have tests of their own', () => {
  test('Jest', async (context) => {
    const packages = need(jest, 'Jest', context);
    expect(await ran('jest', { uses: 'jest/jest@v1', with: {} }, { packages })).toEqual({
      cases: [
        'cart: takes FAILURE',
        'test/a.test.js: adds FAILURE',
        'test/b.test.js: adds SUCCESS',
        'test/more/a.test.js: adds SUCCESS',
      ],
      verdict: 'FAILURE',
      report: 'tests="4" failures="2"',
    });
  });

  test('Vitest', async (context) => {
    const packages = need(ownPackages, 'Vitest', context);
    expect(await ran('vitest', { uses: 'vitest/vitest@v1', with: {} }, { packages })).toEqual({
      cases: ['test/a.test.js', 'test/b.test.js', 'test/more/a.test.js'].flatMap((file, index) => [
        `${file}: adds ${index === 0 ? 'FAILURE' : 'SUCCESS'}`,
        `${file}: cart > takes FAILURE`,
      ]),
      verdict: 'FAILURE',
      report: 'tests="6" failures="4"',
    });
  });

  test('Mocha', async (context) => {
    const packages = need(mocha, 'Mocha', context);
    const call = { uses: 'mocha/mocha@v1', with: { test: 'test', options: ['--recursive'] } };
    expect(await ran('mocha', call, { packages })).toEqual({
      cases: [
        'a.js: adds FAILURE',
        'b.js: adds SUCCESS',
        'cart: takes FAILURE',
        'more/a.js: adds SUCCESS',
      ],
      verdict: 'FAILURE',
      report: 'tests="4" failures="2"',
    });
  });

  test('node:test', async () => {
    const call = { uses: 'node-test/execute@v1', with: { test: 'test/**/*.test.js' } };
    expect(await ran('node-test', call)).toEqual({
      cases: [
        'a.test.js: adds FAILURE',
        'b.test.js: adds SUCCESS',
        'cart: takes FAILURE',
        'more/a.test.js: adds SUCCESS',
      ],
      verdict: 'FAILURE',
      report: 'tests="4" failures="2"',
    });
  });

  test('pytest', async (context) => {
    const path = need(python, 'pytest', context);
    const call = { uses: 'pytest/execute@v1', with: { test: 'test_cart.py' } };
    expect(await ran('pytest', call, { path })).toEqual({
      cases: ['test_cart: test_adds FAILURE'],
      verdict: 'FAILURE',
      report: 'tests="1" failures="1"',
    });
  });

  test('Go, which runs tests as often as it is asked to', async (context) => {
    need(go, 'Go', context);
    const call = { uses: 'go/test@v1', with: { options: ['-count=3'] } };
    expect(await ran('go', call)).toEqual({
      cases: ['shop/cart: TestAdds FAILURE'],
      verdict: 'FAILURE',
      report: 'tests="1" failures="1"',
    });
  });
});
