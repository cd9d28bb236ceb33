/** Functions of JUnit and Cucumber, with the real tools. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { type Found, need } from '../support/found-tool.ts';
import { allEvents, only } from '../support/runs.ts';
import { technologyBench } from './bench.ts';
import { fetchWithMaven, projectFolder } from './tools.ts';

const bench = await technologyBench();
let junit: Found<string>;
let modules: Found<string>;
let cucumber: Found<string>;

beforeAll(async () => {
  junit = await fetchWithMaven(projectFolder('junit'));
  modules = await fetchWithMaven(projectFolder('junit-modules'));
  cucumber = await fetchWithMaven(projectFolder('cucumber'));
});

describe('JUnit', () => {
  test('runs a class: what passes, fails, breaks and is skipped', async (context) => {
    need(junit, 'JUnit', context);
    const call = {
      uses: 'junit/mvntest@v1',
      with: { test: 'CartTest', properties: { 'a.b': 'c d' } },
    };
    const { cases, texts, hasPassed } = await bench.run('junit', call);
    expect(cases).toEqual([
      'shop.CartTest: adds SUCCESS',
      'shop.CartTest: divides SKIPPED',
      'shop.CartTest: subtracts FAILURE',
      'shop.CartTest: takes ERROR',
    ]);
    expect(texts.subtracts).toContain('two less one is one');
    expect(texts.takes).toContain('the shelf is empty');
    expect(hasPassed).toBe(false);
  });

  test('runs one method in the project of a folder, whatever the name of that has', async (context) => {
    need(junit, 'JUnit', context);
    const folder = "my $(touch breach) 'é";
    const call = { uses: 'junit/execute@v1', with: { test: `${folder}/shop.CartTest#adds` } };
    const move = {
      run: 'mkdir "$FOLDER" && mv pom.xml src "$FOLDER"',
      variables: { FOLDER: { value: folder, verbatim: true } },
    };
    const { cases, hasPassed } = await bench.run('junit', call, { before: [move] });
    expect(cases).toEqual(['shop.CartTest: adds SUCCESS']);
    expect(hasPassed).toBe(true);
  });

  test('runs all tests of a folder', async (context) => {
    need(junit, 'JUnit', context);
    const call = { uses: 'junit/junit@v1', with: { datasource: 'shop.tests/' } };
    const move = { run: 'mkdir shop.tests && mv pom.xml src shop.tests' };
    const { cases, hasPassed } = await bench.run('junit', call, { before: [move] });
    expect(cases).toEqual([
      'shop.CartTest: adds SUCCESS',
      'shop.CartTest: divides SKIPPED',
      'shop.CartTest: subtracts FAILURE',
      'shop.CartTest: takes ERROR',
    ]);
    expect(hasPassed).toBe(false);
  });

  test('runs the tests of all modules, also behind one that failed, and tells nothing of an earlier run', async (context) => {
    need(modules, 'JUnit', context);
    const call = { uses: 'junit/junit@v1', with: { datasource: '.' } };
    const folder = 'stock/shelf/target/surefire-reports';
    const stale = `mkdir -p ${folder} && echo '<testsuite><testcase name="stale"/></testsuite>' > ${folder}/TEST-Old.xml`;
    const { cases, hasPassed } = await bench.run('junit-modules', call, {
      before: [{ run: stale }],
    });
    expect(cases).toEqual([
      'shop.CartTest: adds FAILURE',
      'shop.ShelfIT: holdsTogether SUCCESS',
      'shop.ShelfTest: holds SUCCESS',
    ]);
    expect(hasPassed).toBe(false);
  });

  test('runs a class of one module', async (context) => {
    need(modules, 'JUnit', context);
    const call = { uses: 'junit/execute@v1', with: { test: 'stock/shelf/ShelfTest' } };
    const { cases, hasPassed } = await bench.run('junit-modules', call);
    expect(cases).toEqual(['shop.ShelfTest: holds SUCCESS']);
    expect(hasPassed).toBe(true);
  });
});

async function attachedNames(api: Api, id: string): Promise<readonly string[]> {
  const results = only(await allEvents(api, id), 'ExecutionResult');
  const paths = results.flatMap(({ attachments = [] }) => attachments);
  return paths.map((path) => path.replace(/^.*_/, '')).sort();
}

describe('Cucumber', () => {
  const file = 'src/test/resources/features/cart.feature';

  test('runs a feature: what passes, fails, is not defined and is pending', async (context) => {
    need(cucumber, 'Cucumber', context);
    const call = { uses: 'cucumber/execute@v1', with: { test: `.#${file}##` } };
    const { id, cases, texts, hasPassed } = await bench.run('cucumber', call);
    expect(cases).toEqual([
      'Cart: Adding $(touch breach) [é] SUCCESS',
      'Cart: Adding SUCCESS',
      'Cart: Counting - Example #1 SUCCESS',
      'Cart: Counting - Example #2 SUCCESS',
      'Cart: Dividing SKIPPED',
      'Cart: Subtracting FAILURE',
      'Cart: Taking ERROR',
    ]);
    expect(texts.Subtracting).toContain('expected: <0> but was: <1>');
    expect(hasPassed).toBe(false);
    expect(await attachedNames(bench.shared.server, id)).toEqual([
      'html-report.tar',
      'report.html',
      'report.json',
      'report.xml',
    ]);
  });

  test('runs one scenario, whatever its name has', async (context) => {
    need(cucumber, 'Cucumber', context);
    const call = {
      uses: 'cucumber5/execute@v1',
      with: { test: `.#${file}#Cart#Adding $(touch breach) [é]` },
    };
    const { cases } = await bench.run('cucumber', call);
    expect(cases).toEqual(['Cart: Adding $(touch breach) [é] SUCCESS']);
  });

  test('runs the examples of the data set that the test management names', async (context) => {
    need(cucumber, 'Cucumber', context);
    const data = { global: {}, test: { DSNAME: 'many' } };
    const params = {
      uses: 'cucumber/params@v1',
      with: { data, format: 'tm.squashtest.org/params@v1' },
    };
    const call = { uses: 'cucumber/execute@v1', with: { test: `${file}##Counting` } };
    const { cases, hasPassed } = await bench.run('cucumber', call, { before: [params] });
    expect(cases).toEqual(['Cart: Counting - Example #1 SUCCESS']);
    expect(hasPassed).toBe(true);
  });

  test('runs the scenarios with a tag, with other reporters', async (context) => {
    need(cucumber, 'Cucumber', context);
    const chosen = { test: 'src/test/resources/features', tag: '@few', reporters: ['pretty'] };
    const { cases, log } = await bench.run('cucumber', {
      uses: 'cucumber/cucumber@v1',
      with: chosen,
    });
    expect(cases).toEqual(['Cart: Counting - Example #1 SUCCESS']);
    expect(log).toContain('1 and 0 make 1');
  });
});
