/** `tutti init --from`: workflows of other build servers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../testing/run-command.ts';

const GITHUB = `
name: CI
on: [push]
env: {SHOP: 'a $b'}
jobs:
  unit:
    name: Unit tests
    runs-on: \${{ matrix.os }}
    timeout-minutes: 10
    strategy: {fail-fast: false, matrix: {os: [linux], node: [22, 24]}}
    services: {db: {image: postgres}}
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: {node-version: 22}
      - run: npm test
        id: runner
        working-directory: web
        env: {TOKEN: '\${{ secrets.TOKEN }}', NODE: '\${{ env.SHOP }}', REF: '\${{ github.ref }}'}
      - uses: actions/upload-artifact@v4
        if: always()
        with: {name: 'logs-\${{ steps.runner.outputs.v }}', path: logs}
      - run: echo \${{ github.sha }}
  lint:
    runs-on: ubuntu-latest
    needs: [unit, shared]
    if: github.ref == 'refs/heads/main'
    steps: [{run: npm run lint}]
  shared:
    uses: ./.github/workflows/shared.yml
`;

const GITLAB = `
stages: [build, test]
variables: {MODE: fast, LEVEL: {value: '2'}}
default: {tags: [docker], image: node:22}
before_script: [npm ci]
.base: {timeout: 1h 30m, variables: {BASE: '1'}}
make:
  stage: build
  script: make
unit tests:
  extends: .base
  variables: {OWN: '2'}
  parallel: {matrix: [{NODE: ['22', '24']}]}
  script: [npm test, 'echo done']
  after_script: [echo after]
  allow_failure: true
  rules: [{when: always}]
  artifacts: {reports: {junit: report.xml}, paths: [logs]}
`;

async function translated(text: string, words: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-init-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'ci.yml');
  writeFileSync(file, text);
  const result = await runCommand(['init', folder, '--from', file, ...words]);
  return { ...result, folder };
}

async function workflowOf(text: string) {
  const { stdout } = await translated(text, ['--output', '-']);
  const checked = await runCommand(['validate', '-', '--format', 'json'], { input: stdout });
  expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('"problems": []')]);
  return { text: stdout, workflow: parse(stdout) };
}

const SOURCES = `\${{ variables.TUTTI_SOURCE_DIR }}`;
const CHECKOUT = {
  name: 'Sources on a server',
  if: "variables.TUTTI_SOURCE_DIR == 'sources'",
  run: 'echo ::error::Nothing was checked out. && exit 1',
  'working-directory': '.',
};

test('a workflow of GitHub Actions', async () => {
  const { workflow } = await workflowOf(GITHUB);
  expect(workflow).toEqual({
    metadata: { name: 'CI' },
    variables: { TUTTI_SOURCE_DIR: 'sources', SHOP: { value: 'a $b', verbatim: true } },
    secrets: { TOKEN: '' },
    jobs: {
      unit: {
        name: 'Unit tests',
        'runs-on': [`\${{ matrix.os }}`],
        strategy: { 'fail-fast': false, matrix: { os: ['linux'], node: [22, 24] } },
        'timeout-minutes': 10,
        defaults: { run: { 'working-directory': SOURCES } },
        steps: [
          CHECKOUT,
          {
            run: 'npm test',
            id: 'runner',
            'working-directory': `${SOURCES}/web`,
            variables: { TOKEN: `\${{ secrets.TOKEN }}`, NODE: `\${{ variables.SHOP }}` },
          },
          {
            if: 'always()',
            uses: 'actions/upload-artifact@v1',
            with: { name: `logs-\${{ steps.runner.outputs.v }}`, path: 'logs' },
            'working-directory': SOURCES,
          },
        ],
      },
      lint: { 'runs-on': ['linux'], needs: ['unit'], steps: [{ run: 'npm run lint' }] },
    },
  });
});

test('a pipeline of GitLab', async () => {
  const { workflow } = await workflowOf(GITLAB);
  const defaults = { run: { 'working-directory': SOURCES } };
  const tags = ['linux', 'docker'];
  expect(workflow).toEqual({
    metadata: { name: expect.stringMatching(/^tutti-init-/) },
    variables: { TUTTI_SOURCE_DIR: 'sources', MODE: 'fast', LEVEL: '2' },
    jobs: {
      make: { 'runs-on': tags, defaults, steps: [CHECKOUT, { run: 'npm ci\nmake' }] },
      'unit-tests': {
        'runs-on': tags,
        needs: ['make'],
        strategy: { matrix: { NODE: ['22', '24'] } },
        variables: { BASE: '1', OWN: '2', NODE: `\${{ matrix.NODE }}` },
        defaults,
        'timeout-minutes': 90,
        'continue-on-error': true,
        steps: [
          CHECKOUT,
          { run: 'npm ci\nnpm test\necho done' },
          { if: 'always()', run: 'echo after' },
          {
            if: 'always()',
            run: 'for report in report.xml; do echo "::attach type=application/vnd.opentestfactory.junit-surefire+xml::$PWD/$report"; done',
          },
        ],
      },
    },
  });
});

test('what has no equivalent is printed, and stands in the file', async () => {
  const github = (await translated(GITHUB)).stdout;
  for (const line of [
    'workflow: "on" has no equivalent.',
    'job shared: left out, since it calls another workflow.',
    'job unit: "services" has no equivalent.',
    'job unit, step 2: left out: the machine has to have node; "runs-on" can name a tag for it.',
    'job unit, step 3: env: REF: left out, since "github.ref" has no equivalent.',
    'job unit, step 5: left out, since "github.sha" has no equivalent.',
    `job lint: if: left out, since "github.ref == 'refs/heads/main'" has no equivalent.`,
  ]) {
    expect(github).toContain(`\n  ${line}\n`);
  }
  const { text } = await workflowOf(GITLAB);
  for (const line of [
    'default: "image" has no equivalent.',
    'job unit tests: "rules" has no equivalent.',
    'job unit tests: artifacts: "paths" has no equivalent.',
  ]) {
    expect(text).toContain(`# Not translated: ${line}\n`);
  }
});

test.each([
  ['{', 'Cannot read the workflow to translate'],
  ['stages: [a]', 'is neither a workflow of GitHub Actions nor a pipeline of GitLab with jobs.'],
  ['hello: 1', 'is neither a workflow of GitHub Actions nor'],
  [
    'metadata: {name: x}\njobs: {a: {steps: [{run: x}]}}',
    'is neither a workflow of GitHub Actions',
  ],
  ['on: push\njobs: {a: {uses: ./x.yml}}', 'has no job that can be translated.'],
  ['a: {script: !other [b]}', 'the tag !other cannot be used here'],
  ['[]', 'has no object.'],
])('%j is refused', async (text, message) => {
  const { code, stderr } = await translated(text);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

const stepsOf = (lines: readonly string[], more = '') =>
  `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n${more}    steps:\n${lines
    .map((line) => `      - run: |\n          ${line}\n`)
    .join('')}`;

test.each([
  ['echo "v=$(a | b)" >> "$GITHUB_OUTPUT"', 'echo "::set-output name=v::$(a | b)"'],
  ['echo v=1 >>$GITHUB_OUTPUT', 'echo "::set-output name=v::1"'],
  [`echo 'A=$x' >> $GITHUB_ENV`, `printf 'export A=%q\\n' '$x' >> "$OPENTF_VARIABLES"`],
  [
    'echo "$HOME/bin" >> "$GITHUB_PATH"',
    `printf 'export PATH=%q\\n' "$HOME/bin"":$PATH" >> "$OPENTF_VARIABLES"`,
  ],
])('the line %s becomes %s', async (line, expected) => {
  const { text, workflow } = await workflowOf(stepsOf([line]));
  expect(workflow.jobs.a.steps).toEqual([{ run: `${expected}\n` }]);
  expect(text).not.toContain('only GitHub has');
});

test.each([
  ['a=1; b "v=1" >> $GITHUB_OUTPUT', 'GITHUB_OUTPUT'],
  ['echo "v=1"; b "c" >> $GITHUB_OUTPUT', 'GITHUB_OUTPUT'],
  ['cat x >> $GITHUB_ENV', 'GITHUB_ENV'],
  ['echo "$GITHUB_SHA $RUNNER_OS $GITHUB_SHA"', 'GITHUB_SHA, RUNNER_OS'],
])('the line %s stays, and %s is named', async (line, names) => {
  const { text, workflow } = await workflowOf(stepsOf([line]));
  expect(workflow.jobs.a.steps).toEqual([{ run: `${line}\n` }]);
  expect(text).toContain(
    `# Not translated: job a, step 1: uses ${names}, which only GitHub has.\n`,
  );
});

test('variables that the workflow sets are its own, and a summary goes nowhere', async () => {
  const more = '    env: {GITHUB_SHA: x}\n';
  const { text, workflow } = await workflowOf(
    stepsOf(['echo "$GITHUB_SHA" >> $GITHUB_STEP_SUMMARY'], more),
  );
  expect(workflow.jobs.a.steps[0].variables).toEqual({ GITHUB_STEP_SUMMARY: '/dev/null' });
  expect(text).toContain('uses GITHUB_STEP_SUMMARY, which only GitHub has.');
});

test('the directory of a workflow begins in the sources, and no shell expands it', async () => {
  const { workflow } = await workflowOf(`
on: push
permissions: {contents: read}
defaults: {run: {working-directory: src $x, shell: bash}}
jobs:
  a: {runs-on: ubuntu-latest, steps: [{uses: actions/checkout@v4}, {run: make}]}
  b: {runs-on: ubuntu-latest, steps: [{run: make, working-directory: '$(x)'}]}
  c:
    runs-on: ubuntu-latest
    defaults: {run: {working-directory: web}}
    steps: [{uses: actions/checkout@v4}, {run: make}]
`);
  const directories = Object.values<{ defaults: object }>(workflow.jobs).map(
    ({ defaults }) => defaults,
  );
  expect(workflow.defaults).toEqual({ run: { shell: 'bash' } });
  expect(directories).toEqual([
    { run: { 'working-directory': `${SOURCES}/src \\$x` } },
    { run: { 'working-directory': 'src \\$x' } },
    { run: { 'working-directory': `${SOURCES}/web` } },
  ]);
  expect(workflow.jobs.b.steps[0]['working-directory']).toBe('\\$(x)');
});

test('images in a matrix become tags', async () => {
  const { text, workflow } = await workflowOf(`
on: push
permissions: {contents: read}
jobs:
  a:
    runs-on: ['\${{ matrix.os }}', gpu]
    strategy:
      matrix:
        os: [ubuntu-22.04, ubuntu-24.04, windows-latest]
        node: [20, 22]
        include: [{os: macos-latest, node: 18}]
        exclude: [{os: windows-latest, node: 20}]
    steps: [{run: make, if: "matrix.os == 'windows-latest'"}]
  b: {runs-on: {group: big, labels: [ubuntu-latest, x]}, steps: [{run: make}]}
`);
  expect(workflow.jobs.a.strategy.matrix).toEqual({
    os: ['linux', 'windows'],
    node: [20, 22],
    include: [{ os: 'macos', node: 18 }],
    exclude: [{ os: 'windows', node: 20 }],
  });
  expect(workflow.jobs.b['runs-on']).toEqual(['linux', 'x']);
  for (const line of [
    'workflow: "permissions" has no equivalent.',
    'job a: ubuntu-22.04, ubuntu-24.04, windows-latest became linux, windows: the matrix is smaller.',
    "job a: compares with 'windows-latest': the tag is windows.",
    'job b: runs-on: "group" has no equivalent.',
  ]) {
    expect(text).toContain(`# Not translated: ${line}\n`);
  }
});

test('references of GitLab are followed, and those that lead nowhere are named', async () => {
  const { text, workflow } = await workflowOf(`
.base:
  script: [make a, !reference [.more, script]]
.more: {script: [make b]}
.loop: {script: [!reference [.loop, script]]}
build: {script: !reference [.base, script]}
test:
  variables: {A: !reference [.more, script, x]}
  script: [!reference [.base, script], "make c", !reference [.loop, script], !reference [.none, script]]
`);
  const runs = (job: string) => workflow.jobs[job].steps[1].run;
  expect([runs('build'), runs('test')]).toEqual(['make a\nmake b', 'make a\nmake b\nmake c']);
  expect(text).toContain('test: variables: A: left out: !reference .more, script, x leads');
  expect(text).toContain('test: script: left out: !reference .none, script leads nowhere');
  expect(text).toContain('.loop: script: left out: !reference .loop, script leads nowhere');
});

test('jobs of GitLab run when they are meant to', async () => {
  const { text, workflow } = await workflowOf(`
stages: [build, deploy, check]
.base: {tags: [linux]}
make: {stage: build, extends: .base, script: make}
deploy: {stage: deploy, script: deploy, when: manual}
ruled: {stage: deploy, script: deploy, rules: [{if: $X, when: manual}, {when: never}]}
clean: {stage: check, script: 'echo $CI_JOB_ID $CI_X $CI', when: on_failure, variables: {CI_X: '1'}}
odd: {stage: other, script: x, when: delayed}
`);
  const facts = Object.entries<{ if: string; needs: string[]; 'runs-on': string[] }>(
    workflow.jobs,
  ).map(([name, job]) => [name, job.if, job.needs, job['runs-on']]);
  expect(facts).toEqual([
    ['make', undefined, undefined, ['linux']],
    ['deploy', 'false', ['make'], ['linux']],
    ['ruled', 'false', ['make'], ['linux']],
    ['clean', 'failure()', ['make'], ['linux']],
    ['odd', undefined, ['clean'], ['linux']],
  ]);
  for (const line of [
    'job deploy: never runs: change "if" to run it.',
    'job clean: uses CI_JOB_ID, which only GitLab has.',
    'job odd: "stages" has no other: it comes last.',
    'job odd: "when: delayed" has no equivalent.',
  ]) {
    expect(text).toContain(`# Not translated: ${line}\n`);
  }
});
