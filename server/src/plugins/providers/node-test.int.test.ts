import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { technologyOfType } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { createJunitReader } from '../interpreters/surefire/junit-reader.ts';
import { readText } from '../interpreters/testing/read-text.ts';
import {
  callBuiltIn,
  inTemporaryDirectory,
  runSteps,
  type ScriptRun,
} from './provider-scripts.fixture.ts';

const TESTS = `
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
test('adds (1+1)', () => assert.equal(1 + 1, 2));
describe('cart', () => {
  it('is empty', () => {});
  it('fails', () => assert.equal(1, 2));
});
`;

interface TestRun extends ScriptRun {
  readonly report: string | null;
}

async function runTests(
  reference: string,
  check: (run: TestRun) => void,
  tests: string = TESTS,
): Promise<void> {
  await inTemporaryDirectory(async (cwd) => {
    await mkdir(join(cwd, 'tests dir'));
    await writeFile(join(cwd, 'tests dir/shop.test.mjs'), tests);
    const given = { test: reference };
    const steps = await callBuiltIn('node-test/execute@v1.3', given);
    const run = await runSteps(steps, cwd);
    const report = await readFile(join(cwd, 'node-test-report.xml'), 'utf8').catch(() => null);
    check({ ...run, report });
  });
}

const OWN_FAILURES = `
import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
test('charges once', async (t) => {
  await t.test('prepares', () => {});
  assert.fail('charged twice');
});
test('ships', async (t) => {
  await t.test('packs', () => assert.fail('no box'));
});
describe('ledger', () => {
  after(() => { throw new Error('does not balance'); });
  it('adds', () => {});
});
describe('stock', () => {
  describe('shelf', () => {
    before(() => { throw new Error('no shelf'); });
    it('counts', () => {});
  });
});
`;

const SIGNS = `
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
describe('"shop" & co', () => {
  it('say "hi" & go', () => {});
  it('writes " as &quot; and & as &amp;', () => assert.fail('"1" & <2> &quot;'));
  it('later', { skip: 'until "monday"' }, () => {});
});
`;

/** The name of each case, with the message of its failure. */
const casesIn = (report: string | null): readonly string[] =>
  [...(report ?? '').matchAll(/<testcase name="([^"]*)"[^>]*?(?:failure="([^"]*)")?\/?>/g)].map(
    ([, name, failure]) => (failure === undefined ? String(name) : `${name}: ${failure}`),
  );

const ATTACHED = /^::attach type=([^,]+),name=report\.xml::(.*)$/m;

describe('a test reference', () => {
  // Language 5: Providers attach with the directory that they are in.
  test('of a file runs its tests, keeps the exit code and attaches the report', async () => {
    await runTests('tests dir/shop.test.mjs', ({ exitCode, output, report }) => {
      expect(exitCode).toBe(1);
      const [, type = '', path = ''] = ATTACHED.exec(output) ?? [];
      expect(technologyOfType(type)).toBe('node-test');
      expect(path).toMatch(/^\/.*\/node-test-report\.xml$/);
      expect(report).toContain('name="is empty"');
      expect(report).toContain('<failure');
    });
  });

  test('reports tests with subtests that failed by themselves, and hooks that failed', async () => {
    const check = ({ exitCode, report }: TestRun) => {
      expect(exitCode).toBe(1);
      expect(casesIn(report)).toEqual([
        'prepares',
        'charges once: charged twice',
        'packs: no box',
        'adds',
        'ledger: failed running after hook',
        'counts: test did not finish before its parent and was cancelled',
        'shelf: failed running before hook',
      ]);
    };
    await runTests('tests dir/shop.test.mjs', check, OWN_FAILURES);
  });

  test('reports names and messages with quotation marks as they are', async () => {
    let report: string | null = null;
    await runTests('tests dir/shop.test.mjs', (run) => ({ report } = run), SIGNS);
    const { cases, error } = await readText(createJunitReader, report ?? '');
    expect(error).toBeNull();
    const read = cases.map(({ suite, name, failureDetails, warningDetails }) => [
      suite,
      name,
      failureDetails?.message ?? warningDetails?.message,
    ]);
    expect(read).toEqual([
      ['"shop" & co', 'say "hi" & go', undefined],
      ['"shop" & co', 'writes " as &quot; and & as &amp;', '"1" & <2> &quot;'],
      ['"shop" & co', 'later', 'until "monday"'],
    ]);
    expect(cases[1]?.failureDetails?.text).toContain('"1" & <2> &quot;');
  });

  test('of one test runs that one', async () => {
    await runTests('tests dir/shop.test.mjs#adds (1+1)', ({ exitCode, output, report }) => {
      expect(exitCode, output).toBe(0);
      expect(output).toMatch(ATTACHED);
      expect(report).toContain('name="adds (1+1)"');
      expect(report).not.toContain('name="fails"');
    });
  });

  test('of a pattern runs all files that match', async () => {
    await runTests('tests*/*.test.mjs#is empty', ({ exitCode, report }) => {
      expect(exitCode).toBe(0);
      expect(report).toContain('name="is empty"');
    });
  });

  test('of a file that is not there fails', async () => {
    await runTests('no.test.mjs', ({ exitCode }) => expect(exitCode).toBe(1));
  });

  test('that looks like an option or a command is neither', async () => {
    await runTests('--eval=process.exit(0)', ({ exitCode }) => expect(exitCode).toBe(1));
    await runTests('$(exit 0)', ({ exitCode }) => expect(exitCode).toBe(1));
  });
});
