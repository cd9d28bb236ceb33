/** The example with six technologies: its data sources, verdicts and reports are those that its author expects. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { SaxesParser } from 'saxes';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { runCli } from '../e2e/cli-process.ts';
import { itemsOf } from '../support/api.ts';
import { LOOK_FOR_VIOLATIONS, launchChromium } from '../support/browser.ts';
import { type Found, need } from '../support/found-tool.ts';
import { type ExampleRun, exampleTools, runExample } from './example-run.ts';
import { inOrder, readExpectation } from './expectation.ts';
import { takePictures } from './pictures.ts';
import { EXAMPLE } from './tools.ts';

/** With tools that have to be installed first. */
const ALL_WITHIN_MS = 600_000;
const DOCUMENTS = join(import.meta.dirname, '../../docs/pictures');

const expected = await readExpectation();
let found: Found<ExampleRun> = { missing: 'the example did not run' };

beforeAll(async () => {
  const tools = await exampleTools();
  found = 'missing' in tools ? tools : { tool: await runExample(tools.tool) };
}, ALL_WITHIN_MS);

afterAll(async () => {
  if ('tool' in found) await found.tool.close();
});

const runOf = (context: TestContext): ExampleRun => need(found, 'the example', context);

/** The keys of the items of data sources that these tests read (specification 2.6 to 2.8). */
interface Item {
  readonly metadata: { readonly name: string; readonly id: string };
  readonly spec: {
    readonly 'runs-on': readonly string[];
    readonly variables: Readonly<Record<string, string>>;
  };
  readonly status: {
    readonly phase: string;
    readonly jobCount: number;
    readonly testCaseStatusSummary: Readonly<Record<string, number>>;
  };
  readonly test: Readonly<Record<string, string>>;
  readonly execution: {
    readonly failureDetails?: { readonly message?: string };
    readonly errorDetails?: { readonly message?: string };
  };
}

async function itemsIn(run: ExampleRun, kind: 'testcases' | 'jobs' | 'tags') {
  const path = `/workflows/${run.workflowId}/datasources/${kind}`;
  const answer = await run.server.call('GET', path, { query: 'per_page=1000' });
  return itemsOf(answer) as readonly Item[];
}

const countsOf = ({ status }: Item) =>
  ['success', 'failure', 'error', 'skipped'].map((name) => status.testCaseStatusSummary[name]);

test('the command of the README ends with the verdict of the gate', (context) => {
  const { exitCode, output } = runOf(context);
  expect({ exitCode, output }).toEqual({
    exitCode: expected.gates.release?.exitCode,
    output: expect.stringMatching(
      /Result: FAILURE, 19 of 34 [\s\S]*Quality gate "release" of workflow .*: FAILURE/,
    ),
  });
});

describe('the data source', () => {
  test('testcases has each test case with its outcome and its message', async (context) => {
    const items = await itemsIn(runOf(context), 'testcases');
    const shownBy = items.map(({ test: of, execution }) => {
      const { failureDetails, errorDetails } = execution;
      const { job = '', technology, uses, test: reference, outcome } = of;
      const [suite = '', name = ''] = [of.suiteName, of.testCaseName];
      const message = (failureDetails ?? errorDetails)?.message ?? null;
      return { job, technology, uses, test: reference, suite, name, outcome, message };
    });
    expect(inOrder(shownBy)).toEqual(
      inOrder(expected.cases).map(({ message, ...rest }) => ({
        ...rest,
        message: message === null ? null : expect.stringContaining(message),
      })),
    );
  });

  test('jobs has each job with its tags, its variables and its counts', async (context) => {
    const items = await itemsIn(runOf(context), 'jobs');
    const shownBy = items.map((item) => {
      const { SOURCE_DIR: _, TOOLS_DIR: __, ...variables } = item.spec.variables;
      const { phase } = item.status;
      const job = { tags: item.spec['runs-on'], phase, counts: countsOf(item), variables };
      return [item.metadata.name, job];
    });
    const jobs = Object.entries(expected.jobs).map(([name, job]) => [
      name,
      { variables: {}, ...job },
    ]);
    expect(Object.fromEntries(shownBy)).toEqual(Object.fromEntries(jobs));
  });

  test('tags has each tag with its jobs and its counts', async (context) => {
    const items = await itemsIn(runOf(context), 'tags');
    const shownBy = items.map((item) => [
      item.metadata.name,
      { jobs: item.status.jobCount, counts: countsOf(item) },
    ]);
    expect(Object.fromEntries(shownBy)).toEqual(expected.tags);
  });
});

test.for(Object.keys(expected.gates))('the gate %s has its verdict', async (name, context) => {
  const { server, workflowId } = runOf(context);
  const own = ['release', 'night'].includes(name) ? ['--definition', `${EXAMPLE}/gates.yaml`] : [];
  const connection = ['--server', server.url, '--token', server.token];
  const args = ['gate', workflowId, '--gate', name, ...own, ...connection, '--output', 'json'];
  const { code, stdout } = await runCli(args, { cwd: EXAMPLE });
  const { details } = JSON.parse(stdout);
  const rules = Object.entries<Record<string, unknown>>(details.rules).map(([rule, result]) => {
    const { tests_in_scope, tests_failed, tests_passed, success_ratio } = result;
    return [rule, [result.result, tests_in_scope, tests_failed, tests_passed, success_ratio]];
  });
  expect({ exitCode: code, status: details.status, rules: Object.fromEntries(rules) }).toEqual(
    expected.gates[name],
  );
});

describe('the report', () => {
  test('for machines has the totals and each test case', (context) => {
    const { totals, cases } = readJunit(runOf(context).xml);
    const { success, ...counts } = expected.totals;
    const all = success + counts.failure + counts.error + counts.skipped;
    expect(totals).toEqual([all, counts.failure, counts.error, counts.skipped].map(String));
    expect(inOrder(cases)).toEqual(
      inOrder(expected.cases).map(({ job, suite, name, outcome, message }) => ({
        job,
        suite,
        name,
        outcome,
        message: message === null ? '' : expect.stringContaining(message),
      })),
    );
  });

  test('that is a log has all steps of each job, in their order', async (context) => {
    const run = runOf(context);
    const jobs = await itemsIn(run, 'jobs');
    expect(run.log).toMatch(/^Workflow prices\n\(running in namespace "default"\)\n/);
    expect(run.log).toContain('Workflow completed successfully.');
    for (const [name, texts] of Object.entries(expected.log)) {
      const id = jobs.find(({ metadata }) => metadata.name === name)?.metadata.id;
      const lines = run.log.split('\n').filter((line) => line.includes(`[job ${id}]`));
      expect(inSequence(lines, texts)).toEqual(texts);
    }
  });

  describe('for people', () => {
    let browser: Browser | undefined;
    afterAll(() => browser?.close());

    test('shows the totals and each test case, and axe finds nothing wrong', async (context) => {
      const { chromium, htmlFile } = runOf(context);
      browser = await launchChromium(chromium);
      const page = await browser.newPage();
      await page.goto(pathToFileURL(htmlFile).href);
      const { success, failure, error, skipped } = expected.totals;
      expect(await page.locator('.tiles dd').allTextContents()).toEqual([
        ...[success, failure, error, skipped].map(String),
        '70.58 %',
        expect.stringMatching(/^[\d.]+ m?s$/),
      ]);
      expect(await page.locator('.verdict').textContent()).toContain(
        `${failure + error} of ${expected.cases.length} test cases did not pass.`,
      );
      const rows = await cellsOf(page, 'All test cases');
      const shown = rows.map(([outcome = '', name = '', suite = '', technology, job = '']) => {
        return { outcome: outcome.replace(/^\S /, ''), name, suite, technology, job };
      });
      const cases = expected.cases.map(({ outcome, name, suite, technology, job }) => {
        return { outcome, name, suite, technology, job };
      });
      expect(inOrder(shown)).toEqual(inOrder(cases));
      const failures = await cellsOf(page, 'Failures');
      expect(failures.map(([, name]) => name).sort()).toEqual(
        expected.cases
          .filter(({ message }) => message !== null)
          .map(({ name }) => name)
          .sort(),
      );
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate(LOOK_FOR_VIOLATIONS)) as axe.AxeResults;
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      // Pictures for the documents, where they are asked for: those of two runs differ in their times.
      if (process.env.TUTTI_PICTURES === '1') await takePictures(browser, htmlFile, DOCUMENTS);
    });
  });
});

/** The texts of the cells of a table, by rows. */
async function cellsOf(page: Page, name: string): Promise<readonly (readonly string[])[]> {
  const rows = page
    .getByRole('region', { name: `${name}: table`, exact: true })
    .locator('tbody tr');
  return Promise.all((await rows.all()).map((row) => row.locator('td').allTextContents()));
}

/** The texts that the lines contain in this order. */
function inSequence(lines: readonly string[], texts: readonly string[]): readonly string[] {
  let from = 0;
  return texts.filter((text) => {
    const index = lines.findIndex((line, at) => at >= from && line.includes(text));
    if (index !== -1) from = index + 1;
    return index !== -1;
  });
}

/** The parts of a report that CI servers read. */
function readJunit(xml: string) {
  const cases: { job: string; suite: string; name: string; outcome: string; message: string }[] =
    [];
  let totals: readonly (string | undefined)[] = [];
  let job = '';
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes: of }) => {
    if (name === 'testsuites') totals = [of.tests, of.failures, of.errors, of.skipped];
    if (name === 'property' && of.name === 'job') job = of.value ?? '';
    if (name === 'testcase') {
      const [suite = '', title = ''] = [of.classname, of.name];
      cases.push({ job, suite, name: title, outcome: 'success', message: '' });
    }
    const last = cases.at(-1);
    if (last === undefined || !['failure', 'error', 'skipped'].includes(name)) return;
    Object.assign(last, { outcome: name, message: of.message ?? '' });
  });
  parser.write(xml).close();
  return { totals, cases };
}
