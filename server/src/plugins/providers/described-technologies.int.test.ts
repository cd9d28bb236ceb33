/** Described functions as environments run them, with programs that print their arguments. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InputValues } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { providerOfText } from './provider-document.ts';
import {
  callBuiltIn,
  callProvider,
  inTemporaryDirectory,
  runSteps,
  type ScriptRun,
} from './provider-scripts.fixture.ts';

/** Prints each argument on a line, runs the line `leaves`, and ends with 3. */
async function program(cwd: string, name: string, leaves: string): Promise<string> {
  const path = join(cwd, 'bin', name);
  await mkdir(join(cwd, 'bin'), { recursive: true });
  await writeFile(path, `#!/bin/bash\nprintf 'given <%s>\\n' "$@"\n${leaves}\nexit 3\n`);
  await chmod(path, 0o755);
  return join(cwd, 'bin');
}

interface Technology {
  readonly uses: string;
  readonly program: string;
  readonly leaves: string;
}

async function execute(
  { uses, program: name, leaves }: Technology,
  inputs: InputValues,
  check: (run: ScriptRun, cwd: string) => void | Promise<void>,
): Promise<void> {
  await inTemporaryDirectory(async (cwd) => {
    const bin = await program(cwd, name, leaves);
    const steps = (await callBuiltIn(uses, inputs)).map((step) => ({
      ...step,
      variables: { PATH: `${bin}:${process.env.PATH ?? ''}` },
    }));
    await check(await runSteps(steps, cwd), cwd);
  });
}

const givenTo = ({ output }: ScriptRun): readonly string[] =>
  [...output.matchAll(/^given <(.*)>$/gm)].map(([, word = '']) => word);

const attachedIn = ({ output }: ScriptRun): readonly string[] =>
  output.split('\n').filter((line) => line.startsWith('::'));

describe('junit/execute', () => {
  const junit = {
    uses: 'junit/execute@v1',
    program: 'mvn',
    leaves:
      "mkdir -p 'a b/target/surefire-reports'; touch 'a b/target/surefire-reports/TEST-'{1,2}.xml",
  };

  test('runs one method in the project, keeps the exit code and attaches each report', async () => {
    await execute(junit, { test: 'a b/org.shop.CartTest#adds' }, (run, cwd) => {
      expect(run.exitCode).toBe(3);
      expect(givenTo(run)).toEqual([
        '--batch-mode',
        '--file=a b/pom.xml',
        '-Dtest=org.shop.CartTest#adds',
        'test',
      ]);
      const head = '::attach type=application/vnd.opentestfactory.junit-surefire+xml::';
      expect(attachedIn(run)).toEqual(
        [1, 2].map((n) => `${head}${cwd}/a b/target/surefire-reports/TEST-${n}.xml`),
      );
    });
  });

  test('without reports says so, also if an earlier run left some', async () => {
    await execute({ ...junit, leaves: '' }, { test: 'CartTest' }, (run) => {
      expect(givenTo(run).slice(1, 3)).toEqual(['--file=./pom.xml', '-Dtest=CartTest']);
      expect(attachedIn(run)).toEqual([
        '::warning::There is no report ./**/target/*surefire-reports/*.xml to attach.',
        '::missing-report type=application/vnd.opentestfactory.junit-surefire+xml::./**/target/*surefire-reports/*.xml',
      ]);
    });
  });
});

describe('junit/junit', () => {
  const junit = { uses: 'junit/junit@v1', program: 'mvn', leaves: '' };

  test.each([
    ['a b', ['--file=a b/pom.xml']],
    ['org.shop.tests/', ['--file=org.shop.tests/pom.xml']],
    ['.', ['--file=./pom.xml']],
    ['./', ['--file=./pom.xml']],
    ['shop-1.0', ['--file=shop-1.0/pom.xml']],
    ['shop/pom.xml', ['--file=shop/pom.xml']],
    ['pom.xml', ['--file=./pom.xml']],
    ['a b/org.shop.CartTest', ['--file=a b/pom.xml', '-Dtest=org.shop.CartTest']],
    ['org.shop.CartTest', ['--file=./pom.xml', '-Dtest=org.shop.CartTest']],
    ['shop/CartTest#adds', ['--file=shop/pom.xml', '-Dtest=CartTest#adds']],
    ['org.shop.CartTest#adds', ['--file=./pom.xml', '-Dtest=org.shop.CartTest#adds']],
  ])('runs what the data source %s names', async (datasource, words) => {
    await execute(junit, { datasource }, (run) => {
      expect(givenTo(run)).toEqual(['--batch-mode', '--fail-at-end', ...words, 'test']);
      expect(run.exitCode).toBe(3);
    });
  });

  test('runs it with Gradle as well, and attaches each report', async () => {
    const leaves =
      'mkdir -p shop/build/test-results/test; touch shop/build/test-results/test/TEST-1.xml';
    const gradle = { ...junit, program: 'gradle', leaves };
    await execute(gradle, { datasource: 'shop', build: 'gradle' }, (run, cwd) => {
      expect(givenTo(run)).toEqual([
        '--no-daemon',
        '--console=plain',
        '--continue',
        '--project-dir=shop',
        'test',
      ]);
      expect(attachedIn(run)).toEqual([
        `::attach type=application/vnd.opentestfactory.junit-surefire+xml::${cwd}/shop/build/test-results/test/TEST-1.xml`,
      ]);
    });
    const chosen = { datasource: 'shop/org.shop.CartTest#adds', build: 'gradle' };
    await execute(gradle, chosen, (run) => {
      expect(givenTo(run).at(-1)).toBe('--tests=org.shop.CartTest.adds');
    });
  });

  test('attaches the reports of all projects and tasks of a build, and none of an earlier run', async () => {
    const results = (project: string) => `'a b'/${project}build/test-results`;
    const leaves = [
      'mkdir -p shop/build/test-results/test',
      `mkdir -p ${results('')}/test ${results("it\\'s/")}/testDebug/deep`,
      `touch ${results('')}/test/TEST-1.xml ${results("it\\'s/")}/testDebug/{TEST-2.xml,other.txt}`,
      `touch ${results("it\\'s/")}/testDebug/deep/TEST-3.xml ${results("it\\'s/")}/TEST-4.xml`,
    ].join('; ');
    await inTemporaryDirectory(async (cwd) => {
      const bin = await program(cwd, 'gradle', leaves);
      const stale = 'a b/z/build/test-results/test';
      await mkdir(join(cwd, stale), { recursive: true });
      await writeFile(join(cwd, stale, 'TEST-0.xml'), '');
      const called = await callBuiltIn('junit/junit@v1', { datasource: 'a b', build: 'gradle' });
      const variables = { PATH: `${bin}:${process.env.PATH ?? ''}` };
      const run = await runSteps(
        called.map((step) => ({ ...step, variables })),
        cwd,
      );
      expect(run.exitCode).toBe(3);
      expect(attachedIn(run).map((line) => line.replace(/^.*::/, ''))).toEqual([
        `${cwd}/a b/build/test-results/test/TEST-1.xml`,
        `${cwd}/a b/it's/build/test-results/testDebug/TEST-2.xml`,
      ]);
    });
  });
});

describe('cucumber', () => {
  const cucumber = { uses: 'cucumber/cucumber@v1', program: 'mvn' };
  const inputs = { test: 'features', tag: '@a and not @b', properties: { x: 'a b' } };
  const attachedFiles = (run: ScriptRun) =>
    attachedIn(run).map((line) => line.replace(/^.*\//, ''));

  test('packs the report that is a folder in old versions', async () => {
    const leaves = 'mkdir -p target/report.html; touch target/report.{json,html/index.html}';
    await execute({ ...cucumber, leaves }, inputs, async (run, cwd) => {
      expect(run.exitCode).toBe(3);
      expect(givenTo(run)).toEqual([
        '--batch-mode',
        '-Dx=a b',
        '-Dcucumber.features=features',
        '-Dcucumber.filter.tags=@a and not @b',
        '-Dcucumber.plugin=json:target/report.json,junit:target/report.xml,html:target/report.html',
        'test',
      ]);
      expect(attachedFiles(run)).toEqual(['report.json', 'html-report.tar']);
      const tar = await readFile(join(cwd, 'target/html-report.tar'), 'utf8');
      expect(tar).toContain('report.html/index.html');
    });
  });

  test('packs none where none is made', async () => {
    const leaves = 'mkdir target; touch target/report.json';
    await execute({ ...cucumber, leaves }, { ...inputs, reporters: [] }, (run) => {
      expect(givenTo(run).at(-2)).toBe('-Dcucumber.plugin=json:target/report.json');
      expect(attachedFiles(run)).toEqual(['report.json']);
    });
  });
});

test('junit/mvntest passes properties on, each as one word', async () => {
  const mvntest = { uses: 'junit/mvntest@v1', program: 'mvn', leaves: '' };
  const given = { test: 'CartTest#adds', properties: { env: 'a b; echo x', n: 1 } };
  await execute(mvntest, given, (run) => {
    expect(givenTo(run)).toEqual([
      '--batch-mode',
      '-Denv=a b; echo x',
      '-Dn=1',
      '-Dtest=CartTest#adds',
      'test',
    ]);
  });
});

test('pytest/execute takes a test for no option', async () => {
  const pytest = {
    uses: 'pytest/execute@v1',
    program: 'pytest',
    leaves: 'touch pytest-report.xml',
  };
  await execute(pytest, { test: '--help' }, (run, cwd) => {
    expect(givenTo(run)).toEqual([
      `--junitxml=${cwd}/pytest-report.xml`,
      '--override-ini=junit_family=xunit1',
      '--',
      './--help',
    ]);
    expect(attachedIn(run)[0]).toMatch(/^::attach type=.*pytest-surefire\+xml,name=report\.xml::/);
  });
});

test('params leave variables and a file for the steps after them', async () => {
  await inTemporaryDirectory(async (cwd) => {
    const data = { global: { A: 'of all', 'b c': 1 }, test: { A: "it's $HOME\nand more" } };
    const given = { data, format: 'tm.squashtest.org/params@v1' };
    const steps = (await callBuiltIn('junit/params@v1', given)).map((step) => ({
      ...step,
      variables: { OPENTF_VARIABLES: join(cwd, 'variables') },
    }));
    const show = `. "${join(cwd, 'variables')}"; echo "<$A>"; echo "<$_SQUASH_TF_TESTCASE_PARAM_FILES>"`;
    const run = await runSteps([...steps, { run: show }], cwd);
    const file = join(cwd, 'junit-params.ini');
    expect(run.output).toContain(`<it's $HOME\nand more>\n<${file}>`);
    expect(run.output).toContain('::warning::The parameter "b c" cannot be a variable here');
    expect(await readFile(file, 'utf8')).toBe(
      "[global]\nA = of all\nb c = 1\n\n[test]\nA = it's $HOME and more\n",
    );
  });
});

test.each([
  [[], 'Input "data" must have maps "global" and "test".'],
  [{ tests: {} }, 'Input "data" has "global" and "test" alone, not "tests".'],
  [{ global: { a: [] } }, 'Input "data" has no text for "a".'],
])('params %j are refused', async (data, message) => {
  const given = { data, format: 'tm.squashtest.org/params@v1' };
  await expect(callBuiltIn('junit/params@v1', given)).rejects.toThrow(message);
});

test('the description that docs/guides/functions.md begins with works', async () => {
  const page = new URL('../../../../docs/guides/functions.md', import.meta.url);
  const [, example = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(await readFile(page, 'utf8')) ?? [];
  const { provider } = await providerOfText(example);
  await inTemporaryDirectory(async (cwd) => {
    await program(cwd, 'smoke-test', 'mkdir -p reports; touch reports/1.xml');
    const given = { test: 'cart#adds 1', tags: ['a', 'b c'] };
    const steps = await callProvider(provider, 'shop/smoke@v1', given);
    const run = await runSteps(
      steps.map((step) => ({
        ...step,
        run: step.run?.replace('./smoke-test', 'bin/smoke-test') ?? '',
      })),
      cwd,
    );
    expect(givenTo(run)).toEqual(['--tag=a', '--tag=b c', '--name=adds 1', '--', 'cart']);
    expect(attachedIn(run)).toEqual([
      `::attach type=application/vnd.opentestfactory.shop-surefire+xml::${cwd}/reports/1.xml`,
    ]);
    expect(run.exitCode).toBe(3);
  });
});
